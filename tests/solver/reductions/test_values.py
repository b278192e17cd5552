from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from elsewhere.errors import InputError
from elsewhere.solver.problem import Answer, plain
from elsewhere.solver.reductions.photos import Groups, Values
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning

TENTHS = (Fraction(1, 10), Fraction(3, 10), Fraction(2))


def wish(plain: Promise, full: Promise) -> Promise:
    own = tuple(Fraction(1 + i, 2 + i % 3) for i in range(full.photos))
    return replace(plain, values=full.values or own)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_decimals_become_the_smallest_whole_numbers() -> None:
    problem = plain(np.zeros((3, 2)), truth=0, need=1)
    assert Values(TENTHS).apply(problem).weights.tolist() == [1, 3, 20]
    assert Values((Fraction(4), Fraction(6), Fraction(8))).apply(problem).weights.tolist() == [
        2,
        3,
        4,
    ]


def test_the_answer_is_in_values_again() -> None:
    answer = Answer("optimal", np.array([True, False, True]), 3, 3)
    assert Values(TENTHS).invert(answer).cost == Fraction(3, 10)
    assert Values(TENTHS).invert(answer).bound == Fraction(3, 10)
    budget = Answer("optimal", np.array([True, False, True]), 3, 7, counts=True)
    assert Values(TENTHS).invert(budget).bound == 7  # a number of rivals has no scale


def test_the_values_of_a_group_add_up() -> None:
    problem = Groups(((0, 2),)).apply(plain(np.zeros((3, 2)), truth=0, need=1))
    assert Values(TENTHS).apply(problem).weights.tolist() == [21, 3]


def test_too_far_apart() -> None:
    problem = plain(np.zeros((2, 2)), truth=0, need=1)
    with pytest.raises(InputError, match="too far apart"):
        Values((Fraction(1, 10**12), Fraction(10**12))).apply(problem)
