"""Inside a worker: the pixels of an edited version.

No pixel that is taken out is in what is shared. Decoding and resizing spread a pixel of the
original over its neighbours: a JPEG over the block that it was coded in, resizing over a few pixels
around. A progressive JPEG whose last scans are missing is smoothed: its decoder guesses a block
from those up to two blocks away. So every pixel that could depend on a part that is taken out is
taken out with it: covers are painted that much larger, and crops are that much smaller. Two JPEG,
PNG or TIFF originals that differ only below a cover give the same bytes.

Of lossy WebP, AVIF and HEIC this cannot be said. Their encoders predict each block from others and
spend bits where a picture needs them, so what is below a cover already changed the rounding of
pixels anywhere in the original. Covers end at their largest blocks.

Covers are one plain colour, the same for all. The encoder sees only what was painted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from elsewhere.values.versions import FULL, Edit, Rectangle

if TYPE_CHECKING:
    from PIL import Image

COLOUR = (128, 128, 128)
"""Of every cover."""
_BLOCK = 16
"""Pixels on a side of what is coded together, where nothing more precise is known."""
_LARGE_BLOCK = 64
"""The same of AVIF and HEIC."""
_CHROMA_SPREAD = 2
"""Pixels that colour reaches beyond its block when a JPEG is decoded."""
_SMOOTHED_BLOCKS = 2
"""Blocks that a block reaches beyond its own when a progressive JPEG lacks scans."""
_RESIZE_SPREAD = 3
"""Pixels of the result that a pixel reaches beyond its own when a picture is resized."""
_TURNED = frozenset({5, 6, 7, 8})
"""Orientations that exchange width and height."""
_MIRRORED_X = frozenset({2, 3, 6, 7})
_MIRRORED_Y = frozenset({3, 4, 7, 8})
"""Orientations after which a block's grid begins at the right, or at the bottom."""


@dataclass(frozen=True)
class _Axis:
    """How far pixels of the original spread along one side of the upright picture."""

    pixels: int
    """Of the original."""
    block: int
    """Pixels that are coded together."""
    spread: int
    """Pixels that they reach beyond their block."""
    mirrored: bool
    """Whether blocks are counted from the far end."""

    def affected(self, start: int, end: int, shared: int) -> tuple[int, int]:
        """Where some of `shared` pixels may depend on what is between two thousandths."""
        if start == end:
            return (0, 0) if start == 0 else (shared, shared)
        first, last = start * self.pixels // FULL, -(-end * self.pixels // FULL)
        if self.mirrored:
            first, last = self.pixels - last, self.pixels - first
        first = first // self.block * self.block - self.spread
        last = -(-last // self.block) * self.block + self.spread
        if self.mirrored:
            first, last = self.pixels - last, self.pixels - first
        resized = 0 if shared == self.pixels else _RESIZE_SPREAD
        first, last = first * shared // self.pixels, -(-last * shared // self.pixels)
        return max(0, first - resized), min(shared, last + resized)


@dataclass(frozen=True)
class Spread:
    """How far a pixel of an original may be seen in its upright picture."""

    across: _Axis
    down: _Axis

    @classmethod
    def of(cls, image: Image.Image, size: tuple[int, int], orientation: int) -> Spread:
        """For a loaded original, its size before it was decoded, and how it is turned."""
        block, smoothed, spread = (_BLOCK, _BLOCK), 0, _BLOCK
        if image.format in ("JPEG", "MPO"):
            layers = cast(Any, image).layer  # identifier, horizontal and vertical sampling, table
            block = 8 * max(layer[1] for layer in layers), 8 * max(layer[2] for layer in layers)
            # a scan that is cut short cannot be told from a whole one by its header
            smoothed = _SMOOTHED_BLOCKS if "progressive" in image.info else 0
            spread = _CHROMA_SPREAD
        elif image.format == "PNG":
            block, spread = (1, 1), 0
        elif image.format in ("AVIF", "HEIF"):
            block = _LARGE_BLOCK, _LARGE_BLOCK
        if orientation in _TURNED:
            size, block = size[::-1], block[::-1]
        across, down = (smoothed * side + spread for side in block)
        return cls(
            _Axis(size[0], block[0], across, orientation in _MIRRORED_X),
            _Axis(size[1], block[1], down, orientation in _MIRRORED_Y),
        )


def apply_edit(picture: Image.Image, spread: Spread, edit: Edit) -> Image.Image | None:
    """A new picture after the edit; None where its crop leaves no pixel of a small one."""
    width, height = picture.size
    edited = picture.copy()
    for cover in edit.covers:
        left, right = spread.across.affected(cover.left, cover.right, width)
        top, bottom = spread.down.affected(cover.top, cover.bottom, height)
        edited.paste(COLOUR, (left, top, right, bottom))
    if edit.crop is None:
        return edited
    crop: Rectangle = edit.crop
    left = spread.across.affected(0, crop.left, width)[1]
    right = spread.across.affected(crop.right, FULL, width)[0]
    top = spread.down.affected(0, crop.top, height)[1]
    bottom = spread.down.affected(crop.bottom, FULL, height)[0]
    if left >= right or top >= bottom:
        return None
    return edited.crop((left, top, right, bottom))
