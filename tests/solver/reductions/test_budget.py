from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver.problem import plain
from elsewhere.solver.reductions.chain import Budget
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first


def wish(plain: Promise, full: Promise) -> Promise:
    return replace(first(plain, top=None), budget=full.photos // 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_more_than_there_are_is_all_of_them() -> None:
    assert Budget(99).apply(plain(np.zeros((3, 2)), truth=0, need=0)).budget == 3
