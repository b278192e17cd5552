"""Photos that must stay (kept, or public already) and photos that must go.

Photos worth more than others: positive decimals, scaled to whole numbers.

Bursts that go together: one unit, gains and weights summed.

Each photo on its own too: photos that alone reveal the truth must go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.problem import IN, LARGEST, OUT, Answer, Attacker, Ints, Mask, Problem
from elsewhere.solver.reductions.chain import Contradiction, Unchanged
from elsewhere.values.scores import Memory


@dataclass(frozen=True)
class Pins(Unchanged):
    """Photos by number."""

    keep: tuple[int, ...]
    drop: tuple[int, ...]

    def apply(self, problem: Problem) -> Problem:
        """Fix them in and out."""
        fixed = problem.fixed.copy()
        fixed[list(self.keep)] = IN
        fixed[list(self.drop)] = OUT
        return replace(problem, fixed=fixed)


@dataclass(frozen=True)
class Values:
    """What withholding each photo costs."""

    values: tuple[Fraction, ...]

    @property
    def scale(self) -> Fraction:
        """Whole-number weights are the values times this."""
        below = math.lcm(*(value.denominator for value in self.values))
        above = math.gcd(*(int(value * below) for value in self.values))
        return Fraction(below, above)

    def apply(self, problem: Problem) -> Problem:
        """Weights that are whole numbers in the values' proportions; a group's add up."""
        scale = self.scale
        whole = [int(value * scale) for value in self.values]
        if sum(whole) >= LARGEST:
            raise InputError(
                "values lie too far apart to be compared exactly: use fewer decimal places"
            )
        weights = np.zeros(problem.units, np.int64)
        np.add.at(weights, problem.unit_of, np.array(whole, np.int64))
        return replace(problem, weights=weights)

    def invert(self, answer: Answer) -> Answer:
        """Cost and, in a guarantee, the bound in values again."""
        scale = self.scale
        cost = Fraction(answer.cost) / scale
        bound = answer.bound if answer.counts else Fraction(answer.bound) / scale
        return replace(answer, cost=cost, bound=bound)


def units_of(photos: int, groups: tuple[tuple[int, ...], ...]) -> Ints:
    """The unit of each photo: numbered by first photo, without gaps.

    >>> units_of(5, ((1, 3),)).tolist()
    [0, 1, 2, 1, 3]
    """
    first = np.arange(photos)
    for group in groups:
        first[list(group)] = min(group)
    _, unit_of = np.unique(first, return_inverse=True)
    return unit_of.astype(np.intp)


@dataclass(frozen=True)
class Groups:
    """Photos that stay or go together."""

    groups: tuple[tuple[int, ...], ...]

    def apply(self, problem: Problem) -> Problem:
        """Join each group's photos into one unit; it is fixed where any of them is."""
        unit_of = units_of(problem.photos, self.groups)
        units = int(unit_of.max()) + 1
        fixed = np.zeros(units, np.int8)
        for value, word in ((IN, "stay"), (OUT, "go")):
            there = unit_of[problem.fixed == value]
            clash = there[fixed[there] == -value]
            if len(clash):
                group = np.flatnonzero(unit_of == clash[0]).tolist()
                raise Contradiction(
                    f"photos {{}} belong together, but one must {word} and another must not", group
                )
            fixed[there] = value
        weights = np.bincount(unit_of, weights=problem.weights, minlength=units)
        return replace(problem, unit_of=unit_of, weights=weights.astype(np.int64), fixed=fixed)

    def invert(self, answer: Answer) -> Answer:
        """Units back into photos."""
        if answer.kept is None:
            return answer
        photos = len(answer.kept) + sum(len(group) - 1 for group in self.groups)
        return replace(answer, kept=answer.kept[units_of(photos, self.groups)])


_ALONE = Memory()


@dataclass(frozen=True)
class EachPhoto(Unchanged):
    """For each attacker the top that a single photo must keep the truth out of; 0 for none."""

    tops: tuple[int, ...]

    def apply(self, problem: Problem) -> Problem:
        """Fix revealing photos out; a pinned one is a contradiction."""
        revealing = self.revealing(problem)
        pinned = np.flatnonzero(revealing & (problem.fixed == IN))
        if len(pinned):
            which = "photo {} reveals the truth by itself"
            if len(pinned) > 1:
                which = "photos {} reveal the truth each by itself"
            raise Contradiction(
                f"no photo may reveal the truth alone, but kept {which}", pinned.tolist()
            )
        fixed = np.where(revealing, np.int8(OUT), problem.fixed)
        return replace(problem, fixed=fixed)

    def revealing(self, problem: Problem) -> Mask:
        """Which photos, alone, leave the truth in some attacker's top."""
        result = np.zeros(problem.photos, bool)
        for attacker, top in zip(problem.attackers, self.tops, strict=True):
            if not top:
                continue
            few = _counts(problem, attacker) < top
            result |= few if attacker.sees is None else few & attacker.sees
        return result


def _counts(problem: Problem, attacker: Attacker) -> Ints:
    """(photos,) how many rivals hold for each photo alone; no pin and no top changes that."""
    parts = (attacker.zone, attacker.rivals, attacker.offset, attacker.sees)
    key = (
        *(None if part is None else part.tobytes() for part in parts),
        attacker.shift,
        attacker.lead,
        problem.strict,
    )
    return _ALONE.of(attacker.bank, key, lambda: _holding(problem, attacker).sum(axis=0))


def _holding(problem: Problem, attacker: Attacker) -> Mask:
    """(rivals, photos) whether each rival holds in each photo alone."""
    if not attacker.shift and not attacker.lead and attacker.offset is None:
        # nothing is added up: two scores are compared as they are, and that is exact
        return _compared(attacker, strict=problem.strict)
    apart = replace(
        problem,
        attackers=(attacker,),
        unit_of=np.arange(problem.photos, dtype=np.intp),
        weights=np.ones(problem.photos, np.int64),
        fixed=np.zeros(problem.photos, np.int8),
    )
    instance = Instance(apart)
    ahead = instance.slacks(instance.base_sums[:, None] + instance.unit_scores)
    doubt = instance.error_bound[:, None]
    holding: Mask = ahead > doubt
    unsure = ~holding & ~(ahead < -doubt)
    for rival, photo in np.argwhere(unsure).tolist():
        alone = np.zeros(problem.photos, bool)
        alone[photo] = True
        holding[rival, photo] = instance.holds_exactly(alone, rival)
    return holding


def _compared(attacker: Attacker, *, strict: bool) -> Mask:
    """The same where one score is compared with another."""
    rivals = attacker.bank[:, attacker.rivals].T
    truth = attacker.bank[:, attacker.zone].max(axis=1)
    holding: Mask = rivals > truth if strict else rivals >= truth
    return holding
