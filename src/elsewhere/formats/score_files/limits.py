"""How much memory a score file may ask for.

A few bytes of a zip or Parquet file can stand for gigabytes. So before anything is unpacked,
what the headers claim is held against a fixed limit and against the true size of the file.

What may be written over: a plain file or nothing, never a device, a pipe, a folder or a link.

Files appear all at once, by renaming. Renaming asks nobody: done by root it would put a file in
the place of /dev/null, and done to a link it would take the link away.
"""

from __future__ import annotations

import stat
from pathlib import Path

from elsewhere.errors import FileError

LARGEST = 1 << 30
"""Bytes that a score file may unpack to: 262,144 photos × 512 cells as 64-bit floats."""

_HARMLESS = 64 << 20
"""Up to this many unpacked bytes nobody minds how well they were packed."""

_PACKED_AT_MOST = 100
"""Beyond that, real scores are never packed more tightly than this many to one."""


def refuse_bomb(file: Path, claimed: int) -> None:
    """Raise unless `claimed` unpacked bytes are believable for a file of this size."""
    if claimed > LARGEST:
        raise FileError(
            f"{file} claims to hold {claimed:,} bytes of scores, but {LARGEST:,} is the limit: "
            "split the album"
        )
    if claimed > _HARMLESS and claimed > _PACKED_AT_MOST * file.stat().st_size:
        raise FileError(
            f"{file} claims to hold {claimed:,} bytes of scores, which is too much for a file of "
            "its size: it may be a decompression bomb, and was not opened"
        )


_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISLNK, "it is a symbolic link: name the file itself"),
    (stat.S_ISFIFO, "it is a pipe, not a plain file"),
)


def refuse_unless_plain(file: Path) -> None:
    """Raise a FileError where `file` is there already and is no plain file.

    >>> refuse_unless_plain(Path("."))
    Traceback (most recent call last):
    elsewhere.errors.FileError: . cannot be written: it is a folder
    """
    try:
        mode = file.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as wrong:
        raise FileError(f"{file} cannot be written: {wrong.strerror or wrong}") from None
    if not stat.S_ISREG(mode):
        kind = next((told for is_it, told in _KINDS if is_it(mode)), "it is not a plain file")
        raise FileError(f"{file} cannot be written: {kind}")
