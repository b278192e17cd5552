"""Local search: lighter plans for several attackers, and the best among equally good plans.

What satisfies one attacker spoils another, so that plans made for each and put together are far
too heavy. `improve_by_swaps` keeps units again until the plan is lighter than the incumbent, and
then swaps units, always the pair that leaves the attackers least short of what they need, with a
tabu list, until all are satisfied. Every plan is counted exactly.

`polish` picks, among plans of the same cost and counts, the one nearest the previous plan, then the
one with most slack. A preference, not a proof: it looks at plans one swap apart (a unit for another
of the same weight and size) until none is better or its work limit is reached.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.solver.exact.heuristics import leading_rivals, reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import Answer, Floats, Ints, Mask

MAX_STALLED_SWAPS = 100
"""Swaps without a lighter plan before the tabu search ends."""
MAX_REINSERTIONS, MAX_REMOVALS = 24, 40
"""Candidates of a swap on either side: those that are best by themselves."""
TABU_REINSERTED, TABU_REMOVED = 8, 4
"""Steps for which a swapped unit stays where it is."""
POLISH_WORK = 600_000
"""Slacks computed by `polish` without a previous plan: a few milliseconds."""
NEAR_POLISH_WORK = 4_000_000
"""The same with a previous plan, where a small change must not reshuffle the plan."""


def improve_by_swaps(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    best: Mask,
    limits: Limits,
    *,
    start: Mask | None = None,
    steps: int = MAX_STALLED_SWAPS,
) -> Mask:
    """The lightest plan found from `start` (by default from the incumbent `best`), or `best`."""
    best = reinsert_units(instance, weights, best, goal, limits)
    tabu_search = _TabuSearch(instance, weights, goal, best if start is None else start)
    last = steps
    while best.any() and tabu_search.step < last and not limits.exhausted():
        cap = float(weights[best].sum()) - 1
        tabu_search.reinsert(cap)
        if goal.reached(instance.counts(instance.holding(tabu_search.left_out))):
            best = reinsert_units(instance, weights, tabu_search.left_out, goal, limits)
            tabu_search.left_out = best.copy()
            last = tabu_search.step + steps
        elif not tabu_search.swap(cap):
            break
        limits.done += 1
    return best


class _TabuSearch:
    """A set of units left out, changed to reduce what attackers are short of."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal, start: Mask) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal
        self.left_out = start.copy()
        self.step = 0
        self.tabu_until = np.zeros(instance.units, np.intp)
        size = np.abs(instance.unit_scores[: instance.rivals]).sum(axis=1)
        attackers = range(len(goal.each))
        self.size: Floats = np.array(
            [size[instance.attacker_of == a].max(initial=1e-300) for a in attackers]
        )

    def reinsert(self, cap: float) -> None:
        """Keep units again until no more than `cap` is left out."""
        part = self._leading_part()
        while float(self.weights[self.left_out].sum()) > cap:
            units = np.flatnonzero(self.left_out)
            sums = part.sums(self.left_out.astype(np.float64))[:, None] + part.unit_scores[:, units]
            self.left_out[units[self._shortfall(part, sums).argmin()]] = False

    def swap(self, cap: float) -> bool:
        """Make the best swap that leaves out no more than `cap`; False if there is none."""
        self.step += 1
        part = self._leading_part()
        scores = part.unit_scores
        free = self.tabu_until < self.step
        back, out = np.flatnonzero(self.left_out & free), np.flatnonzero(~self.left_out & free)
        sums = part.sums(self.left_out.astype(np.float64))[:, None]
        order = np.argsort(self._shortfall(part, sums + scores[:, back]), kind="stable")
        back = back[order[:MAX_REINSERTIONS]]
        order = np.argsort(self._shortfall(part, sums - scores[:, out]), kind="stable")
        out = out[order[:MAX_REMOVALS]]
        i, j = np.repeat(back, len(out)), np.tile(out, len(back))
        fits = self.weights[self.left_out].sum() - self.weights[i] + self.weights[j] <= cap
        i, j = i[fits], j[fits]
        if not len(i):
            return False
        at = int(self._shortfall(part, sums + scores[:, i] - scores[:, j]).argmin())
        self.left_out[i[at]], self.left_out[j[at]] = False, True
        self.tabu_until[i[at]] = self.step + TABU_REINSERTED
        self.tabu_until[j[at]] = self.step + TABU_REMOVED
        return True

    def _leading_part(self) -> Instance:
        """The instance with only the rivals that hold or nearly do."""
        rivals = leading_rivals(self.instance, self.left_out, 3 * self.goal.each + 10)
        return self.instance.restricted(np.sort(rivals))

    def _shortfall(self, part: Instance, sums: Floats) -> Floats:
        """For each set, how far the rivals that attackers need are behind, in total."""
        behind = np.maximum(-part.slacks(sums), 0.0)
        total = np.zeros(sums.shape[1])
        for a, need in enumerate(self.goal.each.tolist()):
            own = behind[part.attacker_of == a]
            if 0 < need <= len(own):
                total += np.partition(own, need - 1, axis=0)[:need].sum(axis=0) / self.size[a]
        return total


def similarity_preference(instance: Instance, previous: frozenset[int] | None) -> Floats:
    """For each free unit, how many of its photos were withheld before, less how many were not."""
    if previous is None:
        return np.zeros(instance.units)
    photos = np.full(instance.problem.photos, -1.0)
    photos[sorted(previous)] = 1.0
    preference = np.zeros(instance.problem.units)
    np.add.at(preference, instance.problem.unit_of, photos)
    return preference[instance.free]


def polish(instance: Instance, answer: Answer, preference: Floats) -> Answer:
    """An answer of the same cost and counts that is nearer the previous plan, or has more slack."""
    problem = instance.problem
    if answer.kept is None or answer.kept[instance.free].all():
        return answer
    left_out = ~answer.kept[instance.free]
    counts = instance.counts(instance.holding(left_out))
    if problem.budget is None:
        goal = Goal.of(problem)
    else:
        goal = Goal(np.full(len(counts), int(counts.min()), np.intp), int(counts.sum()))
    if not goal.total:
        return answer
    work = NEAR_POLISH_WORK if preference.any() else POLISH_WORK
    slack: float | None = None
    while work > 0:
        rivals = leading_rivals(instance, left_out, 2 * goal.each + 8)
        part = instance.restricted(np.sort(rivals))
        sums = part.sums(left_out.astype(np.float64))[:, None]
        if slack is None:
            slack = float(_least_slacks(part, goal, sums)[0])
        back, out = _swaps(instance, left_out, preference)
        pairs_work = len(back) * len(part.unit_scores)
        if not len(back) or pairs_work > max(work, POLISH_WORK):
            break
        work -= pairs_work
        nearer = preference[out] - preference[back]
        slacks = _least_slacks(
            part, goal, sums + part.unit_scores[:, back] - part.unit_scores[:, out]
        )
        good = (slacks >= 0) & ((nearer > 0) | ((nearer == 0) & (slacks > slack + 1e-6)))
        for at in np.lexsort((-slacks, -nearer, ~good))[:3].tolist():
            if not good[at]:
                continue
            trial = left_out.copy()
            trial[back[at]], trial[out[at]] = False, True
            if goal.reached(instance.counts(instance.holding(trial))):
                left_out, slack = trial, float(slacks[at])
                break
        else:
            break
    return replace(answer, kept=instance.units_kept(left_out))


def _swaps(instance: Instance, left_out: Mask, preference: Floats) -> tuple[Ints, Ints]:
    """All pairs of a unit to keep again and one of the same weight and size to leave out."""
    back, out = np.flatnonzero(left_out), np.flatnonzero(~left_out)
    weights, sizes = instance.weights, instance.sizes
    fits = weights[back][:, None] == weights[out]
    fits &= sizes[back][:, None] == sizes[out]
    fits &= preference[out][None, :] >= preference[back][:, None]
    i, j = fits.nonzero()
    return back[i], out[j]


def _least_slacks(part: Instance, goal: Goal, sums: Floats) -> Floats:
    """For each set, the slack of the last rival needed, of the attacker with the least."""
    slack = part.slacks(sums)
    least = np.full(slack.shape[1], np.inf)
    for a, need in enumerate(goal.each.tolist()):
        if need:
            own = -slack[part.attacker_of == a]
            least = np.minimum(least, -np.partition(own, need - 1, axis=0)[need - 1])
    return least
