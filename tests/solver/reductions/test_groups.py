from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver.problem import IN, OUT, Answer, plain
from elsewhere.solver.reductions.chain import Contradiction
from elsewhere.solver.reductions.photos import Groups, Pins
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning


def wish(plain: Promise, full: Promise) -> Promise:
    together = tuple(range(0, full.photos, 2))
    return replace(plain, groups=(together,) if len(together) > 1 else ())


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_a_group_is_one_unit_of_their_weight() -> None:
    problem = Groups(((0, 3), (1, 4))).apply(plain(np.zeros((5, 2)), truth=0, need=1))
    assert problem.unit_of.tolist() == [0, 1, 2, 0, 1]
    assert problem.weights.tolist() == [2, 2, 1]
    back = Groups(((0, 3), (1, 4))).invert(Answer("optimal", np.array([True, False, True]), 2, 2))
    assert back.kept is not None
    assert back.kept.tolist() == [True, False, True, True, False]


def test_one_pin_pins_them_all() -> None:
    pinned = Pins((3,), (2,)).apply(plain(np.zeros((4, 2)), truth=0, need=1))
    assert Groups(((0, 3),)).apply(pinned).fixed.tolist() == [IN, 0, OUT]


def test_torn_apart_by_pins() -> None:
    pinned = Pins((0,), (3,)).apply(plain(np.zeros((4, 2)), truth=0, need=1))
    with pytest.raises(Contradiction, match="photos 0, 3 belong together"):
        Groups(((0, 3),)).apply(pinned)
