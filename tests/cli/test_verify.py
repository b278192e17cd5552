"""`elsewhere verify`, as it is typed: accepts what protect wrote, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.album.makers import jpeg
from tests.cli.keyboard import typed


@pytest.fixture
def copy(home: Path) -> Path:
    """A copy that protect wrote, and where its certificate is."""
    scorer = ("--scorer", "onnx:model/tiny.onnx")
    done = typed("protect", "album", "--at=Lisbon", "-o", "out", "--top", "1", *scorer)
    assert done.exit_code == 0, done.output
    return home / "out"


def test_what_protect_wrote_is_accepted(copy: Path) -> None:
    result = typed("verify", "out")
    assert result.exit_code == 0, result.output
    many = len(list(copy.iterdir()))
    assert result.stdout.startswith(f"out keeps its promise: {many} files as they were exported")


def test_the_certificate_may_lie_elsewhere(copy: Path) -> None:
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    moved = copy.parent / "moved.json"
    certificate.rename(moved)
    assert typed("verify", "out").exit_code == 1
    assert typed("verify", "out", "--certificate", "moved.json").exit_code == 0


@pytest.mark.parametrize("what", ["added", "missing", "edited", "swapped"])
def test_another_copy_is_refused(copy: Path, what: str) -> None:
    first, second, *_ = sorted(copy.iterdir())
    if what == "added":
        (copy / "more.jpg").write_bytes(jpeg(99))
    elif what == "missing":
        first.unlink()
    elif what == "edited":
        first.write_bytes(jpeg(99))
    else:
        one, other = first.read_bytes(), second.read_bytes()
        first.write_bytes(other)
        second.write_bytes(one)
    result = typed("verify", "out")
    assert result.exit_code == 1
    assert result.stdout.startswith("out does not keep its promise:\n- ")
    told = json.loads(typed("verify", "out", "--json").stdout)
    assert told["kept"] is False and told["problems"]


def test_an_edited_certificate_is_refused(copy: Path) -> None:
    (certificate,) = (copy.parent / "data").rglob("certificate.json")
    text = certificate.read_text("utf-8")
    certificate.write_text(text.replace("Lisbon", "London"), "utf-8")
    result = typed("verify", "out")
    assert result.exit_code == 1
    assert "certificate" in result.stderr and result.stderr.count("\n") == 1


def test_what_is_not_there(copy: Path) -> None:
    result = typed("verify", "nothing")
    assert result.exit_code == 2
    assert "nothing does not exist" in result.stderr
