from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver.greedy import counts
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    return replace(plain, strict=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_an_exact_tie_no_longer_holds() -> None:
    # 0.1 + 0.2 against 0.3, as floats: ahead by one unit in the last place, which is not a tie
    rows = np.array([[0.0, 0.1, 0.5], [0.0, 0.2, -0.5], [0.0, -0.3, 0.0]])
    assert counts(reduced(rows), np.ones(3, bool)) == (2,)
    assert counts(reduced(rows, strict=True), np.ones(3, bool)) == (1,)
