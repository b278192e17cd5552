"""The one encoder of everything that is shared or shown: the same bytes for the same pixels."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

QUALITY = 90
"""Of renditions."""
PREVIEW_QUALITY = 80


def encoded(image: Image.Image, quality: int = QUALITY) -> bytes:
    """An RGB image as a bare JPEG: the same bytes for the same pixels, always.

    The image loses its notes: Pillow would write a comment that it finds among them.
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


@cache
def specimen(quality: int = QUALITY) -> bytes:
    """A picture of one pixel: all that is not pixels is as in every other one."""
    from PIL import Image

    return encoded(Image.new("RGB", (1, 1)), quality)
