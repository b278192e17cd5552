"""A lighter plan for several attackers, by swapping units of a heavier one.

What satisfies one attacker spoils another, so that plans made for each and put together are far
too heavy. From such a plan units are put back until it is lighter than the best one known; then
units are swapped, always the pair that leaves the attackers least short of what they need, with a
short memory of what was moved, until all are satisfied. Every plan is counted exactly.
"""

from __future__ import annotations

import numpy as np

from elsewhere.solver.exact.heuristics import restored
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import Floats, Ints, Mask

STEPS = 100
"""Swaps without a lighter plan before giving up."""
BACK, OUT = 24, 40
"""Units that are tried to be put back, and to be left out instead: the best ones by themselves."""
RESTS_OUT, RESTS_BACK = 8, 4
"""Steps for which a unit stays where it was moved."""


def improve_by_swaps(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    best: Mask,
    limits: Limits,
    *,
    start: Mask | None = None,
    steps: int = STEPS,
) -> Mask:
    """The lightest plan met with on the way down from `start`, or from `best` itself, which is the
    plan to be beaten.
    """
    best = restored(instance, weights, best, goal, limits)
    walk = _Walk(instance, weights, goal, best if start is None else start)
    last = steps
    while best.any() and walk.step < last and not limits.spent():
        most = float(weights[best].sum()) - 1
        walk.put_back(most)
        if goal.reached(instance.counts(instance.holding(walk.left_out))):
            best = restored(instance, weights, walk.left_out, goal, limits)
            walk.left_out = best.copy()
            last = walk.step + steps
        elif not walk.swap(most):
            break
        limits.done += 1
    return best


class _Walk:
    """A set of units left out, moved by what attackers are short of."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal, start: Mask) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal
        self.left_out = start.copy()
        self.step = 0
        self.rests = np.zeros(instance.units, np.intp)
        size = np.abs(instance.lines[: instance.rivals]).sum(axis=1)
        attackers = range(len(goal.each))
        self.size: Floats = np.array(
            [size[instance.owner == a].max(initial=1e-300) for a in attackers]
        )

    def put_back(self, most: float) -> None:
        """Put units back until no more than `most` is left out."""
        few = self._few()
        while float(self.weights[self.left_out].sum()) > most:
            units = np.flatnonzero(self.left_out)
            sums = self._sums(few)[:, None] + few.lines[:, units]
            self.left_out[units[self._short(few, sums).argmin()]] = False

    def swap(self, most: float) -> bool:
        """The best swap of two units that leaves out no more than `most`; whether there is one."""
        self.step += 1
        few = self._few()
        free = self.rests < self.step
        back, out = np.flatnonzero(self.left_out & free), np.flatnonzero(~self.left_out & free)
        sums = self._sums(few)[:, None]
        back = back[np.argsort(self._short(few, sums + few.lines[:, back]), kind="stable")[:BACK]]
        out = out[np.argsort(self._short(few, sums - few.lines[:, out]), kind="stable")[:OUT]]
        i, j = np.repeat(back, len(out)), np.tile(out, len(back))
        fits = self.weights[self.left_out].sum() - self.weights[i] + self.weights[j] <= most
        i, j = i[fits], j[fits]
        if not len(i):
            return False
        at = int(self._short(few, sums + few.lines[:, i] - few.lines[:, j]).argmin())
        self.left_out[i[at]], self.left_out[j[at]] = False, True
        self.rests[i[at]], self.rests[j[at]] = self.step + RESTS_OUT, self.step + RESTS_BACK
        return True

    def _sums(self, few: Instance) -> Floats:
        return few.sums(self.left_out.astype(np.float64))

    def _few(self) -> Instance:
        """Only the rivals that are ahead or nearly: each attacker's first ones."""
        ahead = self.instance.ahead(self._sums(self.instance))
        picked: list[Ints] = []
        for a, need in enumerate(self.goal.each.tolist()):
            mine = np.flatnonzero(self.instance.owner == a)
            picked.append(mine[np.argsort(-ahead[mine], kind="stable")[: 3 * need + 10]])
        return self.instance.restricted(np.sort(np.concatenate(picked)))

    def _short(self, few: Instance, sums: Floats) -> Floats:
        """How far the rivals that each attacker needs are behind, in all, for each set."""
        behind = np.maximum(-few.ahead_many(sums), 0.0)
        total = np.zeros(sums.shape[1])
        for a, need in enumerate(self.goal.each.tolist()):
            mine = behind[few.owner == a]
            if 0 < need <= len(mine):
                total += np.partition(mine, need - 1, axis=0)[:need].sum(axis=0) / self.size[a]
        return total
