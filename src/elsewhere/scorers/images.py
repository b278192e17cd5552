"""From the bytes of a photo to upright RGB pixels, no larger than a scorer needs.

Big JPEGs are decoded at a reduced scale (an eighth of each side needs one coefficient per block),
which is what keeps decoding well below inference. Whatever is wrong with a file ends as one
sentence in a FileError; nothing that a decoder raises escapes from here.
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np

from elsewhere.errors import FileError

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF")
"""What Pillow is allowed to try; HEIC goes its own way."""
MAX_PIXELS = 100_000_000
"""Most pixels held in memory for one photo, counted at the scale it is decoded at."""

_ORIENTATION = 0x0112
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"msf1")


def upright(content: bytes, name: str, least: tuple[int, int]) -> Image.Image:
    """The photo as an upright RGB image, its sides at least `least` where the file has them.

    `least` is (width, height); it only steers how far a JPEG is reduced while it is decoded.
    """
    from PIL import Image, UnidentifiedImageError

    # A hint about a large picture or a bent tag is no news to a person; the limits are ours.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        image = _heif(content) if _is_heif(content) else _opened(content, least)
        if image.width * image.height > MAX_PIXELS:
            raise FileError(
                f"{name} has {image.width} × {image.height} pixels, more than the "
                f"{MAX_PIXELS // 1_000_000} million that fit in memory: make it smaller"
            )
        image.load()
        return _turned(_rgb(image), _orientation(image))
    except FileError:
        raise
    except UnidentifiedImageError:
        raise FileError(
            f"{name} is not a photo that can be read (JPEG, PNG, WebP, TIFF or HEIC): "
            "leave it out or save it anew"
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


def _opened(content: bytes, least: tuple[int, int]) -> Image.Image:
    """The picture behind its header, told how small it may decode itself; no pixel is read yet."""
    # The four readers that are allowed; without these imports Pillow would load all of its own.
    from PIL import (  # noqa: F401
        Image,
        JpegImagePlugin,
        PngImagePlugin,
        TiffImagePlugin,
        WebPImagePlugin,
    )

    image = Image.open(io.BytesIO(content), formats=FORMATS)
    # A photo on its side is reduced before it is turned, so both sides must allow for both.
    image.draft("RGB", (max(least), max(least)))
    return image


def _is_heif(content: bytes) -> bool:
    return content[4:8] == b"ftyp" and content[8:12] in _HEIF_BRANDS


def _heif(content: bytes) -> Image.Image:
    """An iPhone's format; its orientation is applied by the decoder."""
    import pi_heif

    found = pi_heif.open_heif(io.BytesIO(content), convert_hdr_to_8bit=True)
    if found.size[0] * found.size[1] > MAX_PIXELS:
        raise MemoryError
    image: Image.Image = found.to_pillow()
    image.getexif().clear()
    return image


def _orientation(image: Image.Image) -> int:
    """The camera's note on which way is up; 1 where there is none or it cannot be read."""
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # a bent tag must not cost the photo
        return 1


def _turned(image: Image.Image, orientation: int) -> Image.Image:
    """The image as the camera was held."""
    from PIL.Image import Transpose

    turn = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }.get(orientation)
    return image if turn is None else image.transpose(turn)


def _rgb(image: Image.Image) -> Image.Image:
    """Eight bits of red, green and blue; see-through parts lie on white, as browsers show them."""
    from PIL import Image

    if image.mode == "RGB":
        return image
    if image.mode.startswith("I"):
        # Sixteen bits; Pillow would clip them to white instead of scaling them.
        deep = np.asarray(image).astype(np.int64) >> 8
        return Image.fromarray(deep.clip(0, 255).astype(np.uint8)).convert("RGB")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layer = image.convert("RGBA")
        ground = Image.new("RGB", image.size, "white")
        ground.paste(layer, mask=layer.getchannel("A"))
        return ground
    return image.convert("RGB")
