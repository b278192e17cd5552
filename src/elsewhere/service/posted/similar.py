"""Public photos that look like one of the album's: the same picture, perhaps, compressed anew.

Platforms write their own files, so that bytes tell nothing. Two small grey versions that agree
nearly everywhere are worth a word to the person, who can see whether it is one picture or two of a
burst. Nothing is decided by it: a photo taken for another would be counted wrongly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Photo

SIDE = 24
ALIKE = 0.985
"""Correlation of the small versions from which on two photos look like one."""
_FLAT = 1e-3


Sketch: TypeAlias = NDArray[np.float64]
"""A picture in a few grey points."""


class Sketches:
    """Photos in small, drawn while their renditions are there: at `see`'s glance, or when asked."""

    def __init__(self) -> None:
        self._drawn: dict[str, Sketch] = {}

    def __call__(self, photo: Photo) -> None:
        """Draw one, to be found when its rendition is given up; from any thread."""
        self._drawn[photo.rendition.digest] = _small(photo)

    def of(self, photo: Photo) -> Sketch:
        """The photo in small; drawn now, where nobody has and its rendition is kept."""
        known = self._drawn.get(photo.rendition.digest)
        return _small(photo) if known is None else known


def alike(
    posted: Sequence[Photo], album: Sequence[Photo], sketches: Sketches
) -> list[tuple[int, int]]:
    """Pairs, by number, of a posted photo and the one of the album that it looks like."""
    if not posted or not album:
        return []
    ours = np.stack([sketches.of(photo) for photo in album])
    found = []
    for number, photo in enumerate(posted):
        agreement = ours @ sketches.of(photo)
        best = int(np.argmax(agreement))
        if agreement[best] >= ALIKE:
            found.append((number, best))
    return found


def _small(photo: Photo) -> Sketch:
    """The picture in a few grey points, its brightness and contrast taken out; of length one.

    All shapes become one square: a platform may have cut a few rows off.
    """
    from PIL import Image

    with photo.rendition.opened() as image:
        image.draft("L", (4 * SIDE, 4 * SIDE))
        grey = image.convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    points = np.asarray(grey, dtype=np.float64).ravel() / 255
    points -= points.mean()
    length = float(np.linalg.norm(points))
    return points / length if length > _FLAT * SIDE else np.zeros_like(points)
