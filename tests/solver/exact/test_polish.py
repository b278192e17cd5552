"""Among equally good plans: a click does not reshuffle the table, and slack is never given away."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, note, strategies as st

import elsewhere
from elsewhere.solver.exact import solver
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.solver import similarity_preference
from elsewhere.solver.greedy import is_plan
from elsewhere.solver.plans import attacker_views
from elsewhere.solver.problem import Solution, plain
from elsewhere.values.plan import Plan
from elsewhere_lab import simulator
from tests.solver.exact.small import drawn, seeds
from tests.solver.examples import examples
from tests.solver.strategies import Problem, problem, problems


def apart(one: Plan, other: Plan) -> int:
    """How many photos two plans treat differently."""
    return len(set(one.withheld) ^ set(other.withheld))


@examples(60)
@given(problems)
def test_a_plan_that_is_still_best_stays(made: Problem) -> None:
    note(repr(made))
    before = elsewhere.protect(made.scores, made.truth, **made.wishes)
    assume(before.found)
    after = elsewhere.protect(made.scores, made.truth, **made.wishes, near=before)
    assert after == before or after.withheld == before.withheld


@examples(60)
@given(problems, st.randoms(use_true_random=False))
def test_any_best_plan_stays_however_it_came_about(made: Problem, rng: random.Random) -> None:
    note(repr(made))
    somewhere = [i for i in range(made.promise.photos) if rng.random() < 0.5]
    before = elsewhere.protect(made.scores, made.truth, **made.wishes, near=somewhere)
    assume(before.found)
    after = elsewhere.protect(made.scores, made.truth, **made.wishes, near=before)
    assert after.withheld == before.withheld


@pytest.mark.parametrize("wish", [{"top": 3}, {"top": 10}, {"budget": 5}], ids=str)
def test_on_real_sizes_a_best_plan_stays_and_a_pin_moves_little(wish: dict[str, Any]) -> None:
    for seed in range(3):
        scores, truth = simulator.collection(40 + seed, photos=24)
        before = elsewhere.protect(scores, truth, **wish, near=range(0, 24, 2))
        again = elsewhere.protect(scores, truth, **wish, near=before)
        assert again.withheld == before.withheld
        for pin in before.withheld[:2]:
            afresh = elsewhere.protect(scores, truth, **wish, keep=[pin])
            after = elsewhere.protect(scores, truth, **wish, keep=[pin], near=before)
            assert after.status == afresh.status
            assert after.cost == afresh.cost
            assert "top" in wish or after.protected_k == afresh.protected_k
            assert apart(after, before) <= apart(afresh, before)


def test_a_pin_and_a_plan_nearby_on_small_problems() -> None:
    pinned = 0
    for seed in range(120):
        made = problem(random.Random(f"pin {seed}"))
        before = elsewhere.protect(made.scores, made.truth, **made.wishes)
        drops = set(made.promise.drop)
        free = [i for i in before.withheld if i not in drops]
        if not free or not before.found:
            continue
        wishes = made.wishes | {"keep": [*made.wishes.get("keep", []), free[0]]}
        afresh = elsewhere.protect(made.scores, made.truth, **wishes)
        after = elsewhere.protect(made.scores, made.truth, **wishes, near=before)
        assert (after.status, after.cost) == (afresh.status, afresh.cost)
        if after.found:
            pinned += 1
            if made.promise.budget is not None:
                assert after.protected_k == afresh.protected_k
            assert apart(after, before) <= apart(afresh, before), repr(made)
    assert pinned >= 15


@examples(60)
@given(seeds)
def test_polishing_keeps_the_cost_and_never_lowers_the_slack(seed: int) -> None:
    made = drawn(seed, budget=seed % 3 == 0)
    instance = Instance(made)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "polish", lambda instance, answer, preference: answer)
        rough = solver.solve(instance)
    assume(rough.kept is not None)
    assert rough.kept is not None
    with np.errstate(all="ignore"):
        smooth = solver.polish(instance, rough, np.zeros(instance.units))
        assert smooth.kept is not None
        assert (smooth.status, smooth.cost, smooth.bound) == (rough.status, rough.cost, rough.bound)
        assert made.weights[~smooth.kept].sum() == rough.cost
        assert is_plan(made, smooth.kept)
        slack_before = min(view.slack for view in attacker_views(instance, rough.kept)[0])
        slack_after = min(view.slack for view in attacker_views(instance, smooth.kept)[0])
    if made.budget is None:
        assert slack_after >= slack_before - 1e-9


def test_of_two_equal_photos_the_one_with_more_slack_goes() -> None:
    rows = np.array([[0.0, -2.0], [0.0, -2.5], [0.0, 3.0]])
    instance = Instance(plain(rows, 0, 1))
    first = Solution("optimal", np.array([False, True, True]), 1, 1)  # slack 0.5, against 1.0
    kept = solver.polish(instance, first, np.zeros(3)).kept
    assert kept is not None
    assert kept.tolist() == [True, False, True]
    held = solver.polish(instance, first, similarity_preference(instance, frozenset({0}))).kept
    assert held is not None
    assert held.tolist() == [False, True, True]  # nearness comes before slack


def test_the_pull_of_a_group_is_the_sum_of_its_photos() -> None:
    made = plain(np.zeros((4, 2)), 0, 1)
    made.unit_of[:] = [0, 1, 1, 1]
    grouped = Instance(
        type(made)(made.attackers, made.unit_of, np.array([1, 3]), np.zeros(2, np.int8))
    )
    assert similarity_preference(grouped, frozenset({1, 2})).tolist() == [-1.0, 1.0]


def test_nothing_to_polish_is_left_alone() -> None:
    instance = Instance(plain(np.array([[0.0, 1.0]]), 0, 1))
    for answer in (Solution("infeasible", None, 0, 0), Solution("optimal", np.array([True]), 0, 0)):
        assert solver.polish(instance, answer, np.zeros(1)) is answer
    assert math.isfinite(instance.error_bound[0])
