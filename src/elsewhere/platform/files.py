"""A file that is there whole or not at all, also after Ctrl-C, `kill -9` or a power cut.

It is written beside its place, brought to the disk, and only then given its name, in one step that
replaces what had the name before. Without the middle step a disk may keep the name and lose the
bytes. Whatever goes wrong before leaves what was there, and nothing else.

A link of that name is replaced, not followed: whoever means the file behind it resolves it first.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_OWNER_MODE, _PUBLIC_MODE = 0o600, 0o666
_PART_NAME_LENGTH = 40
"""Characters of the target's name in the partial file's name, so that the longest names fit."""
UNSUPPORTED_ERRORS = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""Errors of file systems that do not support a request."""


def write_whole(file: Path, content: bytes, *, private: bool = False, lasting: bool = True) -> None:
    """Write `content` to `file`, whole or not at all; see `whole`."""
    with open_whole(file, private=private, lasting=lasting) as stream:
        stream.write(content)


@contextmanager
def open_whole(file: Path, *, private: bool = False, lasting: bool = True) -> Iterator[BinaryIO]:
    """Within, a file is written bit by bit; it has its name when all of it is on the disk.

    A `private` one only its owner may read; any other is open to whom it was before, or as the
    umask wants it. Where losing it does no harm it need not be `lasting`: nobody waits for the
    disk then, and after a power cut it may be damaged.
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
def new_file(path: Path, *, private: bool = False, lasting: bool = True) -> Iterator[BinaryIO]:
    """Within, a file that was not there is written; at the end it is on the disk."""
    mode = _OWNER_MODE if private else _PUBLIC_MODE
    with os.fdopen(os.open(path, _CREATE_FLAGS, mode), "wb") as stream:
        open_to_owner(path, _OWNER_MODE)
        yield stream
        if lasting:
            stream.flush()
            os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Bring a folder's list of names to the disk, where the system lets one ask."""
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


def open_to_owner(path: Path, bits: int) -> None:
    """Give the owner what a strict umask took; asked only then, for some disks know no modes."""
    mode = path.stat().st_mode
    if mode & bits != bits:
        path.chmod(mode | bits)
