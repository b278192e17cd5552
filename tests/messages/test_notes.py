"""Every note has a sentence, and the page names no option."""

from __future__ import annotations

import pytest

from elsewhere.messages import Surface, note, report_warning
from elsewhere.values.notes import Note, NoteKind


def example(kind: NoteKind) -> Note:
    return Note(
        kind,
        photos=("a.jpg", "b.jpg"),
        places=("Lisbon", "Porto"),
        model="the model",
        count=2,
        photo_count=5,
        km=900.0,
        radius_km=25.0,
        share=0.7,
    )


@pytest.mark.parametrize("kind", NoteKind)
def test_every_kind_has_a_sentence_without_options_on_the_page(kind: NoteKind) -> None:
    terminal, page = (note(example(kind), surface) for surface in (Surface.TERMINAL, Surface.PAGE))
    assert terminal and page and not terminal.endswith(".")
    assert "--" not in page and "safe" not in terminal.lower()
    assert note(example(kind), Surface.REPORT) == terminal


def test_a_missing_report_is_told_with_its_reason() -> None:
    assert report_warning(None) == ""
    assert report_warning(KeyboardInterrupt()).endswith("it has no report: stopped")
    assert report_warning(MemoryError()).endswith("there is not enough memory")
    assert report_warning(OSError(28, "No space left")).endswith("No space left")
