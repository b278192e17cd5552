"""Files and locks that survive Ctrl-C, `kill -9` and a power cut: complete, or not there at all.

A file is written beside its target, flushed to the disk, and then renamed over the target in one
step. Without the flush a disk may keep the name and lose the bytes. A failure before the rename
leaves the old file as it was, and nothing else.

A symbolic link at the target is replaced, not followed; resolve it first to write what it names.

A lock between processes is released by the system when its holder ends, however it ends. The caller
decides what to do when another process holds the lock or the disk has no locks: the ledger waits, a
sweep moves on, a batch run writes a heartbeat file instead.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_OWNER_MODE, _PUBLIC_MODE = 0o600, 0o666
_PART_NAME_LENGTH = 40
"""Characters of the target's name in the partial file's name, so that the longest names fit."""
UNSUPPORTED_ERRORS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""Errors of file systems that do not support a request."""


def write_whole(file: Path, content: bytes, *, private: bool = False, lasting: bool = True) -> None:
    """Write `content` to `file`, completely or not at all; see `open_whole`."""
    with open_whole(file, private=private, lasting=lasting) as stream:
        stream.write(content)


@contextmanager
def open_whole(file: Path, *, private: bool = False, lasting: bool = True) -> Iterator[BinaryIO]:
    """Write a file piece by piece; it gets its name when all of it is on the disk.

    A `private` file is readable by its owner only. Any other keeps the mode of the file that it
    replaces, or gets the one that the umask allows. A file that is not `lasting` is not flushed:
    it may be damaged after a power cut.
    """
    part = file.with_name(f".{file.name[:_PART_NAME_LENGTH]}.{secrets.token_hex(8)}")
    try:
        with new_file(part, private=private, lasting=lasting) as stream:
            yield stream
        if not private and file.is_file() and not file.is_symlink():
            mode = stat.S_IMODE(file.stat().st_mode)
            if mode != stat.S_IMODE(part.stat().st_mode):
                part.chmod(mode)
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    if lasting:
        sync_folder(file.parent)


@contextmanager
def new_file(
    path: Path, *, private: bool = False, lasting: bool = True, mode: int = _PUBLIC_MODE
) -> Iterator[BinaryIO]:
    """Write a file that must not exist yet; at the end it is on the disk, out of the cache."""
    mode = _OWNER_MODE if private else mode
    with os.fdopen(os.open(path, _CREATE_FLAGS, mode), "wb") as stream:
        open_to_owner(path, _OWNER_MODE)
        yield stream
        if lasting:
            stream.flush()
            os.fsync(stream.fileno())
            if hasattr(os, "posix_fadvise"):  # so that reading it again reads the disk
                with suppress(OSError):
                    os.posix_fadvise(stream.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def sync_folder(folder: Path) -> None:
    """Flush a folder's list of names to the disk, where the system supports it."""
    if sys.platform == "win32":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder may be writable and not readable
        return
    try:
        os.fsync(handle)
    except OSError as problem:
        if problem.errno not in UNSUPPORTED_ERRORS:
            raise
    finally:
        os.close(handle)


def write_zeros(handle: int) -> None:
    """Zeros over all bytes of an open file, brought to the disk as far as the disk obeys."""
    os.lseek(handle, 0, os.SEEK_SET)
    size = os.fstat(handle).st_size
    block = bytes(1 << 16)
    while size > 0:
        size -= os.write(handle, block[: min(size, len(block))])
    os.fsync(handle)


def erase(path: Path) -> None:
    """Write zeros over a file, then remove it; a link is removed and not followed."""
    if not path.is_symlink():
        handle = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            write_zeros(handle)
        finally:
            os.close(handle)
    path.unlink()


def open_to_owner(path: Path, bits: int) -> None:
    """Restore owner permissions that a strict umask removed; some disks have no modes at all."""
    mode = path.stat().st_mode
    if mode & bits != bits:
        path.chmod(mode | bits)


def take(lock: int) -> bool | None:
    """Lock an open file until it is closed; False: another holds it, None: the disk has no locks.

    `filelock.FileLock` opens and creates the file itself. Here the file is open already: staging
    folders have to create theirs exclusively, and a sweep must never create one.
    """
    from filelock import lock_descriptor

    try:
        return lock_descriptor(lock, blocking=False)
    except OSError:  # usually a network disk
        return None
