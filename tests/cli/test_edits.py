"""`elsewhere protect --edits`, as it is typed: photos cropped or covered instead of withheld."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from elsewhere.cli.parse import parse_share
from elsewhere.service import jobs
from tests.album.makers import jpeg
from tests.cli.keyboard import SCORER, typed

WHERE = "--at=-15.7797,-47.9297"
ASKED = ("album", WHERE, "--top", "3", "--exact-top", "--no-text")


@pytest.fixture
def home(bare_home: Path) -> Path:
    for number in range(8):
        (bare_home / "album" / f"{number}.jpg").write_bytes(jpeg(number + 1, 384, 256))
    return bare_home


def run(*arguments: str) -> Result:
    return typed("protect", *arguments, *SCORER)


def told(*arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_photos_are_edited_instead_of_withheld(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "CONFIRMING", ())  # the second model takes its time
    before = told(*ASKED, "-n", "--no-edits")
    assert before["withheld"]
    found = told(*ASKED, "--edits", "both", "-o", "out")
    assert len(found["kept"]) >= len(before["kept"])
    certificate = json.loads(Path(found["certificate"]).read_text("utf-8"))
    edited = [file["photo"] for file in certificate["files"] if "edit" in file]
    assert edited and set(edited) <= set(before["withheld"])
    assert f"{len(edited)} of them cropped" in found["verdict"]
    verified = typed("verify", "out", *SCORER)
    assert verified.exit_code == 0, verified.output
    again = told(*ASKED, "--edits", "both", "-n")
    assert again["kept"] == found["kept"], "a dry run makes the same plan"


def test_a_photo_is_shared_as_it_is_where_that_is_asked_for(home: Path) -> None:
    before = told(*ASKED, "-n", "--no-edits")
    assert told(*ASKED, "-n", "--no-edits")["kept"] == before["kept"]
    assert told(*ASKED, "-n", "--edits", "crop", "--as-is", "*.jpg")["kept"] == before["kept"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--edits", "blur"], "both, crop, cover, none"),
        (["--edits", "both", "--no-edits"], "either --edits or --no-edits"),
        (["--no-edits", "--rectangles", "unknown.json"], "either --rectangles or --no-edits"),
        (["--max-loss", "30%"], "--max-loss is for photos that are edited"),
        (["--no-edits", "--as-is", "0.jpg"], "--as-is is for photos that are edited"),
        (["--edits", "both", "--max-loss", "0"], "--max-loss is a share"),
        (["--edits", "both", "--max-loss", "101%"], "--max-loss is a share"),
        (["--edits", "both", "--max-loss", "much"], "--max-loss is a share"),
        (["--edits", "both", "--as-is", "9.jpg"], "no photo is called '9.jpg'"),
        (["--rectangles", "unknown.json"], "9.jpg"),
    ],
)
def test_what_cannot_be_gets_one_sentence(home: Path, arguments: list[str], said: str) -> None:
    (home / "unknown.json").write_text('{"9.jpg": [[0, 0, 100, 100]]}', "utf-8")
    result = run(*ASKED, "-o", "x", *arguments)
    assert result.exit_code == 2, result.output
    assert said in result.stderr and result.stderr.count("\n") == 1
    assert not (home / "x").exists()


@pytest.mark.parametrize("text", ["", "[]", '{"0.jpg": [[0, 0, 100]]}', '{"0.jpg": []}'])
def test_a_file_of_rectangles_that_cannot_be_read_is_named(home: Path, text: str) -> None:
    (home / "edits.json").write_text(text, "utf-8")
    result = run(*ASKED, "-n", "--rectangles", "edits.json")
    assert result.exit_code == 1, result.output
    assert "edits.json cannot be used" in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["0.1", "10%", "1/10", " .1 ", "1e-1"])
def test_a_share_has_many_spellings(text: str) -> None:
    assert parse_share(text, "--max-loss") == Fraction(1, 10)
