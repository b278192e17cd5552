"""Attacks that no promise is about, tried on a plan: a larger top, or a note."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere import messages
from elsewhere.album.workers import Workers
from elsewhere.service import planning
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import score_album
from elsewhere.service.stages import find_places
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.problems import Attack
from elsewhere.values.wishes import Wishes
from tests.service.tiny import write_album


def test_a_larger_top_where_an_attack_succeeds_and_a_note_where_it_still_does(
    tmp_path: Path, pool: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    seen = score_album([write_album(tmp_path / "trip", 5)], workers=pool)
    places = find_places(seen.photos, ("Lisbon, Portugal",))
    wishes = Wishes(exact_top=True, top=2)
    plain = plan_album(seen, places, wishes)
    assert plain.plan.found and plain.top == 2
    found = [(Attack.HALVES,), ()]
    monkeypatch.setattr(planning, "find_hits", lambda *_: found.pop(0))
    tightened = plan_album(seen, places, wishes, attacked=True)
    assert tightened.top == 4
    assert all(view.protected_k == 4 for view in tightened.plan.views)
    assert not any(note.kind == NoteKind.FOUND_BY_ATTACKS for note in tightened.notes)
    monkeypatch.setattr(planning, "find_hits", lambda *_: (Attack.HALVES,))
    hit = plan_album(seen, places, wishes, attacked=True)
    assert (hit.plan, hit.top) == (plain.plan, 2)
    (note,) = [note for note in hit.notes if note.kind == NoteKind.FOUND_BY_ATTACKS]
    assert note == Note(NoteKind.FOUND_BY_ATTACKS, model=note.model, attacks=(Attack.HALVES,))
    assert "takes half of the photos" in messages.note(note)
    seen.close()
