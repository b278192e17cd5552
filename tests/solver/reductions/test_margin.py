from __future__ import annotations

import numpy as np
import pytest

from elsewhere.solver.greedy import counts
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    return first(plain, margin=full.against[0].margin or 0.25)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_it_counts_once_for_each_kept_photo() -> None:
    rows = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.0]])
    everything = np.ones(3, bool)
    # two nats ahead in all: a margin of 2/3 for each of three photos is just too much
    assert counts(reduced(rows, margin=0.66), everything) == (1,)
    assert counts(reduced(rows, margin=0.67), everything) == (0,)
