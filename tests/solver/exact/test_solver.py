"""The solver on the canonical problem: right, honest when stopped, the same each time."""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import max_removable_weight, maximise, minimise
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.exact.solver import solve
from elsewhere.solver.greedy import counts, is_plan
from elsewhere.solver.problem import Problem, Solution, plain
from elsewhere_lab import simulator
from tests.solver.enumeration import best
from tests.solver.exact.small import drawn, every_mask, every_plan, least, seeds, trying_all
from tests.solver.examples import examples


def value(problem: Problem, answer: Solution) -> int | None:
    """What `enumeration.best` speaks of: the cost, or the smallest count."""
    if answer.kept is None:
        return None
    return int(answer.cost) if problem.budget is None else min(counts(problem, answer.kept))


@examples(100)
@given(seeds, st.booleans())
def test_it_is_right(seed: int, budget: bool) -> None:
    problem = drawn(seed, budget=budget)
    answer = solve(problem)
    truth = best(problem)
    assert answer.status == ("infeasible" if truth is None else "optimal")
    assert value(problem, answer) == truth
    assert answer.counts == budget
    if answer.kept is not None:
        assert is_plan(problem, answer.kept)
        assert problem.weights[~answer.kept].sum() == answer.cost
        assert answer.bound == truth
        if budget:  # the lesser aims too: the sum of the counts, then the weight
            assert _merit(problem, answer) == best_merit(problem)


def best_merit(problem: Problem) -> tuple[float | Fraction, ...]:
    """The best plan's merit in every aim, by trying every plan."""
    plans = [kept for kept in every_mask(problem.units) if is_plan(problem, kept)]
    weights = problem.weights
    return max(
        _merit(problem, Solution("feasible", kept, int(weights[~kept].sum()), 0)) for kept in plans
    )


def assert_honest(problem: Problem, answer: Solution, truth: int | None) -> None:
    """Whatever is said of a problem must be true, however early the solver was stopped."""
    if answer.status == "optimal":
        assert _merit(problem, answer) == best_merit(problem)
    if answer.status == "infeasible":
        assert truth is None
    if answer.kept is not None:
        assert is_plan(problem, answer.kept)
    if truth is not None:
        assert answer.bound >= truth if problem.budget is not None else answer.bound <= truth


@examples(60)
@given(seeds, st.booleans())
def test_stopped_early_it_says_nothing_false_and_more_work_never_hurts(
    seed: int, budget: bool
) -> None:
    problem = drawn(seed, budget=budget)
    truth = best(problem)
    bounds, merits = [], []
    for work in (0, 1, 3, 10, 30, 100):
        with trying_all(seed % 2 == 0):
            answer, again = (solve(problem, SearchLimits(work=work)) for _ in range(2))
        assert (answer.status, answer.cost, answer.bound) == (
            again.status,
            again.cost,
            again.bound,
        )
        assert np.array_equal(answer.kept, again.kept)  # type: ignore[arg-type]
        assert_honest(problem, answer, truth)
        if answer.status == "infeasible":
            return
        bounds.append(-answer.bound if budget else answer.bound)
        merits.append(_merit(problem, answer))
    assert bounds == sorted(bounds)
    assert merits == sorted(merits)


def _merit(problem: Problem, answer: Solution) -> tuple[float | Fraction, ...]:
    """Better is larger; without a plan it is the least there is."""
    if answer.kept is None:
        return (-math.inf,)
    if problem.budget is None:
        return (-answer.cost,)
    found = counts(problem, answer.kept)
    return min(found), sum(found), -answer.cost


def test_a_budget_counts_photos_even_where_they_are_worth_little() -> None:
    rows = np.array([[0.0, -3.0], [0.0, -1.5], [0.0, -1.5], [0.0, 3.0]])
    weights = np.array([5, 1, 1, 9])  # photos 1 and 2 are cheaper than photo 0, but they are two
    problem = Problem(
        plain(rows, 0, 0).attackers, np.arange(4), weights, np.zeros(4, np.int8), budget=1
    )
    answer = solve(problem)
    assert (answer.status, answer.cost) == ("optimal", 5)


def test_with_two_attackers_optimal_is_said_only_when_all_aims_are_proved() -> None:
    world = simulator.world("w1", 3)
    banks = world.views(7, 18, np.random.default_rng(3), attackers=2)
    attackers = tuple(plain(bank, 7, 0).attackers[0] for bank in banks)
    values = np.arange(18) % 3 + 1
    problem = Problem(attackers, np.arange(18), values, np.zeros(18, np.int8), budget=9)
    best = solve(problem)
    assert best.status == "optimal"
    for share in range(10):
        answer = solve(problem, SearchLimits(work=best.work * share // 10))
        assert answer.bound >= best.bound
        assert _merit(problem, answer) <= _merit(problem, best)
        if answer.status == "optimal":
            assert _merit(problem, answer) == _merit(problem, best)


@pytest.mark.parametrize("top", [12, 25])
def test_on_a_hard_problem_the_gap_closes_as_work_is_added(top: int) -> None:
    scores, truth = simulator.collection(7, photos=32)
    problem = plain(scores.values, truth, top)
    answers = [solve(problem, SearchLimits(work=work)) for work in (0, 100, 1_000, 5_000)]
    for early, late in itertools.pairwise(answers):
        assert early.bound <= late.bound <= late.cost <= early.cost
    for answer in answers:
        assert answer.kept is not None
        assert is_plan(problem, answer.kept)
        assert (answer.status == "optimal") == (answer.bound == answer.cost)
    assert answers[0].status == "feasible"
    assert answers[0].work == 0


def test_the_work_done_keeps_to_its_limit() -> None:
    scores, truth = simulator.collection(7, photos=32)
    problem = plain(scores.values, truth, 12)
    whole = solve(problem).work
    assert whole > 100
    for work in (0, whole // 4, whole // 2):
        answer = solve(problem, SearchLimits(work=work))
        assert answer.status == "feasible"
        assert work <= answer.work <= work + 400  # a node that was begun is finished


def test_a_deadline_in_the_past_still_gives_a_plan_and_a_bound() -> None:
    scores, truth = simulator.collection(7, photos=32)
    for problem in (
        plain(scores.values, truth, 12),
        Problem(
            plain(scores.values, truth, 0).attackers,
            np.arange(32),
            np.ones(32, np.int64),
            np.zeros(32, np.int8),
            budget=16,
        ),
    ):
        answer = solve(problem, SearchLimits(deadline=time.monotonic() - 1))
        assert answer.status == "feasible"
        assert answer.kept is not None
        assert is_plan(problem, answer.kept)


@examples(50)
@given(seeds, st.integers(0, 12))
def test_the_lightest_plan_within_a_cap(seed: int, cap: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    if not instance.units and not instance.fixed_in.any():
        return
    goal = Goal(instance.needs, int(instance.needs.sum()))
    with np.errstate(all="ignore"):
        found = minimise(instance, instance.weights, goal, SearchLimits(), cap=cap)
    assert found.proved
    most = min(cap, max_removable_weight(instance, instance.weights))
    truth = least(instance, instance.weights, goal, cap=most)
    if found.left_out is None:
        assert truth == math.inf
    else:
        assert instance.weights[found.left_out].sum() == found.bound == truth


@examples(50)
@given(seeds, st.integers(0, 12))
def test_the_fullest_plan_within_a_cap(seed: int, cap: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    if not instance.units and not instance.fixed_in.any():
        return
    most = int(min(cap, max_removable_weight(instance, instance.weights)))
    nothing = np.zeros(instance.units, bool)
    with np.errstate(all="ignore"):
        found = maximise(instance, instance.weights, most, SearchLimits(), start=nothing)
    assert found.proved
    assert found.left_out is not None
    assert instance.weights[found.left_out].sum() <= most
    reached = instance.counts(instance.holding(found.left_out)).min()
    assert reached == found.bound
    assert reached == max(
        instance.counts(instance.holding(plan)).min()
        for plan in every_plan(instance)
        if instance.weights[plan].sum() <= most
    )


def test_a_bound_that_is_known_is_not_proved_again() -> None:
    scores, truth = simulator.collection(3, photos=24)
    problem = plain(scores.values, truth, 10)
    instance = Instance(problem)
    goal = Goal(np.array([10]), 10)
    first = SearchLimits()
    found = minimise(instance, instance.weights, goal, first)
    second = SearchLimits()
    again = minimise(
        instance, instance.weights, goal, second, start=found.left_out, lower_bound=found.bound
    )
    assert again.proved
    assert second.done == 0 < first.done


def test_something_is_always_kept() -> None:
    rows = np.array([[0.0, -1.0], [0.0, -1.0]])
    assert solve(plain(rows, 0, 1)).status == "infeasible"  # only the empty album would do
    dropped = plain(rows, 0, 1)
    dropped.fixed[:] = -1
    assert solve(dropped).status == "infeasible"


def test_needs_are_read_from_the_attackers() -> None:
    assert Instance(plain(np.zeros((2, 5)), 0, 3)).needs.tolist() == [3]
