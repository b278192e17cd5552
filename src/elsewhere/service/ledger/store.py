"""Where the ledger lies, and how it changes: all at once, by one process at a time, for one user.

The file is small and rewritten whole: aside, brought to the disk, then renamed over the old one.
After `kill -9` or a power cut it is what it was before or what it was to be, never a mixture. What
was taken out is nowhere in the new file, and the old file's bytes are written over before the disk
has them back. The key lies in a file of its own.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from elsewhere.errors import FileError
from elsewhere.formats.ledger import DamagedError, Entry, decode, encode
from elsewhere.platform.files import new_file, sync_folder
from elsewhere.platform.locks import take
from elsewhere.platform.machine import data_folder

PATIENCE = 30.0
"""Seconds that another process may hold the ledger before we give up."""
_KEY_BYTES = 32
_LARGEST = 1 << 30
_TRIES = 5
_LEDGER, _KEY, _LOCK, _PART = "ledger.jsonl", "ledger.key", "ledger.lock", "ledger.part"


class Store:
    """The ledger of one user, on the disk."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or data_folder()
        self.path = self.folder / _LEDGER

    def exists(self) -> bool:
        """Whether anything was ever remembered and not forgotten."""
        return os.path.lexists(self.path)

    def key(self) -> bytes | None:
        """The key that photos are named and the ledger is sealed with; None before there is one."""
        try:
            key = (self.folder / _KEY).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise self._refused(f"its key cannot be read: {problem.strerror or problem}") from None
        if len(key) != _KEY_BYTES:
            raise self._refused("its key is damaged")
        return key

    def make_key(self) -> bytes:
        """The key, made where there is none yet."""
        key = self.key()
        if key is None:
            with self._told(), self._locked():
                key = self._own_key()
        return key

    def read(self) -> tuple[Entry, ...]:
        """All entries. A file that is not whole is refused: nobody may take it for an empty one."""
        for _ in range(_TRIES):
            try:
                if not self.exists():
                    return ()
                known, content = self._content()
            except FileNotFoundError:  # forgotten a moment ago
                return ()
            except OSError as problem:
                raise self._refused(f"it cannot be read: {problem.strerror or problem}") from None
            key = self.key()
            try:
                if key is None:
                    raise DamagedError("its key is gone")
                return decode(content, key)
            except DamagedError as problem:
                why = str(problem)
            with contextlib.suppress(OSError):
                if self.path.stat().st_ino == known:  # else somebody forgets while we read
                    break
        raise self._refused(why)

    def _content(self) -> tuple[int, bytes]:
        """The file's bytes, and which file that was."""
        if self.path.is_symlink() or not self.path.is_file():
            raise self._refused("it is no plain file")
        with self.path.open("rb") as file:
            known = os.fstat(file.fileno())
            if known.st_size > _LARGEST:
                raise self._refused("it is far too large")
            with contextlib.suppress(OSError):
                self.path.chmod(0o600)
            return known.st_ino, file.read()

    def change(
        self, how: Callable[[tuple[Entry, ...], bytes], Sequence[Entry]], *, scrub: bool = False
    ) -> tuple[Entry, ...]:
        """Rewrite the ledger as `how` says from its entries and the key; the new entries.

        With `scrub` the bytes of the old file are written over as well.
        """
        with self._told(), self._locked():
            before = self.read()
            key = self._own_key()
            after = tuple(how(before, key))
            self._replace(encode(after, key) if after else None, scrub=scrub)
            return after

    def delete(self) -> None:
        """Take all of it away, the key too; a damaged one as well."""
        with self._told(), self._locked():
            self._replace(None, scrub=True)
            (self.folder / _KEY).unlink(missing_ok=True)
            sync_folder(self.folder)

    def _replace(self, content: bytes | None, *, scrub: bool) -> None:
        """The one step that changes anything: a rename, or for an empty ledger a removal."""
        old = None
        if scrub and sys.platform != "win32":  # which gives no name of a file that is open
            with contextlib.suppress(OSError):
                old = os.open(self.path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            part = self.folder / _PART
            _write_over(part)  # what a killed process left
            if content is None:
                self.path.unlink(missing_ok=True)
            else:
                _write(part, content)
                part.replace(self.path)
            sync_folder(self.folder)
            if old is not None:
                _zero(old)
        finally:
            if old is not None:
                os.close(old)

    def _own_key(self) -> bytes:
        """The key; made when first needed."""
        key = self.key()
        if key is None:
            if self.exists():
                raise self._refused("its key is gone")
            key = secrets.token_bytes(_KEY_BYTES)
            part = self.folder / f"{_KEY}.part"
            part.unlink(missing_ok=True)
            _write(part, key)
            part.replace(self.folder / _KEY)
            sync_folder(self.folder)
        return key

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the ledger; the system lets go of the lock even after `kill -9`."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.folder.chmod(0o700)
        lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            until = time.monotonic() + PATIENCE
            while not (taken := take(lock)):
                if taken is None:
                    raise FileError(
                        f"the ledger in {self.folder} lies on a disk that knows no locks, so two "
                        "could write it at once: set ELSEWHERE_DATA_DIR to a folder on another disk"
                    )
                if time.monotonic() > until:
                    raise FileError(
                        f"the ledger in {self.folder} is held by another elsewhere: try again "
                        "when that is done"
                    )
                time.sleep(0.02)
            yield
        finally:
            os.close(lock)

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise FileError(
                f"the ledger in {self.folder} cannot be written ({problem.strerror or problem}): "
                "check its permissions and the room on the disk"
            ) from None

    def _refused(self, why: str) -> FileError:
        return FileError(
            f"the ledger {self.path} cannot be trusted ({why}), so what you shared before cannot "
            "be counted: restore it, or begin anew with `elsewhere ledger forget --all`"
        )


def _write(path: Path, content: bytes) -> None:
    """A new file for this user only, on the disk when this returns.

    Not `write_whole`: what a killed process leaves must have a name by which it is found again
    and written over.
    """
    with new_file(path, private=True) as file:
        file.write(content)


def _write_over(path: Path) -> None:
    """Take a leftover away, its bytes first."""
    with contextlib.suppress(FileNotFoundError):
        if not path.is_symlink():
            handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
            try:
                _zero(handle)
            finally:
                os.close(handle)
        path.unlink()


def _zero(handle: int) -> None:
    """Zeros over all bytes of an open file, brought to the disk as far as the disk obeys."""
    os.lseek(handle, 0, os.SEEK_SET)
    left = os.fstat(handle).st_size
    block = bytes(1 << 16)
    while left > 0:
        left -= os.write(handle, block[: min(left, len(block))])
    os.fsync(handle)
