"""Every kind of problem, note and condition of `verify` has its sentence."""

from __future__ import annotations

from enum import Enum

import pytest

from elsewhere.messages import verification as messages
from elsewhere.service.verify import PUBLIC_KINDS
from elsewhere.values.problems import ProblemKind
from elsewhere.values.verification import (
    Claim,
    Condition,
    ConditionKind,
    CopyGuess,
    CopyNote,
    CopyNoteKind,
    CopyProblem,
    CopyProblemKind,
    Verification,
)


def sentence(kind: Enum) -> str:
    if isinstance(kind, CopyProblemKind):
        problem = CopyProblem(
            kind, "001.jpg", "002.jpg", "Lisbon", "the model tiny", first=3, detail="it is empty"
        )
        return messages.problem_text(problem)
    if isinstance(kind, CopyNoteKind):
        return messages.note_text(CopyNote(kind, "tiny"))
    if isinstance(kind, ConditionKind):
        condition = Condition(kind, "Lisbon", "the model tiny", 2, 5, "Cascais")
        return messages.condition_text(condition)
    assert isinstance(kind, ProblemKind)
    problem = CopyProblem(CopyProblemKind.FALSE_PLAN, plan=kind)
    return messages.problem_text(problem)


KINDS = [
    *(kind for kind in CopyProblemKind if kind != CopyProblemKind.FALSE_PLAN),
    *CopyNoteKind,
    *ConditionKind,
    *(kind for kind in ProblemKind if kind not in PUBLIC_KINDS),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{type(kind).__name__}.{kind.name}")
def test_every_kind_has_a_sentence(kind: Enum) -> None:
    text = sentence(kind)
    assert text and "{" not in text and "None" not in text and "safe" not in text


def test_what_weakens_a_promise_begins_with_only() -> None:
    for kind in ConditionKind:
        condition = Condition(kind, "Lisbon", "the model tiny", 2, 5, "Cascais")
        assert messages.condition_text(condition).startswith("only ") == condition.weakens


def test_the_first_line_has_all_that_weakens_a_promise() -> None:
    conditions = tuple(Condition(kind, "Lisbon", "tiny", 2, 5, "Cascais") for kind in ConditionKind)
    line = messages.headline(Verification(conditions=conditions, files=3), "out")
    for condition in conditions:
        assert (messages.condition_text(condition) in line) == condition.weakens


def test_claims_and_guesses() -> None:
    claim = Claim("Lisbon", "the model tiny", (3,), ("Lisbon",), 5, asked=True)
    assert messages.claim_text(claim) == (
        "Lisbon (the cell of Lisbon) is not among the first 5 guesses of the model tiny"
    )
    guess = CopyGuess("Lisbon", "the model tiny", ("Rome", "Bern"), 1, found=True)
    assert messages.guess_text(guess) == (
        "from these files alone the model tiny guesses Rome and Bern first; Lisbon is the first "
        "guess"
    )
