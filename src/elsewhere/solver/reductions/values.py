"""Photos worth more than others: positive decimals, scaled to whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.problem import LARGEST, Answer, Problem


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
