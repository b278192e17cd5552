"""Good plans without proof: they may be poor, never wrong."""

from __future__ import annotations

import math
from threading import Event

import numpy as np
from hypothesis import assume, example, given

from elsewhere.solver.exact.heuristics import (
    adapt_plan,
    find_full_plan,
    find_light_plan,
    prefix_plans,
    reinsert_units,
)
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import max_removable_weight, rival_costs
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.exact.solver import solve
from elsewhere.solver.problem import Floats, Mask, plain
from elsewhere_lab import simulator
from tests.solver.exact.small import drawn, every_plan, least, needs, seeds
from tests.solver.examples import examples


def prepared(seed: int) -> tuple[Instance, Floats, Floats, Goal, float]:
    """An instance, its weights, its rivals' costs, its goal, and the most that may be left out."""
    problem = drawn(seed)
    instance = Instance(problem)
    assume(instance.units or instance.fixed_in.any())  # something can be kept
    weights = instance.weights
    cap = max_removable_weight(instance, weights)
    return instance, weights, rival_costs(instance, weights), needs(problem), cap


def reaches(instance: Instance, left_out: Mask, goal: Goal) -> bool:
    return goal.reached(instance.counts(instance.holding(left_out)))


@examples(60)
@given(seeds)
def test_a_cheapest_plan_is_a_plan_within_the_cap(seed: int) -> None:
    instance, weights, costs, goal, cap = prepared(seed)
    with np.errstate(all="ignore"):
        best = find_light_plan(instance, weights, costs, goal, cap=cap, limits=SearchLimits())
    if best is None:
        return
    assert reaches(instance, best, goal)
    assert least(instance, weights, goal) <= weights[best].sum() <= cap


def test_on_calibrated_problems_it_is_rarely_far_off() -> None:
    dear = found = 0
    for seed in range(12):
        scores, truth = simulator.collection(seed, photos=16)
        problem = plain(scores.values, truth, 5)
        instance = Instance(problem)
        costs = rival_costs(instance, instance.weights)
        best = find_light_plan(
            instance, instance.weights, costs, needs(problem), cap=15.0, limits=SearchLimits()
        )
        assert best is not None
        dear += int(best.sum()) - int(solve(instance).cost)
        found += 1
    assert dear <= found // 3  # on average less than a third of a photo too many


@examples(60)
@given(seeds)
def test_a_fullest_plan_is_within_the_cap_and_no_worse_than_nothing(seed: int) -> None:
    instance, weights, costs, _, most = prepared(seed)
    before = instance.counts(instance.holding(np.zeros(instance.units, bool))).min()
    for cap in (0.0, most // 2, most):
        with np.errstate(all="ignore"):
            left_out = find_full_plan(instance, weights, costs, cap, SearchLimits())
        assert weights[left_out].sum() <= cap
        assert instance.counts(instance.holding(left_out)).min() >= before


@examples(60)
@given(seeds)
def test_prefix_plans_weigh_what_they_are_filed_under(seed: int) -> None:
    instance, weights, costs, _, cap = prepared(seed)
    with np.errstate(all="ignore"):
        plans = prefix_plans(instance, weights, costs, cap, SearchLimits())
    for weight, left_out in plans.items():
        assert weights[left_out].sum() == weight <= cap


@examples(60)
@given(seeds)
@example(803)  # a tie that float sums see as a lead of the truth
def test_nothing_more_can_be_put_back_into_a_restored_plan(seed: int) -> None:
    instance, weights, _, goal, _ = prepared(seed)
    plans = [plan for plan in every_plan(instance) if reaches(instance, plan, goal)]
    for left_out in plans[:: max(1, len(plans) // 4)]:
        with np.errstate(all="ignore"):
            lighter = reinsert_units(instance, weights, left_out, goal)
        assert reaches(instance, lighter, goal)
        assert not (lighter & ~left_out).any()  # photos are only put back
        for unit in np.flatnonzero(lighter):
            fewer = lighter.copy()
            fewer[unit] = False
            assert not reaches(instance, fewer, goal)


@examples(60)
@given(seeds)
def test_an_adapted_plan_is_never_heavier_than_the_best_known(seed: int) -> None:
    instance, weights, _, goal, _ = prepared(seed)
    plans = [plan for plan in every_plan(instance) if reaches(instance, plan, goal)]
    if not plans:
        return
    rng = np.random.default_rng(seed)
    best = plans[int(rng.integers(len(plans)))]
    hint = rng.random(instance.units) < 0.4
    with np.errstate(all="ignore"):
        result = adapt_plan(instance, weights, hint, goal, best, limits=SearchLimits())
    assert reaches(instance, result, goal)
    assert weights[result].sum() <= weights[best].sum()
    if reaches(instance, hint, goal) and weights[hint].sum() <= weights[best].sum():
        assert not (result & ~hint).any()  # a hint that is good is not left


def test_an_old_plan_is_not_adapted_once_nobody_waits_any_more() -> None:
    scores, truth = simulator.collection(3, photos=16)
    problem = plain(scores.values, truth, 5)
    instance = Instance(problem)
    goal, best = needs(problem), np.zeros(instance.units, bool)
    best[:-1] = True
    hint = np.zeros(instance.units, bool)
    given_up = Event()
    given_up.set()
    in_time = adapt_plan(instance, instance.weights, hint, goal, best, limits=SearchLimits())
    late = adapt_plan(
        instance, instance.weights, hint, goal, best, limits=SearchLimits(stopped=given_up.is_set)
    )
    assert in_time.sum() < best.sum()
    assert (late == best).all()


def test_where_no_rival_can_hold_there_is_no_plan() -> None:
    rows = np.array([[0.0, -math.inf], [0.0, -math.inf]])
    pinned = plain(rows, 0, 1)
    pinned.fixed[0] = 1
    instance = Instance(pinned)
    costs = rival_costs(instance, instance.weights)
    with np.errstate(all="ignore"):
        assert (
            find_light_plan(
                instance, instance.weights, costs, needs(pinned), cap=1.0, limits=SearchLimits()
            )
            is None
        )
