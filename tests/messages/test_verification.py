"""Every kind of problem, note and condition of `verify` has its sentence."""

from __future__ import annotations

from enum import Enum

import pytest

from elsewhere.messages import verification as messages
from elsewhere.service.verify import PUBLIC_KINDS
from elsewhere.values.photo_text import Clue
from elsewhere.values.problems import Attack, ProblemKind
from elsewhere.values.verification import (
    Claim,
    Condition,
    ConditionKind,
    CopyGuess,
    CopyNote,
    CopyNoteKind,
    CopyProblem,
    CopyProblemKind,
    TriedAttacks,
    Verification,
)

CLUE = Clue("name", "LISBOA", "Lisbon, Portugal", 40.0)
TRIED = TriedAttacks("tiny", 25.0, 5, tuple(Attack), tuple(Attack))


def sentence(kind: Enum) -> str:
    if isinstance(kind, CopyProblemKind):
        problem = CopyProblem(
            kind, "001.jpg", "002.jpg", "Lisbon", "the model tiny", first=3, detail="it is empty"
        )
        return messages.problem_text(problem)
    if isinstance(kind, CopyNoteKind):
        return messages.note_text(CopyNote(kind, "tiny", TRIED, CLUE, 100))
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


def test_claims_and_guesses_about_circles() -> None:
    claim = Claim("Lisbon", "the model tiny", (), (), 5, True, 25.0, (38.72, -9.14), 2)
    assert messages.claim_text(claim) == (
        "none of the first 5 places of 25 km of the model tiny is within 25 km of Lisbon "
        "(38.720, -9.140), or of 2 more positions"
    )
    guess = CopyGuess("Lisbon", "the model tiny", ("Rome", "Bern"), 5, False, radius_km=25.0)
    assert messages.guess_text(guess) == (
        "from these files alone the model tiny guesses Rome and Bern first; none of its first 5 "
        "places is within 25 km of Lisbon"
    )
    given = CopyProblem(
        CopyProblemKind.GIVEN_AWAY, place="Lisbon", model="tiny", first=5, radius_km=25.0
    )
    assert "one of the first 5 places of tiny is within 25 km of Lisbon" in messages.problem_text(
        given
    )


def test_one_guess_is_called_the_first() -> None:
    cells = Claim("Lisbon", "tiny", (3,), ("Lisbon",), 1, asked=True)
    assert messages.claim_text(cells) == (
        "Lisbon (the cell of Lisbon) is not the first guess of tiny"
    )
    circles = Claim("Lisbon", "tiny", (), (), 1, True, 25.0, (38.72, -9.14))
    assert messages.claim_text(circles).startswith("the first place of 25 km of tiny is not within")
    for radius, said in ((0.0, "Lisbon is the first guess of tiny"), (25.0, "the first place of")):
        given = CopyProblem(
            CopyProblemKind.GIVEN_AWAY, place="Lisbon", model="tiny", first=1, radius_km=radius
        )
        assert f"from the files alone, {said}" in messages.problem_text(given)


def test_attacks_that_were_tried() -> None:
    none = TriedAttacks("the model tiny", 25.0, 5, tuple(Attack), ())
    assert messages.attacks_text(none) == (
        "7 attacks were tried beside the proof with the model tiny: none of them comes within "
        "25 km of what is hidden with the first 5 places"
    )
    assert "2 of them come within" in messages.attacks_text(
        TriedAttacks("tiny", 25.0, 5, tuple(Attack), (Attack.HALVES, Attack.EXCLUDER))
    )
    hit = TriedAttacks("tiny", 25.0, 5, tuple(Attack), (Attack.HALVES, Attack.POPULATION))
    assert messages.note_text(CopyNote(CopyNoteKind.FOUND, "tiny", hit)) == (
        "not covered by the promise: tiny comes within 25 km of what is hidden with one of its "
        "first 5 places, when it takes half of the photos, or knows where people live"
    )


def test_a_hidden_country_is_named() -> None:
    whole = Claim("Portugal", "the model", (), (), 5, True, 25.0, (38.7, -9.1), 40, whole=True)
    assert messages.claim_text(whole) == (
        "none of the first 5 places of 25 km of the model is in Portugal"
    )
    guess = CopyGuess("Portugal", "the model", ("Rome, Italy",), 5, False, 25.0, whole=True)
    assert messages.guess_text(guess).endswith("none of its first 5 places is in Portugal")
