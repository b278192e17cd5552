"""All plans that are left, at once: none that reaches a goal is missed."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import (
    ENUMERATION_SUMS,
    enumerate_completions,
    is_worth_enumerating,
)
from elsewhere.solver.problem import plain
from tests.solver.exact.small import drawn, seeds
from tests.solver.examples import examples


@examples(60)
@given(seeds)
def test_every_plan_is_counted_and_near_ties_are_taken_for_holding(seed: int) -> None:
    instance = Instance(drawn(seed))
    assume(instance.units)
    rng = np.random.default_rng(seed)
    state = rng.integers(-1, 2, instance.units)
    units = np.flatnonzero(state < 0)
    with np.errstate(all="ignore"):
        cost, counts = enumerate_completions(instance, instance.weights, state > 0, units)
        assert cost.shape == (2 ** len(units),)
        for plan in range(len(cost)):
            left_out = state > 0
            left_out[units] = [bool(plan >> bit & 1) for bit in range(len(units))]
            assert cost[plan] == instance.weights[left_out].sum()
            exactly = instance.counts(instance.holding(left_out))
            assert (counts[:, plan] >= exactly).all()
            doubtful = np.abs(instance.slacks(instance.sums(left_out.astype(np.float64))))
            if not (doubtful <= 2 * instance.error_bound).any():
                assert (counts[:, plan] == exactly).all()


def test_with_nothing_open_there_is_one_plan() -> None:
    instance = Instance(plain(np.array([[0.0, 1.0, -1.0]]), 0, 1))
    cost, counts = enumerate_completions(
        instance, instance.weights, np.zeros(1, bool), np.zeros(0, np.intp)
    )
    assert (cost.tolist(), counts.tolist()) == ([0.0], [[1]])


def test_only_what_takes_a_moment_is_worth_trying() -> None:
    assert is_worth_enumerating(10, 10)
    assert not is_worth_enumerating(10, 40)
    assert is_worth_enumerating(ENUMERATION_SUMS >> 5, 5)
    assert not is_worth_enumerating(ENUMERATION_SUMS, 5)
