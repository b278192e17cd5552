from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    return replace(first(plain, top=None), budget=full.photos // 2)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_more_than_there_are_is_all_of_them() -> None:
    assert reduced(np.zeros((3, 2)), budget=99).budget == 3
