from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.checker.proof import prove_kept
from elsewhere.values.plan import Plan, View
from elsewhere.values.scores import Scores

TABLE = np.random.default_rng(5).normal(size=(9, 12)) + 1.5 * (np.arange(12) == 3)


def kept_rows(plan: Plan, *tables: np.ndarray) -> list[Scores]:
    return [Scores(table[list(plan.kept)]) for table in tables]


def test_a_plan_is_proved_from_its_kept_photos() -> None:
    plan = elsewhere.protect(TABLE, {3, 4}, top=3, keep=[1], margin=0.01)
    assert plan.withheld
    assert prove_kept(plan, kept_rows(plan, TABLE), unchanged=True)


def test_last_bits_may_differ_as_long_as_the_inequalities_hold() -> None:
    plan = elsewhere.protect(TABLE, 3, top=3)
    assert plan.withheld and isinstance(plan.slack, float) and plan.slack > 1e-6
    other = TABLE + np.random.default_rng(1).uniform(-1e-9, 1e-9, TABLE.shape)
    assert prove_kept(plan, kept_rows(plan, other), unchanged=False)
    assert "the slack is" in str(prove_kept(plan, kept_rows(plan, other), unchanged=True))


def test_scores_that_break_the_promise_are_refused() -> None:
    plan = elsewhere.protect(TABLE, 3, top=3)
    worse = TABLE + 4.0 * (np.arange(12) == 3)
    for unchanged in (False, True):
        verdict = prove_kept(plan, kept_rows(plan, worse), unchanged=unchanged)
        assert "too few for a top of 3" in str(verdict)


def test_a_photo_that_gives_the_place_away_alone_is_refused() -> None:
    plan = elsewhere.protect(TABLE, 3, top=2, each_photo=True)
    worse = TABLE.copy()
    worse[plan.kept[0], 3] += 50.0
    worse[plan.kept[1]] -= 100.0 * (np.arange(12) == 3)  # the sum still hides it
    verdict = prove_kept(plan, kept_rows(plan, worse), unchanged=False)
    assert "alone has 0 rivals" in str(verdict)


def test_several_attackers_and_what_each_of_them_sees() -> None:
    other = np.random.default_rng(8).normal(size=(9, 5))
    sees = [[0, 2, 4, 6, 8], None]
    plan = elsewhere.protect([TABLE, other], [3, {0, 1}], top=[4, 1], sees=sees)
    assert prove_kept(plan, kept_rows(plan, TABLE, other), unchanged=True)
    assert not prove_kept(plan, kept_rows(plan, TABLE), unchanged=True)
    assert not prove_kept(plan, kept_rows(plan, other, TABLE), unchanged=True)


def test_under_a_budget_what_was_stated_is_the_promise() -> None:
    plan = elsewhere.protect(TABLE, 3, budget=3)
    rows = kept_rows(plan, TABLE)
    assert prove_kept(plan, rows, unchanged=True)
    view = plan.views[0]
    more = replace(plan, views=(replace(view, protected_k=view.protected_k + 1),))
    assert not prove_kept(more, rows, unchanged=False)


@pytest.mark.parametrize(
    "change",
    [
        {"cost": 0},
        {"cost": Fraction(1, 3)},
        {"status": "infeasible"},
        {"bound": 99},
        {"bound": 0},
        {"withheld": ()},
        {"kept": ()},
        {"views": ()},
        {"views": (View(3, (0, 1, 2), 0.0),)},
    ],
)
def test_what_the_plan_says_must_be_true(change: dict[str, Any]) -> None:
    plan = elsewhere.protect(TABLE, 3, top=3)
    assert plan.cost == len(plan.withheld) > 0
    assert not prove_kept(replace(plan, **change), kept_rows(plan, TABLE), unchanged=True)


def test_pins_and_groups_must_be_obeyed() -> None:
    plan = elsewhere.protect(TABLE, 3, top=3)
    out, stay = plan.withheld[0], plan.kept[0]
    wishes: list[dict[str, Any]] = [
        {"keep": (out,)},
        {"drop": (stay,)},
        {"groups": (tuple(sorted((out, stay))),)},
    ]
    for wish in wishes:
        other = replace(plan, promise=replace(plan.promise, **wish))
        assert not prove_kept(other, kept_rows(plan, TABLE), unchanged=True)


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_it_agrees_with_the_whole_check(seed: int, top: int) -> None:
    """On an album's own scores a plan holds exactly where the check says so."""
    table = np.random.default_rng(seed).normal(size=(6, 8)).round(1)
    plan = elsewhere.protect(table, 2, top=top)
    if not plan.found:
        return
    assert prove_kept(plan, kept_rows(plan, table), unchanged=True)
    if plan.withheld:
        more = tuple(sorted((*plan.kept, plan.withheld[0])))
        less = replace(
            plan, kept=more, withheld=plan.withheld[1:], cost=plan.cost - 1, bound=plan.cost - 1
        )
        assert not prove_kept(less, kept_rows(less, table), unchanged=True)
