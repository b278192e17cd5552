"""Where renditions wait: what is given back is written over, what is held never is."""

from __future__ import annotations

import os
import random
from unittest.mock import Mock

import pytest

from elsewhere.album.renditions import Spool
from elsewhere.errors import FileError


def test_room_that_was_given_back_is_used_again() -> None:
    spool = Spool()
    first, second = spool.put(b"a" * 1000), spool.put(b"b" * 500)
    spool.forget(first, 1000)
    third, fourth = spool.put(b"c" * 600), spool.put(b"d" * 400)
    assert spool.size == os.fstat(spool._file.fileno()).st_size == 1500
    assert spool.read(second, 500) == b"b" * 500
    assert spool.read(third, 600) == b"c" * 600
    assert spool.read(fourth, 400) == b"d" * 400


def test_a_gap_at_the_end_grows_with_the_file() -> None:
    spool = Spool()
    for length in (100, 200, 300):
        spool.forget(spool.put(b"x" * length), length)
    assert spool.size == 300


def test_what_was_given_back_cannot_be_read_and_is_given_back_once() -> None:
    spool = Spool()
    start = spool.put(b"a" * 10)
    spool.forget(start, 10)
    spool.forget(start, 10)
    with pytest.raises(FileError, match="given up"):
        spool.read(start, 10)
    kept = [spool.put(b"b" * 10), spool.put(b"c" * 10)]
    assert [spool.read(start, 10) for start in kept] == [b"b" * 10, b"c" * 10]


def test_nothing_that_is_held_is_written_over() -> None:
    rng = random.Random(7)
    spool, held = Spool(), {}
    for number in range(600):
        content = bytes([number % 256]) * rng.randint(1, 5000)
        held[spool.put(content)] = content
        if len(held) > 12:
            gone = rng.choice(list(held))
            spool.forget(gone, len(held.pop(gone)))
    assert all(spool.read(start, len(content)) == content for start, content in held.items())
    assert spool.size < 13 * 5000 * 2


def test_no_folder_for_temporary_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    none = FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")
    monkeypatch.setattr("tempfile.TemporaryFile", Mock(side_effect=none))
    monkeypatch.setattr("tempfile.gettempdir", Mock(side_effect=none))
    with pytest.raises(FileError, match=r"cannot be written \(No usable .* set TMPDIR to another"):
        Spool()  # and what is left of it goes without a word
