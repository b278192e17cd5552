"""What cannot be is refused before a single photo is read, whatever the command."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.cli.keyboard import SCORER, typed

AT = "--at=Lisbon"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("protect album -o out --top 600", "top 600 is out of reach"),
        ("protect album -o out --top 0", "from 1 on, not 0"),
        ("protect album -o out --budget -1", "a number of photos or a share"),
        (f"protect album -o out {AT} --radius 25000", "covers every cell"),
        (f"protect album -o out {AT} --radius 9000 --top 400", "top 400 is out of reach"),
        (f"protect album -o out {AT} --prior Japan", "does not lie in Japan"),
        ("protect album -o out --hide Xyzzyx", "no place is called 'Xyzzyx'"),
        ("protect album -o out --time-limit -1", "a number of seconds, not -1"),
        ("protect album -o out --order sorted", "sorted"),
        ("protect album -o out --names short", "short"),
        ("protect album -o out --posted online", "online does not exist"),
        ("protect album -o out --private note.txt", "cannot be written (Not a directory)"),
        ("protect album -o out --private out", "must not lie in or around out"),
        ("protect album -o model", "model exists already"),
        ("protect album --dry-run --top 600", "top 600 is out of reach"),
        (f"audit album {AT} --radius 25000", "covers every cell"),
        ("audit album --hide Xyzzyx", "no place is called 'Xyzzyx'"),
        ("audit album --hide-level town", "not by 'town'"),
        ("audit album --posted online", "online does not exist"),
        ("next album IMG_1.jpg --top 600", "top 600 is out of reach"),
        ("next album IMG_1.jpg --posted online", "online does not exist"),
    ],
)
def test_nothing_is_read_for_what_cannot_be(
    home: Path, monkeypatch: pytest.MonkeyPatch, asked: str, said: str
) -> None:
    read = Mock(side_effect=AssertionError("no photo need be read to know this"))
    monkeypatch.setattr("elsewhere.service.scored_album.read_album", read)
    (home / "note.txt").write_text("a file")
    result = typed(*asked.split(), *SCORER)
    assert result.exit_code == (1 if "cannot be written" in said else 2), result.output
    assert said in " ".join(result.stderr.split())
    assert result.stderr.count("\n") == 1
    assert not (home / "out").exists()


@pytest.mark.parametrize("command", ["protect album --dry-run", "audit album", "next album 1.jpg"])
def test_a_place_that_the_album_lacks_is_told_before_all_is_scored(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    waited = Mock(side_effect=AssertionError("no score is needed to know this"))
    monkeypatch.setattr("elsewhere.service.scored_album._Scoring.outcomes", waited)
    result = typed(*command.split(), AT, "--hide", "Kyoto", *SCORER)
    assert result.exit_code == 2, result.output
    assert "'Kyoto' is not one of the album's places" in result.stderr
