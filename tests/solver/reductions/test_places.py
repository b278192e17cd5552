from __future__ import annotations

import numpy as np
import pytest

from elsewhere.solver.greedy import counts
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    return first(plain, sees=tuple(range(full.photos % 2, full.photos, 2)))


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_what_is_not_seen_does_not_count_and_has_no_margin() -> None:
    rows = np.array([[0.0, 1.0], [9.0, 0.0]])
    assert counts(reduced(rows, margin=0.6), np.ones(2, bool)) == (0,)
    assert counts(reduced(rows, margin=0.6, sees=(0,)), np.ones(2, bool)) == (1,)
