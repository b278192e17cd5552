"""What each rival costs alone: never more than it truly does."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import goal_lower_bound, rival_costs, tighten_rival_costs
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.problem import Attacker, Floats, Problem, plain
from tests.solver.exact.small import drawn, every_mask, least, needs, seeds
from tests.solver.examples import examples


def true_costs(instance: Instance, weights: Floats) -> Floats:
    """The least weight after which each rival holds, by trying every set; inf where none does."""
    costs = np.full(instance.rivals, math.inf)
    for left_out in every_mask(instance.units):
        holding = instance.holding(left_out)
        costs[holding] = np.minimum(costs[holding], weights[left_out].sum())
    return costs


@examples(80)
@given(seeds)
def test_costs_are_never_above_the_true_ones(seed: int) -> None:
    instance = Instance(drawn(seed))
    truth = true_costs(instance, instance.weights)
    alone = rival_costs(instance, instance.weights)
    assert (alone <= truth).all()
    for most in (0.0, 2.0, math.inf):
        zone = tighten_rival_costs(instance, instance.weights, alone, most, SearchLimits())
        assert (alone <= zone).all()
        assert (zone <= truth).all()


@examples(60)
@given(seeds)
def test_they_are_exact_where_photos_are_alike_in_worth(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(7, 6)) + np.eye(1, 6)
    instance = Instance(plain(rows, 0, 1))
    for weights in (instance.weights, 3.0 * instance.weights):
        costs = rival_costs(instance, weights)
        assert costs.tolist() == true_costs(instance, weights).tolist()


@examples(60)
@given(seeds)
def test_the_bound_of_a_goal_is_never_above_its_cost(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    costs = rival_costs(instance, instance.weights)
    goal = needs(problem)
    assert goal_lower_bound(costs, instance.attacker_of, goal) <= least(
        instance, instance.weights, goal
    )
    more = Goal(np.zeros_like(goal.each), goal.total)
    assert goal_lower_bound(costs, instance.attacker_of, more) <= least(
        instance, instance.weights, more
    )


def test_the_bound_is_the_k_th_cheapest_rival_of_the_dearest_attacker() -> None:
    costs = np.array([5.0, 1.0, 2.0, 9.0, 4.0])
    owner = np.array([0, 0, 0, 1, 1])

    def bound(*each: int, total: int = 0) -> float:
        return goal_lower_bound(costs, owner, Goal(np.array(each), total))

    assert bound(2, 1) == 4.0
    assert bound(3, 0) == 5.0
    assert bound(0, 0, total=4) == 5.0
    assert bound(0, 0) == 0.0
    assert bound(4, 0) == math.inf  # there are only three


def test_a_rival_that_cannot_hold_costs_infinitely_much() -> None:
    rows = np.array([[0.0, -math.inf, 2.0], [0.0, 1.0, 1.0]])
    pinned = plain(rows, 0, 1)
    pinned.fixed[0] = 1
    for made in (pinned, Problem(pinned.attackers, pinned.unit_of, np.array([2, 3]), pinned.fixed)):
        instance = Instance(made)
        assert rival_costs(instance, instance.weights).tolist() == [math.inf, 0.0]


def test_without_free_photos_a_rival_costs_nothing_or_cannot_hold() -> None:
    attacker = Attacker(np.array([[0.0, 1.0, -1.0]]), np.array([0]), np.array([1, 2]), need=1)
    instance = Instance(
        Problem((attacker,), np.array([0]), np.array([1]), fixed=np.array([1], np.int8))
    )
    assert rival_costs(instance, instance.weights).tolist() == [0.0, math.inf]
