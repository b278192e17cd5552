"""Diving: rivals chosen one by one, and whole units near the relaxed plan."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from elsewhere.solver.exact.heuristics import dive, repair
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import plain
from elsewhere_lab import simulator
from tests.solver.exact.small import drawn, every_plan, needs, seeds
from tests.solver.examples import examples


@examples(80)
@given(seeds)
def test_a_dive_ends_with_enough_rivals_at_a_true_bound(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    goal = needs(problem)
    rng = np.random.default_rng(seed)
    banned = set(np.flatnonzero(rng.random(instance.rivals) < 0.2).tolist())
    with np.errstate(all="ignore"):
        result = dive(instance, instance.weights, goal, [], banned)
    if result is None:
        return
    relaxed, _, chosen, order = result
    assert ((relaxed > -1e-6) & (relaxed < 1 + 1e-6)).all()
    assert sorted(order.tolist()) == list(range(instance.units))
    assert not banned & set(chosen)
    assert goal.reached(np.bincount(instance.attacker_of[chosen], minlength=len(goal.each)))


@examples(80)
@given(seeds)
def test_its_level_is_a_bound_for_the_rivals_it_starts_with(seed: int) -> None:
    problem = drawn(seed)
    instance = Instance(problem)
    first = [0] if instance.rivals else []
    goal = Goal(np.zeros(len(problem.attackers), np.intp), 1)
    with np.errstate(all="ignore"):
        result = dive(instance, instance.weights, goal, first, set())
    plans = [p for p in every_plan(instance) if instance.holding(p)[first].all()]
    if result is not None and plans and result[2][-1:] == first:
        assert result[1] <= min(instance.weights[p].sum() for p in plans) + 1e-9


@examples(80)
@given(seeds)
def test_a_repaired_plan_stays_within_its_cap(seed: int) -> None:
    instance = Instance(drawn(seed))
    if not instance.units or not instance.rivals:
        return
    rng = np.random.default_rng(seed)
    cap = float(rng.integers(0, int(instance.weights.sum()) + 1))
    rivals = np.flatnonzero(rng.random(instance.rivals) < 0.5)
    order = rng.permutation(instance.units)
    with np.errstate(all="ignore"):
        left_out = repair(instance, instance.weights, rivals, order, cap)
    assert instance.weights[left_out].sum() <= cap


def test_swaps_repair_a_prefix_that_is_nearly_right() -> None:
    # photo 0 and 1 must go; the order says 0, 2, 1
    rows = np.array([[0.0, -5.0], [0.0, -4.0], [0.0, 0.5], [0.0, 1.0]])
    instance = Instance(plain(rows, 0, 1))
    left_out = repair(instance, instance.weights, np.array([0]), np.array([0, 2, 1, 3]), 2.0)
    assert np.flatnonzero(left_out).tolist() == [0, 1]


def test_a_dive_finds_the_rivals_of_a_calibrated_problem() -> None:
    scores, truth = simulator.collection(1, photos=16)
    instance = Instance(plain(scores.values, truth, 5))
    result = dive(instance, instance.weights, Goal(np.array([5]), 5), [], set())
    assert result is not None
    assert len(result[2]) >= 5
    assert 0 <= result[1] <= 15
