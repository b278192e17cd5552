"""A photo as it would be shared: the bytes that are scored, planned on, and exported unchanged.

One encoder, one quality, one header for all: nothing in a rendition but its pixels says anything
about the camera, the editor or the day. Equal pixels give equal bytes. The preview that people
see in the report and on the page is made from the rendition, never from the original.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING

from elsewhere.album.encoding import PREVIEW_QUALITY, QUALITY, encoded
from elsewhere.album.jpeg import NotJpegError, size_if_bare
from elsewhere.album.spool import Spool, Ticket
from elsewhere.errors import FileError, InputError

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE = 2048
"""A phone's photo comes down to half, which a JPEG is decoded at for nothing; see decisions.md."""
PREVIEW_SIDE = 320
_LEAST_SIDE = 64
_MOST_SIDE = 65_500


@dataclass(frozen=True)
class Recipe:
    """How photos are rendered: the same way for all of an album."""

    max_side: int | None = MAX_SIDE
    """The longest side in pixels, which smaller photos are not enlarged to; None: full size."""

    def __post_init__(self) -> None:
        side = self.max_side
        if side is not None and not _LEAST_SIDE <= side <= _MOST_SIDE:
            raise InputError(
                f"the longest side of {side} pixels is out of bounds: "
                f"give {_LEAST_SIDE} to {_MOST_SIDE}, or ask for full size"
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
    """How many bytes the content has."""
    _content: Ticket = field(repr=False, compare=False)

    @property
    def content(self) -> bytes:
        """The JPEG; compared with its digest each time, for it may lie on a disk meanwhile."""
        content = self._content.read()
        if sha256(content).hexdigest() != self.digest:
            raise FileError(
                "a rendition changed while it waited on the disk: see whether the disk for "
                "temporary files is full or failing, and start again"
            )
        return content

    def forget(self) -> None:
        """Give up the content, where it was only wanted once; all else stays known."""
        self._content.forget()

    def opened(self) -> Image.Image:
        """The picture, of which nothing is decoded yet.

        Not by Pillow's front door, which warns of large pictures: ours may be as large as asked.
        """
        from PIL.JpegImagePlugin import JpegImageFile

        return JpegImageFile(io.BytesIO(self.content))

    def preview(self, side: int = PREVIEW_SIDE) -> bytes:
        """A small bare JPEG of the same picture, to show; made when it is asked for."""
        from PIL import Image

        image = self.opened()
        image.draft("RGB", (side, side))
        image.thumbnail((side, side), Image.Resampling.BICUBIC)
        return encoded(image, PREVIEW_QUALITY)


def accepted(content: bytes, recipe: Recipe, spool: Spool) -> Rendition:
    """What a worker handed over, once it is proved to be a bare picture of the right size.

    The worker has read a stranger's file. Were it taken over, the worst that it could hand over
    is a wrong picture: nothing that lies before or behind one, or between its parts, passes here.
    What hides behind its last pixel takes longer to see, and is looked for in what is written only.
    """
    try:
        width, height = size_if_bare(content)
        if max(width, height) > (recipe.max_side or _MOST_SIDE):
            raise FileError("its rendition is larger than it was asked to be")
    except NotJpegError as problem:
        raise FileError(f"its rendition is not a bare picture: {problem}") from None
    return Rendition(
        digest=sha256(content).hexdigest(),
        width=width,
        height=height,
        size=len(content),
        _content=spool.put(content),
    )
