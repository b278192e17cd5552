"""Giving a name only where nobody has it: in one step, wherever the system can.

A plain rename puts a file in another's place and a folder in an empty one's. Between looking and
renaming somebody may take the name, so the system is asked to do both at once; where it cannot,
looking first is the best there is.

Where a copy is made before it has its name: a closed folder beside the target, swept if left.

It is on the target's own disk, so that the last step is a rename and nothing is half there. Its
name is hidden and random, and in it lies a lock that its owner holds for as long as it lives: the
system lets go of it even after `kill -9`. Whoever starts next takes away what nobody holds any
more, and nothing else.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import secrets
import shutil
import stat
import sys
from pathlib import Path

from elsewhere.errors import FileError
from elsewhere.platform.files import open_to_owner
from elsewhere.platform.locks import take

_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What file systems answer that do not know the question."""


def rename_new(old: Path, new: Path) -> None:
    """Rename `old`, a file or folder, to a name that is free; FileExistsError where it is not."""
    number = _asked(old, new)
    if number == 0:
        return
    if number is not None and number not in _CANNOT:
        raise OSError(number, os.strerror(number), str(new))
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    old.rename(new)


def _asked(old: Path, new: Path) -> int | None:
    """The system's own rename that replaces nothing: 0, an error number, or None: there is none."""
    import ctypes

    try:
        if sys.platform.startswith("linux"):
            call, flag = ctypes.CDLL(None, use_errno=True).renameat2, 1
            here = ctypes.c_int(-100)  # AT_FDCWD: paths are as they are written
            done = call(here, os.fsencode(old), here, os.fsencode(new), ctypes.c_uint(flag))
        elif sys.platform == "darwin":
            call = ctypes.CDLL(None, use_errno=True).renamex_np
            done = call(os.fsencode(old), os.fsencode(new), ctypes.c_uint(4))
        else:
            return None
    except (AttributeError, OSError):  # an older system's library
        return None
    return ctypes.get_errno() if done else 0


_NAME = re.compile(r"\.elsewhere-[0-9a-f]{16}")
_LOCK = "lock"
_MARK = b"elsewhere: an export that is being made; it is taken away when nobody holds it.\n"
_TRIES = 8


class Staging:
    """A folder of ours for the time of one export; gone, with all that is in it, at the end."""

    def __init__(self, beside: Path) -> None:
        for _ in range(_TRIES):
            self.folder = beside / f".elsewhere-{secrets.token_hex(8)}"
            self.folder.mkdir(mode=0o700)
            try:
                open_to_owner(self.folder, 0o700)
                self._lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileNotFoundError:  # somebody swept what was still empty
                continue
            try:
                if self._held():
                    return
            except FileNotFoundError:  # somebody swept just before we held it
                pass
            except BaseException:
                os.close(self._lock)
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            os.close(self._lock)
        raise FileError(f"{beside} is being cleared by another program: try again")

    def _held(self) -> bool:
        """Whether the lock is ours and still there; it says so from then on."""
        file = self.folder / _LOCK
        open_to_owner(file, 0o600)
        if take(self._lock) is False or not file.exists():
            return False
        os.write(self._lock, _MARK + f"{os.getpid()} {platform.node()}\n".encode())
        return True

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *problem: object) -> None:
        with contextlib.suppress(OSError):
            _empty(self.folder)
        os.close(self._lock)
        with contextlib.suppress(OSError):
            _close(self.folder)


def sweep(beside: Path) -> int:
    """Take away what killed exports left in a folder; how many are left, being held."""
    left = 0
    with contextlib.suppress(OSError), os.scandir(beside) as listing:
        for entry in listing:
            if _NAME.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    if _ours(entry):
                        left += 1
                        left -= _swept(Path(entry.path))
    return left


def _ours(entry: os.DirEntry[str]) -> bool:
    """A real folder that belongs to this user."""
    known = entry.stat(follow_symlinks=False)
    owner = getattr(os, "getuid", lambda: known.st_uid)()
    return stat.S_ISDIR(known.st_mode) and known.st_uid == owner


def _swept(folder: Path) -> bool:
    """Remove one leftover, if its owner is gone."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        folder.rmdir()  # killed before its lock was there: then it is empty, or not ours
        return True
    try:
        told = os.read(lock, 4096)
        if not told.startswith(_MARK) and told:  # empty: killed just before it was written
            return False
        taken = take(lock)  # None: no locks on this disk, the process number has to do
        if taken is False or (taken is None and not _gone(told[len(_MARK) :])):
            return False
        _empty(folder)
    finally:
        os.close(lock)
    _close(folder)
    return not folder.exists()


def _empty(folder: Path) -> None:
    """Take everything out but the lock, so that a sweep cut short is known as ours and goes on."""
    for path in list(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != _LOCK:
            path.unlink(missing_ok=True)


def _close(folder: Path) -> None:
    """Take the lock away, and with it the folder; a folder that is not empty stays."""
    (folder / _LOCK).unlink(missing_ok=True)
    folder.rmdir()


def _gone(owner: bytes) -> bool:
    """Whether the process that is named in a lock has ended; one of another machine never has."""
    number, _, host = owner.decode("utf-8", "replace").strip().partition(" ")
    if sys.platform == "win32" or host != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
