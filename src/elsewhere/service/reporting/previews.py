"""Small pictures for the report: as large as they can be while the whole page stays light.

Who opens the report on a phone must not wait for it, and 400 photos must fit into five megabytes.
So the side is chosen by what a few photos of this album weigh, and checked on all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere.album import Photo

SIDES = (320, 240, 200, 160, 128, 96, 64)
ROOM = 4_200_000
"""Bytes for the pictures as they stand in the page; the rest of it needs less than what is left
to five megabytes."""
_CARD = 1_200
"""What a photo's name, numbers and frame weigh, at the most."""
_TRIED = 8


def previews(photos: Sequence[Photo], room: int = ROOM) -> tuple[bytes, ...]:
    """A small JPEG of every rendition, all of the same side; the smallest where none fits."""
    step = max(1, len(photos) // _TRIED)
    for side in SIDES:
        last = side == SIDES[-1]
        few = [photo.rendition.preview(side) for photo in photos[::step]]
        if not last and weight(few) * len(photos) / max(1, len(few)) > room:
            continue
        made = tuple(photo.rendition.preview(side) for photo in photos)
        if last or weight(made) <= room:
            return made
    raise AssertionError("the smallest side is always taken")


def weight(made: Sequence[bytes]) -> int:
    """Bytes in the page: base64 makes four of three."""
    return sum((len(one) + 2) // 3 * 4 + _CARD for one in made)
