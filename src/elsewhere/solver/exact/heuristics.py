"""Heuristics: good plans without proof, so that the search has only to prove the best of them.

"Surrogate prefixes": add up the rows of the q cheapest rivals, order the units by that sum, and
leave them out in this order until the goal is reached. Then a few rounds with the rivals that the
incumbent favours: relax the problem of making just them hold, and round. A dive chooses rivals one
by one, always the one that raises the relaxed cost least; a repair then swaps units near the
relaxed plan. Every plan is counted exactly before it is accepted.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import INTEGRALITY_TOLERANCE, Goal, SearchLimits
from elsewhere.solver.exact.simplex import SOLVED
from elsewhere.solver.problem import Floats, Ints, Mask

PREFIX_ROWS = (1, 2, 3, 5, 8, 12, 20, 30, 45)
"""The numbers q of rows that surrogate orders are made from."""
RELAXATION_ROUNDS = 6
REPAIR_RADIUS = 32
"""Units before and after the end of a prefix that a repair may swap."""
MAX_REPAIR_SWAPS = 30
TABU_STEPS = 6
"""Steps of a repair for which a swapped unit stays where it is."""
MAX_ADDITIONS = 40
"""Units added to an old plan before it is given up."""
MAX_REPAIR_UNITS = 128
"""Units that may be swapped to make an old plan feasible."""


def dive(
    instance: Instance, weights: Floats, goal: Goal, chosen: list[int], banned: set[int]
) -> tuple[Floats, float, list[int], Ints] | None:
    """Choose rivals one by one, always the one that raises the relaxed cost least.

    Returns the relaxed plan, its cost, the rivals by ascending multiplier and the unit order that
    reduced costs give; None where the dive fails.
    """
    tableau = instance.tableau(weights)
    rows = list(chosen)
    row_rivals = list(chosen)  # the rival of each tableau row: a zone may need several rows
    zone_rows = instance.binding_zone_rows(instance.full_sums)
    for rival in rows:
        tableau = tableau.with_row(*instance.row(rival, int(zone_rows[rival])))
    allowed = np.ones(instance.rivals, bool)
    allowed[list(banned)] = False
    for _ in range(3 * int(goal.total) + 3):
        outcome, _pivots = tableau.solve(60 + 4 * len(tableau.basis))
        if outcome != SOLVED:
            return None
        x = tableau.values()
        sums = instance.sums(x)
        slack, zone_rows = instance.slacks(sums), instance.binding_zone_rows(sums)
        if rows and not instance.single_zone:  # violated rows of chosen rivals come first
            worst = rows[int(slack[rows].argmin())]
            if slack[worst] < -1e-7:
                row_rivals.append(worst)
                tableau = tableau.with_row(*instance.row(worst, int(zone_rows[worst])))
                continue
        good = (slack >= -1e-9) & allowed
        counts = instance.counts(good)
        if goal.reached(counts):
            bound, cost = tableau.bound()
            multipliers = np.zeros(instance.rivals)
            np.add.at(multipliers, row_rivals, tableau.multipliers())
            holding = np.flatnonzero(good)
            ranked = holding[np.argsort(multipliers[holding], kind="stable")].tolist()
            with np.errstate(divide="ignore", invalid="ignore"):  # a choice may weigh nothing
                return x, bound, ranked, np.lexsort((cost / weights, -x))
        lacking = counts < goal.each
        if not lacking.any():
            lacking[:] = True
        hard = np.flatnonzero(allowed & ~good & lacking[instance.attacker_of])
        if not len(hard):
            return None
        _, cost = tableau.bound()
        lift = instance.lift(
            cost,
            instance.unit_scores[hard] - instance.unit_scores[zone_rows[hard]],
            instance.full_sums[hard] - instance.full_sums[zone_rows[hard]],
            instance.error_bound[hard],
            quick=True,
        )
        rival = int(hard[lift.argmin()])
        if not np.isfinite(lift.min()):
            return None
        rows.append(rival)
        row_rivals.append(rival)
        tableau = tableau.with_row(*instance.row(rival, int(zone_rows[rival])))
    return None


def repair(instance: Instance, weights: Floats, rivals: Ints, order: Ints, cap: float) -> Mask:
    """A prefix of `order` within `cap`, repaired near its end until these rivals hold."""
    steps = int(np.searchsorted(weights[order].cumsum(), cap, side="right"))
    left_out = np.isin(np.arange(instance.units), order[:steps])
    around = order[max(0, steps - REPAIR_RADIUS) : steps + REPAIR_RADIUS]
    return repair_around(instance, weights, rivals, left_out, around=around, cap=cap)


def repair_around(
    instance: Instance, weights: Floats, rivals: Ints, left_out: Mask, *, around: Ints, cap: float
) -> Mask:
    """Swap the units of `around` until these rivals hold, if that is found within `cap`."""
    sums = instance.sums(left_out)
    zone_rows = instance.binding_zone_rows(sums)
    rows = instance.unit_scores[rivals] - instance.unit_scores[zone_rows[rivals]]
    size = np.abs(rows).mean(axis=1) + 1e-300
    rows = rows[:, around] / size[:, None]
    slack = instance.slacks(sums)[rivals] / size
    inside = left_out[around]
    spare = cap - float(weights[left_out].sum())
    weight = weights[around]
    tabu = np.zeros(len(around), np.intp)
    for step in range(1, MAX_REPAIR_SWAPS + 1):
        if (slack >= 0).all():
            break
        back = np.flatnonzero(inside & (tabu < step))
        out = np.flatnonzero(~inside & (tabu < step))
        if not len(back) or not len(out):
            break
        after = slack[:, None, None] + rows[:, back][:, :, None] - rows[:, out][:, None, :]
        np.minimum(after, 0.0, out=after)
        violation = np.einsum("rij,rij->ij", after, after)
        violation[weight[out][None, :] - weight[back][:, None] > spare] = np.inf
        at = int(violation.argmin())
        if not np.isfinite(violation.flat[at]):
            break
        i, j = back[at // len(out)], out[at % len(out)]
        slack = slack + rows[:, i] - rows[:, j]
        spare += weight[i] - weight[j]
        inside[i], inside[j] = False, True
        tabu[i] = tabu[j] = step + TABU_STEPS
    result = left_out.copy()
    result[around] = inside
    return result


def find_light_plan(
    instance: Instance,
    weights: Floats,
    costs: Floats,
    goal: Goal,
    *,
    cap: float,
    limits: SearchLimits,
) -> Mask | None:
    """A light plan that reaches the goal within `cap`; None where none was found in time."""
    every_unit = np.arange(instance.units)
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

    def consider_prefix(order: Ints) -> None:
        reach = min(cap, best_cost + weights.max(initial=0.0))
        counts = _counts_along(instance, weights, order, reach)
        good = (counts >= goal.each[:, None]).all(axis=0) & (counts.sum(axis=0) >= goal.total)
        if good.any():
            consider(np.isin(every_unit, order[: int(good.argmax())]))

    need = int(goal.each.max(initial=1))
    for order in _prefix_orders(instance, weights, costs, need):
        consider_prefix(order)
        if limits.out_of_time():
            return best
    for _ in range(RELAXATION_ROUNDS):
        if best is None or limits.out_of_time():
            break
        before = best_cost
        relaxed, order = _relax(instance, weights, leading_rivals(instance, best, goal.each))
        consider(relaxed > INTEGRALITY_TOLERANCE)
        consider_prefix(order)
        if best_cost >= before:
            break
    start: list[int] = []
    banned: set[int] = set()
    lowest, rivals, untried = np.inf, start, start
    for _ in range(1 + min(need // 4, 5)):  # where many rivals are needed, dives gain more
        if limits.out_of_time():
            break
        result = dive(instance, weights, goal, start, banned)
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
        excluded = untried.pop()
        start, banned = [rival for rival in rivals if rival != excluded], {excluded}
    return best


def find_full_plan(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: SearchLimits
) -> Mask:
    """A plan within `cap` that makes many rivals hold for every attacker."""
    best = np.zeros(instance.units, bool)
    best_key = (-1, -1)

    def consider(left_out: Mask) -> None:
        nonlocal best, best_key
        if float(weights[left_out].sum()) <= cap:
            counts = instance.counts(instance.holding(left_out))
            key = int(counts.min()), int(counts.sum())
            if key > best_key:
                best, best_key = left_out, key

    def consider_prefix(order: Ints) -> None:
        counts = _counts_along(instance, weights, order, cap)
        keys = counts.min(axis=0) * (instance.rivals + 1) + counts.sum(axis=0)
        consider(np.isin(np.arange(instance.units), order[: int(keys.argmax())]))

    consider(best)
    for order in _prefix_orders(instance, weights, costs, 1):
        consider_prefix(order)
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
        consider_prefix(order)
        if best_key <= before:
            break
    return best


def prefix_plans(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: SearchLimits
) -> dict[int, Mask]:
    """For every weight up to `cap`, the fullest plan among prefixes of the surrogate orders."""
    best: dict[int, tuple[tuple[int, int], Ints, int]] = {}
    for order in _prefix_orders(instance, weights, costs, 20):
        if best and limits.out_of_time():
            break
        counts = _counts_along(instance, weights, order, cap)
        weight_after = np.concatenate([[0.0], weights[order].cumsum()])
        for steps in range(counts.shape[1]):
            key = int(counts[:, steps].min()), int(counts[:, steps].sum())
            weight = int(weight_after[steps])
            if weight not in best or key > best[weight][0]:
                best[weight] = (key, order, steps)
    units = np.arange(instance.units)
    return {weight: np.isin(units, order[:steps]) for weight, (_, order, steps) in best.items()}


def adapt_plan(
    instance: Instance, weights: Floats, hint: Mask, goal: Goal, best: Mask, *, limits: SearchLimits
) -> Mask:
    """A plan made from `hint` if it is as light as `best` and found in time, otherwise `best`."""
    cap = float(weights[best].sum())
    trial = hint.copy()
    part = instance.restricted(np.sort(leading_rivals(instance, hint, goal.each)))
    for _ in range(MAX_ADDITIONS):
        if limits.out_of_time() or goal.reached(instance.counts(instance.holding(trial))):
            break
        free = np.flatnonzero(~trial & (weights <= cap - float(weights[trial].sum())))
        if not len(free):
            rivals = np.arange(part.rivals, dtype=np.intp)
            size = np.abs(part.unit_scores[: part.rivals]).sum(axis=0)
            around = np.argsort(size)[-MAX_REPAIR_UNITS:]
            trial = repair_around(part, weights, rivals, trial, around=around, cap=cap)
            break
        sums = part.sums(trial)
        after = part.slacks(sums[:, None] - part.unit_scores[:, free])
        violation = np.minimum(after, 0.0).sum(axis=0) / weights[free]
        trial[free[violation.argmax()]] = True
    if not goal.reached(instance.counts(instance.holding(trial))):
        return best
    trial = reinsert_units(instance, weights, trial, goal, limits)
    return trial if float(weights[trial].sum()) <= cap else best


def reinsert_units(
    instance: Instance,
    weights: Floats,
    left_out: Mask,
    goal: Goal,
    limits: SearchLimits | None = None,
) -> Mask:
    """Keep units again, heaviest first, as long as the goal stays reached and there is time."""
    left_out = left_out.copy()
    while left_out.any() and not (limits is not None and limits.out_of_time()):
        units = np.flatnonzero(left_out)
        sums = instance.sums(left_out)[:, None] + instance.unit_scores[:, units]
        slack, error = instance.slacks(sums), instance.error_bound[:, None]
        counts = instance.counts(slack > error if instance.problem.strict else slack >= -error)
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


def leading_rivals(instance: Instance, left_out: Mask, counts: Ints) -> Ints:
    """For each attacker, so many rivals with the largest slack at a plan."""
    slack = instance.slacks(instance.sums(left_out))
    chosen = []
    for a, count in enumerate(counts.tolist()):
        own = np.flatnonzero(instance.attacker_of == a)
        chosen.append(own[np.argsort(-slack[own], kind="stable")[:count]])
    return np.concatenate(chosen)


def _counts_along(instance: Instance, weights: Floats, order: Ints, cap: float) -> Ints:
    """How many rivals hold for each attacker after each step of an order, within `cap`."""
    cost = np.concatenate([[0.0], weights[order].cumsum()])
    steps = int(np.searchsorted(cost, cap, side="right"))
    sums = np.empty((len(instance.unit_scores), steps))
    sums[:, 0] = instance.full_sums
    np.cumsum(instance.unit_scores[:, order[: steps - 1]], axis=1, out=sums[:, 1:])
    sums[:, 1:] = instance.full_sums[:, None] - sums[:, 1:]
    # near-ties hold, unless the problem is strict
    slack, error = instance.slacks(sums), instance.error_bound[:, None]
    return instance.counts(slack > error if instance.problem.strict else slack >= -error)


def _prefix_orders(instance: Instance, weights: Floats, costs: Floats, k: int) -> list[Ints]:
    """Unit orders from the sums of each attacker's q cheapest rows, for several q."""
    totals = surrogate_rows(instance, costs, k)
    if totals is None:
        return []
    return list(np.argsort(totals / weights, axis=1, kind="stable"))


def surrogate_rows(instance: Instance, costs: Floats, k: int) -> Floats | None:
    """(several q, units) the sums of each attacker's q cheapest rows, each of length one."""
    zone_rows = instance.binding_zone_rows(instance.full_sums)
    rhs = instance.full_sums[: instance.rivals] - instance.full_sums[zone_rows]
    totals = []
    longest = 0
    row_counts = sorted({*PREFIX_ROWS, k, 3 * k // 2, 2 * k} - {0})
    for a in range(len(instance.zone_slices)):
        own = np.flatnonzero((instance.attacker_of == a) & np.isfinite(costs))
        own = own[np.lexsort((-rhs[own], costs[own]))][: row_counts[-1]]
        longest = max(longest, len(own))
        if len(own):
            rows = instance.unit_scores[own] - instance.unit_scores[zone_rows[own]]
            norm = np.linalg.norm(rows, axis=1)
            running = (rows / np.where(norm > 0, norm, 1.0)[:, None]).cumsum(axis=0)
            totals.append(running[np.minimum(np.array(row_counts), len(own)) - 1])
    if not totals:
        return None
    sums: Floats = sum(totals)
    return sums[np.array(row_counts) <= max(longest, 1)]


def _relax(instance: Instance, weights: Floats, rivals: Ints) -> tuple[Floats, Ints]:
    """The relaxed plan that makes these rivals hold, and the unit order of its multipliers."""
    zone_rows = instance.binding_zone_rows(instance.full_sums)
    tableau = instance.tableau(weights)
    for rival in rivals.tolist():
        tableau = tableau.with_row(*instance.row(rival, int(zone_rows[rival])))
    tableau.solve(40 + 6 * len(rivals))
    relaxed = tableau.values()
    priced = (tableau.multipliers() @ tableau.rows[:, : tableau.units]) / weights
    return relaxed, np.lexsort((priced, -relaxed))
