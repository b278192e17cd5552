from __future__ import annotations

import numpy as np
import pytest

from elsewhere.solver.greedy import counts
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def with_lead(plain: Promise, full: Promise) -> Promise:
    return first(plain, lead=full.against[0].lead or 0.5)


def with_prior(plain: Promise, full: Promise) -> Promise:
    cells = full.against[0].cells
    return first(plain, prior=full.against[0].prior or tuple(-0.5 * j for j in range(cells)))


@pytest.mark.parametrize("wish", [with_lead, with_prior])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int, wish: object) -> None:
    assert_same_meaning(*alone(seed, wish))  # type: ignore[arg-type]


def test_they_count_once_and_not_once_a_photo() -> None:
    rows = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    everything, one = np.ones(3, bool), np.array([True, False, False])
    led = reduced(rows, lead=2.5)
    assert (counts(led, everything), counts(led, one)) == ((1,), (0,))
    known = reduced(rows, prior=(0.0, -2.5))
    assert (counts(known, everything), counts(known, one)) == ((1,), (0,))
