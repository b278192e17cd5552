"""Local search: lighter plans for several attackers.

What satisfies one attacker spoils another, so plans made for each and put together are far too
heavy. `improve_by_swaps` keeps units again until the plan is lighter than the incumbent, and then
swaps units by a tabu search, always the pair that leaves the attackers least short of what they
need, until all are satisfied. Every plan is counted exactly.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.heuristics import leading_rivals, reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import Floats, Mask

MAX_STALLED_SWAPS = 100
"""Swaps without a lighter plan before the tabu search ends."""
MAX_REINSERTIONS, MAX_REMOVALS = 24, 40
"""Candidates of a swap on either side: those that are best by themselves."""
TABU_REINSERTED, TABU_REMOVED = 8, 4
"""Steps for which a swapped unit stays where it is."""


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
            sums = part.sums(self.left_out)[:, None] + part.unit_scores[:, units]
            self.left_out[units[self._shortfall(part, sums).argmin()]] = False

    def swap(self, cap: float) -> bool:
        """Make the best swap that leaves out no more than `cap`; False if there is none."""
        self.step += 1
        part = self._leading_part()
        scores = part.unit_scores
        free = self.tabu_until < self.step
        back, out = np.flatnonzero(self.left_out & free), np.flatnonzero(~self.left_out & free)
        sums = part.sums(self.left_out)[:, None]
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
