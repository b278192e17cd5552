"""Bursts that go together: one unit, gains and weights summed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.problem import IN, OUT, Answer, Ints, Problem
from elsewhere.solver.reductions.base import Contradiction


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
