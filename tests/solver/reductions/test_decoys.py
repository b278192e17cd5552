from __future__ import annotations

import numpy as np
import pytest

from elsewhere.values.promise import Promise
from tests.solver.reductions.meaning import SEEDS, alone, assert_same_meaning, first, reduced


def wish(plain: Promise, full: Promise) -> Promise:
    against = plain.against[0]
    rivals = [cell for cell in range(against.cells) if cell not in against.truth]
    return first(plain, rivals=tuple(rivals[:: 1 + full.photos % 3]))


@pytest.mark.parametrize("seed", SEEDS)
def test_it_means_what_was_wished(seed: int) -> None:
    assert_same_meaning(*alone(seed, wish))


def test_only_those_allowed_are_left() -> None:
    rows = np.zeros((1, 6))
    assert reduced(rows, 2, rivals=(0, 5)).attackers[0].rivals.tolist() == [0, 5]
    assert reduced(rows, 2).attackers[0].rivals.tolist() == [0, 1, 3, 4, 5]
