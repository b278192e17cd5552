"""The frames between parent and worker: one JSON object and some blobs of bytes.

Never a pickle: a worker that a hostile file has taken over could make its parent run anything.
Lengths are limited, so that it cannot fill the parent's memory either.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import IO, Any

MAX_TEXT = 4 << 20
MAX_BLOB = 256 << 20
_LENGTHS = struct.Struct(">II")


class BadFrameError(Exception):
    """The frame is cut short, too long or malformed."""


def send(pipe: IO[bytes], value: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send one frame."""
    text = json.dumps([value, [len(blob) for blob in blobs]]).encode("ascii")
    pipe.write(_LENGTHS.pack(len(text), sum(map(len, blobs))) + text)
    for blob in blobs:
        pipe.write(blob)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[dict[str, Any], list[bytes]] | None:
    """Receive one frame; None where the other side has closed the pipe."""
    head = pipe.read(_LENGTHS.size)
    if not head:
        return None
    if len(head) < _LENGTHS.size:
        raise BadFrameError("cut short")
    text_length, blob_length = _LENGTHS.unpack(head)
    if text_length > MAX_TEXT or blob_length > MAX_BLOB:
        raise BadFrameError("too long")
    try:
        value, lengths = json.loads(_read_exactly(pipe, text_length))
    except (ValueError, TypeError, RecursionError):
        raise BadFrameError("malformed") from None
    if not isinstance(value, dict) or not isinstance(lengths, list):
        raise BadFrameError("malformed")
    if any(type(length) is not int or length < 0 for length in lengths):
        raise BadFrameError("malformed")
    if sum(lengths) != blob_length:
        raise BadFrameError("malformed")
    return value, [_read_exactly(pipe, length) for length in lengths]


def _read_exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) < length:
        raise BadFrameError("cut short")
    return content
