"""All budgets at once: each step is what a budget of its own would give."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import SearchLimits
from elsewhere.solver.exact.solver import BudgetStep, solve, solve_all_budgets
from elsewhere.solver.problem import plain
from elsewhere_lab import simulator
from tests.solver.exact.small import drawn, every_plan, seeds, trying_all
from tests.solver.examples import examples


def climb(
    instance: Instance, prove_up_to: int, limits: SearchLimits | None = None
) -> list[BudgetStep]:
    with np.errstate(all="ignore"):
        return list(solve_all_budgets(instance, prove_up_to, limits or SearchLimits()))


def true_counts(instance: Instance) -> list[int]:
    """For every number of photos left out, the most that can be reached, by trying every plan."""
    first = instance.base_size
    best: dict[int, int] = {}
    for plan in every_plan(instance):
        size = first + int(instance.sizes[plan].sum())
        best[size] = max(best.get(size, 0), int(instance.counts(instance.holding(plan)).min()))
    return [
        max(count for size, count in best.items() if size <= budget)
        for budget in range(first, max(best) + 1)
    ]


@examples(80)
@given(seeds, st.integers(0, 9))
def test_every_step_is_the_best_or_says_how_much_better_it_could_be(
    seed: int, prove_up_to: int
) -> None:
    instance = Instance(drawn(seed))
    assume(instance.units or instance.fixed_in.any())
    truth = true_counts(instance)
    first = instance.base_size
    steps = climb(instance, prove_up_to)
    assert [step.budget for step in steps] == list(range(first, first + len(truth)))
    for step, most in zip(steps, truth, strict=True):
        assert first + instance.sizes[step.left_out].sum() <= step.budget
        assert instance.counts(instance.holding(step.left_out)).min() == step.reached
        assert step.reached <= most <= step.bound
        if step.budget <= prove_up_to:
            assert step.reached == most == step.bound
            assert step.fewest
        if step.fewest:
            size = first + int(instance.sizes[step.left_out].sum())
            assert size == first or truth[size - first - 1] < step.reached


@examples(50)
@given(seeds, st.sampled_from([0, 1, 5, 20]))
def test_stopped_early_it_is_still_complete_and_true(seed: int, work: int) -> None:
    instance = Instance(drawn(seed))
    assume(instance.units or instance.fixed_in.any())
    truth = true_counts(instance)
    steps = climb(instance, 99, SearchLimits(work=work))
    assert len(steps) == len(truth)
    for step, most in zip(steps, truth, strict=True):
        assert step.reached <= most <= step.bound
    assert [step.reached for step in steps] == sorted(step.reached for step in steps)


def test_stopped_anywhere_on_calibrated_scores_no_step_is_untrue() -> None:
    scores, truth = simulator.collection(62, photos=20)
    instance = Instance(plain(scores.values, truth, 0))
    limits = SearchLimits()
    best = climb(instance, 10, limits)[:11]
    assert all(step.reached == step.bound for step in best)
    assert limits.done > 10
    for work in range(0, limits.done, max(1, limits.done // 12)):
        early = climb(instance, 10, SearchLimits(work=work))
        for step, proved in zip(early, best, strict=False):
            assert step.reached <= proved.reached <= step.bound


@examples(30)
@given(seeds, st.integers(1, 12))
def test_a_step_that_was_not_decided_is_not_called_proved(seed: int, work: int) -> None:
    """Two rivals that want opposite photos: a plan is hard to meet with, and to rule out."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(10, 100, (7, 2)) * np.array([1, -1])
    rows = np.zeros((8, 3))
    rows[:7, 1:], rows[7, 1:] = gains, -gains[rng.random(7) < 0.6].sum(axis=0)
    problem = plain(rows, 0, 0)
    problem.fixed[7] = 1
    instance = Instance(problem)
    with trying_all(False):
        steps = climb(instance, 8, SearchLimits(work=work))
    for step, most in zip(steps, true_counts(instance), strict=True):
        assert step.reached <= most <= step.bound


def test_only_what_was_proved_is_called_fewest() -> None:
    poor = 0
    for seed in range(6):
        scores, truth = simulator.collection(70 + seed, photos=18)
        instance = Instance(plain(scores.values, truth, 0))
        best = climb(instance, 9)[:10]
        for step in climb(instance, 0)[:10]:
            enough = [other.budget for other in best if other.reached >= step.reached]
            size = int(step.left_out.sum())
            poor += size > min(enough)
            assert not step.fewest or size == min(enough)
    assert poor  # otherwise nothing was tested


@pytest.mark.parametrize("photos", [16, 24])
def test_on_calibrated_scores_it_equals_separate_solves(photos: int) -> None:
    for seed in range(2):
        scores, truth = simulator.collection(60 + seed, photos=photos)
        problem = plain(scores.values, truth, 0)
        steps = climb(Instance(problem), photos // 2)
        assert [step.budget for step in steps] == list(range(photos))
        for step in steps[: photos // 2 + 1 : 2]:
            answer = solve(replace(problem, budget=step.budget))
            assert answer.status == "optimal"
            assert step.reached == step.bound == answer.bound
            assert step.left_out.sum() == answer.cost
        reached = [step.reached for step in steps]
        bounds = [step.bound for step in steps]
        assert reached == sorted(reached)
        assert bounds == sorted(bounds)


def test_forced_photos_count_and_the_last_unit_stays() -> None:
    rows = np.array([[0.0, -1.0], [0.0, -1.0], [0.0, -3.0], [0.0, 2.0]])
    problem = plain(rows, 0, 0)
    problem.fixed[0] = -1
    steps = climb(Instance(problem), 4)
    assert [(step.budget, step.reached) for step in steps] == [(1, 0), (2, 1), (3, 1)]
