"""`elsewhere.protect`, `check` and `frontier` with versions, against brute force."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, note, settings, strategies as st

import elsewhere
from elsewhere.errors import InputError
from elsewhere.formats.plan_file import plan_from_json, plan_to_json
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Version
from tests.solver.strategies import Problem
from tests.solver.version_oracle import VersionOracle, problem_with_versions

SCORES = np.log([
    [0.7, 0.2, 0.1],
    [0.5, 0.4, 0.1],
    [0.3, 0.6, 0.1],
    [0.6, 0.1, 0.3],
    [0.5, 0.2, 0.3],
    [0.2, 0.5, 0.3],
])  # fmt: skip
VERSIONS = [(0, 0), (0, "0.25"), (1, 0), (2, 0), (2, "1/3"), (3, 0)]
problems = st.builds(problem_with_versions, st.randoms(use_true_random=False))


def solve_and_compare(made: Problem) -> Plan:
    """Solve, and compare everything that the plan says with what brute force finds."""
    oracle = VersionOracle(made.promise, made.tables)
    plan = elsewhere.protect(made.scores, made.truth, **made.wishes)
    best = oracle.best()
    assert plan.promise == made.promise
    assert bool(elsewhere.check(plan, made.scores, made.truth, **made.wishes))
    if best is None:
        assert plan.status == Status.INFEASIBLE
        assert (plan.withheld, plan.kept, plan.choices, plan.cost) == ((), (), (), 0)
        return plan
    assert plan.status == Status.OPTIMAL
    assert oracle.fulfilled(plan.choices)
    assert oracle.merit(plan.choices) == best
    true = oracle.plan(plan.choices, status=Status.OPTIMAL)
    assert (plan.withheld, plan.kept) == (true.withheld, true.kept)
    assert (plan.cost, plan.bound) == (true.cost, true.bound)
    assert plan.views == true.views
    assert plan.rests_on_zero == true.rests_on_zero
    return plan


@settings(max_examples=200)
@given(problems)
def test_against_brute_force(made: Problem) -> None:
    note(repr(made))
    plan = solve_and_compare(made)
    assert plan_from_json(plan_to_json(plan)) == plan
    again = elsewhere.protect(made.scores, made.truth, **made.wishes, near=plan)
    assert (again.status, again.cost, again.protected_k) == (
        plan.status,
        plan.cost,
        plan.protected_k,
    )
    if made.promise.budget is None:
        assert again.choices == plan.choices


@settings(max_examples=60)
@given(problems)
def test_the_frontier_against_brute_force(made: Problem) -> None:
    note(repr(made))
    wishes = {name: wish for name, wish in made.wishes.items() if name not in ("top", "budget")}
    if wishes.get("each_photo") is True:
        wishes["each_photo"] = 1
    against = tuple(
        replace(a, top=None, each_photo=None if a.each_photo is None else wishes["each_photo"])
        for a in made.promise.against
    )
    try:
        points = elsewhere.frontier(made.scores, made.truth, **wishes).points
    except InputError:
        points = ()
    for point in points:
        promise = replace(made.promise, against=against, budget=point.budget)
        oracle = VersionOracle(promise, made.tables)
        best = oracle.best()
        assert best is not None
        assert oracle.allowed(point.plan.choices)
        assert point.plan.cost == oracle.cost(point.plan.choices)
        assert point.protected_k <= best[0] <= point.bound
    budgets = [point.budget for point in points]
    assert budgets == sorted(set(budgets))


def test_an_edit_instead_of_a_withheld_photo() -> None:
    plan = elsewhere.protect(SCORES, truth=0, top=1, versions=VERSIONS)
    assert (plan.withheld, plan.choices, plan.cost) == ((), (1, 2, 4, 5), Fraction(7, 12))
    assert "2 of them edited" in plan.explanation
    assert "another edit may lose less" in plan.explanation


def test_each_photo_forbids_versions_not_photos() -> None:
    plan = elsewhere.protect(SCORES, truth=0, top=1, each_photo=1, versions=VERSIONS)
    # the first photo gives the place away in both versions, the third too
    assert plan.withheld == (0, 2)
    assert plan.choices == (2, 5)


def test_a_photo_named_by_its_first_version() -> None:
    names = ["a", "a crop", "b", "c", "c cover", "d"]
    table = elsewhere.Scores(SCORES, names)
    plan = elsewhere.protect(table, truth=0, top=1, versions=VERSIONS, keep=["a"], drop=["c"])
    assert plan.promise.keep == (0,)
    assert plan.withheld == (2,)


@pytest.mark.parametrize(
    ("versions", "complaint"),
    [
        ([(0, 0)], "6 pairs"),
        ([(0, 0)] * 5 + [(2, 0)], "every photo"),
        ([(1, 0)] + [(0, 0)] * 5, "in order"),
        ([(0, 0)] * 5 + [(1, 1)], "must cost less than withholding it"),
        ([(0, 0)] * 5 + [(1, -1)], "must not be negative"),
        ([(0, 0, 0)] * 6, "whole number"),
        (3, "6 pairs"),
    ],
)
def test_versions_that_make_no_sense(versions: object, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        elsewhere.protect(SCORES, truth=0, top=1, versions=versions)


def spoil(plan: Plan, rng: random.Random) -> Plan:
    """The plan with something false in its versions."""
    versions = list(plan.promise.versions or ())
    row = rng.randrange(len(plan.choices))
    others = [i for i in range(len(versions)) if i not in plan.choices]
    choices = list(plan.choices)
    ways = ["drop", "cost", "extra", "order", "version", *(["other"] if others else [])]
    way = rng.choice(ways)
    if way == "drop":
        return replace(plan, choices=tuple(choices[:row] + choices[row + 1 :]))
    if way == "cost":
        return replace(plan, cost=plan.cost + Fraction(1, 1000))
    if way == "extra":
        return replace(plan, choices=tuple(sorted((*choices, rng.choice((-1, len(versions)))))))
    if way == "order":
        return replace(plan, choices=(*choices, choices[0]))
    if way == "version":
        at = rng.randrange(len(versions))
        versions[at] = Version(versions[at].photo, versions[at].cost + Fraction(1, 1000))
        return replace(plan, promise=replace(plan.promise, versions=tuple(versions)))
    choices[row] = rng.choice(others)
    return replace(plan, choices=tuple(choices))


@settings(max_examples=150)
@given(problems, st.randoms(use_true_random=False))
def test_spoilt_plans_are_refused(made: Problem, rng: random.Random) -> None:
    note(repr(made))
    plan = elsewhere.protect(made.scores, made.truth, **made.wishes)
    if not plan.found:
        return
    spoilt = spoil(plan, rng)
    note(repr(spoilt))
    verdict = elsewhere.check(spoilt, made.scores, made.truth, **made.wishes)
    if verdict.holds:  # only where another version is true in every number
        oracle = VersionOracle(made.promise, made.tables)
        assert oracle.fulfilled(spoilt.choices)
        assert oracle.merit(spoilt.choices) == oracle.best()
