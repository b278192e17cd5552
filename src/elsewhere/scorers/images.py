"""From the bytes of a rendition to RGB pixels, no larger than a scorer needs.

Only renditions are decoded here, in the process that scores: plain JPEGs of our own making, upright
and sRGB (or PNGs, where not a bit may be lost). Files from strangers never come so far: the album
room decodes them in processes of their own. Large JPEGs are decoded at a reduced scale (an eighth
of each side needs one coefficient per block), which keeps decoding well below inference.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

from elsewhere.errors import FileError

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("JPEG", "PNG")
"""What Pillow is allowed to try."""
MAX_PIXELS = 100_000_000
"""Most pixels held in memory for one photo, counted at the scale it is decoded at."""


def decode_rendition(content: bytes, name: str, least: tuple[int, int]) -> Image.Image:
    """The rendition as an RGB image, its sides at least `least` where the file has them.

    `least` is (width, height); it only steers how far a JPEG is reduced while it is decoded.
    Whatever is wrong ends as one sentence in a FileError.
    """
    # The readers that are allowed; without these imports Pillow would load all of its own.
    from PIL import Image, JpegImagePlugin, PngImagePlugin, UnidentifiedImageError  # noqa: F401

    try:
        with warnings.catch_warnings():
            # A hint about a large picture is no news to a person; the limits are ours.
            warnings.simplefilter("ignore")
            image = Image.open(io.BytesIO(content), formats=FORMATS)
        image.draft("RGB", (max(least), max(least)))
        if image.width * image.height > MAX_PIXELS:
            raise FileError(
                f"{name} has {image.width} × {image.height} pixels, more than the "
                f"{MAX_PIXELS // 1_000_000} million that fit in memory: make it smaller"
            )
        return image.convert("RGB")
    except FileError:
        raise
    except UnidentifiedImageError:
        raise FileError(
            f"{name} is no rendition (a plain JPEG or PNG): have the album render it first"
        ) from None
    except Image.DecompressionBombError:
        raise FileError(f"{name} claims more pixels than a camera makes: leave it out") from None
    except MemoryError:
        raise FileError(f"{name} does not fit in memory: make it smaller") from None
    except Exception as problem:  # a decoder may raise anything at all on a damaged file
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise FileError(
            f"{name} is damaged and cannot be decoded ({reason}): leave it out or save it anew"
        ) from None
