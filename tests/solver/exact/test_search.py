"""The tree by itself: it finds the best plan, says so only at its end, and stops when told."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, Search, SearchLimits
from elsewhere.solver.problem import Floats, Ints, Mask, plain
from elsewhere_lab import simulator
from tests.solver.exact.small import drawn, every_mask, least, needs, seeds, trying_all
from tests.solver.examples import examples


def lightest(
    instance: Instance,
    goal: Goal,
    limits: SearchLimits,
    *,
    cutoff: int = 10**6,
    side: tuple[Floats, int] | None = None,
) -> tuple[bool, float, Mask | None]:
    """Search for the lightest plan: whether the tree was finished, its cost, the plan."""
    best: Mask | None = None
    cost = math.inf

    def on_plan(search: Search, left_out: Mask, weight: int, counts: Ints) -> None:
        nonlocal best, cost
        assert weight == instance.weights[left_out].sum() <= search.cutoff
        assert goal.reached(counts)
        best, cost = left_out.copy(), weight
        search.cutoff = weight - 1

    search = Search(instance, instance.weights, goal, cutoff, on_plan, limits, side)
    return search.run(), cost, best


@examples(100)
@given(seeds, st.booleans())
def test_a_finished_tree_has_met_the_lightest_plan(seed: int, try_all: bool) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    goal = needs(problem)
    most = int(instance.weights.sum() - (0 if instance.fixed_in.any() else 1))
    with trying_all(try_all):
        finished, cost, best = lightest(instance, goal, SearchLimits(), cutoff=most)
    assert finished
    truth = least(instance, instance.weights, goal, cap=most)
    assert cost == truth
    if best is not None:
        assert goal.reached(instance.counts(instance.holding(best)))


@examples(60)
@given(seeds, st.booleans())
def test_a_budget_beside_the_weights_is_respected(seed: int, try_all: bool) -> None:
    rng = np.random.default_rng(seed)
    problem = drawn(seed)
    instance = Instance(problem)
    goal = needs(problem)
    most = int(instance.weights.sum() - (0 if instance.fixed_in.any() else 1))
    side = (rng.integers(1, 4, instance.units).astype(float), int(rng.integers(0, 8)))
    with trying_all(try_all):
        finished, cost, _ = lightest(instance, goal, SearchLimits(), cutoff=most, side=side)
    assert finished
    assert cost == least(instance, instance.weights, goal, cap=most, side=side)


@examples(60)
@given(seeds, st.booleans())
def test_nothing_above_the_cutoff_is_told_of(seed: int, try_all: bool) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    goal = needs(problem)
    truth = least(instance, instance.weights, goal)
    if not 0 < truth < math.inf:
        return
    with trying_all(try_all):
        finished, cost, best = lightest(instance, goal, SearchLimits(), cutoff=int(truth) - 1)
    assert (finished, cost, best) == (True, math.inf, None)


@examples(40)
@given(seeds)
def test_hard_choices_of_units_are_made_both_ways(seed: int) -> None:
    """Two rivals that want opposite photos, like a knapsack: the relaxation is far from whole."""
    rng = np.random.default_rng(seed)
    gains = rng.integers(10, 100, (9, 2)) * np.array([1, -1])
    kept = gains[rng.random(9) < 0.5].sum(axis=0)
    rows = np.zeros((10, 3))
    rows[:9, 1:], rows[9, 1:] = gains, -kept  # so that one choice, at least, is just right
    problem = plain(rows, 0, 2)
    problem.fixed[9] = 1
    instance, goal = Instance(problem), Goal(np.array([2]), 2)
    with trying_all(False):
        finished, cost, _ = lightest(instance, goal, SearchLimits(), cutoff=9)
    sums = np.array([gains[~left_out].sum(axis=0) for left_out in every_mask(9)])
    sizes = np.array([left_out.sum() for left_out in every_mask(9)])
    assert finished
    assert cost == sizes[(sums >= kept).all(axis=1)].min()


@examples(40)
@given(seeds)
def test_a_search_that_is_interrupted_goes_on_where_it_was(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    goal = needs(problem)
    most = int(instance.weights.sum() - (0 if instance.fixed_in.any() else 1))
    at_once = SearchLimits()
    with trying_all(False):
        _, cost, _ = lightest(instance, goal, at_once, cutoff=most)
    found = [math.inf]

    def on_plan(search: Search, left_out: Mask, weight: int, counts: Ints) -> None:
        found.append(weight)
        search.cutoff = weight - 1

    search = Search(instance, instance.weights, goal, most, on_plan, SearchLimits(work=0))
    with trying_all(False):
        while not search.run():
            search.limits.work = search.limits.done + 1
    assert found[-1] == cost
    assert search.limits.done == at_once.done


def a_hard_one() -> tuple[Instance, Goal]:
    """Calibrated scores for 20 photos: some hundred nodes."""
    scores, truth = simulator.collection(5, photos=20)
    return Instance(plain(scores.values, truth, 8)), Goal(np.array([8]), 8)


def test_the_work_is_counted_and_the_same_each_time() -> None:
    instance, goal = a_hard_one()
    limits = [SearchLimits(), SearchLimits()]
    answers = [lightest(instance, goal, limit, cutoff=19) for limit in limits]
    assert limits[0].done == limits[1].done > 20
    assert answers[0][:2] == answers[1][:2]
    assert (answers[0][2] == answers[1][2]).all()  # type: ignore[union-attr]


def test_a_limit_of_work_stops_the_tree_unfinished() -> None:
    instance, goal = a_hard_one()
    whole = SearchLimits()
    lightest(instance, goal, whole, cutoff=19)
    for work in (0, 1, whole.done // 2):
        limits = SearchLimits(work=work)
        finished, _, _ = lightest(instance, goal, limits, cutoff=19)
        assert not finished
        # a node that was begun is finished: its pivots may go a little over
        assert work <= limits.done <= work + 300
        assert limits.exhausted()


def test_a_deadline_in_the_past_stops_it_at_once() -> None:
    instance, goal = a_hard_one()
    limits = SearchLimits(deadline=time.monotonic() - 1.0)
    assert lightest(instance, goal, limits, cutoff=19) == (False, math.inf, None)
    assert limits.done == 0


def test_it_stops_when_the_listener_says_so() -> None:
    instance, goal = a_hard_one()
    heard = []

    def on_plan(search: Search, left_out: Mask, cost: int, counts: Ints) -> None:
        heard.append(cost)
        search.stop = True

    search = Search(instance, instance.weights, goal, 19, on_plan, SearchLimits())
    assert search.run()
    assert len(heard) == 1


@pytest.mark.parametrize(
    ("counts", "reached"), [([2, 1], True), ([1, 2], False), ([2, 0], False), ([3, 0], False)]
)
def test_a_goal_is_for_each_attacker_and_for_their_sum(counts: list[int], reached: bool) -> None:
    assert Goal(np.array([2, 1]), 3).reached(np.array(counts)) is reached
    assert not Goal(np.array([2, 1]), 4).reached(np.array([2, 1]))


def test_limits_are_spent_when_either_is_met() -> None:
    assert not SearchLimits().exhausted()
    assert not SearchLimits(work=5, done=4).exhausted()
    assert SearchLimits(work=5, done=5).exhausted()
    assert SearchLimits(work=0).exhausted()
    assert SearchLimits(deadline=0.0).exhausted()
