"""The baselines count exactly, near-ties and zero probabilities included."""

import numpy as np
import pytest

from elsewhere.solver.greedy import cost, counts, is_plan
from elsewhere.solver.problem import IN, OUT, plain
from tests.solver import enumeration


@pytest.mark.parametrize("seed", range(8))
def test_counts_equal_the_definition_in_fractions(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        problem = enumeration.random_problem(
            rng,
            attackers=int(rng.integers(1, 3)),
            zone=int(rng.integers(1, 4)),
            units=bool(rng.random() < 0.5),
            infinite=bool(rng.random() < 0.5),
            strict=bool(rng.random() < 0.5),
        )
        kept = rng.random(problem.units) < 0.7
        shared = kept[problem.unit_of]
        expected = tuple(enumeration.count(problem, a, shared) for a in problem.attackers)
        assert counts(problem, kept) == expected


def test_a_tie_that_float_sums_get_wrong_is_counted_right() -> None:
    rows = np.array([[0.0, 0.1], [0.0, 0.2], [0.0, -0.3]])
    everything = np.ones(3, bool)
    assert 0.1 + 0.2 - 0.3 > 0  # the float sum is ahead ...
    behind = plain(rows, truth=0, need=1)
    tenths = [0.1, 0.2, -0.3]
    exact = sum(int(x * 2**60) for x in tenths)
    assert exact > 0  # ... and so is the exact sum of these three floats
    assert counts(behind, everything) == (1,)
    assert counts(plain(-rows, truth=0, need=1), everything) == (0,)


def test_scores_too_large_to_add_up_in_floats_are_counted_too() -> None:
    rows = np.array([[0.0, 1e308, 1e308], [0.0, 1e308, -1e308], [0.0, -1e308, -1e308]])
    assert counts(plain(rows, truth=0, need=1), np.ones(3, bool)) == (1,)


def test_satisfied_respects_pins_drops_and_the_empty_album() -> None:
    problem = plain(np.zeros((3, 2)), truth=0, need=1)
    assert is_plan(problem, np.array([True, False, False]))
    assert not is_plan(problem, np.zeros(3, bool))
    problem.fixed[:] = [IN, 0, OUT]
    assert not is_plan(problem, np.array([False, True, False]))
    assert not is_plan(problem, np.array([True, False, True]))
    assert is_plan(problem, np.array([True, False, False]))
    assert cost(problem, np.array([True, False, False])) == 2
