"""Cells survive a file bit for bit, and a bad file gets one sentence."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from elsewhere.errors import FileError
from elsewhere.globe import Cells
from elsewhere.globe.cells import dump, parse

HALVES: dict[str, Any] = {
    "format": "elsewhere cells",
    "version": 1,
    "boxes": [[0, -90, -180, 0, 180], [1, 0, -180, 90, 180]],
}


@given(st.lists(st.tuples(st.floats(-90, 90), st.floats(-180, 180)), min_size=1, max_size=60))
def test_cells_survive_a_file_bit_for_bit(photos: list[tuple[float, float]]) -> None:
    cells = Cells.build([p[0] for p in photos], [p[1] for p in photos], count=16)
    back = parse(dump(cells), "it")
    assert back == cells
    assert back.nested
    assert dump(back) == dump(cells)


def test_save_and_load(tmp_path: Path) -> None:
    file = tmp_path / "cells.json"
    Cells.paper().save(file)
    assert Cells.load(file) == Cells.paper()
    shipped = Path(__file__).parents[2] / "src/elsewhere/globe/data/cells_512.json"
    assert file.read_bytes() == shipped.read_bytes()


def test_saving_replaces_all_at_once_what_a_link_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = tmp_path / "real.json", tmp_path / "link.json"
    file.write_text("before")
    file.chmod(0o640)
    link.symlink_to(file.name)

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FileError, match=r"cannot write the cells file .*No space"):
            Cells.paper().save(link)
    assert file.read_text() == "before" and len(list(tmp_path.iterdir())) == 2
    Cells.paper().save(link)
    assert Cells.load(file) == Cells.paper()
    assert link.is_symlink() and file.stat().st_mode & 0o777 == 0o640


def test_cells_go_into_a_pipe_as_well(tmp_path: Path) -> None:
    pipe, cells = tmp_path / "pipe", parse(json.dumps(HALVES).encode(), "it")
    os.mkfifo(pipe)
    end = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        cells.save(pipe)
        assert os.read(end, 4096) == dump(cells)
    finally:
        os.close(end)
    assert pipe.is_fifo()


def test_a_box_may_cross_the_date_line() -> None:
    rows = [[0, -90, 170, 90, -170], [1, -90, -170, 90, 170]]
    cells = parse(json.dumps({**HALVES, "boxes": rows}).encode(), "it")
    assert [cells.locate(0, lon) for lon in (-180, 180, 175, -175, 0)] == [0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"boxes": [[0, -90, -180, 0, 180], [1, 0, -180, 80, 180]]}, "do not cover the globe"),
        ({"boxes": [[0, -90, -180, 0, 180], [1, -1, -180, 90, 180]]}, "overlap"),
        ({"boxes": [[0, -90, -180, 0, 180], [2, 0, -180, 90, 180]]}, "without a gap"),
        ({"boxes": [[0, -90, -180, 0, 180], [1, 0, -180, 90]]}, "south, west, north, east"),
        ({"boxes": [[0, -90, -180, 0, 180], [1, 0, -180, 90, "east"]]}, "in numbers"),
        ({"boxes": [[0, -90, -180, 0, 180], [1, 0, -180, 90, float("nan")]]}, "in numbers"),
        ({"boxes": [[0.5, -90, -180, 0, 180]]}, "in numbers"),
        ({"boxes": []}, "at least two boxes"),
        ({"boxes": None}, 'needs "boxes"'),
        ({"format": "cats"}, "is not a cells file"),
        ({"version": 2}, "has version 2"),
        ({"fingerprint": "0" * 64}, "was changed after it was written"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({**HALVES, **change}))
    with pytest.raises(FileError, match=sentence) as told:
        Cells.load(file)
    assert "mine.json" in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("raw", [b"", b"\x89PNG", b"[]", b"[" * 100_000, b"\xff\xfe"])
def test_what_is_no_json_object_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "mine.json"
    file.write_bytes(raw)
    with pytest.raises(FileError, match="is not a cells file"):
        Cells.load(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot read the cells file"):
        Cells.load(tmp_path / "none.json")
    with pytest.raises(FileError, match="cannot write the cells file"):
        Cells.paper().save(tmp_path / "no" / "folder.json")
