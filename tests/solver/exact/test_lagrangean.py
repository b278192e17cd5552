"""Prices of several attackers: whatever they are, what comes of them is true of every plan."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from elsewhere.solver.exact import Instance, SearchLimits, several_attackers, solve
from elsewhere.solver.exact.several_attackers import (
    MULTIPLIER_SCALE,
    LagrangeanBound,
    _integral_multipliers,
)
from elsewhere.solver.problem import Attacker, Problem
from tests.solver.exact.small import every_plan, least, needs, seeds, trying_all
from tests.solver.exact.test_active_set import of_places


@settings(max_examples=60)
@given(seeds)
def test_no_plan_is_lighter_than_the_bound_at_any_prices(seed: int) -> None:
    problem = of_places(seed)
    instance = Instance(problem)
    best = least(instance, instance.weights, needs(problem))
    asked = LagrangeanBound(instance, instance.weights, needs(problem), SearchLimits())
    rng = np.random.default_rng(seed)
    hoped = int(instance.weights.sum()) if math.isinf(best) else int(best)
    for turn in range(6):
        if turn % 2:  # also where no step of the method would have led
            asked._multipliers = rng.normal(scale=2.0, size=asked.seen.shape)
        asked.round(hoped)
        assert asked.bound <= best


@given(seeds)
def test_whole_prices_add_up_to_no_more_than_the_weights(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = rng.random((3, 6)) < 0.6
    weights = rng.integers(1, 5, 6).astype(float)
    whole = _integral_multipliers(rng.normal(scale=3.0, size=seen.shape), seen, weights)
    assert (np.where(seen, whole, 0).sum(axis=0) <= MULTIPLIER_SCALE * weights).all()
    assert (whole[seen] != 0).all()


@settings(max_examples=60)
@given(seeds)
def test_an_attacker_alone_at_signed_prices_by_trying_all(seed: int) -> None:
    """Paid for what it leaves out, an attacker may have to bring units back."""
    problem = of_places(seed)
    instance = Instance(problem)
    goal = needs(problem)
    asked = LagrangeanBound(instance, instance.weights, goal, SearchLimits())
    rng = np.random.default_rng(seed)
    signed = rng.choice([-5, -3, -2, -1, 1, 2, 4], size=instance.units)
    for a, part in enumerate(asked.parts):
        bound, left_out = part.solve(signed, SearchLimits())
        mine = np.where(part.seen, signed, 0)
        true = min(
            (
                int(mine[plan].sum())
                for plan in every_plan(instance)
                if instance.counts(instance.holding(plan))[a] >= goal.each[a]
            ),
            default=None,
        )
        if true is not None:
            assert bound <= true
            if bound == mine[left_out].sum() and instance.units_kept(left_out).any():
                assert bound == true
                assert instance.counts(instance.holding(left_out))[a] >= goal.each[a]


@given(seeds)
def test_the_whole_way_by_prices_is_as_light_as_by_trying_all(seed: int) -> None:
    problem = of_places(seed)
    instance = Instance(problem)
    best = least(instance, instance.weights, needs(problem))
    with pytest.MonkeyPatch.context() as patch, trying_all(bool(seed % 2)):
        patch.setattr(several_attackers, "JOINT_WORK", 0)
        answer = solve(problem)
    if math.isinf(best):
        assert answer.status == "infeasible"
    else:
        assert (answer.status, answer.cost) == ("optimal", best)


def test_who_wants_a_unit_kept_is_paid_by_who_wants_it_gone() -> None:
    """Photo 0 gives cell 0 away and covers cell 1 up: to leave it out for the first attacker costs
    the second one two photos of its own. Shares of the weights alone would not tell.
    """
    bank = np.array([[3.0, -3, 1], [0, 2.0, 1], [0, 2.0, 1], [0, 2.0, 1], [0, 0, 0]])
    rivals = np.array([2], np.intp)
    first = Attacker(bank, np.array([0], np.intp), rivals, 1, sees=np.array([1, 0, 0, 0, 1], bool))
    whole = Attacker(bank, np.array([1], np.intp), rivals, 1)
    problem = Problem((first, whole), np.arange(5), np.ones(5, np.int64), np.zeros(5, np.int8))
    instance = Instance(problem)
    goal = needs(problem)
    best = least(instance, instance.weights, goal)
    alone = [
        solve(Problem((one,), problem.unit_of, problem.weights, problem.fixed)).cost
        for one in (first, whole)
    ]
    assert best > sum(alone)
    asked = LagrangeanBound(instance, instance.weights, goal, SearchLimits())
    for _ in range(40):
        asked.round(int(best))
    assert asked.bound == best


def test_prices_that_floats_could_not_hold_are_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem = of_places(1)
    instance = Instance(problem)
    monkeypatch.setattr(several_attackers, "MAX_TOTAL_WEIGHT", 1)
    asked = LagrangeanBound(instance, instance.weights, needs(problem), SearchLimits())
    asked.round(5)
    assert (asked.settled, asked.bound) == (True, 0)
