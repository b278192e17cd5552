"""The sentences under a plan read well, and say no more than was proved."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.messages.phrases import number_text
from elsewhere.messages.verdict import explain_plan
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, Promise
from elsewhere.values.wording import counted
from elsewhere_lab import simulator

SCORES = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        (
            {"top": 1},
            "Withhold 1 of 4 photos: the truth is not among the top 1, "
            "and no smaller set is enough.",
        ),
        (
            {"top": 1, "values": [1, 1, "2.5", 1]},
            "Withhold 1 of 4 photos (worth 2.5): the truth is not among the top 1, "
            "and no cheaper set is enough.",
        ),
        ({"top": 1, "truth": 1}, "Share all 4 photos: the truth is not among the top 1 as it is."),
        (
            {"budget": 1},
            "Withhold 1 of 4 photos: 1 cell then ranks above the truth, "
            "and no plan within 1 does better.",
        ),
        (
            {"budget": 9},
            "Withhold 3 of 4 photos: 2 cells then rank above the truth, "
            "and no plan within 9 does better.",
        ),
        (
            {"scores": SCORES[3:], "top": 2},
            "Share the one photo: the truth is not among the top 2 as it is.",
        ),
        (
            {"scores": [SCORES, SCORES[:, [0, 2, 1]]], "top": [1, 2]},
            "Withhold 3 of 4 photos: the truth is not among the attackers' top 1, 2, "
            "and no smaller set is enough.",
        ),
    ],
)
def test_golden_sentences(wishes: dict[str, Any], sentence: str) -> None:
    call: dict[str, Any] = {"scores": SCORES, "truth": 0} | wishes
    assert elsewhere.protect(**call).explanation == sentence


def promise(**changes: Any) -> Promise:
    top = None if "budget" in changes else 5
    return Promise(photos=9, against=(Against("", "", 8, (0,), top),), **changes)


def feasible(bound: int, **changes: Any) -> Plan:
    """A plan that withholds four of nine photos and was not proved optimal."""
    view = View(5, (1, 2, 3, 4, 5), 0.0)
    kept = tuple(range(4, 9))
    return Plan(Status.FEASIBLE, (0, 1, 2, 3), kept, 4, bound, (view,), promise(**changes), "")


def test_stopped_early_says_how_much_better_a_plan_could_be() -> None:
    assert explain_plan(feasible(2)) == (
        "Withhold 4 of 9 photos: the truth is not among the top 5; stopped early, so a better plan "
        "may exist, but none below 2."
    )
    assert explain_plan(feasible(7, budget=4)) == (
        "Withhold 4 of 9 photos: 5 cells then rank above the truth; stopped early, a better plan "
        "may reach 7."
    )


def test_a_count_that_is_proved_is_not_called_unsure() -> None:
    """Where only a lesser aim (fewer photos, more in sum) was not proved, it says just that."""
    said = explain_plan(feasible(5, budget=4))
    assert said == (
        "Withhold 4 of 9 photos: 5 cells then rank above the truth, and no plan within 4 protects "
        "more; whether one does so at less cost was not proved."
    )


def test_neither_plan_nor_proof() -> None:
    unknown = Plan(Status.UNKNOWN, (), (), 0, 0, (), promise(), "")
    assert explain_plan(unknown) == (
        "Stopped early: no plan for 9 photos was found and none was ruled out; "
        "allow more time or work."
    )


def test_the_gap_is_told_on_a_real_problem() -> None:
    scores, truth = simulator.collection(7, photos=32)
    plan = elsewhere.protect(scores, truth, top=12, work_limit=0)
    assert f"Withhold {plan.cost} of 32 photos" in plan.explanation
    assert f"none below {plan.bound}." in plan.explanation


@given(st.fractions(min_value=0, max_value=10**6, max_denominator=1000))
def test_a_number_is_written_without_loss(value: Fraction) -> None:
    assert Fraction(number_text(value)) == value
    assert "e" not in number_text(Fraction(1, 3) + value)


def test_an_amount_agrees_with_its_noun() -> None:
    assert [counted(n, "photo") for n in (0, 1, 2)] == ["0 photos", "1 photo", "2 photos"]
