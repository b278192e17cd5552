"""How much memory a score file may ask for.

A few bytes of a zip or Parquet file can stand for gigabytes. So before anything is unpacked,
what the headers claim is held against a fixed limit and against the true size of the file.
"""

from __future__ import annotations

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
