from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from elsewhere.album import export as module
from elsewhere.album.export import Staging, sweep
from elsewhere.platform.files import take

HOLD = """
import sys, time
from pathlib import Path
from elsewhere.album.export import Staging
with Staging(Path(sys.argv[1])) as staging:
    (staging.folder / "copy").mkdir()
    (staging.folder / "copy" / "001.jpg").write_bytes(b"x")
    print(staging.folder, flush=True)
    time.sleep(60)
"""


def held(beside: Path) -> tuple[subprocess.Popen[str], Path]:
    """Another process that is in the middle of an export."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(beside)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_it_is_closed_to_others_and_gone_at_the_end(tmp_path: Path) -> None:
    with Staging(tmp_path) as staging:
        assert staging.folder.parent == tmp_path and staging.folder.name.startswith(".elsewhere-")
        assert staging.folder.stat().st_mode & 0o777 == 0o700
        (staging.folder / "copy").mkdir()
        (staging.folder / "copy" / "x").write_bytes(b"x")
        (staging.folder / "copy.zip").write_bytes(b"x")
        assert sweep(tmp_path) == 1 and (staging.folder / "copy" / "x").exists()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("locks", [True, False], ids=["with locks", "by process number"])
def test_only_what_nobody_holds_is_swept(
    locks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not locks:
        monkeypatch.setattr(module, "take", lambda lock: None)
    process, folder = held(tmp_path)
    try:
        assert str(process.pid) in (folder / "lock").read_text()
        assert folder.is_dir() and sweep(tmp_path) == 1
        assert (folder / "copy" / "001.jpg").exists()
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert folder.is_dir()
    assert sweep(tmp_path) == 0 and list(tmp_path.iterdir()) == []


def test_without_locks_another_machines_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process, folder = held(tmp_path)
    process.kill()
    process.communicate()
    monkeypatch.setattr(module, "take", lambda lock: None)
    lock = folder / "lock"
    lock.write_bytes(lock.read_bytes().replace(b"\n", b"-elsewhere\n"))
    assert sweep(tmp_path) == 1 and folder.is_dir()


def test_what_is_not_ours_is_never_swept(tmp_path: Path) -> None:
    inside = tmp_path / "parent"
    inside.mkdir()
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "lock").write_bytes(b"")
    (precious / "photo.jpg").write_bytes(b"x")
    hexadecimal = "0123456789abcdef"
    (inside / f".elsewhere-{hexadecimal}").symlink_to(precious)
    other = inside / f".elsewhere-{hexadecimal[::-1]}"
    other.mkdir()
    (other / "notes.txt").write_text("somebody's")
    third = inside / ".elsewhere-0000000000000000"
    third.mkdir()
    (third / "lock").write_text("somebody else's lock")
    named = inside / ".elsewhere-backup"
    named.mkdir()
    (named / "lock").write_bytes(b"")
    linked = inside / ".elsewhere-1111111111111111"
    linked.mkdir()
    (linked / "lock").symlink_to(precious / "lock")
    before = sorted(tmp_path.rglob("*"))
    assert sweep(inside) == 3  # named like ours, and left where they are
    assert sorted(tmp_path.rglob("*")) == before


def test_killed_before_anything_was_in_it(tmp_path: Path) -> None:
    (tmp_path / ".elsewhere-0123456789abcdef").mkdir()
    young = tmp_path / ".elsewhere-0000000000000000"
    young.mkdir()
    (young / "lock").write_bytes(b"")
    assert sweep(tmp_path) == 0 and list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_listed_is_not_swept(tmp_path: Path) -> None:
    assert sweep(tmp_path / "none") == 0


def test_whoever_is_swept_while_beginning_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def late(lock: int) -> bool | None:
        calls.append(lock)
        if len(calls) == 1:
            for folder in tmp_path.iterdir():
                (folder / "lock").unlink()
                folder.rmdir()
        return take(lock)

    monkeypatch.setattr(module, "take", late)
    with Staging(tmp_path) as staging:
        assert staging.folder.is_dir() and len(calls) == 2
    assert list(tmp_path.iterdir()) == []


def test_no_handle_is_left_open(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").is_dir():
        return
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with Staging(tmp_path):
            sweep(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_disks_that_know_no_modes_are_not_asked_to_change_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, mode: int) -> None:
        raise PermissionError(errno.EPERM, "no modes here")

    monkeypatch.setattr(Path, "chmod", refuse)
    with Staging(tmp_path) as staging:
        assert staging.folder.is_dir()


def test_a_disk_that_takes_nothing_is_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, content: bytes) -> int:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("elsewhere.album.export.os.write", full)
    with pytest.raises(OSError, match="full"):
        Staging(tmp_path)
    assert list(tmp_path.iterdir()) == []
