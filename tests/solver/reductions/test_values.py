from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere.solver.problem import Solution
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, reduced, reduction

TENTHS = (Fraction(1, 10), Fraction(3, 10), Fraction(2))


def wish(plain: Promise, full: Promise) -> Promise:
    own = tuple(Fraction(1 + i, 2 + i % 3) for i in range(full.photos))
    return replace(plain, values=full.values or own)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_decimals_become_the_smallest_whole_numbers() -> None:
    rows = np.zeros((3, 2))
    assert reduced(rows, values=TENTHS).weights.tolist() == [1, 3, 20]
    assert reduced(rows, values=(4, 6, 8)).weights.tolist() == [2, 3, 4]


def test_the_answer_is_in_values_again() -> None:
    answer = Solution("optimal", np.array([True, False, True]), 3, 3)
    guarantee = reduction(np.zeros((3, 2)), values=TENTHS)
    assert guarantee.invert(answer).cost == Fraction(3, 10)
    assert guarantee.invert(answer).bound == Fraction(3, 10)
    budget = Solution("optimal", np.array([True, False, True]), 3, 7, counts=True)
    assert guarantee.invert(budget).bound == 7  # a number of rivals has no scale


def test_the_values_of_a_group_add_up() -> None:
    problem = reduced(np.zeros((3, 2)), groups=((0, 2),), values=TENTHS)
    assert problem.weights.tolist() == [21, 3]


def test_too_far_apart() -> None:
    with pytest.raises(InputError, match="too far apart"):
        reduced(np.zeros((2, 2)), values=(Fraction(1, 10**12), Fraction(10**12)))
