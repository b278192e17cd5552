"""A photo as it would be shared: the bytes that are scored, planned on, and exported unchanged.

One encoder, one quality, one header for all: nothing in a rendition but its pixels says anything
about the camera, the editor or the day. Equal pixels give equal bytes. The preview that people
see is made from the rendition, never from the original.

Renditions are kept in one temporary file, as a few hundred would fill a small machine's memory. It
has no name in any folder, so others cannot open it and nothing remains after `kill -9` (where the
system has no such file, it is deleted when it is closed). Space that is freed is used again.

The JPEG parser reads segments without decoding a pixel. In originals it finds what travels along
unseen: comments, and data behind the picture. In renditions it proves that there is nothing but the
picture, as the worker that made them read an untrusted file.

Between the last pixel and the end of image a decoder skips any data, and no marker announces it.
`reject_trailing_data` gives all but the last byte to a decoder that waits for more. The encoder
writes no filler, so the last rows of an honest picture are still missing then.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from elsewhere.errors import FileError, InputError

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE = 2048
"""Half of a phone's photo, and a JPEG is decoded at half its size at no cost; see decisions.md."""
PREVIEW_SIDE = 320
_MIN_SIDE_LIMIT = 64
_MAX_SIDE_LIMIT = 65_500


class Spool:
    """A temporary file of byte strings, which are found again by their start and length."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lengths: dict[int, int] = {}
        """The length of each stored string, by its start."""
        self._gaps: list[tuple[int, int]] = []
        """Free ranges, ascending: start and end."""
        self.size = 0
        """The size of the file on the disk."""
        try:
            self._file = tempfile.TemporaryFile("w+b", prefix="elsewhere-")  # noqa: SIM115
        except OSError as problem:
            raise _no_room(problem) from None

    def put(self, content: bytes) -> int:
        """Store bytes, in the first gap that is large enough or at the end; where they start."""
        length = len(content)
        with self._lock:
            for number, (start, end) in enumerate(self._gaps):
                if end - start >= length:
                    rest = [(start + length, end)] if end > start + length else []
                    self._gaps[number : number + 1] = rest
                    break
            else:
                start = self.size
                if self._gaps and self._gaps[-1][1] == self.size:  # the last gap grows
                    start = self._gaps.pop()[0]
            try:
                self._file.seek(start)
                self._file.write(content)
                self._file.flush()
            except OSError as problem:
                raise _no_room(problem) from None
            if content:
                self._lengths[start] = length
            self.size = max(self.size, start + length)
        return start

    def read(self, start: int, length: int) -> bytes:
        """Stored bytes; FileError where they were given up."""
        with self._lock:
            if length and self._lengths.get(start) != length:
                raise FileError("a rendition was asked for after it was given up")
            self._file.seek(start)
            return self._file.read(length)

    def forget(self, start: int, length: int) -> None:
        """Free the space of stored bytes; it will be overwritten."""
        with self._lock:
            if self._lengths.get(start) != length:
                return
            del self._lengths[start]
            gaps: list[tuple[int, int]] = []
            for gap_start, gap_end in sorted([*self._gaps, (start, start + length)]):
                if gaps and gaps[-1][1] == gap_start:
                    gaps[-1] = (gaps[-1][0], gap_end)
                else:
                    gaps.append((gap_start, gap_end))
            self._gaps = gaps

    def close(self) -> None:
        """Delete everything now."""
        with self._lock:
            if hasattr(self, "_file"):  # creating it may have failed
                self._file.close()

    __del__ = close


def _no_room(problem: OSError) -> FileError:
    where = "make room there"
    with suppress(OSError):  # there may be no folder at all
        where = f"make room in {tempfile.gettempdir()}"
    return FileError(
        f"the folder for temporary files cannot be written ({problem.strerror or problem}): "
        f"{where} or set TMPDIR to another folder"
    )


@dataclass(frozen=True)
class Recipe:
    """How photos are rendered: the same way for all of an album."""

    max_side: int | None = MAX_SIDE
    """The longest side in pixels; smaller photos are not enlarged. None: full size."""

    def __post_init__(self) -> None:
        side = self.max_side
        if side is not None and not _MIN_SIDE_LIMIT <= side <= _MAX_SIDE_LIMIT:
            raise InputError(
                f"the longest side of {side} pixels is out of bounds: "
                f"give {_MIN_SIDE_LIMIT} to {_MAX_SIDE_LIMIT}, or ask for full size"
            )

    def __str__(self) -> str:
        side = "full size" if self.max_side is None else f"{self.max_side} px"
        return f"JPEG {QUALITY} 4:2:0, {side}"


@dataclass(frozen=True)
class Rendition:
    """One photo, rendered. `content` is what is scored and what is exported."""

    digest: str
    """SHA-256 of the content."""
    width: int
    height: int
    size: int
    """The number of bytes of the content."""
    _spool: Spool | None = field(default=None, repr=False, compare=False)
    """Where the content is; None: it is not kept."""
    _start: int = field(default=0, repr=False, compare=False)

    @property
    def content(self) -> bytes:
        """The JPEG; compared with its digest each time, as it may lie on a disk meanwhile."""
        if self._spool is None:
            raise FileError("a rendition was asked for after it was given up")
        content = self._spool.read(self._start, self.size)
        if sha256(content).hexdigest() != self.digest:
            raise FileError(
                "a rendition changed while it waited on the disk: see whether the disk for "
                "temporary files is full or failing, and start again"
            )
        return content

    def forget(self) -> None:
        """Free the content where it is not needed again; the other fields stay."""
        if self._spool is not None:
            self._spool.forget(self._start, self.size)

    def open_image(self) -> Image.Image:
        """The image, not decoded yet.

        Not by `Image.open`, which warns of large images: ours may be as large as the user asked.
        """
        from PIL.JpegImagePlugin import JpegImageFile

        return JpegImageFile(io.BytesIO(self.content))

    def preview(self, side: int = PREVIEW_SIDE) -> bytes:
        """A small bare JPEG of the same image, to show."""
        from PIL import Image

        image = self.open_image()
        image.draft("RGB", (side, side))
        image.thumbnail((side, side), Image.Resampling.BICUBIC)
        return encode_jpeg(image, PREVIEW_QUALITY)


def accept_rendition(content: bytes, recipe: Recipe, spool: Spool) -> Rendition:
    """A worker's result, once it is proved to be a bare JPEG of the right size.

    The worker has read an untrusted file. Even if the file took the worker over, it can only hand
    over a wrong picture: nothing before, behind or between its parts passes here. Data hidden
    behind the last pixel takes longer to find, and is looked for on export only.
    """
    try:
        width, height = size_if_bare(content)
        if max(width, height) > (recipe.max_side or _MAX_SIDE_LIMIT):
            raise FileError("its rendition is larger than it was asked to be")
    except NotJpegError as problem:
        raise FileError(f"its rendition is not a bare picture: {problem}") from None
    digest = sha256(content).hexdigest()
    return Rendition(digest, width, height, len(content), spool, spool.put(content))


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
