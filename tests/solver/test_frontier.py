"""What each number of withheld photos buys: the same as asking for each budget by itself."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note

import elsewhere
from elsewhere.errors import InputError
from elsewhere.values.plan import Frontier
from elsewhere_lab import simulator
from tests.solver.examples import examples
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problem, problems

SCORES = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])


def without_objective(made: Problem) -> dict[str, Any]:
    """The wishes that a frontier understands: it goes through all budgets itself."""
    wishes = {name: wish for name, wish in made.wishes.items() if name not in ("top", "budget")}
    if wishes.get("each_photo") is True:  # the same top as the guarantee's, which there is not
        wishes["each_photo"] = 1
    return wishes


def brute_force(made: Problem, wishes: dict[str, Any]) -> Oracle:
    each = wishes.get("each_photo")
    against = tuple(replace(a, top=None, each_photo=each) for a in made.promise.against)
    promise = replace(made.promise, against=against, budget=made.promise.photos)
    return Oracle(promise, made.tables)


def compare(made: Problem, **limits: int) -> Frontier | None:
    """Every point against every plan; None where there is no plan at all."""
    wishes = without_objective(made)
    oracle = brute_force(made, wishes)
    plans = [kept for kept in oracle.everything() if oracle.allowed(kept)]
    try:
        found = elsewhere.frontier(made.scores, made.truth, **wishes, **limits)
    except InputError:
        assert not plans
        return None
    sizes = [len(oracle.withheld(kept)) for kept in plans]
    assert [point.budget for point in found] == list(range(min(sizes), max(sizes) + 1))
    for point in found:
        within = [kept for kept, size in zip(plans, sizes, strict=True) if size <= point.budget]
        most = max(min(oracle.counts(kept)) for kept in within)
        assert point.plan.kept in within
        assert point.protected_k <= most <= point.bound
        assert point.proved == (point.protected_k == point.bound)
        if point.plan.status == "optimal":  # then it is so in every respect, for its own budget
            budget = point.plan.promise.budget
            assert budget is not None
            best = max(
                oracle.merit(kept)
                for kept, size in zip(plans, sizes, strict=True)
                if size <= budget
            )
            assert oracle.merit(point.plan.kept) == best
    return found


@examples(80)
@given(problems)
def test_every_point_against_brute_force(made: Problem) -> None:
    note(repr(made))
    found = compare(made)
    if found is not None:
        half = made.promise.photos // 2
        assert all(point.proved for point in found if point.budget <= half)
        reached = [point.protected_k for point in found]
        assert reached == sorted(reached)


def test_stopped_early_every_point_is_still_there_and_true() -> None:
    for seed in range(40):
        made = problem(random.Random(f"early {seed}"))
        for work in (0, 5):
            compare(made, work_limit=work)


def test_what_is_not_best_in_every_respect_is_not_called_optimal() -> None:
    """Values, or several attackers: a step only says how many rivals hold at the least."""
    called = set()
    for seed in range(150):
        made = problem(random.Random(f"worth {seed}"), photos=5)
        if made.promise.values is not None or len(made.tables) > 1:
            found = compare(made, prove_up_to=9)
            called |= {point.plan.status for point in found or ()}
    assert called == {"feasible"}
    plain = elsewhere.frontier(SCORES, 0)
    assert plain.points[1].plan.status == "optimal"


def test_equal_to_separate_budgets_on_calibrated_scores() -> None:
    scores, truth = simulator.collection(11, photos=16)
    found = elsewhere.frontier(scores, truth)
    assert len(found) == 16
    for point in found.points[:9]:
        alone = elsewhere.protect(scores, truth, budget=point.budget)
        assert point.proved
        assert point.protected_k == alone.protected_k == alone.bound
        assert len(point.plan.withheld) == alone.cost
        assert elsewhere.check(point.plan, scores)


def test_the_cost_of_a_top_is_the_smallest_budget_that_reaches_it() -> None:
    scores, truth = simulator.collection(12, photos=14)
    found = elsewhere.frontier(scores, truth, prove_up_to=14)
    for top in (1, 2, 4, 8, 16, 30):
        cheapest = elsewhere.protect(scores, truth, top=top)
        enough = [point.budget for point in found if point.protected_k >= top]
        assert cheapest.status == ("optimal" if enough else "infeasible")
        if enough:
            assert cheapest.cost == min(enough)


def test_points_share_their_plans() -> None:
    found = elsewhere.frontier(SCORES, 0)
    assert [point.budget for point in found] == [0, 1, 2, 3]
    assert [point.protected_k for point in found] == [0, 1, 1, 2]
    assert found.points[2].plan is found.points[1].plan
    assert len(found) == 4


def test_the_wishes_of_protect_are_understood() -> None:
    found = elsewhere.frontier(SCORES, 0, drop=[2], keep=[0], prove_up_to=4)
    assert [point.budget for point in found] == [1, 2, 3]
    assert all(0 in point.plan.kept and 2 in point.plan.withheld for point in found)


def test_one_photo_has_one_point() -> None:
    found = elsewhere.frontier(SCORES[:1], 0)
    assert [(point.budget, point.protected_k, point.proved) for point in found] == [(0, 0, True)]


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"top": 1}, "give neither top nor budget"),
        ({"budget": 1}, "give neither top nor budget"),
        ({"prove_up_to": -1}, "prove_up_to must be 0 or more, not -1"),
        ({"prove_up_to": 1.5}, "prove_up_to must be a whole number, not 1.5"),
        ({"prove_up_to": True}, "prove_up_to must be a whole number, not True"),
        ({"drop": [0, 1, 2, 3]}, "every photo must go, but at least one must be kept"),
        ({"each_photo": True}, "say which top each photo must avoid"),
        ({"groups": [[0, 1]], "keep": [0], "drop": [1]}, "photos 0, 1 belong together"),
        ({"time_limit": -1}, "time_limit must be a number of seconds, not -1"),
    ],
)
def test_one_clear_sentence(wishes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        elsewhere.frontier(SCORES, 0, **wishes)
