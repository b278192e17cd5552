"""Why there is no plan: what is said of attackers, tops and pins is true, and reads well."""

from __future__ import annotations

import math
import random
import re
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.infeasibility import GRACE_SECONDS, MAX_SECONDS, Inquiry, inquiry_deadline
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, problem

SCORES = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3], [0.2, 0.5, 0.3]])
NAMED = Scores(SCORES, ["w.jpg", "x.jpg", "y.jpg", "z.jpg"])


@pytest.mark.parametrize(
    ("wishes", "sentences"),
    [
        (
            {"top": 2, "keep": ["w.jpg"]},
            "No plan can do this. Kept photo w.jpg is in the way: it is enough to give it up. "
            "The largest possible top is 1.",
        ),
        (
            {"top": 1, "drop": range(4)},
            "No plan can do this: every photo must go, and at least one must be kept.",
        ),
        (
            {"top": 1, "drop": [0], "groups": [range(4)]},
            "No plan can do this: every photo must go, and at least one must be kept.",
        ),
        (
            {"budget": 9, "each_photo": 2, "drop": [3]},
            "No plan can do this: every photo must go, and at least one must be kept.",
        ),
        (
            {"budget": 1, "drop": [0, 1]},
            "No plan can do this: 2 photos must go, but the budget is 1.",
        ),
        (
            {"top": 1, "groups": [["w.jpg", "x.jpg"]], "keep": ["w.jpg"], "drop": ["x.jpg"]},
            "No plan can do this: photos w.jpg, x.jpg belong together, "
            "but one must go and another must not.",
        ),
    ],
)
def test_golden_sentences(wishes: dict[str, Any], sentences: str) -> None:
    plan = elsewhere.protect(NAMED, 0, **wishes)
    assert plan.status == Status.INFEASIBLE
    assert plan.explanation == sentences


def test_pins_that_block_only_together() -> None:
    # either photo can be made up for by the third, both cannot
    rows = np.array([[0.0, -2.0], [0.0, -2.0], [0.0, 3.0]])
    plan = elsewhere.protect(Scores(rows, ["a", "b", "c"]), 0, top=1, keep=["a", "b"])
    assert "Kept photos a and b are together in the way: it is enough to give up a or b" in (
        plan.explanation
    )


def test_few_pins_among_many_are_found_with_few_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = np.array([[0.0, 0.0]] * 62 + [[0.0, -2.0]] * 2 + [[0.0, 3.0]])
    asked = []
    real = Inquiry._feasible

    def counted(self: Inquiry, promise: Promise, scores: Any) -> bool | None:
        asked.append(promise)
        return real(self, promise, scores)

    monkeypatch.setattr(Inquiry, "_feasible", counted)
    plan = elsewhere.protect(rows, 0, top=1, keep=range(64))
    assert "Kept photos 62 and 63 are together in the way" in plan.explanation
    assert len(asked) < 32


def test_what_was_not_found_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inquiry, "_feasible", lambda *asked: None)
    plan = elsewhere.protect([SCORES, SCORES], [0, 1], top=2, keep=[0, 1])
    assert plan.status == Status.INFEASIBLE
    assert "Which attacker is in the way was not found out in time." in plan.explanation
    assert "Whether the kept photos are the reason was not found out in time." in plan.explanation


def test_the_questions_end_soon_after_the_solver_must() -> None:
    now = time.monotonic()
    assert inquiry_deadline(SearchLimits(deadline=math.inf, work=100)) == math.inf
    assert (
        0
        < inquiry_deadline(SearchLimits(deadline=now - 5, work=math.inf)) - now
        <= GRACE_SECONDS + 1
    )
    assert (
        0
        < inquiry_deadline(SearchLimits(deadline=now + 600, work=math.inf)) - now
        <= MAX_SECONDS + 1
    )


def test_pins_that_are_not_the_reason() -> None:
    plan = elsewhere.protect([[1.0, 0.0]], 0, top=1, keep=[0])
    assert plan.explanation == (
        "No plan can do this. The kept photos are not the reason: without them it cannot be done "
        "either. Not even top 1 is possible."
    )


def test_the_attacker_that_blocks() -> None:
    sure = np.log([[0.9, 0.1]] * 4)
    alone = elsewhere.protect([SCORES, sure], [0, 0], top=1)
    assert "Impossible even alone: attacker 1." in alone.explanation
    together = elsewhere.protect([SCORES, SCORES], [0, 1], top=1)
    assert "Each attacker alone is possible, but not all together." in together.explanation


def feasible(promise: Promise, tables: list[Any]) -> bool:
    return Oracle(promise, tables).best() is not None


def assert_true(made: Problem, plan: Plan) -> set[str]:
    """Everything that the explanation says, against brute force; which things it said."""
    promise, text, said = made.promise, plan.explanation, set()
    if "Impossible even alone" in text:
        said.add("attacker")
        for i in map(int, re.findall(r"attacker (\d+)", text)):
            alone = replace(promise, against=(promise.against[i],))
            assert not feasible(alone, [made.tables[i]])
    if "Each attacker alone" in text:
        said.add("together")
        for i, one in enumerate(promise.against):
            assert feasible(replace(promise, against=(one,)), [made.tables[i]])
    against = tuple(replace(a, top=None) for a in promise.against)
    wide = Oracle(replace(promise, against=against, budget=promise.photos), made.tables)
    best = wide.best()
    if top := re.search(r"largest possible top is (\d+)\.", text):
        said.add("top")
        assert best is not None
        assert best[0] == int(top[1]) > 0
    if "Not even top 1" in text:
        said.add("no top")
        assert best is not None
        assert best[0] == 0
    if pins := re.search(r"Kept photos? ([\d, ]+) (is|are together) in the way", text):
        said.add("pins")
        chosen = tuple(map(int, pins[1].split(", ")))
        assert set(chosen) <= set(promise.keep)
        assert not feasible(replace(promise, keep=chosen), made.tables)
        for pin in chosen:  # minimal: without any one of them the others do not block
            fewer = tuple(other for other in chosen if other != pin)
            assert feasible(replace(promise, keep=fewer), made.tables)
    if "not the reason" in text:
        said.add("not pins")
        assert not feasible(replace(promise, keep=()), made.tables)
    if "every photo must go" in text:
        said.add("every photo")
        assert not any(wide.allowed(kept) for kept in wide.everything())
    if must := re.search(r"(\d+) photos? must go, but the budget is", text):
        said.add("budget")
        assert promise.budget is not None
        plans = [kept for kept in wide.everything() if wide.allowed(kept)]
        assert min(len(wide.withheld(kept)) for kept in plans) == int(must[1]) > promise.budget
    return said


def explained(seeds: range) -> set[str]:
    said: set[str] = set()
    for seed in seeds:
        made = problem(random.Random(f"why {seed}"), photos=2 + seed % 5)
        plan = elsewhere.protect(made.scores, made.truth, **made.wishes)
        if plan.status == Status.INFEASIBLE:
            assert plan.explanation.startswith("No plan can do this")
            assert plan.explanation != "No plan can do this."
            said |= assert_true(made, plan)
    return said


def test_what_is_said_is_true() -> None:
    assert explained(range(400)) == {
        *("attacker", "together", "top", "no top", "pins", "not pins", "every photo", "budget")
    }


@pytest.mark.long
def test_what_is_said_is_true_many_times() -> None:
    explained(range(1_000, 10_000))
