"""The folder where a copy is made before it has its name, and the rename that gives the name.

The folder lies beside the target, on the same disk, so that the last step is a rename and nothing
is ever half there. Its name is hidden and random, and a lock file in it is held by its owner: the
system releases the lock even after `kill -9`. The next export removes the folders that nobody
holds, and nothing else.

A plain rename would replace a file, or an empty folder. Somebody may take the name between a check
and the rename, so the system is asked to do both at once. Where it cannot, checking first is the
best there is.
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
from contextlib import suppress
from pathlib import Path

from elsewhere.errors import FileError
from elsewhere.platform.files import UNSUPPORTED_ERRORS, open_to_owner
from elsewhere.platform.locks import take

_NAME = re.compile(r"\.elsewhere-[0-9a-f]{16}")
_LOCK = "lock"
_MARK = b"elsewhere: an export that is being made; it is taken away when nobody holds it.\n"
_MAX_TRIES = 8


def rename_new(old: Path, new: Path) -> None:
    """Rename a file or folder to a name that is free; FileExistsError where it is not."""
    error = _rename_no_replace(old, new)
    if error == 0:
        return
    if error is not None and error not in UNSUPPORTED_ERRORS:
        raise OSError(error, os.strerror(error), str(new))
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    old.rename(new)


def _rename_no_replace(old: Path, new: Path) -> int | None:
    """The system's rename that replaces nothing: 0, an error number, or None where it has none."""
    import ctypes

    try:
        if sys.platform.startswith("linux"):
            rename = ctypes.CDLL(None, use_errno=True).renameat2
            here = ctypes.c_int(-100)  # AT_FDCWD: relative paths start at the working directory
            failed = rename(here, os.fsencode(old), here, os.fsencode(new), ctypes.c_uint(1))
        elif sys.platform == "darwin":
            rename = ctypes.CDLL(None, use_errno=True).renamex_np
            failed = rename(os.fsencode(old), os.fsencode(new), ctypes.c_uint(4))
        else:
            return None
    except (AttributeError, OSError):  # an older system library
        return None
    return ctypes.get_errno() if failed else 0


class Staging(contextlib.AbstractContextManager["Staging"]):
    """A private folder for one export; removed at the end with all that is in it."""

    def __init__(self, beside: Path) -> None:
        for _ in range(_MAX_TRIES):
            self.folder = beside / f".elsewhere-{secrets.token_hex(8)}"
            file = self.folder / _LOCK
            self.folder.mkdir(mode=0o700)
            try:
                open_to_owner(self.folder, 0o700)
                self._lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileNotFoundError:  # swept while it was still empty
                continue
            try:
                open_to_owner(file, 0o600)
                if take(self._lock) is not False and file.exists():
                    owner = f"{os.getpid()} {platform.node()}\n"
                    os.write(self._lock, _MARK + owner.encode())
                    return
            except FileNotFoundError:  # swept just before it was locked
                pass
            except BaseException:
                os.close(self._lock)
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            os.close(self._lock)
        raise FileError(f"{beside} is being cleared by another program: try again")

    def __exit__(self, *problem: object) -> None:
        with suppress(OSError):
            _remove_contents(self.folder)
        os.close(self._lock)
        with suppress(OSError):
            (self.folder / _LOCK).unlink(missing_ok=True)
            self.folder.rmdir()


def sweep(beside: Path) -> int:
    """Remove the folders that killed exports left; how many remain because they are held."""
    held = 0
    with suppress(OSError), os.scandir(beside) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name):
                continue
            with suppress(OSError):
                known = entry.stat(follow_symlinks=False)
                user = getattr(os, "getuid", lambda known=known: known.st_uid)()
                if stat.S_ISDIR(known.st_mode) and known.st_uid == user:
                    held += 1
                    held -= _remove_if_abandoned(Path(entry.path))
    return held


def _remove_if_abandoned(folder: Path) -> bool:
    """Remove a staging folder whose owner is gone."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        folder.rmdir()  # killed before its lock was there: then it is empty, or not ours
        return True
    try:
        text = os.read(lock, 4096)
        if not text.startswith(_MARK) and text:  # empty: killed just before it was written
            return False
        taken = take(lock)
        if taken is False or (taken is None and not _has_ended(text[len(_MARK) :])):
            return False
        _remove_contents(folder)
    finally:
        os.close(lock)
    (folder / _LOCK).unlink(missing_ok=True)
    folder.rmdir()
    return not folder.exists()


def _remove_contents(folder: Path) -> None:
    """Remove everything but the lock, so that an interrupted sweep can be continued."""
    for path in list(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != _LOCK:
            path.unlink(missing_ok=True)


def _has_ended(owner: bytes) -> bool:
    """Whether the process named in a lock has ended; for disks without locks.

    A process of another machine never counts as ended.
    """
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
