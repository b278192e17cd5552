"""The one view of a photo that the embedded tower sees.

Training and the runtime share this file, because a head trained on one view and run on another
is quietly worse. The view is the whole photo squashed to a square: one forward pass a photo, and
nothing at the edges is lost (measured as good as three crops).
"""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from PIL import Image

SIDE = 224
"""Pixels on a side of what the tower takes."""

MEAN = (0.48145466, 0.4578275, 0.40821073)
STD = (0.26862954, 0.26130258, 0.27577711)
"""CLIP's own normalisation, per channel of RGB in 0..1."""

DRAFT_SIDE = 2 * SIDE
"""A JPEG may be decoded at reduced scale as long as both sides stay at least this long."""

# x / 255 normalised is x * SCALE + SHIFT: one multiplication and one addition a value.
_SCALE = np.array([1.0 / (255.0 * s) for s in STD], dtype=np.float32).reshape(3, 1, 1)
_SHIFT = np.array([-m / s for m, s in zip(MEAN, STD, strict=True)], dtype=np.float32).reshape(
    3, 1, 1
)


def view(image: Image.Image) -> npt.NDArray[np.float32]:
    """Return the (3, 224, 224) float32 tensor of a decoded or freshly opened picture.

    A freshly opened JPEG is told to decode at reduced scale first: of a 12-megapixel photo only a
    twentieth of the pixels would survive the squashing anyway.
    """
    from PIL import Image as Pillow

    image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
    flat = image if image.mode == "RGB" else image.convert("RGB")
    small = flat.resize((SIDE, SIDE), Pillow.Resampling.BICUBIC)
    pixels = np.asarray(small, dtype=np.uint8).transpose(2, 0, 1).astype(np.float32, order="C")
    pixels *= _SCALE  # in place: five times as fast, the same bits
    pixels += _SHIFT
    return pixels


def view_of(source: str | Path | IO[bytes], **open_options: Any) -> npt.NDArray[np.float32]:
    """Open a photo, turn it upright as its metadata says, and return its :func:`view`."""
    from PIL import Image as Pillow
    from PIL import ImageOps

    with Pillow.open(source, **open_options) as image:
        image.draft("RGB", (DRAFT_SIDE, DRAFT_SIDE))
        return view(ImageOps.exif_transpose(image))
