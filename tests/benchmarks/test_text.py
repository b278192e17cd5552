"""The benchmark of the reader, in small: what it counts is what happened."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.text.__main__ import Rates, covers, join, judge, measure_signs, summary, table

from elsewhere.globe import places
from elsewhere.text import tesseract
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import Position, TextBox, TextLine
from tests.text.signs import NAMES, Sign, draw_sheet

SIGN = Sign("Avignon", 20, (100, 100, 200, 120))


def test_every_name_that_is_drawn_is_known() -> None:
    assert [name for names in NAMES.values() for name in names if not places(name)] == []


def test_a_sign_is_found_where_a_box_holds_half_of_it() -> None:
    assert covers(TextBox(90, 90, 210, 130), SIGN)
    assert covers(TextBox(150, 90, 300, 130), SIGN)
    assert not covers(TextBox(151, 90, 300, 130), SIGN)
    assert not covers(TextBox(300, 300, 400, 400), SIGN)


@pytest.mark.parametrize(
    ("text", "confidence", "outcome"),
    [
        ("Avignon", 0.99, (True, True, True)),
        ("AVIGNON 3 km", 0.9, (True, True, True)),
        ("Avignon", 0.7, (True, False, True)),
        ("Lisboa", 0.99, (True, False, False)),
        ("", 0.2, (True, False, False)),
    ],
)
def test_found_read_and_resolved_are_told_apart(
    text: str, confidence: float, outcome: tuple[bool, bool, bool]
) -> None:
    line = TextLine(text, confidence, TextBox(95, 95, 205, 125))
    assert judge(SIGN, understand("a", [line])) == outcome
    far = TextLine(text, confidence, TextBox(500, 500, 600, 520))
    assert judge(SIGN, understand("a", [far])) == (False, False, False)


def test_the_table_has_a_row_for_each_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "installed", lambda: ("", ()))
    rates = Rates()
    for found in (True, True, False, True):
        rates.add(found, found, False, (False, False))
    assert "| Latin | 4 | 75 % | 75 % | 0 % |  |  |" in table("script", {"Latin": rates})


def test_sheets_are_read_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tesseract, "installed", lambda: ("", ()))
    results = measure_signs([draw_sheet("Latin", "Avignon", heights=(20, 60))])
    latin = results.groups["script"]["Latin"]
    assert (latin.signs, latin.read, latin.resolved, latin.alone_read) == (2, 2, 2, 0)
    assert set(results.groups["height"]) == {"20 px", "60 px"}
    assert results.seconds > 0 and results.photos == 1


def test_runs_of_some_scripts_are_joined(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tesseract, "installed", lambda: ("", ()))
    runs = []
    for script, found in (("Latin", 4), ("Thai", 1)):
        counts = vars(Rates(4, found))
        groups: dict[str, Any] = {
            "script": {script: counts},
            "height": {"8 px": counts},
            "condition": {},
        }
        times = {"milliseconds a photo": 100 * found, "processor milliseconds a photo": 9}
        runs.append({**groups, **times, "photos": 2, "MB of the largest worker": found})
    join(runs)
    told = capsys.readouterr().out
    assert "| Latin | 4 | 100 % |" in told and "| Thai | 4 | 25 % |" in told
    assert "| 8 px | 8 | 62 % |" in told
    assert "milliseconds a photo: 250" in told and "4 MB" in told


def test_places_are_counted_and_held_against_the_true_ones() -> None:
    names = {"a": "Avignon", "b": "Tokyo", "c": "Villeneuve-lès-Avignon", "d": "OPEN", "e": ""}
    texts = {
        photo: understand(photo, [TextLine(name, 0.99, TextBox(0, 0, 90, 9))])
        for photo, name in names.items()
    }
    found = summary(texts, {photo: Position(43.9, 4.8) for photo in "abcd"})
    assert (found["photos"], found["lines looked up"], found["with a place"]) == (5, 4, 2)
    assert found["with a place within 100 km of the true one"] == 1
    assert found["with such a name, also a village's"] == 2
