"""Small pictures of the photos on the table: each made once, in memory, and only so many of them.

They are made from the rendition and never from the original. A thousand of them take about
15 MB; where there are more, those that nobody asked for longest are made again when needed.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from elsewhere.album import Rendition

SIDES = (320, 1280)
"""For the grid, and for a closer look."""
ROOM = 48 << 20
"""Bytes."""


class Thumbnails:
    """Pictures by what they are of and how large; safe to ask from several threads."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._lock = threading.Lock()
        # decoding takes a core, and plans need one too; whoever asks for the same waits for it
        self._making = [threading.Lock() for _ in range(2)]
        self._made: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._used = 0

    @property
    def used(self) -> int:
        """Bytes taken."""
        return self._used

    def get(self, rendition: Rendition, side: int) -> bytes:
        """The picture of a rendition, not larger than `side`."""
        key = rendition.digest, side
        found = self._known(key)
        if found is not None:
            return found
        with self._making[hash(key) % len(self._making)]:
            found = self._known(key)  # somebody may have asked for the same a moment before
            if found is None:
                found = rendition.preview(side)
                self._keep(key, found)
            return found

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._made.clear()
            self._used = 0

    def _known(self, key: tuple[str, int]) -> bytes | None:
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def _keep(self, key: tuple[str, int], picture: bytes) -> None:
        with self._lock:
            self._made[key] = picture
            self._used += len(picture)
            while self._used > self._room and len(self._made) > 1:
                _, old = self._made.popitem(last=False)
                self._used -= len(old)
