"""Inside a worker: from the bytes of a photo to upright sRGB pixels of the size that is shared.

The bytes decide the kind, so one decoder is tried and no other. Sizes are checked before any pixel
is decoded. A JPEG that is twice too large is decoded at half its size or less, which saves most of
the time. What follows the picture (a motion photo's video, a gain map, a second picture) is not
read. Every failure is a RefusedError with its kind.

Colours become eight bits of sRGB on white. A profile is untrusted data and never passed on: colours
are converted and the profile is dropped. One that cannot be used is ignored, as viewers do.
"""

from __future__ import annotations

import codecs
import io
import time
import warnings
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from elsewhere.album.files import SkipKind
from elsewhere.album.renditions import can_hold_pixels

if TYPE_CHECKING:
    from PIL import Image

MAX_PIXELS = 130_000_000
"""Most pixels held at once, at the scale that is decoded: half a gigabyte."""
MAX_SIDE = 65_500
"""The longest side that a JPEG can have."""
MAX_PROFILE = 4 << 20
"""Bytes of a colour profile; printers' own, the largest there are, stay below it."""
_COLOUR_SPACES = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK", "LAB": "Lab "}
_CLOSE_ENOUGH = 0.9
"""A decoded picture whose longest side is this close to the limit is not resized."""
_FRACTIONS = (2, 4, 8)
"""The fractions that a JPEG can be decoded at."""
_ORIENTATION = 0x0112
_SUBFILE, _PHOTOMETRIC, _DNG = 0x00FE, 0x0106, 0xC612
_RAW_PHOTOMETRICS = (32803, 34892)
"""Sensor data that are not colours yet."""


class UnknownPixelsError(ValueError):
    """The pixels are numbers of unknown meaning, such as heights or temperatures."""


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
    """Without alpha: transparent parts become white, as browsers show them."""
    if image.mode != "RGBA":
        return image
    from PIL import Image

    white = Image.new("RGB", image.size, "white")
    white.paste(image, mask=image.getchannel("A"))
    return white


def to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """The image in sRGB, by its profile where that fits its pixels."""
    if profile is not None and (len(profile) > MAX_PROFILE or image.mode not in _COLOUR_SPACES):
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
    """The name in a profile; some name the monitor or camera that they were made for."""
    if not profile or len(profile) > MAX_PROFILE:
        return ""
    from PIL import ImageCms

    try:
        return ImageCms.getProfileDescription(ImageCms.ImageCmsProfile(io.BytesIO(profile))).strip()
    except (ImageCms.PyCMSError, ValueError, OSError):
        return "unreadable"


@lru_cache(maxsize=8)
def _transform(profile: bytes, mode: str) -> Any:
    """The transform from a profile to sRGB: slow to build, and shared by a camera's photos."""
    from PIL import ImageCms

    source: Any
    if mode == "LAB":
        source = ImageCms.createProfile("LAB")
    else:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if source.profile.xcolor_space.strip() != _COLOUR_SPACES[mode].strip():
            return None
    return ImageCms.buildTransform(
        source,
        ImageCms.createProfile("sRGB"),
        mode,
        "RGB",
        renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC,
        flags=ImageCms.Flags.BLACKPOINTCOMPENSATION,
    )


class RefusedError(Exception):
    """The file is refused; `kind` is a SkipKind, the text is what was found."""

    def __init__(self, kind: SkipKind, detail: str = "") -> None:
        super().__init__(detail)
        self.kind = kind


def warm_up() -> None:
    """Load everything that is needed later: afterwards nothing can be opened."""
    from PIL import (  # noqa: F401
        AvifImagePlugin,
        Image,
        ImageCms,
        ImageColor,
        ImagePalette,
        IptcImagePlugin,
        JpegImagePlugin,
        MpoImagePlugin,
        PngImagePlugin,
        TiffImagePlugin,
        WebPImagePlugin,
    )

    import pi_heif  # isort: skip

    # Warnings about large pictures and damaged tags reach nobody; the limits are ours.
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = None
    Image.preinit()
    datetime.strptime("2000", "%Y")  # loads its parser and the locale
    time.localtime()  # loads the time zone
    codecs.lookup("unicode_escape")  # how unprintable characters are shown
    pi_heif.options.DECODE_THREADS = 1  # there are as many workers as cores


def open_image(content: bytes, kind: str) -> Image.Image:
    """The picture with its header read; no pixel is decoded yet."""
    from PIL import Image, UnidentifiedImageError

    try:
        if kind == "heic":
            return _open_heic(content)
        if kind == "webp":  # its decoder would rather say that it is damaged
            _refuse_large(*webp_size(content))
        image = Image.open(io.BytesIO(content), formats=[kind.upper()])
    except UnidentifiedImageError:
        article = "an" if kind == "avif" else "a"
        detail = f"it begins like {article} {kind.upper()} and is none"
        raise RefusedError("damaged", detail) from None
    if kind == "jpeg" and not can_hold_pixels(
        len(content), image.size, "progressive" in image.info
    ):
        raise RefusedError("damaged", "it claims far more pixels than it has: leave it out")
    if kind == "tiff":
        # A raw file may call itself TIFF, and its first picture is then only a thumbnail.
        tags = cast(Any, image).tag_v2
        if _DNG in tags or tags.get(_PHOTOMETRIC) in _RAW_PHOTOMETRICS or tags.get(_SUBFILE) == 1:
            raise RefusedError("raw")
    # The second picture of a JPEG (MPO) is a by-product of the camera.
    if image.format != "MPO" and getattr(image, "n_frames", 1) > 1:
        raise RefusedError("animated")
    return image


def webp_size(content: bytes) -> tuple[int, int]:
    """Width and height as the header of a WebP says; (0, 0) where it says nothing.

    >>> webp_size(b"RIFF\\0\\0\\0\\0WEBPVP8X" + bytes(8) + bytes([1, 2, 0, 2, 0, 0]))
    (514, 3)
    """
    kind, fields = content[12:16], content[20:30]
    if len(fields) == 10 and kind == b"VP8X":
        return 1 + int.from_bytes(fields[4:7], "little"), 1 + int.from_bytes(fields[7:], "little")
    if len(fields) == 10 and kind == b"VP8L":
        packed = int.from_bytes(fields[1:5], "little")
        return 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF)
    if len(fields) == 10 and kind == b"VP8 ":
        width, height = (int.from_bytes(fields[n : n + 2], "little") & 0x3FFF for n in (6, 8))
        return width, height
    return 0, 0


def _refuse_large(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise RefusedError("pixels", f"it has {width} × {height} pixels: make it smaller")


def _open_heic(content: bytes) -> Image.Image:
    """Apple's format; its decoder turns the picture upright by itself."""
    import pi_heif

    try:
        heif = pi_heif.open_heif(io.BytesIO(content), convert_hdr_to_8bit=True)
    except EOFError:
        raise RefusedError("damaged", "it is cut short") from None
    _refuse_large(*heif.size)
    image: Image.Image = heif.to_pillow()
    image.format = "HEIF"
    return image


def render_pixels(
    image: Image.Image, max_side: int | None, max_pixels: int = MAX_PIXELS
) -> Image.Image:
    """The picture as it would be shared: upright, sRGB, its long side at most `max_side`."""
    from PIL.Image import Resampling

    size = _shared_size(image.size, max_side)
    width, height = image.size
    # A progressive JPEG is held whole, whatever scale it is decoded at: up to six bytes a pixel.
    too_many = "progressive" in image.info and width * height > 2 * max_pixels
    if image.format in ("JPEG", "MPO"):
        image.draft(image.mode, size)
    if too_many or image.width * image.height > max_pixels:
        raise RefusedError("pixels", f"it has {width} × {height} pixels: make it smaller")
    if max(size) > MAX_SIDE:
        raise RefusedError(
            "pixels",
            f"its longer side of {max(size)} pixels is too long for a JPEG: make it smaller",
        )
    try:
        image.load()
        orientation = read_orientation(image)
        profile = image.info.get("icc_profile")
        if image.format == "TIFF":
            size = _shared_size(image.size, max_side)
        picture = to_eight_bits(image)
    except UnknownPixelsError as problem:
        raise RefusedError("unsupported", f"{problem}: save it as JPEG") from None
    if picture.size != size:
        for fraction in _FRACTIONS:
            if (-(-picture.width // fraction), -(-picture.height // fraction)) == size:
                picture = picture.reduce(fraction)
                break
        else:
            picture = picture.resize(size, Resampling.BICUBIC, reducing_gap=3.0)
    return _turn(to_srgb(flatten_on_white(picture), profile), orientation)


def read_orientation(image: Image.Image) -> int:
    """How a loaded picture is to be turned, as its metadata say.

    Not before it is loaded: a PNG may have it behind its pixels, and a TIFF is turned meanwhile.
    """
    orientation = 1  # upright; the decoder of HEIC has applied it
    if image.format != "HEIF":
        with suppress(Exception):  # a damaged tag must not cost the photo
            orientation = int(image.getexif().get(_ORIENTATION, 1))
    return orientation


def _shared_size(size: tuple[int, int], max_side: int | None) -> tuple[int, int]:
    """The size to share: never enlarged, in proportion, a simple fraction where one will do.

    A half, quarter or eighth that is nearly the size asked for costs almost nothing, as a JPEG is
    decoded at it. To resize it once more would take as long as all the rest, and blur it.
    """
    width, height = size
    if max_side is None or max(size) <= max_side:
        return size
    for fraction in _FRACTIONS:
        if _CLOSE_ENOUGH * max_side <= -(-max(size) // fraction) <= max_side:
            return -(-width // fraction), -(-height // fraction)
    scale = max_side / max(size)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _turn(image: Image.Image, orientation: int) -> Image.Image:
    """The image upright."""
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
