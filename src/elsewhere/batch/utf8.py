"""Text columns as Python has them, even where what calls itself text is none.

Arrow does not look whether a string is UTF-8, and Python refuses one that is not. One such id in a
million rows must cost its own photo or album and no other, so it is read as well as can be, and is
known for what it is.
"""

from __future__ import annotations

from typing import Any

from elsewhere.batch.schemas import arrow


class MangledText(str):
    """Text that is not UTF-8: readable as far as it goes, its other bytes as \\xNN."""

    __slots__ = ()


def texts(column: Any) -> list[str | None]:
    """A column of strings; never raises for what is in it.

    >>> import pyarrow as pa
    >>> texts(pa.array([b"a", b"\\xff", None]).cast(pa.string(), safe=False))
    ['a', '\\\\xff', None]
    """
    try:
        whole: list[str | None] = column.to_pylist()
    except UnicodeDecodeError:
        return [_read(one) for one in column.cast(arrow().large_binary()).to_pylist()]
    return whole


def storable(text: str) -> str:
    """Text that a file can hold: JSON can name halves of characters, which UTF-8 has not.

    >>> storable("caf\\u00e9 \\ud800")
    'café ?'
    """
    return text.encode("utf-8", "replace").decode()


def _read(raw: bytes | None) -> str | None:
    if raw is None:
        return None
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return MangledText(raw.decode(errors="backslashreplace"))
