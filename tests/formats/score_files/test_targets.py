"""What may be written over, and what must stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elsewhere.errors import FileError
from elsewhere.formats.score_files import check_writable, write_scores
from elsewhere.values.scores import Scores

SCORES = Scores([[0.0, -1.0], [-1.0, 0.0]])


@pytest.mark.skipif(os.name == "nt", reason="links and pipes differ there")
@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "folder"])
def test_what_is_no_plain_file_is_refused_and_stays(tmp_path: Path, kind: str) -> None:
    real, target = tmp_path / "real.npz", tmp_path / "s.npz"
    real.write_bytes(b"mine")
    if kind == "folder":
        target.mkdir()
    elif kind == "pipe":
        os.mkfifo(target)
    else:
        target.symlink_to(real if kind == "link" else tmp_path / "none.npz")
    before = target.lstat().st_ino
    with pytest.raises(FileError, match=r"s\.npz cannot be written: it is "):
        write_scores(target, SCORES)
    with pytest.raises(FileError, match=r"s\.npz cannot be written: it is "):
        check_writable(target)
    assert target.lstat().st_ino == before
    assert real.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real.npz", "s.npz"]


def test_a_plain_file_is_written_over(tmp_path: Path) -> None:
    file = tmp_path / "s.npz"
    file.write_bytes(b"old")
    write_scores(file, SCORES)
    assert file.read_bytes() != b"old"
