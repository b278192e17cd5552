"""Diving for a plan: rivals chosen one by one, then units swapped until they all hold.

The relaxed problem of a fixed set of rivals is nearly integral, so the art is to find the set.
A dive takes the rival that lifts the relaxed cost least, again and again; `repair` then looks
for whole units near the relaxed plan.

A good first plan, so that the search has only to prove it.

"Surrogate prefixes": add up the rows of the q cheapest rivals, order the units by that sum, and
leave them out in this order until the goal is reached. Then a few rounds of looking at the rivals
that the best plan favours: relax the problem of making just them hold, and round.
Nothing here is trusted: every plan is counted exactly before it is taken.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import INTEGRALITY_TOLERANCE, Goal
from elsewhere.solver.exact.simplex import SOLVED, Tableau, one_row_lift
from elsewhere.solver.problem import Floats, Ints, Mask

REPAIR_RADIUS = 32
"""Units on either side of the relaxed plan's edge that may be swapped."""
MAX_REPAIR_SWAPS = 30
"""Swaps tried before giving up."""


class Dive:
    """Chooses rivals one by one, always the one that lifts the relaxed cost least."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal

    def run(
        self, chosen: list[int], banned: set[int]
    ) -> tuple[Floats, float, list[int], Ints] | None:
        """The relaxed plan, its cost, the rivals chosen, and the order that its prices give."""
        instance = self.instance
        tableau = Tableau(self.weights)
        rows = list(chosen)
        owners = list(chosen)  # whose each line of the tableau is: a zone may need several
        leading = instance.binding_zone_rows(instance.full_sums)
        for rival in rows:
            tableau = tableau.with_row(*instance.row(rival, int(leading[rival])))
        allowed = np.ones(instance.rivals, bool)
        allowed[list(banned)] = False
        for _ in range(3 * int(self.goal.total) + 3):
            outcome, _pivots = tableau.solve(60 + 4 * len(tableau.basis))
            if outcome != SOLVED:
                return None
            x = tableau.values()
            sums = instance.sums(x)
            ahead, leading = instance.slacks(sums), instance.binding_zone_rows(sums)
            # rows of chosen rivals against other zone cells come first
            if rows and not instance.single_zone:
                worst = rows[int(ahead[rows].argmin())]
                if ahead[worst] < -1e-7:
                    owners.append(worst)
                    tableau = tableau.with_row(*instance.row(worst, int(leading[worst])))
                    continue
            good = (ahead >= -1e-9) & allowed
            counts = instance.counts(good)
            if self.goal.reached(counts):
                bound, cost = tableau.bound()
                lam = np.zeros(instance.rivals)
                np.add.at(lam, owners, tableau.multipliers())
                holding = np.flatnonzero(good)
                by_price = holding[np.argsort(lam[holding], kind="stable")].tolist()
                return x, bound, by_price, np.lexsort((cost / self.weights, -x))
            short = counts < self.goal.each
            if not short.any():
                short[:] = True
            hard = np.flatnonzero(allowed & ~good & short[instance.attacker_of])
            if not len(hard):
                return None
            _, cost = tableau.bound()
            lift = one_row_lift(
                cost,
                instance.unit_scores[hard] - instance.unit_scores[leading[hard]],
                instance.full_sums[hard] - instance.full_sums[leading[hard]],
                instance.error_bound[hard],
            )
            pick = int(hard[lift.argmin()])
            if not np.isfinite(lift.min()):
                return None
            rows.append(pick)
            owners.append(pick)
            tableau = tableau.with_row(*instance.row(pick, int(leading[pick])))
        return None


def repair(instance: Instance, weights: Floats, rivals: Ints, order: Ints, cap: float) -> Mask:
    """A prefix of `order` within `cap`, repaired near its end until these rivals hold."""
    steps = int(np.searchsorted(weights[order].cumsum(), cap, side="right"))
    left_out = np.zeros(instance.units, bool)
    left_out[order[:steps]] = True
    around = order[max(0, steps - REPAIR_RADIUS) : steps + REPAIR_RADIUS]
    return repair_around(instance, weights, rivals, left_out, around=around, cap=cap)


def repair_around(
    instance: Instance,
    weights: Floats,
    rivals: Ints,
    left_out: Mask,
    *,
    around: Ints,
    cap: float,
) -> Mask:
    """Swap some units in and out until these rivals hold, if that can be reached within `cap`."""
    leading = instance.binding_zone_rows(instance.sums(left_out.astype(np.float64)))
    rows = instance.unit_scores[rivals] - instance.unit_scores[leading[rivals]]
    size = np.abs(rows).mean(axis=1) + 1e-300
    rows = rows[:, around] / size[:, None]
    value = instance.slacks(instance.sums(left_out.astype(np.float64)))[rivals] / size
    inside = left_out[around]
    spare = cap - float(weights[left_out].sum())
    heavy = weights[around]
    tabu = np.zeros(len(around), np.intp)
    for step in range(1, MAX_REPAIR_SWAPS + 1):
        if (value >= 0).all():
            break
        back = np.flatnonzero(inside & (tabu < step))
        out = np.flatnonzero(~inside & (tabu < step))
        if not len(back) or not len(out):
            break
        after = value[:, None, None] + rows[:, back][:, :, None] - rows[:, out][:, None, :]
        np.minimum(after, 0.0, out=after)
        wrong = np.einsum("rij,rij->ij", after, after)
        wrong[heavy[out][None, :] - heavy[back][:, None] > spare] = np.inf
        at = int(wrong.argmin())
        if not np.isfinite(wrong.flat[at]):
            break
        i, j = back[at // len(out)], out[at % len(out)]
        value = value + rows[:, i] - rows[:, j]
        spare += heavy[i] - heavy[j]
        inside[i], inside[j] = False, True
        tabu[i] = tabu[j] = step + 6
    result = left_out.copy()
    result[around] = inside
    return result


PREFIX_ROWS = (1, 2, 3, 5, 8, 12, 20, 30, 45)
RELAXATION_ROUNDS = 6
MAX_ADDITIONS = 40
"""Units added to an old plan before it is given up as a model."""
MAX_REPAIR_UNITS = 128
"""Units that may be swapped to make an old plan fit new wishes."""


def find_light_plan(
    instance: Instance,
    weights: Floats,
    costs: Floats,
    goal: Goal,
    *,
    cap: float,
    limits: Limits | None = None,
) -> Mask | None:
    """A light plan that reaches the goal within `cap`, or None if none was met with in time."""
    limits = limits or Limits()
    best: Mask | None = None
    best_cost = cap + 1.0

    def consider(left_out: Mask) -> None:
        nonlocal best, best_cost
        if not goal.reached(instance.counts(instance.holding(left_out))):
            return
        left_out = reinsert_units(instance, weights, left_out, goal, limits)
        cost = float(weights[left_out].sum())
        if cost < best_cost:
            best, best_cost = left_out, cost

    def walk(order: Ints) -> None:
        reach = min(cap, best_cost + weights.max(initial=0.0))
        counts = _counts_along(instance, weights, order, reach)
        good = (counts >= goal.each[:, None]).all(axis=0) & (counts.sum(axis=0) >= goal.total)
        if good.any():
            consider(_prefix(instance, order, int(good.argmax())))

    most = int(goal.each.max(initial=1))
    for order in _prefix_orders(instance, weights, costs, most):
        walk(order)
        if limits.out_of_time():
            return best
    for _ in range(RELAXATION_ROUNDS):
        if best is None or limits.out_of_time():
            break
        before = best_cost
        relaxed, order = _relax(instance, weights, leading_rivals(instance, best, goal.each))
        consider(relaxed > INTEGRALITY_TOLERANCE)
        walk(order)
        if best_cost >= before:
            break
    dive = Dive(instance, weights, goal)
    start: list[int] = []
    banned: set[int] = set()
    lowest, rivals, untried = np.inf, start, start
    for _ in range(1 + min(most // 4, 5)):  # where many rivals are needed, more is to be won
        if limits.out_of_time():
            break
        result = dive.run(start, banned)
        if result is not None:
            relaxed, level, chosen, order = result
            consider(relaxed > INTEGRALITY_TOLERANCE)
            while best is not None and best_cost - 1 >= level:
                before = best_cost
                consider(repair(instance, weights, np.array(chosen), order, best_cost - 1))
                if best_cost >= before:
                    break
            if level < lowest - 1e-9:
                lowest, rivals, untried = level, chosen, list(chosen)
        if not untried:
            break
        out = untried.pop()
        start, banned = [j for j in rivals if j != out], {out}
    return best


def find_full_plan(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: Limits | None = None
) -> Mask:
    """A plan within `cap` that makes many rivals hold for every attacker."""
    limits = limits or Limits()
    best = np.zeros(instance.units, bool)
    best_key = _key(instance.counts(instance.holding(best)))

    def consider(left_out: Mask) -> None:
        nonlocal best, best_key
        if float(weights[left_out].sum()) <= cap:
            key = _key(instance.counts(instance.holding(left_out)))
            if key > best_key:
                best, best_key = left_out, key

    def walk(order: Ints) -> None:
        counts = _counts_along(instance, weights, order, cap)
        keys = counts.min(axis=0) * (instance.rivals + 1) + counts.sum(axis=0)
        consider(_prefix(instance, order, int(keys.argmax())))

    for order in _prefix_orders(instance, weights, costs, 1):
        walk(order)
        if limits.out_of_time():
            return best
    for _ in range(2 * RELAXATION_ROUNDS):
        if limits.out_of_time():
            break
        before = best_key
        each = np.full(len(instance.zone_slices), best_key[0] + 1)
        relaxed, order = _relax(instance, weights, leading_rivals(instance, best, each))
        consider(relaxed > INTEGRALITY_TOLERANCE)
        consider(relaxed > 0.5)
        walk(order)
        if best_key <= before:
            break
    return best


def prefix_plans(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: Limits | None = None
) -> dict[int, Mask]:
    """For every weight up to `cap`, the fullest plan among prefixes of the surrogate orders."""
    limits = limits or Limits()
    best: dict[int, tuple[tuple[int, int], Ints, int]] = {}
    for order in _prefix_orders(instance, weights, costs, 20):
        if best and limits.out_of_time():
            break
        counts = _counts_along(instance, weights, order, cap)
        spent = np.concatenate([[0.0], weights[order].cumsum()])
        for steps in range(counts.shape[1]):
            key = _key(counts[:, steps])
            at = int(spent[steps])
            if at not in best or key > best[at][0]:
                best[at] = (key, order, steps)
    return {at: _prefix(instance, order, steps) for at, (_, order, steps) in best.items()}


def adapt_plan(
    instance: Instance, weights: Floats, hint: Mask, goal: Goal, best: Mask, *, limits: Limits
) -> Mask:
    """A plan made from `hint` if it is as light as `best` and made in time, otherwise `best`."""
    most = float(weights[best].sum())
    trial = hint.copy()
    few = instance.restricted(np.sort(leading_rivals(instance, hint, goal.each)))
    everyone = np.arange(few.rivals, dtype=np.intp)
    for _ in range(MAX_ADDITIONS):
        if limits.out_of_time() or goal.reached(instance.counts(instance.holding(trial))):
            break
        free = np.flatnonzero(~trial & (weights <= most - float(weights[trial].sum())))
        if not len(free):
            near = np.argsort(np.abs(few.unit_scores[: few.rivals]).sum(axis=0))[-MAX_REPAIR_UNITS:]
            trial = repair_around(few, weights, everyone, trial, around=near, cap=most)
            break
        sums = few.sums(trial.astype(np.float64))
        after = few.ahead_many(sums[:, None] - few.unit_scores[:, free])
        lacking = np.minimum(after, 0.0).sum(axis=0) / weights[free]
        trial[free[lacking.argmax()]] = True
    if not goal.reached(instance.counts(instance.holding(trial))):
        return best
    trial = reinsert_units(instance, weights, trial, goal, limits)
    return trial if float(weights[trial].sum()) <= most else best


def reinsert_units(
    instance: Instance, weights: Floats, left_out: Mask, goal: Goal, limits: Limits | None = None
) -> Mask:
    """Put back units, dearest first, as long as the goal stays reached and there is time."""
    left_out = left_out.copy()
    while left_out.any() and not (limits is not None and limits.out_of_time()):
        units = np.flatnonzero(left_out)
        sums = instance.sums(left_out.astype(np.float64))[:, None] + instance.unit_scores[:, units]
        counts = _count(instance, sums)
        good = (counts >= goal.each[:, None]).all(axis=0) & (counts.sum(axis=0) >= goal.total)
        if not good.any():
            break
        for i in np.lexsort((-counts.sum(axis=0), -weights[units])).tolist():
            if good[i]:
                left_out[units[i]] = False
                if goal.reached(instance.counts(instance.holding(left_out))):
                    break
                left_out[units[i]] = True
        else:
            break
    return left_out


def _key(counts: Ints) -> tuple[int, int]:
    return int(counts.min()), int(counts.sum())


def _prefix(instance: Instance, order: Ints, steps: int) -> Mask:
    left_out = np.zeros(instance.units, bool)
    left_out[order[:steps]] = True
    return left_out


def _count(instance: Instance, sums: Floats) -> Ints:
    """(attackers, sets) how many rivals hold: near-ties do, unless a tie is not enough."""
    ahead, doubt = instance.ahead_many(sums), instance.error_bound[:, None]
    holding = ahead > doubt if instance.problem.strict else ahead >= -doubt
    owners = range(len(instance.zone_slices))
    counts: Ints = np.stack([holding[instance.attacker_of == a].sum(axis=0) for a in owners])
    return counts


def _counts_along(instance: Instance, weights: Floats, order: Ints, cap: float) -> Ints:
    """How many rivals hold for each attacker after each step of an order, within `cap`."""
    cost = np.concatenate([[0.0], weights[order].cumsum()])
    steps = int(np.searchsorted(cost, cap, side="right"))
    sums = np.empty((len(instance.unit_scores), steps))
    sums[:, 0] = instance.full_sums
    np.cumsum(instance.unit_scores[:, order[: steps - 1]], axis=1, out=sums[:, 1:])
    sums[:, 1:] = instance.full_sums[:, None] - sums[:, 1:]
    return _count(instance, sums)


def _prefix_orders(instance: Instance, weights: Floats, costs: Floats, k: int) -> list[Ints]:
    """Unit orders from the sums of each attacker's q cheapest rows, for several q."""
    leading = instance.binding_zone_rows(instance.full_sums)
    room = instance.full_sums[: instance.rivals] - instance.full_sums[leading]
    totals = []
    longest = 0
    wanted = sorted({*PREFIX_ROWS, k, 3 * k // 2, 2 * k} - {0})
    for a in range(len(instance.zone_slices)):
        mine = np.flatnonzero((instance.attacker_of == a) & np.isfinite(costs))
        mine = mine[np.lexsort((-room[mine], costs[mine]))][: wanted[-1]]
        longest = max(longest, len(mine))
        if len(mine):
            rows = instance.unit_scores[mine] - instance.unit_scores[leading[mine]]
            norm = np.linalg.norm(rows, axis=1)
            running = (rows / np.where(norm > 0, norm, 1.0)[:, None]).cumsum(axis=0)
            totals.append(running[np.minimum(np.array(wanted), len(mine)) - 1])
    if not totals:
        return []
    scores = sum(totals) / weights
    orders = np.argsort(scores, axis=1, kind="stable")
    return [order for q, order in zip(wanted, orders, strict=True) if q <= max(longest, 1)]


def leading_rivals(instance: Instance, left_out: Mask, each: Ints) -> Ints:
    """For each attacker the rivals that are furthest ahead at a plan."""
    ahead = instance.slacks(instance.sums(left_out.astype(np.float64)))
    picked = []
    for a, need in enumerate(each.tolist()):
        mine = np.flatnonzero(instance.attacker_of == a)
        picked.append(mine[np.argsort(-ahead[mine], kind="stable")[:need]])
    return np.concatenate(picked)


def _relax(instance: Instance, weights: Floats, rivals: Ints) -> tuple[Floats, Ints]:
    """The relaxed plan that makes these rivals hold, and the order that its prices give."""
    leading = instance.binding_zone_rows(instance.full_sums)
    tableau = Tableau(weights)
    for rival in rivals.tolist():
        tableau = tableau.with_row(*instance.row(rival, int(leading[rival])))
    tableau.solve(40 + 6 * len(rivals))
    relaxed = tableau.values()
    priced = (tableau.multipliers() @ tableau.rows[:, : tableau.units]) / weights
    return relaxed, np.lexsort((priced, -relaxed))
