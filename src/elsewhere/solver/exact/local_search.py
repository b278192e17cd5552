"""A lighter plan for several attackers, by swapping units of a heavier one.

What satisfies one attacker spoils another, so that plans made for each and put together are far
too heavy. From such a plan units are put back until it is lighter than the best one known; then
units are swapped, always the pair that leaves the attackers least short of what they need, with a
short memory of what was moved, until all are satisfied. Every plan is counted exactly.

Among equally good plans, the one nearest the previous plan, then the one with most slack.

A preference, not a proof: plans one swap apart (a unit put back for another of the same weight
and size) are looked at until none is better or the allowance is used up.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.solver.exact.heuristics import reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import Goal, needs
from elsewhere.solver.problem import Answer, Floats, Ints, Mask

MAX_STALLED_SWAPS = 100
"""Swaps without a lighter plan before giving up."""
MAX_REINSERTIONS, MAX_REMOVALS = 24, 40
"""Units that are tried to be put back, and to be left out instead: the best ones by themselves."""
TABU_REINSERTED, TABU_REMOVED = 8, 4
"""Steps for which a unit stays where it was moved."""


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
    """The lightest plan met with on the way down from `start`, or from `best` itself, which is the
    plan to be beaten.
    """
    best = reinsert_units(instance, weights, best, goal, limits)
    walk = _TabuSearch(instance, weights, goal, best if start is None else start)
    last = steps
    while best.any() and walk.step < last and not limits.exhausted():
        most = float(weights[best].sum()) - 1
        walk.put_back(most)
        if goal.reached(instance.counts(instance.holding(walk.left_out))):
            best = reinsert_units(instance, weights, walk.left_out, goal, limits)
            walk.left_out = best.copy()
            last = walk.step + steps
        elif not walk.swap(most):
            break
        limits.done += 1
    return best


class _TabuSearch:
    """A set of units left out, moved by what attackers are short of."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal, start: Mask) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal
        self.left_out = start.copy()
        self.step = 0
        self.rests = np.zeros(instance.units, np.intp)
        size = np.abs(instance.unit_scores[: instance.rivals]).sum(axis=1)
        attackers = range(len(goal.each))
        self.size: Floats = np.array(
            [size[instance.attacker_of == a].max(initial=1e-300) for a in attackers]
        )

    def put_back(self, most: float) -> None:
        """Put units back until no more than `most` is left out."""
        few = self._few()
        while float(self.weights[self.left_out].sum()) > most:
            units = np.flatnonzero(self.left_out)
            sums = self._sums(few)[:, None] + few.unit_scores[:, units]
            self.left_out[units[self._short(few, sums).argmin()]] = False

    def swap(self, most: float) -> bool:
        """The best swap of two units that leaves out no more than `most`; whether there is one."""
        self.step += 1
        few = self._few()
        free = self.rests < self.step
        back, out = np.flatnonzero(self.left_out & free), np.flatnonzero(~self.left_out & free)
        sums = self._sums(few)[:, None]
        back = back[
            np.argsort(self._short(few, sums + few.unit_scores[:, back]), kind="stable")[
                :MAX_REINSERTIONS
            ]
        ]
        out = out[
            np.argsort(self._short(few, sums - few.unit_scores[:, out]), kind="stable")[
                :MAX_REMOVALS
            ]
        ]
        i, j = np.repeat(back, len(out)), np.tile(out, len(back))
        fits = self.weights[self.left_out].sum() - self.weights[i] + self.weights[j] <= most
        i, j = i[fits], j[fits]
        if not len(i):
            return False
        at = int(self._short(few, sums + few.unit_scores[:, i] - few.unit_scores[:, j]).argmin())
        self.left_out[i[at]], self.left_out[j[at]] = False, True
        self.rests[i[at]], self.rests[j[at]] = self.step + TABU_REINSERTED, self.step + TABU_REMOVED
        return True

    def _sums(self, few: Instance) -> Floats:
        return few.sums(self.left_out.astype(np.float64))

    def _few(self) -> Instance:
        """Only the rivals that are ahead or nearly: each attacker's first ones."""
        ahead = self.instance.slacks(self._sums(self.instance))
        picked: list[Ints] = []
        for a, need in enumerate(self.goal.each.tolist()):
            mine = np.flatnonzero(self.instance.attacker_of == a)
            picked.append(mine[np.argsort(-ahead[mine], kind="stable")[: 3 * need + 10]])
        return self.instance.restricted(np.sort(np.concatenate(picked)))

    def _short(self, few: Instance, sums: Floats) -> Floats:
        """How far the rivals that each attacker needs are behind, in all, for each set."""
        behind = np.maximum(-few.ahead_many(sums), 0.0)
        total = np.zeros(sums.shape[1])
        for a, need in enumerate(self.goal.each.tolist()):
            mine = behind[few.attacker_of == a]
            if 0 < need <= len(mine):
                total += np.partition(mine, need - 1, axis=0)[:need].sum(axis=0) / self.size[a]
        return total


POLISH_WORK = 600_000
"""Rival values looked at without a previous plan: a few milliseconds."""
NEAR_POLISH_WORK = 4_000_000
"""The same with a previous plan, where a click must not reshuffle the table."""


def polish(instance: Instance, answer: Answer, preference: Floats) -> Answer:
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
    allowance = NEAR_POLISH_WORK if preference.any() else POLISH_WORK
    left_out = _Swaps(instance, goal, preference).improve(left_out, allowance)
    return replace(answer, kept=instance.units_kept(left_out))


def similarity_preference(instance: Instance, previous: frozenset[int] | None) -> Floats:
    """For each free unit, how many of its photos were withheld before, less how many were not."""
    if previous is None:
        return np.zeros(instance.units)
    photos = np.full(instance.problem.photos, -1.0)
    photos[sorted(previous)] = 1.0
    preference = np.zeros(instance.problem.units)
    np.add.at(preference, instance.problem.unit_of, photos)
    return preference[instance.free]


class _Swaps:
    """All plans one swap away, judged by nearness and slack."""

    def __init__(self, instance: Instance, goal: Goal, preference: Floats) -> None:
        self.instance = instance
        self.goal = goal
        self.preference = preference

    def improve(self, left_out: Mask, allowance: int) -> Mask:
        """Swap while a swap is worth it and the allowance lasts."""
        slack = self._slack(self._few(left_out), left_out)
        while allowance > 0:
            few = self._few(left_out)
            back, out, spent = self._pairs(left_out, few, allowance)
            allowance -= spent
            if not len(back):
                break
            nearer = self.preference[out] - self.preference[back]
            sums = (
                few.sums(left_out.astype(np.float64))[:, None]
                + few.unit_scores[:, back]
                - few.unit_scores[:, out]
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
        fits &= self.preference[outside][None, :] >= self.preference[inside][:, None]
        i, j = fits.nonzero()
        spent = len(i) * len(few.unit_scores)
        if spent > max(allowance, POLISH_WORK):
            return inside[:0], outside[:0], spent
        return inside[i], outside[j], spent

    def _few(self, left_out: Mask) -> Instance:
        """Only the rivals that can matter to the slack: each attacker's first ones."""
        ahead = self.instance.slacks(self.instance.sums(left_out.astype(np.float64)))
        picked = []
        for a, need in enumerate(self.goal.each.tolist()):
            mine = np.flatnonzero(self.instance.attacker_of == a)
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
                mine = -ahead[few.attacker_of == a]
                least = np.minimum(least, -np.partition(mine, need - 1, axis=0)[need - 1])
        return least
