from __future__ import annotations

import numpy as np
import pytest

from elsewhere.solver.problem import holds
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    cells = full.against[0].cells
    return first(plain, truth=tuple(range(0, max(1, cells - 1), 2)))


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_a_rival_must_outrank_every_cell_of_it() -> None:
    wide = reduced(np.array([[0.0, 2.0, 1.0, 3.0]]), (0, 1)).attackers[0]
    assert wide.zone.tolist() == [0, 1]
    assert wide.rivals.tolist() == [2, 3]
    photos = np.ones(1, bool)
    assert [r for r in (2, 3) if holds(wide, photos, r, strict=False)] == [3]
