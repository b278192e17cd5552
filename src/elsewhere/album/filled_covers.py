"""A shared picture as somebody sees it who paints its covers over.

A cover is plain, and a model may be put off by a plain rectangle as such. Whoever knows that paints
it in the colours around it. What a version hides must not come back by this.
"""

from __future__ import annotations

from io import BytesIO

import numpy as np

from elsewhere.values.versions import FULL, WHOLE, Edit

_GROWN = 0.015
"""By how much of a side covers are painted larger than planned, at most."""


def fill_covers(content: bytes, edit: Edit) -> bytes:
    """A shared picture whose covers have the mean colour of their borders, softened."""
    from PIL import Image, ImageFilter

    image = Image.open(BytesIO(content)).convert("RGB")
    crop = edit.crop or WHOLE
    across, down = image.width / (crop.right - crop.left), image.height / (crop.bottom - crop.top)
    for cover in edit.covers:
        box = (
            max(0, int((cover.left - crop.left - _GROWN * FULL) * across)),
            max(0, int((cover.top - crop.top - _GROWN * FULL) * down)),
            min(image.width, int((cover.right - crop.left + _GROWN * FULL) * across)),
            min(image.height, int((cover.bottom - crop.top + _GROWN * FULL) * down)),
        )
        if box[0] >= box[2] or box[1] >= box[3]:
            continue  # it is cropped off
        reach = max(2, round(0.02 * max(image.size)))
        around = (
            max(0, box[0] - reach),
            max(0, box[1] - reach),
            min(image.width, box[2] + reach),
            min(image.height, box[3] + reach),
        )
        pixels = np.asarray(image, dtype=np.float64)
        border = np.zeros(pixels.shape[:2], dtype=bool)
        border[around[1] : around[3], around[0] : around[2]] = True
        border[box[1] : box[3], box[0] : box[2]] = False
        mean = pixels[border].mean(axis=0) if border.any() else np.full(3, 128.0)
        image.paste(tuple(round(channel) for channel in mean.tolist()), box)
        soft = image.filter(ImageFilter.GaussianBlur(2 * reach))
        image.paste(soft.crop(box), box)
    out = BytesIO()
    image.save(out, "JPEG", quality=95)
    return out.getvalue()
