"""A photo as scorers meet it: its bytes, or one sentence that says why there are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elsewhere.errors import FileError
from elsewhere.scorers import protocol
from elsewhere.scorers.protocol import Photo


def touch(path: Path, content: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_a_file_that_cannot_be_read_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(FileError, match=r"a\.jpg does not exist"):
        Photo("a.jpg", tmp_path / "a.jpg").content()
    with pytest.raises(FileError, match=r"a\.jpg is a folder"):
        Photo("a.jpg", tmp_path).content()
    with pytest.raises(FileError, match=r"a\.jpg is empty"):
        Photo("a.jpg", touch(tmp_path / "a.jpg", b"")).content()
    monkeypatch.setattr(protocol, "MAX_BYTES", 4)
    with pytest.raises(FileError, match=r"b\.jpg is larger than"):
        Photo("b.jpg", touch(tmp_path / "b.jpg", b"12345")).content()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_does_not_hang_the_run(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.jpg")
    with pytest.raises(FileError, match=r"a\.jpg is not a plain file"):
        Photo("a.jpg", tmp_path / "a.jpg").content()


def test_bytes_are_read_once(tmp_path: Path) -> None:
    held = Photo("a.jpg", touch(tmp_path / "a.jpg", b"first")).read()
    touch(tmp_path / "a.jpg", b"second")
    assert held.content() == b"first"
