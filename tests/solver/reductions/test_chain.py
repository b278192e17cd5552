"""All reductions together, in any combination."""

from __future__ import annotations

import random

import pytest

from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.solver.reductions.photos import EachPhoto, Groups, Values
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


def test_what_is_not_wished_is_not_reduced_and_the_order_is_kept() -> None:
    order = [EachPhoto, Groups, Values]  # photos are judged before they are joined, then valued
    lengths = set()
    for seed in range(300):
        drawn = problem(random.Random(seed), photos=4)
        try:
            steps = reduce(drawn.promise, drawn.matrices).steps
        except Contradiction:
            continue
        lengths.add(len(steps))
        places = [order.index(type(step)) for step in steps if type(step) in order]
        assert places == sorted(places)
        assert any(isinstance(step, Values) for step in steps) == (drawn.promise.values is not None)
    assert min(lengths) == 0
    assert max(lengths) >= 6
