"""Among equally good plans, the one nearest the previous plan, then the one with most slack.

A preference, not a proof: plans one swap apart (a unit put back for another of the same weight
and size) are looked at until none is better or the allowance is used up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, needs
from elsewhere.solver.problem import Answer, Floats, Ints, Mask

ALLOWANCE = 600_000
"""Rival values looked at without a previous plan: a few milliseconds."""
NEAR_ALLOWANCE = 4_000_000
"""The same with a previous plan, where a click must not reshuffle the table."""


def polish(instance: Instance, answer: Answer, pull: Floats) -> Answer:
    """The same cost and counts, nearer to the previous plan, then more slack."""
    problem = instance.problem
    if answer.kept is None or answer.kept[instance.free].all():
        return answer
    left_out = ~answer.kept[instance.free]
    counts = instance.counts(instance.holding(left_out))
    if problem.budget is None:
        goal = needs(problem)
    else:
        goal = Goal(np.full(len(counts), int(counts.min()), np.intp), int(counts.sum()))
    if not goal.total:
        return answer
    allowance = NEAR_ALLOWANCE if pull.any() else ALLOWANCE
    left_out = _Swaps(instance, goal, pull).improve(left_out, allowance)
    return replace(answer, kept=instance.units_kept(left_out))


def pull_of(instance: Instance, previous: frozenset[int] | None) -> Floats:
    """For each free unit, how many of its photos were withheld before, less how many were not."""
    if previous is None:
        return np.zeros(instance.units)
    photos = np.full(instance.problem.photos, -1.0)
    photos[sorted(previous)] = 1.0
    pull = np.zeros(instance.problem.units)
    np.add.at(pull, instance.problem.unit_of, photos)
    return pull[instance.free]


class _Swaps:
    """All plans one swap away, judged by nearness and slack."""

    def __init__(self, instance: Instance, goal: Goal, pull: Floats) -> None:
        self.instance = instance
        self.goal = goal
        self.pull = pull

    def improve(self, left_out: Mask, allowance: int) -> Mask:
        """Swap while a swap is worth it and the allowance lasts."""
        slack = self._slack(self._few(left_out), left_out)
        while allowance > 0:
            few = self._few(left_out)
            back, out, spent = self._pairs(left_out, few, allowance)
            allowance -= spent
            if not len(back):
                break
            nearer = self.pull[out] - self.pull[back]
            sums = (
                few.sums(left_out.astype(np.float64))[:, None]
                + few.lines[:, back]
                - few.lines[:, out]
            )
            slacks = self._slacks(few, few.ahead_many(sums))
            good = (slacks >= 0) & ((nearer > 0) | ((nearer == 0) & (slacks > slack + 1e-6)))
            if not good.any():
                break
            choice = np.lexsort((-slacks, -nearer, ~good))
            for at in choice[:3].tolist():
                if not good[at]:
                    continue
                trial = left_out.copy()
                trial[back[at]], trial[out[at]] = False, True
                counts = self.instance.counts(self.instance.holding(trial))
                if self.goal.reached(counts):
                    left_out, slack = trial, float(slacks[at])
                    break
            else:
                break
        return left_out

    def _pairs(self, left_out: Mask, few: Instance, allowance: int) -> tuple[Ints, Ints, int]:
        """Units to put back and units to leave out for them: same weight, same size."""
        inside, outside = np.flatnonzero(left_out), np.flatnonzero(~left_out)
        weights, sizes = self.instance.weights, self.instance.sizes
        fits = weights[inside][:, None] == weights[outside]
        fits &= sizes[inside][:, None] == sizes[outside]
        fits &= self.pull[outside][None, :] >= self.pull[inside][:, None]
        i, j = fits.nonzero()
        spent = len(i) * len(few.lines)
        if spent > max(allowance, ALLOWANCE):
            return inside[:0], outside[:0], spent
        return inside[i], outside[j], spent

    def _few(self, left_out: Mask) -> Instance:
        """Only the rivals that can matter to the slack: each attacker's first ones."""
        ahead = self.instance.ahead(self.instance.sums(left_out.astype(np.float64)))
        picked = []
        for a, need in enumerate(self.goal.each.tolist()):
            mine = np.flatnonzero(self.instance.owner == a)
            order = np.argsort(-ahead[mine], kind="stable")[: 2 * need + 8]
            picked.append(mine[order])
        return self.instance.restricted(np.sort(np.concatenate(picked)))

    def _slack(self, few: Instance, left_out: Mask) -> float:
        sums = few.sums(left_out.astype(np.float64))[:, None]
        return float(self._slacks(few, few.ahead_many(sums))[0])

    def _slacks(self, few: Instance, ahead: Floats) -> Floats:
        """The smallest slack over the attackers, for each column."""
        least = np.full(ahead.shape[1], np.inf)
        for a, need in enumerate(self.goal.each.tolist()):
            if need:
                mine = -ahead[few.owner == a]
                least = np.minimum(least, -np.partition(mine, need - 1, axis=0)[need - 1])
        return least
