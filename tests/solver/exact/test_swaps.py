"""Swapping down from a plan: what comes out reaches the goal and is no heavier."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from elsewhere.solver.exact import Instance, SearchLimits
from elsewhere.solver.exact.several_attackers import improve_by_swaps
from tests.solver.exact.small import every_plan, least, needs, seeds
from tests.solver.exact.test_active_set import of_places


@given(seeds)
def test_a_plan_no_heavier_from_wherever_it_starts(seed: int) -> None:
    problem = of_places(seed)
    instance = Instance(problem)
    weights, goal = instance.weights, needs(problem)
    rng = np.random.default_rng(seed)
    plans = [
        plan
        for plan in every_plan(instance)
        if goal.reached(instance.counts(instance.holding(plan)))
    ]
    assume(plans)
    plan = plans[int(rng.integers(len(plans)))]
    for start in (None, rng.random(instance.units) < 0.5, np.ones(instance.units, bool)):
        found = improve_by_swaps(
            instance, weights, goal, plan, SearchLimits(), start=start, steps=10
        )
        assert goal.reached(instance.counts(instance.holding(found)))
        assert instance.units_kept(found).any()
        assert least(instance, weights, goal) <= weights[found].sum() <= weights[plan].sum()


def test_mostly_the_lightest() -> None:
    hit = tried = 0
    for seed in range(60):
        problem = of_places(seed)
        instance = Instance(problem)
        weights, goal = instance.weights, needs(problem)
        best = least(instance, weights, goal)
        everything = np.ones(instance.units, bool)
        if not instance.fixed_in.any():
            everything[0] = False
        if np.isfinite(best) and goal.reached(instance.counts(instance.holding(everything))):
            tried += 1
            found = improve_by_swaps(instance, weights, goal, everything, SearchLimits())
            hit += weights[found].sum() == best
    assert tried >= 20
    assert hit >= 0.8 * tried


def test_no_step_where_no_work_is_left() -> None:
    problem = of_places(3)
    instance = Instance(problem)
    plan = np.ones(instance.units, bool)
    limits = SearchLimits(work=0)
    improve_by_swaps(instance, instance.weights, needs(problem), plan, limits)
    assert limits.done == 0
