"""Dropped photos on the disk: never too many, never outside, and gone when nobody wants them."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from elsewhere.app.sessions import uploads
from elsewhere.app.sessions.uploads import UploadFolder, sweep_uploads
from elsewhere.errors import InputError


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def test_no_more_files_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_FILES", 3)
    dropped = UploadFolder()
    for _ in range(3):
        dropped.create("a.jpg").close()
    with pytest.raises(InputError, match="more than 3 files"):
        dropped.create("a.jpg")
    assert sorted(path.name for path in dropped.folder.iterdir()) == [
        "a (2).jpg",
        "a (3).jpg",
        "a.jpg",
    ]
    dropped.delete()


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX's")
def test_a_dropped_file_is_the_users_alone() -> None:
    dropped = UploadFolder()
    before = os.umask(0)
    try:
        with dropped.create("trip/a.jpg") as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == 0o600
    finally:
        os.umask(before)
    dropped.delete()


def test_many_of_one_name_take_no_time(tmp_path: Path) -> None:
    dropped = UploadFolder()
    begun = time.process_time()
    for _ in range(2000):
        dropped.create("a.jpg").close()
    assert time.process_time() - begun < 10.0
    assert len(list(dropped.folder.iterdir())) == 2000
    dropped.delete()


def test_nothing_is_written_any_more_once_it_is_forgotten(tmp_path: Path) -> None:
    """A server that ends must not race with whoever still writes."""
    dropped = UploadFolder()
    file, stopped = dropped.create("trip/a.jpg"), threading.Event()

    def write() -> None:
        try:
            while True:
                dropped.create("trip/b.jpg").close()
        except InputError:
            stopped.set()

    thread = threading.Thread(target=write)
    thread.start()
    time.sleep(0.05)
    dropped.delete()
    thread.join(100)
    assert stopped.is_set() and list(tmp_path.iterdir()) == []
    with pytest.raises(InputError):
        dropped.write(file, b"more")
    file.close()
    dropped.delete()


def test_what_a_killed_server_left_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    dropped, held = UploadFolder(), UploadFolder()
    dropped.create("a.jpg").close()
    (tmp_path / ".elsewhere-notes").mkdir()
    import os

    os.close(dropped._staging._lock)  # as the system does after kill -9
    sweep_uploads()
    assert not dropped.folder.exists() and held.folder.exists()
    assert (tmp_path / ".elsewhere-notes").exists()
    held.delete()


def test_archives_that_are_dropped_are_opened_one_by_one(tmp_path: Path) -> None:
    dropped = UploadFolder()
    for name in ("takeout-2.zip", "takeout-1.ZIP"):
        dropped.create(name).close()
    assert [path.name for path in dropped.roots()] == ["takeout-1.ZIP", "takeout-2.zip"]
    dropped.create("trip/backup.zip").close()  # in a folder it is a file like any other
    assert [path.name for path in dropped.roots()] == ["photos", "takeout-1.ZIP", "takeout-2.zip"]
    assert (dropped.folder / "trip" / "backup.zip").exists()
    dropped.delete()
    assert list(tmp_path.iterdir()) == []
