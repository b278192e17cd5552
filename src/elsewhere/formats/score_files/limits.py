"""How much memory a score file may need, and what may be overwritten.

A few bytes of a zip or Parquet file can stand for gigabytes. So before anything is unpacked, the
sizes in its headers are compared with a fixed limit and with the size of the file.

Files are written under another name and renamed. Renaming would replace even a device such as
/dev/null, or a link, so only plain files are overwritten.
"""

from __future__ import annotations

import stat
from pathlib import Path

from elsewhere.errors import FileError

LARGEST = 1 << 30
"""Bytes that a score file may unpack to: 262,144 photos × 512 cells as 64-bit floats."""

_HARMLESS = 64 << 20
"""Up to this many unpacked bytes, any compression is accepted."""

_PACKED_AT_MOST = 100
"""Beyond that, the best compression of real scores: this many to one."""


ROW_BYTES = 100
"""What a photo takes besides its scores: its name as a Python string, and its place in an index."""

MAX_NAME = 4096
"""Bytes of a photo's name: as many as a path may have."""


def refuse_long_name(file: Path, length: int) -> None:
    """Raise if a name has more bytes than a path may have."""
    if length > MAX_NAME:
        raise FileError(
            f"{file} has a name of {length:,} bytes, but {MAX_NAME:,} is the limit: shorten it"
        )


def plausible_bytes(packed: int, parts: int = 1) -> int:
    """Unpacked bytes that so many packed ones may stand for, in one of so many parts of a file."""
    return max(_HARMLESS // parts, _PACKED_AT_MOST * packed)


def refuse_bomb(file: Path, claimed: int) -> None:
    """Raise unless `claimed` unpacked bytes are plausible for a file of this size."""
    if claimed > LARGEST:
        raise FileError(
            f"{file} claims to hold {claimed:,} bytes of scores, but {LARGEST:,} is the limit: "
            "split the album"
        )
    if claimed > plausible_bytes(file.stat().st_size):
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
    """Raise a FileError if `file` exists and is no plain file.

    >>> refuse_unless_plain(Path("."))
    Traceback (most recent call last):
    elsewhere.errors.FileError: . cannot be written: it is a folder
    """
    try:
        mode = file.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise FileError(f"{file} cannot be written: {error.strerror or error}") from None
    if not stat.S_ISREG(mode):
        kind = next((text for test, text in _KINDS if test(mode)), "it is not a plain file")
        raise FileError(f"{file} cannot be written: {kind}")
