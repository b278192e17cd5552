"""The data files of this room: named arrays and texts, each compressed, each unpacked when used.

A line that names the format, a line of JSON (name → type, number of bytes, what was subtracted),
then the compressed sections one after another. Whole numbers are stored as differences with their
bytes sorted by significance, which compresses far better than the numbers themselves.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError

DATA = Path(__file__).parent / "data"
_MAGIC = b"elsewhere data 1\n"


def pack(sections: Mapping[str, str | NDArray[np.integer]]) -> bytes:
    """A data file's bytes, the same for the same sections; arrays are one-dimensional."""
    told: dict[str, list[str | int]] = {}
    bodies: list[bytes] = []
    for name, value in sections.items():
        if isinstance(value, str):
            kind, raw = "text", value.encode()
        else:
            kind = value.dtype.newbyteorder("<").str
            steps = np.diff(value, prepend=value.dtype.type(0)).astype(kind)  # wraps, and back
            raw = steps.view(np.uint8).reshape(-1, value.dtype.itemsize).T.tobytes()
        bodies.append(zlib.compress(raw, 9))
        told[name] = [kind, len(bodies[-1])]
    head = json.dumps(told, separators=(",", ":")).encode()
    return b"".join([_MAGIC, head, b"\n", *bodies])


class Packed:
    """A data file that was read, its sections still packed."""

    def __init__(self, raw: bytes, what: str) -> None:
        """`what` names the file in errors."""
        self._what = what
        try:
            head = raw[len(_MAGIC) :].split(b"\n", 1)[0] if raw.startswith(_MAGIC) else b""
            self._sections: dict[str, tuple[str, bytes]] = {}
            at = len(_MAGIC) + len(head) + 1
            for name, (kind, size) in json.loads(head).items():
                self._sections[name] = kind, raw[at : at + size]
                at += size
        except (ValueError, AttributeError, TypeError):
            raise self._damaged() from None

    def text(self, name: str) -> str:
        """A section of text."""
        try:
            return self.raw(name).decode()
        except UnicodeDecodeError:
            raise self._damaged() from None

    def numbers(self, name: str) -> NDArray[np.int64]:
        """A section of whole numbers."""
        raw, kind = self.raw(name), self._sections[name][0]
        try:
            planes = np.frombuffer(raw, dtype=np.uint8).reshape(np.dtype(kind).itemsize, -1)
            steps = np.ascontiguousarray(planes.T).view(kind).ravel()
        except (TypeError, ValueError):
            raise self._damaged() from None
        return np.cumsum(steps, dtype=kind).astype(np.int64)

    def raw(self, name: str) -> bytes:
        """A section as it was before it was compressed."""
        try:
            return zlib.decompress(self._sections[name][1])
        except (KeyError, zlib.error):
            raise self._damaged() from None

    def _damaged(self) -> FileError:
        return FileError(f"{self._what} is damaged: install elsewhere again")


@cache
def shipped(name: str) -> Packed:
    """A data file of this package."""
    try:
        raw = (DATA / name).read_bytes()
    except OSError:
        raise FileError(f"the data file {name} is missing: install elsewhere again") from None
    return Packed(raw, f"the data file {name}")
