"""The skeleton of a JPEG: its segments, without decoding a pixel.

Used twice, for opposite ends. On originals it finds what travels along unseen: comments, and what
lies behind the picture's end (a motion photo's video, a gain map, anything). On renditions it
proves that there is nothing but the picture: the worker that made them read a stranger's file,
so its word is not enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

SOI, EOI, SOS, COM, APP0 = 0xD8, 0xD9, 0xDA, 0xFE, 0xE0
_JFIF = b"JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
"""The one header that our encoder writes: version 1.1, no density, no thumbnail."""
_PICTURE = {0xDB, 0xC0, 0xC4, SOS}
"""Tables, a baseline frame, and the scan: what a picture needs, and no other segment."""
_NEXT = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]", re.DOTALL)
"""The end of entropy-coded data: a marker that is neither stuffing nor a restart."""


class Segment(NamedTuple):
    """One marker with its payload; for a scan, its header (the coded data follow it)."""

    marker: int
    start: int
    """Where the payload begins."""
    end: int
    """Where the next marker is expected."""


class NotJpegError(ValueError):
    """The bytes do not have the skeleton of a JPEG."""


def segments(content: bytes) -> Iterator[Segment]:
    """The segments from the start of image to the end of image, both included."""
    if content[:2] != b"\xff\xd8":
        raise NotJpegError("no start of image")
    yield Segment(SOI, 2, 2)
    at = 2
    while True:
        marker_at = at
        while content[at : at + 1] == b"\xff":
            at += 1
        if at == marker_at or at >= len(content):
            raise NotJpegError("no marker where one belongs")
        marker = content[at]
        at += 1
        if marker == EOI:
            yield Segment(EOI, at, at)
            return
        length = int.from_bytes(content[at : at + 2], "big")
        if length < 2 or at + length > len(content):
            raise NotJpegError("a segment is cut short")
        end = at + length
        if marker == SOS:
            found = _NEXT.search(content, end)
            if found is None:
                raise NotJpegError("no end of image")
            yield Segment(marker, at + 2, end)
            end = found.start()
        else:
            yield Segment(marker, at + 2, end)
        at = end


def can_fill(length: int, size: tuple[int, int], progressive: bool) -> bool:
    """Whether a file of `length` bytes can hold what its frame claims; no true photo fails.

    Every block of 64 pixels takes at least one bit (two, unless its parts come in several
    scans). A decoder would paint what is missing grey, after hours and gigabytes.
    """
    blocks = size[0] * size[1] // 64
    return blocks * (1 if progressive else 2) <= 8 * length


def size_if_bare(content: bytes) -> tuple[int, int]:
    """Width and height of a JPEG that holds a picture and nothing else; else a NotJpegError.

    One fixed header, tables, one frame of three channels, one scan, the end, and no byte more.
    """
    size = (0, 0)
    last = 0
    for number, (marker, start, end) in enumerate(segments(content)):
        if number == 1:
            if marker != APP0 or content[start:end] != _JFIF:
                raise NotJpegError("its header is not the one fixed header")
        elif number > 1 and marker not in _PICTURE and marker != EOI:
            raise NotJpegError(f"it holds a segment that no picture needs ({marker:#04x})")
        if marker == 0xC0:
            if size != (0, 0) or end - start != 15 or content[start + 5] != 3:
                raise NotJpegError("its frame is not one of three channels")
            size = (
                int.from_bytes(content[start + 3 : start + 5], "big"),
                int.from_bytes(content[start + 1 : start + 3], "big"),
            )
        last = end
    if last != len(content):
        raise NotJpegError("something follows the end of the picture")
    if not all(size):
        raise NotJpegError("it has no size")
    return size[0], size[1]
