from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elsewhere.platform.files import take

HOLD = """
import os, sys, time
from elsewhere.platform.files import take
print(take(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600)), flush=True)
time.sleep(200)
"""


def opened(file: Path) -> int:
    return os.open(file, os.O_RDWR | os.O_CREAT, 0o600)


def test_one_at_a_time_until_it_is_closed(tmp_path: Path) -> None:
    one, other = opened(tmp_path / "lock"), opened(tmp_path / "lock")
    try:
        assert take(one) is True and take(other) is False
    finally:
        os.close(one)
    try:
        assert take(other) is True
    finally:
        os.close(other)


def test_the_dead_hold_nothing(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout and process.stdout.readline() == "True\n"
    lock = opened(tmp_path / "lock")
    try:
        assert take(lock) is False
        process.send_signal(signal.SIGKILL)
        process.communicate()
        until = time.monotonic() + 100
        while not take(lock):
            assert time.monotonic() < until
            time.sleep(0.01)
    finally:
        os.close(lock)


def test_what_is_written_in_it_can_be_read_by_others(tmp_path: Path) -> None:
    (tmp_path / "lock").write_bytes(b"who holds it")
    lock = opened(tmp_path / "lock")
    try:
        assert take(lock) and (tmp_path / "lock").read_bytes() == b"who holds it"
        assert os.read(lock, 100) == b"who holds it", "it stands where it stood"
    finally:
        os.close(lock)


def test_a_disk_that_knows_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(handle: int, how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", none)
    lock = opened(tmp_path / "lock")
    try:
        assert take(lock) is None
    finally:
        os.close(lock)
