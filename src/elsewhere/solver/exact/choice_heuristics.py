"""Heuristics over choices: good plans without proof, for the search of `choice_search.py`.

The analogues of `heuristics.py`. Instead of leaving out units in an order, photos pass from choice
to choice as the price of a surrogate row grows. Relaxed plans are rounded, dives choose rivals one
by one, and choices are made cheaper again while the goal stays reached. Every plan is counted
exactly before it is accepted.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from elsewhere.solver.exact.choice_simplex import envelope
from elsewhere.solver.exact.choices import Choices
from elsewhere.solver.exact.heuristics import (
    RELAXATION_ROUNDS,
    dive,
    leading_rivals,
    surrogate_rows,
)
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import INTEGRALITY_TOLERANCE, Goal, SearchLimits
from elsewhere.solver.problem import Floats, Ints, Mask

MAX_SWAPS = 15
"""Pairs of changes that `improve_choices` makes without a cheaper plan before it ends."""
MAX_CHEAPER, MAX_DEARER = 24, 40
"""Candidates of a pair on either side: those that are best by themselves."""
TABU_STEPS = 6
"""Steps for which a set that was changed stays as it is."""


def choices_of(instance: Instance) -> Choices:
    """The choices of an instance with versions."""
    assert instance.choices is not None
    return instance.choices


class Path:
    """Choices taken one after the other: the plan after each step, its counts and weight."""

    def __init__(self, instance: Instance, weights: Floats, gains: Floats, cap: float) -> None:
        choices = choices_of(instance)
        self.choices = choices
        able = np.flatnonzero(gains > 0)
        passed, _ = envelope(weights[able], gains[able], choices.set_of[able])
        columns = able[passed]
        # the column that each step replaces: the last one of the same set
        replaced = choices.starts[choices.set_of[columns]]
        order = np.argsort(choices.set_of[columns], kind="stable")
        same = np.flatnonzero(
            choices.set_of[columns[order]][1:] == choices.set_of[columns[order]][:-1]
        )
        replaced[order[same + 1]] = columns[order[same]]
        weight = np.concatenate([[0.0], (weights[columns] - weights[replaced]).cumsum()])
        steps = int(np.argmax(weight > cap)) if (weight > cap).any() else len(weight)
        self.columns, self.replaced = columns[: steps - 1], replaced[: steps - 1]
        self.weight = weight[:steps]
        sums = np.empty((len(instance.unit_scores), steps))
        sums[:, 0] = instance.full_sums
        scores = instance.unit_scores
        np.cumsum(scores[:, self.replaced] - scores[:, self.columns], axis=1, out=sums[:, 1:])
        sums[:, 1:] += instance.full_sums[:, None]
        slack, error = instance.slacks(sums), instance.error_bound[:, None]
        strict = instance.problem.strict
        self.counts = instance.counts(slack > error if strict else slack >= -error)

    def plan(self, steps: int) -> Mask:
        """The choices after so many steps."""
        taken = np.zeros(len(self.choices.rows), bool)
        taken[self.columns[:steps]] = True
        taken[self.replaced[:steps]] = False
        return self.choices.repaired(taken)


def surrogate_gains(instance: Instance, costs: Floats, k: int) -> Iterator[Floats]:
    """What each choice adds to the sum of each attacker's q cheapest rows, for a few q."""
    totals = surrogate_rows(instance, costs, k)
    if totals is not None:
        yield from -totals[::3]


def find_light_choices(
    instance: Instance,
    weights: Floats,
    costs: Floats,
    goal: Goal,
    *,
    cap: float,
    limits: SearchLimits,
) -> Mask | None:
    """A cheap plan that reaches the goal within `cap`; None where none was found in time."""
    choices = choices_of(instance)
    best: Mask | None = None
    best_cost = cap + 1.0
    dearest = float(weights.max(initial=0.0))

    def consider(taken: Mask) -> None:
        nonlocal best, best_cost
        if float(weights[taken].sum()) >= best_cost + dearest:
            return
        if goal.reached(instance.counts(instance.holding(taken))):
            taken = cheapen_choices(instance, weights, taken, goal, limits)
            cost = float(weights[taken].sum())
            if cost < best_cost:
                best, best_cost = taken, cost

    def follow(gains: Floats) -> None:
        path = Path(instance, weights, gains, cap)
        good = (path.counts >= goal.each[:, None]).all(axis=0)
        good &= path.counts.sum(axis=0) >= goal.total
        if good.any():
            consider(path.plan(int(good.argmax())))

    need = int(goal.each.max(initial=1))
    for gains in surrogate_gains(instance, costs, need):
        follow(gains)
        if limits.out_of_time():
            return best
    for _ in range(RELAXATION_ROUNDS):
        if best is None or limits.out_of_time():
            break
        before = best_cost
        relaxed, gains = relax_choices(instance, weights, leading_rivals(instance, best, goal.each))
        for taken in roundings(choices, weights, relaxed):
            consider(taken)
        follow(gains)
        if best_cost >= before:
            break
    result = dive(instance, weights, goal, [], set())
    if result is not None:
        for taken in roundings(choices, weights, result[0]):
            consider(taken)
            if best is None:
                best = search_around(instance, weights, taken, goal, limits, cap=cap)
                best_cost = best_cost if best is None else float(weights[best].sum())
    return best


def find_full_choices(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: SearchLimits
) -> Mask:
    """A plan within `cap` that makes many rivals hold for every attacker."""
    choices = choices_of(instance)
    best = np.zeros(instance.units, bool)
    best_key = (-1, -1)

    def consider(taken: Mask) -> None:
        nonlocal best, best_key
        if float(weights[taken].sum()) <= cap:
            counts = instance.counts(instance.holding(taken))
            key = int(counts.min()), int(counts.sum())
            if key > best_key:
                best, best_key = taken, key

    def follow(gains: Floats) -> None:
        path = Path(instance, weights, gains, cap)
        keys = path.counts.min(axis=0) * (instance.rivals + 1) + path.counts.sum(axis=0)
        consider(path.plan(int(keys.argmax())))

    consider(best)
    for gains in surrogate_gains(instance, costs, 1):
        follow(gains)
        if limits.out_of_time():
            return best
    for _ in range(2 * RELAXATION_ROUNDS):
        if limits.out_of_time():
            break
        before = best_key
        each = np.full(len(instance.zone_slices), best_key[0] + 1)
        relaxed, gains = relax_choices(instance, weights, leading_rivals(instance, best, each))
        for taken in roundings(choices, weights, relaxed):
            consider(taken)
        follow(gains)
        if best_key <= before:
            break
    return best


def roundings(choices: Choices, weights: Floats, relaxed: Floats) -> Iterator[Mask]:
    """Plans near a relaxed one: of a photo's choices with a share, the dearest or the largest."""
    everything = np.ones(len(relaxed), bool)
    dearest = np.where(relaxed > INTEGRALITY_TOLERANCE, 1.0 + weights, 0.0)
    yield choices.rounded(dearest, everything)
    yield choices.rounded(relaxed, everything)


def relax_choices(instance: Instance, weights: Floats, rivals: Ints) -> tuple[Floats, Floats]:
    """The relaxed plan that makes these rivals hold, and what choices gain at its multipliers."""
    zone_rows = instance.binding_zone_rows(instance.full_sums)
    tableau = instance.tableau(weights)
    for rival in rivals.tolist():
        tableau = tableau.with_row(*instance.row(rival, int(zone_rows[rival])))
    tableau.solve(40 + 12 * len(rivals))
    return tableau.values(), -(tableau.multipliers() @ tableau.rows[:, : tableau.units])


def cheapen_choices(
    instance: Instance,
    weights: Floats,
    taken: Mask,
    goal: Goal,
    limits: SearchLimits | None = None,
) -> Mask:
    """Take cheaper choices, the largest saving first, while the goal stays reached."""
    choices = choices_of(instance)
    while taken.any() and not (limits is not None and limits.out_of_time()):
        present = choices.current(taken)[choices.set_of]
        columns = np.flatnonzero(weights < weights[present])
        change = instance.unit_scores[:, present[columns]] - instance.unit_scores[:, columns]
        sums = instance.sums(taken)[:, None] + change
        slack, error = instance.slacks(sums), instance.error_bound[:, None]
        counts = instance.counts(slack > error if instance.problem.strict else slack >= -error)
        good = (counts >= goal.each[:, None]).all(axis=0) & (counts.sum(axis=0) >= goal.total)
        saving = weights[present[columns]] - weights[columns]
        for i in np.lexsort((-counts.sum(axis=0), -saving)).tolist():
            if good[i]:
                trial = _changed(choices, taken, columns[i : i + 1])
                if goal.reached(instance.counts(instance.holding(trial))):
                    taken = trial
                    break
        else:
            break
    return taken


def _changed(choices: Choices, taken: Mask, columns: Ints) -> Mask:
    """The plan with these columns taken instead of those of their sets."""
    taken = taken.copy()
    taken[np.isin(choices.set_of, choices.set_of[columns])] = False
    taken[columns] = True
    return choices.repaired(taken)


def improve_choices(
    instance: Instance, weights: Floats, best: Mask, goal: Goal, limits: SearchLimits
) -> Mask:
    """The cheapest plan found from `best` by pairs of changes: one cheaper, one dearer."""
    found = search_around(instance, weights, best, goal, limits, cap=float(weights[best].sum()) - 1)
    return best if found is None else found


def search_around(
    instance: Instance,
    weights: Floats,
    taken: Mask,
    goal: Goal,
    limits: SearchLimits,
    *,
    cap: float,
) -> Mask | None:
    """The cheapest plan found within `cap` by changes of `taken`; None where none was found.

    A tabu search, always with the change, or the pair of a cheaper and a dearer one, that leaves
    the attackers least short of what they need.
    """
    choices = choices_of(instance)
    best: Mask | None = None
    tabu_until = np.zeros(len(choices.starts), np.intp)
    size = np.abs(instance.unit_scores[: instance.rivals]).max(axis=1, initial=1e-300)
    attackers = range(len(goal.each))
    scale = np.array([size[instance.attacker_of == a].max(initial=1e-300) for a in attackers])
    step, last = 0, MAX_SWAPS
    while step < last and not limits.out_of_time():
        step += 1
        if cap < 0:
            break
        part = instance.restricted(np.sort(leading_rivals(instance, taken, 3 * goal.each + 10)))
        present = choices.current(taken)[choices.set_of]
        free = tabu_until[choices.set_of] < step
        free[present] = False
        change = weights - weights[present]
        moves = np.flatnonzero(free)
        shifts = part.unit_scores[:, present[moves]] - part.unit_scores[:, moves]
        sums = part.sums(taken)[:, None]
        short = _shortfall(part, goal, scale, sums + shifts)
        # pairs, and changes alone (the pair with no change)
        cheaper = np.flatnonzero(change[moves] < 0)
        dearer = np.flatnonzero(change[moves] > 0)
        cheaper = cheaper[np.argsort(short[cheaper], kind="stable")[:MAX_CHEAPER]]
        dearer = dearer[
            np.argsort(short[dearer] / change[moves][dearer], kind="stable")[:MAX_DEARER]
        ]
        i, j = np.repeat(cheaper, len(dearer)), np.tile(dearer, len(cheaper))
        apart = choices.set_of[moves[i]] != choices.set_of[moves[j]]
        i, j = i[apart], j[apart]
        total = float(weights[taken].sum())
        fits = total + change[moves[i]] + change[moves[j]] <= cap
        i, j = i[fits], j[fits]
        alone = np.flatnonzero(total + change[moves] <= cap)
        pair_short = _shortfall(part, goal, scale, sums + shifts[:, i] + shifts[:, j])
        values = np.concatenate([pair_short, short[alone]])
        if not len(values):
            break
        at = int(values.argmin())
        columns = moves[[i[at], j[at]]] if at < len(i) else moves[alone[[at - len(i)]]]
        taken = _changed(choices, taken, columns)
        tabu_until[choices.set_of[columns]] = step + TABU_STEPS
        limits.done += 1
        if values[at] <= 0 and goal.reached(instance.counts(instance.holding(taken))):
            taken = cheapen_choices(instance, weights, taken, goal, limits)
            if weights[taken].sum() <= cap:
                best, last, cap = taken, step + MAX_SWAPS, float(weights[taken].sum()) - 1
    return best


def _shortfall(part: Instance, goal: Goal, scale: Floats, sums: Floats) -> Floats:
    """For each plan, how far the rivals that attackers need are behind, in total."""
    behind = np.maximum(-part.slacks(sums), 0.0)
    total = np.zeros(sums.shape[1])
    for a, need in enumerate(goal.each.tolist()):
        own = behind[part.attacker_of == a]
        if 0 < need <= len(own):
            total += np.partition(own, need - 1, axis=0)[:need].sum(axis=0) / scale[a]
    return total


def path_plans(
    instance: Instance, weights: Floats, costs: Floats, cap: float, limits: SearchLimits
) -> dict[int, Mask]:
    """For every weight up to `cap` that a surrogate path passes, the fullest plan with it."""
    best: dict[int, tuple[tuple[int, int], Path, int]] = {}
    for gains in surrogate_gains(instance, costs, 20):
        if best and limits.out_of_time():
            break
        path = Path(instance, weights, gains, cap)
        for steps, weight in enumerate(path.weight.tolist()):
            key = int(path.counts[:, steps].min()), int(path.counts[:, steps].sum())
            if int(weight) not in best or key > best[int(weight)][0]:
                best[int(weight)] = (key, path, steps)
    return {weight: path.plan(steps) for weight, (_, path, steps) in best.items()}


def adapt_choices(
    instance: Instance, weights: Floats, preference: Floats, goal: Goal, best: Mask
) -> Mask:
    """The choices made before if they reach the goal as cheaply as `best`, otherwise `best`."""
    choices = choices_of(instance)
    taken = choices.rounded(np.maximum(preference, 0.0), np.ones(len(preference), bool))
    if not goal.reached(instance.counts(instance.holding(taken))):
        return best
    taken = cheapen_choices(instance, weights, taken, goal)
    return taken if weights[taken].sum() <= weights[best].sum() else best


def restore_choices(instance: Instance, taken: Mask, preference: Floats) -> Mask:
    """Take choices made before, at the same cost, while no attacker has fewer rivals."""
    choices = choices_of(instance)
    reached = instance.counts(instance.holding(taken))
    for column in np.flatnonzero(preference > 0).tolist():
        present = int(choices.current(taken)[choices.set_of[column]])
        same = instance.weights[column] == instance.weights[present]
        if same and preference[column] > preference[present]:
            trial = _changed(choices, taken, np.array([column]))
            if (
                instance.weights[trial].sum() == instance.weights[taken].sum()
                and (instance.counts(instance.holding(trial)) >= reached).all()
            ):
                taken = trial
    return taken
