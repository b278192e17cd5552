"""One run at a time in one output: a second one is refused while the first is alive.

On a disk here the operating system holds the lock and lets go of it when the process ends, however
it ends. Elsewhere, and on network disks that know no locks, a small file is written anew every few
seconds: who finds it waits whether it changes. If it does, somebody is at work; if not, whoever
wrote it is dead and the file is taken over. No clocks are compared. That is the best that can be
done everywhere, and not proof: two runs that start in the same second may both believe to be first.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from elsewhere.batch.storage import Storage, told
from elsewhere.errors import ElsewhereError, InputError

LOCK = ".lock"
BEAT = 5.0
"""Seconds between two signs of life."""
_SILENCE = 3
"""So many beats without a sign of life, and whoever gave them is dead."""


@contextmanager
def alone_in(storage: Storage, beat: float = BEAT) -> Iterator[None]:
    """Within, no other run works in this output; InputError where one does."""
    if storage.here:
        with told(storage.path(LOCK)):
            handle = os.open(Path(storage.root, LOCK), os.O_RDWR | os.O_CREAT, 0o600)
        try:
            held = _take(handle)
            if held is False:
                raise _taken(storage, "")
            if held:
                yield
                return
        finally:
            os.close(handle)
    with _lease(storage, beat):
        yield


def _taken(storage: Storage, by: str) -> InputError:
    return InputError(
        f"another run{by} is at work in {storage.where}: wait until it is over or stop it, or "
        "name another folder"
    )


def _take(handle: int) -> bool | None:
    """Hold a lock until the file is closed; False where another does, None: no locks there."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@contextmanager
def _lease(storage: Storage, beat: float) -> Iterator[None]:
    """The lock as a file with signs of life."""
    _refuse_living(storage, beat)
    ours = f"{platform.node()} {os.getpid()} {uuid.uuid4().hex}"
    over = threading.Event()

    def live() -> None:
        number = 0
        while not over.wait(beat):
            number += 1
            with suppress(ElsewhereError):  # the next sign of life may come through
                storage.write(LOCK, f"{ours} {number}".encode())

    storage.write(LOCK, f"{ours} 0".encode())
    if not _read(storage).startswith(ours):
        raise _taken(storage, "")
    thread = threading.Thread(target=live, name="elsewhere-batch-lock", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        storage.remove(LOCK)


def _refuse_living(storage: Storage, beat: float) -> None:
    """InputError where somebody gives signs of life; a lock of the dead is nobody's."""
    first = _read(storage)
    if not first:
        return
    end = time.monotonic() + _SILENCE * beat
    while time.monotonic() < end:
        time.sleep(beat / 4)
        now = _read(storage)
        if not now:
            return
        if now != first:
            host, _, _ = now.partition(" ")
            raise _taken(storage, f" (on {host})")


def _read(storage: Storage) -> str:
    if not storage.is_file(LOCK):
        return ""
    try:
        return storage.read(LOCK).decode("utf-8", "replace")
    except ElsewhereError:  # taken away in this moment
        return ""
