from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver.problem import FREE, IN, OUT
from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    last = (full.photos - 1,) if full.photos > 1 else ()
    if full.keep or full.drop:
        return replace(plain, keep=full.keep, drop=full.drop)
    return replace(plain, keep=(0,), drop=last)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_they_are_fixed() -> None:
    fixed = reduced(np.zeros((4, 2)), keep=(3,), drop=(0, 1)).fixed
    assert fixed.tolist() == [OUT, OUT, FREE, IN]
    assert reduced(np.zeros((4, 2))).fixed.tolist() == [FREE] * 4
