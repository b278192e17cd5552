"""Top-1 in polynomial time is exact, and refuses what it cannot solve."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.solver import single

from elsewhere.errors import InputError
from elsewhere.solver import greedy
from elsewhere.solver.greedy import is_plan
from elsewhere.solver.problem import OUT, plain
from elsewhere_lab import simulator
from tests.solver import enumeration


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("infinite", [False, True])
def test_it_equals_trying_every_set(strict: bool, infinite: bool) -> None:
    rng = np.random.default_rng([7, strict, infinite])
    for _ in range(250):
        problem = enumeration.random_problem(rng, infinite=infinite, strict=strict)
        attacker = replace(problem.attackers[0], need=1)
        problem = replace(problem, attackers=(attacker,))
        answer, best = single.solve(problem), enumeration.best(problem)
        if best is None:
            assert answer.status == "infeasible"
            assert answer.kept is None
        else:
            assert (answer.status, answer.cost, answer.bound) == ("optimal", best, best)
            assert answer.kept is not None
            assert is_plan(problem, answer.kept)
            assert answer.cost == int((~answer.kept).sum())


def test_near_ties_are_decided_exactly() -> None:
    # Twenty photos whose gains cancel but for one part in 2**52: floats cannot tell the order.
    tiny = np.array([1.0, -1.0] * 10) / 3
    tiny[3] = np.nextafter(tiny[3], 0.0)
    rows = np.stack([np.zeros(20), tiny], axis=1)
    assert single.solve(plain(rows, truth=0, need=1)).cost == 0
    tiny[3] = np.nextafter(np.nextafter(tiny[3], -1.0), -1.0)
    rows = np.stack([np.zeros(20), tiny], axis=1)
    assert single.solve(plain(rows, truth=0, need=1)).cost == 1


def test_it_is_fast_and_never_worse_than_greedy_at_real_size() -> None:
    for seed in range(10):
        scores, truth = simulator.collection(seed, photos=128)
        problem = plain(scores.values, truth, 1)
        answer, baseline = single.solve(problem), greedy.solve(problem)
        assert answer.status == "optimal"
        assert answer.kept is not None
        assert is_plan(problem, answer.kept)
        assert baseline.kept is None or answer.cost <= baseline.cost


def test_deleted_shares_match_the_calibration() -> None:
    """R-64, W1: .29 of the photos go at top 1 by the optimum, .45 by greedy."""
    best, highest = [], []
    for seed in range(60):
        scores, truth = simulator.collection(seed, photos=64)
        problem = plain(scores.values, truth, 1)
        best.append(int(single.solve(problem).cost) / 64)
        answer = greedy.solve(problem)
        if answer.kept is not None:
            highest.append(int(answer.cost) / 64)
    assert np.mean(best) == pytest.approx(0.29, abs=0.04)
    assert np.mean(highest) == pytest.approx(0.45, abs=0.07)


def test_what_it_cannot_solve_it_refuses() -> None:
    problem = plain(np.zeros((3, 4)), truth=0, need=1)
    attacker = problem.attackers[0]
    refused = [
        replace(problem, attackers=(attacker, attacker)),
        replace(problem, attackers=(replace(attacker, zone=np.array([0, 1])),)),
        replace(problem, attackers=(replace(attacker, need=2),)),
        replace(problem, budget=1),
        replace(problem, weights=np.array([1, 2, 1])),
        replace(
            problem,
            unit_of=np.array([0, 0, 1]),
            weights=np.array([1, 1]),
            fixed=np.zeros(2, np.int8),
        ),
    ]
    for each in refused:
        with pytest.raises(InputError, match="use the exact solver"):
            single.solve(each)


def test_nothing_left_is_infeasible() -> None:
    problem = plain(np.zeros((2, 2)), truth=0, need=1)
    assert single.solve(replace(problem, fixed=np.full(2, OUT, np.int8))).status == "infeasible"
