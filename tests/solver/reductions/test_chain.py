"""All reductions together, in any combination."""

from __future__ import annotations

import random

import pytest

from tests.solver.reductions.meaning import assert_same_meaning
from tests.solver.strategies import problem


def several(seeds: range) -> None:
    for seed in seeds:
        draw = random.Random(seed)
        drawn = problem(draw, photos=draw.randint(1, 5))
        assert_same_meaning(drawn.promise, drawn.matrices)


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_any_combination_means_what_was_wished(start: int) -> None:
    several(range(start, start + 50))


@pytest.mark.long
@pytest.mark.parametrize("start", range(10_000, 20_000, 1_000))
def test_many_more_combinations(start: int) -> None:
    several(range(start, start + 1_000))
