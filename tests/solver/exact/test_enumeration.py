"""All plans that are left, at once: none that reaches a goal is missed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given

from elsewhere.solver.exact import search
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.search import Goal, Search, SearchLimits, enumerate_completions
from elsewhere.solver.problem import Floats, Ints, Mask, plain
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


def test_only_what_takes_a_moment_is_enumerated(monkeypatch: pytest.MonkeyPatch) -> None:
    instance = Instance(plain(np.random.default_rng(1).normal(size=(5, 4)), 0, 2))
    sizes: list[int] = []

    def counted(part: Instance, weights: Floats, left_out: Mask, units: Ints) -> Any:
        sizes.append(len(part.unit_scores) << len(units))
        return enumerate_completions(part, weights, left_out, units)

    monkeypatch.setattr(search, "enumerate_completions", counted)
    monkeypatch.setattr(search, "ENUMERATION_SUMS_PER_WORK", 0)
    for limit, enumerated in ((4 << 5, True), ((4 << 5) - 1, False)):
        sizes.clear()
        monkeypatch.setattr(search, "ENUMERATION_SUMS", limit)
        goal, limits = Goal(np.array([2]), 2), SearchLimits()
        Search(instance, instance.weights, goal, 4, lambda *_: None, limits).run()
        assert (4 << 5 in sizes) == enumerated
        assert max(sizes, default=0) <= limit
