"""Colours as everybody sees them: eight bits of sRGB on white, whatever the file had.

A profile is a stranger's data like any other, and is never passed on: colours are converted and
the profile is dropped. One that cannot be used is ignored, as every viewer does.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

MAX_PROFILE = 4 << 20
"""Bytes of a colour profile; printers' own, the largest there are, stay below it."""
_SPACES = {"RGB": "RGB ", "L": "GRAY", "CMYK": "CMYK", "LAB": "Lab "}


class UnknownPixelsError(ValueError):
    """The pixels are numbers whose meaning is not known, such as heights or temperatures."""


def eight_bits(image: Image.Image) -> Image.Image:
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


def on_white(image: Image.Image) -> Image.Image:
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


def description(profile: bytes | None) -> str:
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
