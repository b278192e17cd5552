"""Lists of plans of several places: complete, and put together as one tree would."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.solver.exact import Instance, SearchLimits, plan_lists, several_attackers
from elsewhere.solver.problem import Problem
from tests.solver.exact.small import least, needs, seeds, trying_all
from tests.solver.exact.test_active_set import of_places


def lists_of(problem: Problem) -> plan_lists.PlanLists | None:
    """The groups of a problem of places; None where they cannot be solved apart."""
    instance = Instance(problem)
    limits = SearchLimits()
    subproblems = several_attackers.Subproblems(instance, instance.weights, needs(problem), limits)
    solved = subproblems.solve_groups()
    return None if solved is None else solved[1]


@settings(max_examples=80)
@given(seeds, st.integers(0, 6), st.booleans())
def test_every_plan_within_reach_is_listed(seed: int, spare: int, all_at_once: bool) -> None:
    lists = lists_of(of_places(seed))
    for group in [] if lists is None else lists.groups:
        with trying_all(all_at_once):
            listed = group.plans(spare, SearchLimits())
        assert listed is not None
        count = len(group.weights)
        every = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1 == 1
        holding = [group.instance.counts(group.instance.holding(plan)) for plan in every]
        fits = every @ group.weights <= group.bound + spare
        wanted = {
            plan.tobytes()
            for plan, counts, cheap in zip(every, holding, fits, strict=True)
            if cheap and group.goal.reached(counts)
        }
        assert {plan.tobytes() for plan in listed} == wanted


@settings(max_examples=150)
@given(seeds, st.booleans())
def test_as_light_as_by_trying_all(seed: int, all_at_once: bool) -> None:
    problem = of_places(seed)
    lists = lists_of(problem)
    if lists is None:
        return
    best = least(lists.instance, lists.weights, lists.goal)
    with trying_all(all_at_once):
        result = lists.search(None, SearchLimits())
    if result.left_out is None:
        assert math.isinf(best) or result.bound <= best
    else:
        assert (result.proved, result.bound) == (True, best)
        assert lists.weights[result.left_out].sum() == best


@settings(max_examples=60)
@given(seeds)
def test_lists_that_are_too_long_are_given_up_with_a_bound(seed: int) -> None:
    problem = of_places(seed)
    lists = lists_of(problem)
    if lists is None:
        return
    best = least(lists.instance, lists.weights, lists.goal)
    for name, most in (("MAX_LISTED", 1), ("MAX_COMBINED", 2)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plan_lists, name, most)
            result = lists.search(None, SearchLimits())
        assert result.bound <= best
        assert not result.proved or result.bound == best
