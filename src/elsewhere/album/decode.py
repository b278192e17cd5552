"""Colours as everybody sees them: eight bits of sRGB on white, whatever the file had.

A profile is a stranger's data like any other, and is never passed on: colours are converted and
the profile is dropped. One that cannot be used is ignored, as every viewer does.

Inside a worker: from the bytes of a photo to upright sRGB pixels of the size that is shared.

The kind was told by the bytes, so one decoder is tried and no other. Sizes are looked at before
any pixel is decoded. A JPEG that is twice too large is decoded at half its size or less, which
saves most of the time. What follows the picture (a motion photo's video, a gain map, a second
picture) is not looked at. Whatever is wrong is told as a RefusedError with its word.
"""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from elsewhere.album.jpeg import can_hold_pixels

if TYPE_CHECKING:
    from PIL import Image

MAX_PROFILE = 4 << 20
"""Bytes of a colour profile; printers' own, the largest there are, stay below it."""
_SPACES = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK", "LAB": "Lab "}


class UnknownPixelsError(ValueError):
    """The pixels are numbers whose meaning is not known, such as heights or temperatures."""


def to_eight_bits(image: Image.Image) -> Image.Image:
    """The image in a mode that can be resized: L, RGB, CMYK, LAB, or one of them with alpha."""
    if image.mode in ("RGB", "L", "CMYK", "RGBA", "LAB"):
        return image.convert("RGBA") if "transparency" in image.info else image
    if image.mode.startswith("I;16"):
        # Pillow would clip sixteen bits to white instead of scaling them.
        scaled: Image.Image = image.point(lambda value: value * (1 / 256))
        return scaled.convert("L")
    if image.mode in ("I", "F"):
        raise UnknownPixelsError(f"each of its pixels is one number of 32 bits (mode {image.mode})")
    if image.mode in ("LA", "La", "PA", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    return image.convert("RGB")


def flatten_on_white(image: Image.Image) -> Image.Image:
    """Without alpha: see-through parts lie on white, as browsers show them."""
    if image.mode != "RGBA":
        return image
    from PIL import Image

    ground = Image.new("RGB", image.size, "white")
    ground.paste(image, mask=image.getchannel("A"))
    return ground


def to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The image in sRGB, by its profile where that fits its pixels."""
    if profile is not None and (len(profile) > MAX_PROFILE or image.mode not in _SPACES):
        profile = None
    if profile is not None or image.mode == "LAB":
        from PIL import ImageCms

        try:
            transform = _transform(profile or b"", image.mode)
            if transform is not None:
                converted = ImageCms.applyTransform(image, transform)
                assert converted is not None
                return converted
        except (ImageCms.PyCMSError, ValueError, OSError):
            pass
    if image.mode == "LAB":
        raise UnknownPixelsError("its colours could not be converted")
    return image if image.mode == "RGB" else image.convert("RGB")


def profile_name(profile: bytes | None) -> str:
    """What a profile calls itself; some name the very monitor or camera they were made for."""
    if not profile or len(profile) > MAX_PROFILE:
        return ""
    from PIL import ImageCms

    try:
        opened = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        return ImageCms.getProfileDescription(opened).strip()
    except (ImageCms.PyCMSError, ValueError, OSError):
        return "unreadable"


@lru_cache(maxsize=8)
def _transform(profile: bytes, mode: str) -> Any:
    """The way from a profile to sRGB; a camera's photos all share one, and building it is slow."""
    from PIL import ImageCms

    source: Any
    if mode == "LAB":
        source = ImageCms.createProfile("LAB")
    else:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if source.profile.xcolor_space.strip() != _SPACES[mode].strip():
            return None
    return ImageCms.buildTransform(
        source,
        ImageCms.createProfile("sRGB"),
        mode,
        "RGB",
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )


MAX_PIXELS = 130_000_000
"""Most pixels held at once, at the scale that is decoded: half a gigabyte."""
MAX_SIDE = 65_500
"""The longest side that a JPEG can have."""

_NEARLY = 0.9
"""A picture that comes out of the decoder so near the longest side is left at its size."""
_PARTS = (2, 4, 8)
"""The fractions that a JPEG can be decoded at."""
_ORIENTATION = 0x0112
_SUBFILE, _PHOTOMETRIC, _DNG = 0x00FE, 0x0106, 0xC612
_RAW_PHOTOMETRICS = (32803, 34892)
"""What a sensor saw, before it is made into colours."""


class RefusedError(Exception):
    """The file is not taken; `kind` is one of left.KINDS, the text what was found."""

    def __init__(self, kind: str, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


def warm_up() -> None:
    """Load everything that is needed later, before the limits are drawn tight."""
    from PIL import (  # noqa: F401
        AvifImagePlugin,
        Image,
        ImageCms,
        IptcImagePlugin,
        JpegImagePlugin,
        MpoImagePlugin,
        PngImagePlugin,
        TiffImagePlugin,
        WebPImagePlugin,
    )

    import pi_heif  # isort: skip

    # Hints about large pictures and bent tags are no news to a person; the limits are ours.
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    pi_heif.options.DECODE_THREADS = 1  # there are as many workers as cores


def open_image(content: bytes, kind: str) -> Image.Image:
    """The picture behind its header; no pixel is decoded yet."""
    from PIL import Image, UnidentifiedImageError

    try:
        if kind == "heic":
            return _heic(content)
        image = Image.open(io.BytesIO(content), formats=[kind.upper()])
    except UnidentifiedImageError:
        raise RefusedError("damaged", f"it begins like {_article(kind)} and is none") from None
    if kind == "jpeg" and not can_hold_pixels(
        len(content), image.size, "progressive" in image.info
    ):
        raise RefusedError("damaged", "it claims far more pixels than it has: leave it out")
    if kind == "tiff":
        _refuse_raw(image)
    if _moves(image):
        raise RefusedError("animated")
    return image


def render_pixels(image: Image.Image, max_side: int | None, most: int = MAX_PIXELS) -> Image.Image:
    """Upright, sRGB, its long side at most `max_side`: the picture as it would be shared."""
    size = _shared(image.size, max_side)
    width, height = image.size
    # A progressive JPEG is held whole, whatever scale it is decoded at: up to six bytes a pixel.
    too_many = "progressive" in image.info and width * height > 2 * most
    if image.format in ("JPEG", "MPO"):
        image.draft(image.mode, size)
    if too_many or image.width * image.height > most:
        raise RefusedError("pixels", f"it has {width} × {height} pixels: make it smaller")
    if max(size) > MAX_SIDE:
        raise RefusedError(
            "pixels", f"its longer side of {max(size)} pixels is too long for a JPEG"
        )
    try:
        image.load()
        # Only now: a PNG may say it behind its pixels, and a TIFF is turned while it is loaded.
        orientation = _orientation(image)
        profile = image.info.get("icc_profile")
        if image.format == "TIFF":
            size = _shared(image.size, max_side)
        ready = to_eight_bits(image)
    except UnknownPixelsError as problem:
        raise RefusedError("unsupported", f"{problem}: save it as JPEG") from None
    if ready.size != size:
        ready = _resized(ready, size)
    return _turned(to_srgb(flatten_on_white(ready), profile), orientation)


def _heic(content: bytes) -> Image.Image:
    """Apple's format; its decoder turns the picture upright by itself."""
    import pi_heif

    try:
        # Looked into without decoding; the size is known before the pixels are.
        found = pi_heif.open_heif(io.BytesIO(content), convert_hdr_to_8bit=True)
    except EOFError:
        raise RefusedError("damaged", "it is cut short") from None
    width, height = found.size
    if width * height > MAX_PIXELS:
        raise RefusedError("pixels", f"it has {width} × {height} pixels: make it smaller")
    image: Image.Image = found.to_pillow()
    image.format = "HEIF"
    return image


def _moves(image: Image.Image) -> bool:
    """Whether there are several pictures to see; a JPEG's second one is a camera's by-product."""
    return image.format != "MPO" and getattr(image, "n_frames", 1) > 1


def _refuse_raw(image: Any) -> None:
    """A raw file may call itself TIFF, and its first picture is then a mere thumbnail."""
    tags = image.tag_v2
    if _DNG in tags or tags.get(_PHOTOMETRIC) in _RAW_PHOTOMETRICS or tags.get(_SUBFILE) == 1:
        raise RefusedError("raw")


def _shared(size: tuple[int, int], max_side: int | None) -> tuple[int, int]:
    """The size to share: never enlarged, the proportions kept, a simple fraction where one will do.

    A half, quarter or eighth that is nearly the size asked for costs next to nothing (a JPEG is
    decoded at it at once); to resize it once more would take as long as all the rest, and blur it.
    """
    width, height = size
    if max_side is None or max(size) <= max_side:
        return size
    for part in _PARTS:
        if _NEARLY * max_side <= -(-max(size) // part) <= max_side:
            return -(-width // part), -(-height // part)
    scale = max_side / max(size)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _resized(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    from PIL.Image import Resampling

    for part in _PARTS:
        if (-(-image.width // part), -(-image.height // part)) == size:
            return image.reduce(part)
    return image.resize(size, Resampling.BICUBIC, reducing_gap=3.0)


def _orientation(image: Image.Image) -> int:
    """The camera's note on which way is up; 1 where there is none or it cannot be read."""
    if image.format == "HEIF":
        return 1  # said in the container, and heeded by the decoder
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


def _article(kind: str) -> str:
    return f"{'an' if kind in ('avif',) else 'a'} {kind.upper()}"
