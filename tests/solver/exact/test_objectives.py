"""What a search can make small: told of a plan, the value and the plan go together."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import MaxCover, MinWeight, rival_costs
from elsewhere.solver.exact.search import SearchLimits
from tests.solver.exact.small import drawn, every_plan, least, needs, seeds, trying_all
from tests.solver.examples import examples


@examples(60)
@given(seeds)
def test_the_lightest_plan_below_any_cutoff(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    assume(instance.fixed_in.any())  # so that every cutoff leaves something to keep
    weights, goal = instance.weights, needs(problem)
    costs = rival_costs(instance, weights)
    truth = least(instance, weights, goal)
    for cutoff in range(int(weights.sum()) + 1):
        task = MinWeight(instance, weights, goal, costs, None, None, cutoff + 1)
        with trying_all(cutoff % 2 == 0):
            assert task.search(cutoff, SearchLimits(), stop_at_first=False).run()
        assert task.value == (truth if truth <= cutoff else cutoff + 1)
        assert (task.best is not None) == (truth <= cutoff)
        if task.best is not None:
            assert weights[task.best].sum() == task.value
            assert goal.reached(instance.counts(instance.holding(task.best)))


@examples(60)
@given(seeds)
def test_one_is_enough_for_a_question(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    assume(instance.fixed_in.any())
    weights, goal = instance.weights, needs(problem)
    costs = rival_costs(instance, weights)
    truth = least(instance, weights, goal)
    cutoff = int(weights.sum())
    task = MinWeight(instance, weights, goal, costs, None, None, cutoff + 1)
    with np.errstate(all="ignore"):
        assert task.search(cutoff, SearchLimits(), stop_at_first=True).run()
    assert (task.value <= cutoff) == (truth <= cutoff)
    assert task.value >= min(truth, cutoff + 1)


@examples(60)
@given(seeds)
def test_the_fullest_plan_within_a_cap(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    assume(instance.fixed_in.any())
    weights = instance.weights
    cap = int(weights.sum() // 2)
    counts = [
        instance.counts(instance.holding(plan))
        for plan in every_plan(instance)
        if weights[plan].sum() <= cap
    ]
    most = max(int(count.min()) for count in counts)
    upper = int(np.bincount(instance.attacker_of, minlength=len(instance.zone_slices)).min())
    task = MaxCover(instance, weights, cap, None, upper, np.zeros(instance.units, bool))
    with np.errstate(all="ignore"):
        if task.value:
            assert task.search(task.value - 1, SearchLimits(), stop_at_first=False).run()
    assert upper - task.value == most
    assert weights[task.best].sum() <= cap
    # and with that much for each, the largest sum
    floor = np.full(len(instance.zone_slices), most, np.intp)
    total = max(int(count.sum()) for count in counts if count.min() >= most)
    sums = MaxCover(instance, weights, cap, floor, instance.rivals, task.best)
    with np.errstate(all="ignore"):
        if sums.value:
            assert sums.search(sums.value - 1, SearchLimits(), stop_at_first=False).run()
    assert instance.rivals - sums.value == total


def test_tightening_leaves_only_what_is_better() -> None:
    problem = drawn(0)
    instance = Instance(problem)
    weights, goal = instance.weights, needs(problem)
    lightest = MinWeight(instance, weights, goal, rival_costs(instance, weights), None, None, 5)
    search = lightest.search(4, SearchLimits(), stop_at_first=False)
    lightest.value = 3
    lightest.tighten(search)
    assert search.cutoff == 2
    fullest = MaxCover(instance, weights, 3, None, 9, np.zeros(instance.units, bool))
    search = fullest.search(8, SearchLimits(), stop_at_first=False)
    fullest.value = 4
    fullest.tighten(search)
    assert search.goal.each.tolist() == [6]
