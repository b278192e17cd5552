"""The cache is private, keyed, capped, and never a reason to fail."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from elsewhere.scorers.cached_scorer import RowCache, clear

ROW = np.log(np.array([0.25, 0.5, 0.125, 0.125], dtype=np.float32))
posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")


def files(place: Path) -> list[Path]:
    return sorted(path for path in place.rglob("*") if path.is_file())


def kept(place: Path, content: bytes = b"photo", context: str = "scorer") -> str:
    rows = RowCache(place)
    key = rows.key(content, context)
    rows.put(key, ROW)
    return key


def test_a_row_comes_back_bit_for_bit(tmp_path: Path) -> None:
    key = kept(tmp_path)
    again = RowCache(tmp_path)
    assert again.key(b"photo", "scorer") == key
    found = again.get(key, 4)
    assert found is not None and found.tobytes() == ROW.tobytes()


def test_other_photo_other_scorer_other_width_find_nothing(tmp_path: Path) -> None:
    key = kept(tmp_path)
    rows = RowCache(tmp_path)
    assert rows.get(rows.key(b"Photo", "scorer"), 4) is None
    assert rows.get(rows.key(b"photo", "scorer 2"), 4) is None
    assert rows.get(key, 5) is None


@pytest.mark.parametrize("at", [0, 2_000, 50_000, 98_000, 99_999])
def test_one_byte_anywhere_makes_another_photo(tmp_path: Path, at: int) -> None:
    """Renditions begin and end alike, and may be of one length."""
    content = bytearray(100_000)
    kept(tmp_path, bytes(content))
    content[at] = 1
    rows = RowCache(tmp_path)
    assert rows.get(rows.key(bytes(content), "scorer"), 4) is None


def test_a_name_proves_nothing_to_whoever_holds_the_photo(tmp_path: Path) -> None:
    key = kept(tmp_path / "here")
    assert kept(tmp_path / "there") != key
    plain = {hashlib.new(kind, b"photo").hexdigest() for kind in ("md5", "sha1", "sha256")}
    names = " ".join(str(path) for path in files(tmp_path))
    assert not any(digest[2:34] in names for digest in plain)


@posix
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        kept(tmp_path / "c")
    finally:
        os.umask(before)
    for path in (tmp_path / "c").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert stat.S_IMODE((tmp_path / "c").stat().st_mode) == 0o700


@posix
def test_a_folder_and_key_left_open_are_closed(tmp_path: Path) -> None:
    kept(tmp_path)
    (tmp_path / "key").chmod(0o644)
    tmp_path.chmod(0o755)
    RowCache(tmp_path).key(b"photo", "scorer")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.parametrize("harm", ["cut", "flip", "empty", "swap"])
def test_a_damaged_entry_is_ignored(tmp_path: Path, harm: str) -> None:
    key, other = kept(tmp_path), kept(tmp_path, b"another photo")
    path, second = (tmp_path / "rows" / name[:2] / name[2:] for name in (key, other))
    content = bytearray(path.read_bytes())
    if harm == "swap":
        content = bytearray(second.read_bytes())
    elif harm == "flip":
        content[40] ^= 1
    else:
        del content[len(content) // 2 if harm == "cut" else 0 :]
    path.write_bytes(bytes(content))
    assert RowCache(tmp_path).get(key, 4) is None


def test_a_damaged_key_is_replaced_and_old_rows_are_not_met(tmp_path: Path) -> None:
    key = kept(tmp_path)
    (tmp_path / "key").write_bytes(b"short")
    rows = RowCache(tmp_path)
    assert rows.key(b"photo", "scorer") != key
    assert rows.get(key, 4) is None
    assert len((tmp_path / "key").read_bytes()) == 32


def test_the_cap_holds_and_the_least_recently_used_leave_first(tmp_path: Path) -> None:
    rows = RowCache(tmp_path, cap=20 * 4096)
    keys = [rows.key(bytes([number]), "scorer") for number in range(40)]
    for number, key in enumerate(keys):
        rows.put(key, ROW)
        entry = tmp_path / "rows" / key[:2] / key[2:]
        os.utime(entry, (time.time() - 1000 + number,) * 2)
        assert rows.get(keys[0], 4) is not None  # used all the time, so it stays
    left = [key for key in keys if rows.get(key, 4) is not None]
    assert 15 <= len(left) <= 20
    assert left == [keys[0], *keys[-len(left) + 1 :]]


def test_the_cap_counts_what_earlier_runs_left(tmp_path: Path) -> None:
    for number in range(30):
        kept(tmp_path, bytes([number]))
    rows = RowCache(tmp_path, cap=10 * 4096)
    rows.put(rows.key(b"new", "scorer"), ROW)
    assert len(list((tmp_path / "rows").glob("*/*"))) <= 10


def test_a_folder_that_cannot_be_made_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    rows = RowCache(tmp_path / "file" / "cache")
    key = rows.key(b"photo", "scorer")
    rows.put(key, ROW)
    assert rows.get(key, 4) is None


def test_clearing_deletes_what_is_ours_and_nothing_else(tmp_path: Path) -> None:
    place = tmp_path / "c"
    kept(place)
    kept(place, b"second")
    (place / "features").mkdir()
    (place / "features" / "geoclip-1.npz").write_bytes(b"x")
    for killed in ("features/.geoclip-1.npz.0123", ".key.0123", "..key.0123.4567"):
        (place / killed).write_bytes(b"half of it")
    (place / "mine.txt").write_text("not yours")
    assert clear(place) == 2
    assert files(tmp_path) == [place / "mine.txt"]
    (place / "mine.txt").unlink()
    kept(place)
    assert clear(place) == 1
    assert not place.exists()
    assert clear(place) == 0
