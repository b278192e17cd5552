from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver.problem import IN, OUT, Solution
from elsewhere.solver.reductions import Contradiction
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, reduced, reduction


def wish(plain: Promise, full: Promise) -> Promise:
    together = tuple(range(0, full.photos, 2))
    return replace(plain, groups=(together,) if len(together) > 1 else ())


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_a_group_is_one_unit_of_their_weight() -> None:
    grouped = reduction(np.zeros((5, 2)), groups=((0, 3), (1, 4)))
    problem = grouped.problem
    assert problem.unit_of.tolist() == [0, 1, 2, 0, 1]
    assert problem.weights.tolist() == [2, 2, 1]
    back = grouped.invert(Solution("optimal", np.array([True, False, True]), 2, 2))
    assert back.kept is not None
    assert back.kept.tolist() == [True, False, True, True, False]


def test_one_pin_pins_them_all() -> None:
    problem = reduced(np.zeros((4, 2)), keep=(3,), drop=(2,), groups=((0, 3),))
    assert problem.fixed.tolist() == [IN, 0, OUT]


def test_torn_apart_by_pins() -> None:
    with pytest.raises(Contradiction, match="photos 0, 3 belong together"):
        reduced(np.zeros((4, 2)), keep=(0,), drop=(3,), groups=((0, 3),))
