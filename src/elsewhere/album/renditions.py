"""A photo as it would be shared: the bytes that are scored, planned on, and exported unchanged.

One encoder, one quality, one header for all: nothing in a rendition but its pixels says anything
about the camera, the editor or the day. Equal pixels give equal bytes. The preview that people
see in the report and on the page is made from the rendition, never from the original.

Renditions are kept in one temporary file, as a few hundred would fill the memory of a small
machine. The file has no name in any folder, so others cannot open it and nothing remains after
`kill -9` (where the system has no such file, it is deleted when it is closed). Space of bytes that
are no longer needed is used again: thousands of photos that only pass through take no more space
than the few in progress.
"""

from __future__ import annotations

import io
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from elsewhere.album.jpeg import PREVIEW_QUALITY, QUALITY, NotJpegError, encode_jpeg, size_if_bare
from elsewhere.errors import FileError, InputError

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE = 2048
"""Half of a phone's photo, and a JPEG is decoded at half its size at no cost; see decisions.md."""
PREVIEW_SIDE = 320
_MIN_SIDE_LIMIT = 64
_MAX_SIDE_LIMIT = 65_500


class Spool:
    """A temporary file of byte strings: `put` returns a ticket, the ticket reads them again."""

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

    def put(self, content: bytes) -> Ticket:
        """Store bytes, in the first gap that is large enough or at the end."""
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
        return Ticket(self, start, length)

    def get(self, start: int, length: int) -> bytes:
        """The bytes of a ticket that was not forgotten."""
        with self._lock:
            if length and self._lengths.get(start) != length:
                raise FileError("a rendition was asked for after it was given up")
            self._file.seek(start)
            return self._file.read(length)

    def forget(self, start: int, length: int) -> None:
        """Free the space of a ticket; it will be overwritten."""
        with self._lock:
            if self._lengths.get(start) != length:
                return
            del self._lengths[start]
            gaps: list[tuple[int, int]] = []
            for begin, end in sorted([*self._gaps, (start, start + length)]):
                if gaps and gaps[-1][1] == begin:
                    gaps[-1] = (gaps[-1][0], end)
                else:
                    gaps.append((begin, end))
            self._gaps = gaps

    def close(self) -> None:
        """Delete everything now."""
        with self._lock:
            self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):  # creating it may have failed
            self._file.close()


def _no_room(problem: OSError) -> FileError:
    where = "make room there"
    with suppress(OSError):  # there may be no folder at all
        where = f"make room in {tempfile.gettempdir()}"
    return FileError(
        f"the folder for temporary files takes no more ({problem.strerror or problem}): {where} "
        "or set TMPDIR to another folder"
    )


@dataclass(frozen=True)
class Ticket:
    """Some bytes in a spool."""

    spool: Spool = field(repr=False, compare=False)
    start: int
    length: int

    def read(self) -> bytes:
        """The bytes."""
        return self.spool.get(self.start, self.length)

    def forget(self) -> None:
        """Free their space."""
        self.spool.forget(self.start, self.length)


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
    _content: Ticket = field(repr=False, compare=False)

    @property
    def content(self) -> bytes:
        """The JPEG; compared with its digest each time, as it may lie on a disk meanwhile."""
        content = self._content.read()
        if sha256(content).hexdigest() != self.digest:
            raise FileError(
                "a rendition changed while it waited on the disk: see whether the disk for "
                "temporary files is full or failing, and start again"
            )
        return content

    def forget(self) -> None:
        """Free the content where it is not needed again; the other fields stay."""
        self._content.forget()

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
    return Rendition(digest, width, height, len(content), spool.put(content))
