"""Signs on photos: an audit shows them, and a plan withholds what names the place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elsewhere.text.reader import read
from tests.cli.keyboard import SCORER, typed
from tests.text.signs import draw_sheet

SIGNS = {"a.jpg": "Avignon", "b.jpg": "Boulangerie", "c.jpg": "Arles"}


@pytest.fixture
def signs(home: Path) -> Path:
    """The album with three signs, two of which name a town."""
    for name, text in SIGNS.items():
        sheet = draw_sheet("Latin", text, heights=(30,), size=(640, 480))
        (home / "album" / name).write_bytes(sheet.content)
    return home


def told(*arguments: str) -> dict[str, Any]:
    result = typed(*arguments, *SCORER, "--json")
    assert result.exit_code in {0, 3}, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.usefixtures("signs")
def test_an_audit_lists_what_is_written_and_what_it_may_mean() -> None:
    texts = {text["photo"]: text for text in told("audit", "album", "--at", "Avignon")["texts"]}
    (line,) = [line for line in texts["a.jpg"]["lines"] if line["read"]]
    assert line["text"] == "Avignon"
    (meaning,) = line["may_mean"]
    assert (meaning["kind"], meaning["label"]) == ("name", "Avignon, France")
    assert meaning["near_hidden"] is True
    left, top, right, bottom = line["box"]
    assert 0 <= left < right <= 640 and 0 <= top < bottom <= 480
    (other,) = [line for line in texts["b.jpg"]["lines"] if line["read"]]
    assert (other["text"], other["may_mean"]) == ("Boulangerie", [])
    assert told("audit", "album", "--at", "Avignon", "--no-text")["texts"] == []


@pytest.mark.usefixtures("signs")
def test_for_people_an_audit_shows_the_signs() -> None:
    text = typed("audit", "album", "--at", "Avignon", *SCORER).stdout
    assert "Text on the photos" in text
    assert "“Avignon”" in text
    assert "near what is hidden" in text
    assert "unless you keep them by name" in text
    assert "Text on the photos" not in typed("audit", "album", "--no-text", *SCORER).stdout


@pytest.mark.usefixtures("signs")
def test_signs_near_the_place_are_withheld_unless_they_are_kept() -> None:
    plan = ("protect", "album", "--at", "Avignon", "--budget", "4", "--dry-run")
    assert {"a.jpg", "c.jpg"} <= set(told(*plan)["withheld"])
    assert "a.jpg" not in told(*plan, "--keep", "a.jpg")["withheld"]
    without = told(*plan, "--no-text", "--keep", "a.jpg", "--keep", "c.jpg")
    assert not {"a.jpg", "c.jpg"} & set(without["withheld"])
    shown = typed(*plan, *SCORER).stdout
    assert "for readable text" in shown
    assert "2 photos with readable names near it: 2 withheld." in " ".join(shown.split())
    assert "--keep PHOTO" in shown
    assert "within 100 km" in shown


def test_a_copy_is_read_again_and_says_nothing(signs: Path) -> None:
    """Without reading, the same plan shares the signs."""
    plan = ("protect", "album", "--at", "Avignon", "--top", "1", "--margin", "none", "--exact-top")
    names = {"Avignon", "Arles"}
    for folder, more, expected in (("silent", (), set()), ("telling", ("--no-text",), names)):
        result = typed(*plan, "--no-each-photo", "-o", folder, *more, *SCORER)
        assert result.exit_code == 0, result.output
        texts = {
            line[0]
            for file in (signs / folder).iterdir()
            for line in read({"contents": [file.read_bytes()]})[0]["lines"]
        }
        assert texts & names == expected
        assert "Boulangerie" in texts
        verified = typed("verify", folder)
        assert verified.exit_code == 0, verified.output
        noted = " ".join(verified.stdout.split())
        for name in names:
            assert (f"“{name}” can be read, which may mean {name}, France" in noted) is bool(more)
        assert ("what was read names no place within 100 km" in noted) is not bool(more)
        assert "within 100 km" not in typed("verify", folder, "--no-text").stdout
