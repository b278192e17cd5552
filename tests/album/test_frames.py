"""What a worker says is bounded and checked before it is believed."""

from __future__ import annotations

import io
import json
import struct

import pytest

from elsewhere.album.worker import MAX_BLOB, MAX_TEXT, BadFrameError, receive, send


def test_what_is_said_is_heard() -> None:
    pipe = io.BytesIO()
    send(pipe, {"name": "\udcff é"}, [b"", b"abc", b"\0" * 1000])
    send(pipe, {})
    pipe.seek(0)
    assert receive(pipe) == ({"name": "\udcff é"}, [b"", b"abc", b"\0" * 1000])
    assert receive(pipe) == ({}, [])
    assert receive(pipe) is None


def frame(text: bytes, blob: bytes = b"", claimed: tuple[int, int] | None = None) -> io.BytesIO:
    return io.BytesIO(struct.pack(">II", *(claimed or (len(text), len(blob)))) + text + blob)


@pytest.mark.parametrize(
    "pipe",
    [
        io.BytesIO(b"\0\0\0"),
        frame(b"", claimed=(MAX_TEXT + 1, 0)),
        frame(b"", claimed=(2, MAX_BLOB + 1)),
        frame(b"[{}, []", claimed=(50, 0)),
        frame(b"no json"),
        frame(b"[[], []]"),
        frame(b"[{}, {}]"),
        frame(b"[{}, [], 3]"),
        frame(b"7"),
        frame(b"[" * 100_000),
        frame(b'[{}, ["3"]]', b"abc"),
        frame(b"[{}, [-1, 4]]", b"abc"),
        frame(b"[{}, [2]]", b"abc"),
        frame(b"[{}, [true]]", b"a"),
        frame(b"[{}, [3]]", b"ab", claimed=(9, 3)),
        frame(json.dumps([{}, [10]]).encode(), b"short", claimed=(10, 10)),
    ],
)
def test_whatever_else_is_refused(pipe: io.BytesIO) -> None:
    with pytest.raises(BadFrameError):
        receive(pipe)
