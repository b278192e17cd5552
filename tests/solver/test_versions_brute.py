"""The exact solver on problems with versions, against trying every plan."""

from __future__ import annotations

import collections
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.solver import greedy
from elsewhere.solver.exact import SearchLimits, choice_search, search, solve
from elsewhere.solver.problem import Problem, Solution
from tests.solver.enumeration import best_merit, merit, random_problem, with_versions

seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int) -> Problem:
    """A small problem with versions, of every kind by turns."""
    rng = np.random.default_rng(seed)
    while True:
        problem = random_problem(
            rng,
            attackers=int(rng.choice([1, 1, 2, 3])),
            zone=int(rng.choice([1, 1, 2])),
            units=rng.random() < 0.4,
            weights=rng.random() < 0.5,
            infinite=rng.random() < 0.2,
            strict=rng.random() < 0.2,
            budget=rng.random() < 0.35,
        )
        if problem.photos <= 5:
            return with_versions(rng, problem)


def solve_and_compare(problem: Problem) -> Solution:
    """Solve, and compare with what brute force finds."""
    solution = solve(problem)
    best = best_merit(problem)
    if best is None:
        assert solution.status == "infeasible"
        assert solution.kept is None
        return solution
    assert solution.status == "optimal"
    assert solution.kept is not None
    assert solution.shared is not None
    if problem.budget is None:
        assert greedy.is_plan(problem, solution.kept, solution.shared)
    assert merit(problem, solution.kept, solution.shared) == best
    assert solution.cost == -best[-1]
    assert solution.bound == (solution.cost if problem.budget is None else best[0])
    return solution


def stop_early_and_compare(problem: Problem, work: int) -> Solution:
    """With little work allowed, no claim may be false."""
    solution = solve(problem, SearchLimits(work=work))
    best = best_merit(problem)
    if solution.status == "infeasible" or best is None:
        assert best is None
        assert solution.status in ("infeasible", "unknown")
        return solution
    if solution.kept is not None:
        assert solution.shared is not None
        found = merit(problem, solution.kept, solution.shared)
        assert found is not None
        assert solution.status != "optimal" or found == best
    assert solution.bound <= -best[0] if problem.budget is None else solution.bound >= best[0]
    return solution


@contextmanager
def by_branching_alone() -> Iterator[None]:
    """Small problems would be settled by trying all plans at the root: take that away."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MAX_ENUMERATION_UNITS", -1)
        yield


@contextmanager
def by_samples() -> Iterator[None]:
    """As if there were too many plans to list at most nodes: few of them are tried there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choice_search, "MAX_STATES", 6)
        patch.setattr(choice_search, "MAX_PRUNED", 1)
        patch.setattr(choice_search, "SAMPLE_STATES", 3)
        patch.setattr(choice_search, "SAMPLE_NODES", 1)
        yield


@settings(max_examples=150)
@given(seeds)
def test_samples_against_brute_force(seed: int) -> None:
    with by_samples():
        stop_early_and_compare(drawn(seed), 2_000)


@settings(max_examples=150)
@given(seeds)
def test_against_brute_force(seed: int) -> None:
    solve_and_compare(drawn(seed))


@settings(max_examples=150)
@given(seeds)
def test_branching_alone_against_brute_force(seed: int) -> None:
    with by_branching_alone():
        stop_early_and_compare(drawn(seed), 2_000)


@settings(max_examples=60)
@given(seeds, st.sampled_from([0, 1, 10, 60]))
def test_stopped_early_nothing_false_is_claimed(seed: int, work: int) -> None:
    stop_early_and_compare(drawn(seed), work)


@settings(max_examples=60)
@given(seeds)
def test_greedy_plans_are_plans(seed: int) -> None:
    problem = drawn(seed)
    solution = greedy.solve(problem)
    if solution.kept is None:
        return
    assert solution.shared is not None
    assert greedy.is_plan(problem, solution.kept, solution.shared)
    found = merit(problem, solution.kept, solution.shared)
    best = best_merit(problem)
    assert found is not None
    assert best is not None
    assert found <= best


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_many_against_brute_force(capsys: pytest.CaptureFixture[str]) -> None:
    states: collections.Counter[str] = collections.Counter()
    branched: collections.Counter[str] = collections.Counter()
    sampled: collections.Counter[str] = collections.Counter()
    wrong: list[str] = []
    for seed in range(5_000):
        problem = drawn(seed)
        try:
            states[solve_and_compare(problem).status] += 1
            stop_early_and_compare(problem, seed % 50)
            with by_branching_alone():
                branched[stop_early_and_compare(problem, 5_000).status] += 1
            with by_samples():
                sampled[stop_early_and_compare(problem, 5_000).status] += 1
        except Exception as error:  # go on, to say how many are wrong and not only that one is
            wrong.append(f"{type(error).__name__} {error} at seed {seed}")
    with capsys.disabled():
        print(
            f"\nproblems with versions against brute force: 5000, {len(wrong)} wrong "
            f"({dict(states)}); by branching alone {dict(branched)}; by samples "
            f"{dict(sampled)}"
        )
    assert branched["optimal"] + branched["infeasible"] > 0.95 * 5_000
    assert not wrong, "\n".join(wrong[:3])
