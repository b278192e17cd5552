"""Reading an original without leaving a trace on it, and without waiting for what never comes.

This is the only place where the album opens a file of the user, and it opens for reading only.
A pipe or a device that calls itself `.jpg` would block or never end: only plain files are read,
and never more than a limit. Where the system allows it, not even the time of last access changes.
"""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

MAX_BYTES = 256 * 1024 * 1024
"""No photo is larger; what is larger is a mistake and would only fill the memory."""
_CHUNK = 1 << 20


class NotPlainError(OSError):
    """The path is a pipe, a socket, a device or a folder."""


def open_readonly(path: str | Path) -> int:
    """A descriptor of a plain file, for reading; the caller closes it."""
    flags = os.O_RDONLY
    # What a platform lacks is left out; none of these changes what is read.
    for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY"):
        flags |= getattr(os, name, 0)
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:
        # Only the owner may ask that the time of access stays as it is.
        descriptor = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NotPlainError("it is no plain file")
    return descriptor


def read_start(path: str | Path, count: int) -> bytes:
    """The first `count` bytes, or fewer where there are no more."""
    descriptor = open_readonly(path)
    try:
        return os.read(descriptor, count)
    finally:
        os.close(descriptor)


def read_file(path: str | Path, most: int = MAX_BYTES) -> bytes | None:
    """All the bytes of a file; None where there are more than `most`."""
    descriptor = open_readonly(path)
    with os.fdopen(descriptor, "rb") as file:
        # Asked for by its size: room for `most` would be taken at once, whatever comes.
        size = os.fstat(descriptor).st_size
        content = file.read(min(size, most) + 1)
    return content if len(content) <= most else None


def file_digest(path: str | Path) -> str:
    """The SHA-256 of a file, read piece by piece."""
    descriptor = open_readonly(path)
    found = sha256()
    try:
        while piece := os.read(descriptor, _CHUNK):
            found.update(piece)
    finally:
        os.close(descriptor)
    return found.hexdigest()
