"""What the paper proves must be seen: its theorems and constructions, on the solver itself."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from benchmarks.solver import milp
from hypothesis import given, strategies as st

from elsewhere.solver import exact, greedy
from elsewhere.solver.greedy import counts
from elsewhere.solver.problem import Attacker, Floats, Problem, plain
from elsewhere_lab import simulator


def cheapest(problem: Problem) -> int | None:
    """The least weight left out; None where nothing will do."""
    answer = exact.solve(problem)
    assert answer.status in ("optimal", "infeasible")
    return None if answer.kept is None else int(answer.cost)


def furthest(problem: Problem, budget: int) -> int:
    """The largest protected-k with at most `budget` photos left out."""
    within = replace(problem, budget=budget)
    answer = exact.solve(within)
    assert answer.status == "optimal"
    return milp.value(within, answer)


def smallest_budget(problem: Problem, top: int) -> int | None:
    """The paper's second theorem: raise the budget until the protected-k is enough."""
    for budget in range(problem.photos):
        if furthest(problem, budget) >= top:
            return budget
    return None


@pytest.mark.parametrize("kind", ["w1", "w2"])
@pytest.mark.parametrize("top", [1, 3, 7])
def test_cost_of_top_k_is_the_smallest_budget_that_protects_k(kind: str, top: int) -> None:
    for seed in range(2):
        scores, truth = simulator.collection(seed, photos=16, world=kind)
        problem = plain(scores.values, truth, top)
        assert cheapest(problem) == smallest_budget(problem, top)


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(2, 8), st.booleans(), st.booleans()
)
def test_the_same_on_small_problems_full_of_ties(
    seed: int, photos: int, cells: int, whole: bool, pinned: bool
) -> None:
    rng = np.random.default_rng(seed)
    bank = rng.normal(size=(photos, cells))
    if whole:
        bank = np.round(2 * bank)
    bank[:, 0] += 0.5
    problem = plain(bank, 0, int(rng.integers(1, cells)))
    if pinned:
        problem.fixed[int(rng.integers(photos))] = 1
    # With a photo pinned every other photo may go, so every budget below N is worth asking.
    assert cheapest(problem) == smallest_budget(problem, problem.attackers[0].need)


@given(st.integers(0, 2**32 - 1))
def test_protected_k_never_falls_as_the_budget_grows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = plain(np.round(rng.normal(size=(7, 9)) * 3), 0, 1)
    reached = [furthest(problem, budget) for budget in range(9)]
    assert reached == sorted(reached)
    assert reached[0] == counts(problem, np.ones(7, bool))[0]


def observation_1(n: int, epsilon: float) -> Floats:
    """The supplement's table: n uniform photos, and three that decide (cells 1, 2 and the truth).

    Its last inequality is printed the wrong way round: after X_{N+1} and X_{N+2} have gone it is
    1/3 + ε for the rivals, against 1/3 − 2ε for the truth.
    """
    e, third = epsilon, 1 / 3
    a = (third - e) ** 2 * (third - 2 * e) / (2 * (third + e) ** 2)
    rows = [[third] * 3] * n
    rows += [[a, 2 * third + e - a, third - e], [2 * third + e - a, a, third - e]]
    rows += [[third + e, third + e, third - 2 * e]]
    return np.asarray(np.log(np.array(rows)))


@pytest.mark.parametrize("epsilon", [0.01, 0.08, 0.16])
@pytest.mark.parametrize("n", [1, 5, 60])
def test_observation_1_greedy_is_arbitrarily_bad(n: int, epsilon: float) -> None:
    rows = observation_1(n, epsilon)
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1.0)
    problem = plain(rows, truth=2, need=2)
    everything = np.ones(n + 3, bool)
    assert counts(problem, everything) == (0,)
    assert greedy.unit_order(problem)[:n].tolist() == list(range(n))  # the uniform ones first
    after = everything.copy()
    after[:n] = False
    assert counts(problem, after) == (0,)  # n photos gone, and the truth still leads
    slow = greedy.solve(problem)
    assert slow.kept is not None
    assert slow.cost > n
    best = exact.solve(problem)
    assert (best.status, best.cost) == ("optimal", 2)
    assert best.kept is not None
    assert np.flatnonzero(~best.kept).tolist() == [n, n + 1]


def knapsack(values: list[int], weights: list[int], V: int, W: int) -> Problem:
    """The first hardness proof: a photo per object and one more; its two rivals stand for V and W.

    Other cells are far ahead of the truth in every photo and would make it easy; `rivals` keeps
    to the two, which is the paper's fixed-target problem: top = len(rivals).
    """
    n = len(values)
    bank = np.zeros((n + 1, 5))
    bank[:, 3:] = 1e6
    bank[:n, 1], bank[:n, 2] = values, [-w for w in weights]
    bank[n, 1], bank[n, 2] = -V, W
    attacker = Attacker(bank, zone=np.array([0]), rivals=np.array([1, 2]), need=2)
    return Problem(
        (attacker,), np.arange(n + 1), np.ones(n + 1, np.int64), np.zeros(n + 1, np.int8)
    )


def most_objects(values: list[int], weights: list[int], V: int, W: int) -> int | None:
    """The most objects of total weight at most W and total value at least V, by trying all."""
    for size in range(len(values), 0, -1):
        for chosen in itertools.combinations(range(len(values)), size):
            light = sum(weights[i] for i in chosen) <= W
            if light and sum(values[i] for i in chosen) >= V:
                return size
    return None


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 30)), min_size=1, max_size=8),
    st.integers(1, 120),
    st.integers(1, 120),
)
def test_knapsack_instances_have_the_knapsack_s_answer(
    objects: list[tuple[int, int]], V: int, W: int
) -> None:
    values, weights = [v for v, _ in objects], [w for _, w in objects]
    problem = knapsack(values, weights, V, W)
    most = most_objects(values, weights, V, W)
    answer = exact.solve(problem)
    if most is None:
        assert answer.status == "infeasible"
        return
    assert (answer.status, answer.cost) == ("optimal", len(values) - most)
    assert answer.kept is not None
    assert answer.kept[-1]  # the photo that stands for the capacity can never go
    kept = np.flatnonzero(answer.kept[:-1])
    assert sum(values[i] for i in kept) >= V
    assert sum(weights[i] for i in kept) <= W


def test_subset_sums_are_decided_to_the_last_unit() -> None:
    """Value = weight makes a knapsack a subset sum: V = W asks for that very number."""
    numbers = [3, 34, 4, 12, 5, 2]
    for target in range(1, sum(numbers) + 1):
        reachable = any(
            sum(chosen) == target
            for size in range(1, 7)
            for chosen in itertools.combinations(numbers, size)
        )
        answer = exact.solve(knapsack(numbers, numbers, target, target))
        assert (answer.status == "optimal") == reachable


def test_a_constant_added_to_a_photo_s_scores_changes_nothing() -> None:
    """The hardness proof rests on it: any reals can be made log-probabilities."""
    scores, truth = simulator.collection(3, photos=24)
    rows = scores.values.astype(np.float64)
    moved = rows + np.arange(24)[:, None] * 2.0**-4
    exactly = [Fraction(x) - Fraction(y) for x, y in zip(moved[5], rows[5], strict=True)]
    assert set(exactly) == {Fraction(5, 16)}  # the sum was not rounded
    assert cheapest(plain(rows, truth, 5)) == cheapest(plain(moved, truth, 5))
