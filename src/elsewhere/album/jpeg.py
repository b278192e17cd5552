"""JPEG: the one encoder of everything that is shared or shown, and the parser that checks it.

The same pixels always give the same bytes. The parser reads segments without decoding a pixel, for
two purposes. In originals it finds what travels along unseen: comments, and data behind the end of
the picture (a motion photo's video, a gain map, anything). In renditions it proves that there is
nothing but the picture: the worker that made them read an untrusted file.

Between the last pixel and the end of image a decoder skips any data, and no marker announces it.
`reject_trailing_data` finds it by decoding: all but the last byte is given to a decoder that waits
for more where it needs it. The encoder writes no filler, so the last rows of an honest picture are
still missing then; if they are there already, more data follows them.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from PIL import Image

QUALITY = 90
"""Of renditions."""
PREVIEW_QUALITY = 80

SOI, EOI, SOS, COM = 0xD8, 0xD9, 0xDA, 0xFE
_BASELINE_FRAME = 0xC0
"""The only kind of frame that our encoder writes."""
_END = b"\xff\xd9"
_ANY_MARKER = re.compile(rb"\xff[^\x00]", re.DOTALL)
"""Anything in coded data that is not stuffing: our encoder writes no restarts or fill bytes."""
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]", re.DOTALL)
"""The end of entropy-coded data: a marker that is neither stuffing nor a restart."""
_BLOCK_SIDE = 8
"""Decoding at this fraction makes one pixel of each block, which is enough to see it."""


class Segment(NamedTuple):
    """One marker with its payload; for a scan, its header (the coded data follow it)."""

    marker: int
    start: int
    """Where the payload begins."""
    end: int
    """Where the next marker is expected."""


class NotJpegError(ValueError):
    """The bytes do not have the structure of a JPEG."""


def encode_jpeg(image: Image.Image, quality: int = QUALITY) -> bytes:
    """An RGB image as a bare JPEG: always the same bytes for the same pixels.

    Clears `image.info`, as Pillow would write a comment that it finds there.
    """
    image.info = {}
    file = io.BytesIO()
    image.save(
        file,
        "JPEG",
        quality=quality,
        subsampling="4:2:0",
        optimize=False,
        progressive=False,
        exif=b"",
        comment=b"",
        icc_profile=None,
    )
    return file.getvalue()


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
            following = _NEXT_MARKER.search(content, end)
            if following is None:
                raise NotJpegError("no end of image")
            yield Segment(marker, at + 2, end)
            end = following.start()
        else:
            yield Segment(marker, at + 2, end)
        at = end


def can_hold_pixels(length: int, size: tuple[int, int], progressive: bool) -> bool:
    """Whether `length` bytes can hold the pixels that a frame claims; true for every real photo.

    Every block of 64 pixels takes at least one bit (two, unless its parts come in several
    scans). A decoder would paint what is missing grey, after hours and gigabytes.
    """
    blocks = size[0] * size[1] // 64
    return blocks * (1 if progressive else 2) <= 8 * length


def size_if_bare(content: bytes, quality: int = QUALITY) -> tuple[int, int]:
    """Width and height of a JPEG exactly as our encoder writes them, else NotJpegError.

    Up to the coded pixels it must equal, byte for byte, what the encoder writes for any picture,
    except for the two numbers of its size. Behind the pixels come the end of image and the end of
    the file, and within them is no marker. `reject_trailing_data` checks the coded bytes.
    """
    header, at = _header(quality)
    size = content[at : at + 4]
    if content[: len(header)] != header[:at] + size + header[at + 4 :]:
        raise NotJpegError("what comes before its pixels is not what every rendition has there")
    end = _ANY_MARKER.search(content, len(header))
    if end is None or content[end.start() :] != _END:
        raise NotJpegError("something lies between its pixels, or follows the end of the picture")
    height, width = int.from_bytes(size[:2], "big"), int.from_bytes(size[2:], "big")
    if not width or not height:
        raise NotJpegError("it has no size")
    return width, height


@cache
def _header(quality: int) -> tuple[bytes, int]:
    """The bytes before the pixels of every rendition, and where in them its size is (4 bytes)."""
    from PIL import Image

    content = encode_jpeg(Image.new("RGB", (1, 1)), quality)
    by_marker = {segment.marker: segment for segment in segments(content)}
    return content[: by_marker[SOS].end], by_marker[_BASELINE_FRAME].start + 1


def reject_trailing_data(content: bytes, size: tuple[int, int]) -> None:
    """Raise NotJpegError where data follow the pixels of a bare JPEG of this size.

    The decoder reads a few bytes ahead, so fewer than eight may go unseen.
    """
    from PIL import Image

    canvas = Image.new("RGB", (-(-size[0] // _BLOCK_SIDE), -(-size[1] // _BLOCK_SIDE)))
    last_row = (0, canvas.height - 1, canvas.width, canvas.height)
    untouched = Image.frombytes("RGB", (canvas.width, 1), os.urandom(3 * canvas.width))
    canvas.paste(untouched, last_row)
    decoder: Any = Image._getdecoder("RGB", "jpeg", ("RGB", ""), (_BLOCK_SIDE, 0))
    decoder.setimage(canvas.im, (0, 0, *canvas.size))
    try:
        _, problem = decoder.decode(content[: -len(_END) - 1])
    finally:
        decoder.cleanup()
    if problem:
        raise NotJpegError("its pixels cannot be decoded")
    if canvas.crop(last_row).tobytes() != untouched.tobytes():
        raise NotJpegError("something lies between its last pixel and its end")
