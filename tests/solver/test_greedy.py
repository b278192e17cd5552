"""The paper's baseline does what the paper says, and honours the wishes it can."""

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.solver import greedy
from elsewhere.solver.greedy import is_plan
from elsewhere.solver.problem import IN, OUT, Attacker, Problem, plain
from elsewhere_lab import simulator
from tests.solver import enumeration


def by_hand(rows: np.ndarray, truth: int, top: int) -> int | None:
    """How many of the highest truth scores go, by the text of the paper."""
    order = np.argsort(-rows[:, truth], kind="stable")
    for gone in range(len(rows)):
        total = rows[order[gone:]].astype(float).sum(axis=0)
        if (total >= total[truth]).sum() - 1 >= top:
            return gone
    return None


@pytest.mark.parametrize("top", [1, 5])
def test_it_is_the_paper_s_greedy_on_calibrated_collections(top: int) -> None:
    for seed in range(15):
        scores, truth = simulator.collection(seed, photos=32, world="w2")
        answer = greedy.solve(plain(scores.values, truth, top))
        gone = by_hand(scores.values, truth, top)
        if gone is None:
            assert answer.status == "unknown"
        else:
            assert answer.status == "feasible"
            assert answer.cost == gone


def test_it_tests_the_real_top_k_at_each_step_and_not_top_1() -> None:
    # Leaving out the first photo puts one rival ahead; top 2 takes the second photo as well.
    rows = np.array([[9.0, 0.0, 0.0], [5.0, 6.0, 0.0], [1.0, 2.0, 2.0]])
    assert greedy.solve(plain(rows, truth=0, need=1)).cost == 1
    assert greedy.solve(plain(rows, truth=0, need=2)).cost == 2


def test_an_album_that_is_already_fine_loses_nothing() -> None:
    rows = np.array([[0.0, 1.0], [0.0, 1.0]])
    assert greedy.solve(plain(rows, truth=0, need=1)).cost == 0


def test_under_a_budget_the_highest_go_even_where_that_does_not_help() -> None:
    rows = np.array([[0.5, 3.0], [0.1, 0.0], [0.9, 4.0]])
    answer = greedy.solve(replace(plain(rows, truth=0, need=0), budget=2))
    assert answer.kept is not None
    assert answer.kept.tolist() == [False, True, False]
    everything = greedy.solve(replace(plain(rows, truth=0, need=0), budget=99))
    assert everything.kept is not None
    assert everything.kept.sum() == 1  # never the empty album


def test_pins_stay_and_drops_go_first() -> None:
    rows = np.array([[9.0, 0.0], [5.0, 0.0], [1.0, 2.0], [0.5, 0.0]])
    problem = plain(rows, truth=0, need=1)
    problem.fixed[:] = [0, 0, IN, OUT]
    answer = greedy.solve(problem)
    assert answer.kept is not None
    assert answer.kept.tolist() == [False, False, True, False]
    problem.fixed[:] = [IN, 0, 0, 0]
    assert greedy.solve(problem).status == "unknown"
    assert greedy.solve(replace(problem, fixed=np.full(4, OUT, np.int8))).status == "infeasible"
    dropped = replace(problem, fixed=np.array([OUT, OUT, 0, 0], np.int8), budget=1)
    assert greedy.solve(dropped).status == "infeasible"


def test_a_zone_is_scored_by_its_summed_probability() -> None:
    bank = np.log(np.array([[0.5, 0.1, 0.4], [0.3, 0.4, 0.3]]))
    attacker = Attacker(bank, zone=np.array([0, 1]), rivals=np.array([2]), need=1)
    problem = Problem((attacker,), np.arange(2), np.ones(2, np.int64), np.zeros(2, np.int8))
    assert greedy.unit_order(problem).tolist() == [1, 0]


def test_impossible_cells_are_no_trouble() -> None:
    bank = np.array([[-np.inf, -np.inf, 0.0], [-1.0, -np.inf, -0.5]])
    attacker = Attacker(bank, zone=np.array([0, 1]), rivals=np.array([2]), need=1)
    problem = Problem((attacker,), np.arange(2), np.ones(2, np.int64), np.zeros(2, np.int8))
    with np.errstate(invalid="raise"):
        assert greedy.unit_order(problem).tolist() == [1, 0]


@pytest.mark.parametrize("budget", [False, True])
def test_whatever_it_returns_is_a_plan_and_never_better_than_the_best(budget: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(150):
        problem = enumeration.random_problem(
            rng,
            attackers=int(rng.integers(1, 3)),
            zone=int(rng.integers(1, 3)),
            units=True,
            weights=True,
            budget=budget,
        )
        answer, best = greedy.solve(problem), enumeration.best(problem)
        if answer.kept is None:
            assert answer.status != "infeasible" or best is None
            continue
        assert is_plan(problem, answer.kept)
        assert best is not None
        if not budget:
            assert answer.bound <= best <= answer.cost
        else:
            assert answer.bound >= best
