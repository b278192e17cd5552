"""Small pictures of the photos on the table: each made once, in memory, and only so many of them.

They are made from the rendition and never from the original. A thousand of them take about
15 MB; where there are more, those that nobody asked for longest are made again when needed.

The photos of one album as they are laid on the table, and the signed links to their pictures.

It is a value of the album's own, swapped whole when another one is opened: a link, a picture or a
late reader of the old album finds the old one, or nothing, and never the new.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from elsewhere.album import Photo, Rendition
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions.jobs import left_of
from elsewhere.service import Step

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


class PhotoIndex:
    """The photos that were read so far, by number, and what was left out."""

    def __init__(self, keys: Keys, number: int) -> None:
        self.number = number
        """Of the album; its links lead to no other."""
        self._keys = keys
        self._lock = threading.Lock()
        self._photos: list[Photo] = []
        self._at: dict[str, int] = {}
        self._left: list[models.SkippedFileModel] = []
        self._thumbs = Thumbnails()

    def lay(self, step: Step) -> int:
        """What was just read, on the table at once; how many lie there."""
        with self._lock:
            self._left += [left_of(one) for one in step.left]
            if step.photo is not None:
                self._at[step.photo.rendition.digest] = len(self._photos)
                self._photos.append(step.photo)
            return len(self._photos)

    def clear(self) -> None:
        """Their renditions are gone: no link leads to them any more."""
        with self._lock:
            self._photos, self._at = [], {}
        self._thumbs.clear()

    def left(self) -> list[models.SkippedFileModel]:
        """What is not on the table."""
        with self._lock:
            return list(self._left)

    def told(self) -> list[models.PhotoModel]:
        """All photos, as long as nothing more is known of them."""
        with self._lock:
            laid = list(self._photos)
        return [self.photo(n, photo) for n, photo in enumerate(laid)]

    def photo(self, n: int, photo: Photo) -> models.PhotoModel:
        """A photo that was read and is not yet scored."""
        made = photo.rendition
        return models.PhotoModel(
            n=n, id=photo.id, width=made.width, height=made.height, thumb=self.link(photo)
        )

    def link(self, photo: Photo, side: int = SIDES[0]) -> str:
        """A signed link to a photo's picture; empty where it does not lie here."""
        with self._lock:
            at = self._at.get(photo.rendition.digest)
        return "" if at is None else self._keys.sign(f"/thumbs/{self.number}/{side}/{at}")

    def picture(self, side: int, at: int) -> bytes | None:
        """The picture behind a link; None where there is none (any more)."""
        with self._lock:
            if not 0 <= at < len(self._photos):
                return None
            rendition = self._photos[at].rendition
        try:
            return self._thumbs.get(rendition, side)
        except ValueError:  # its spool was closed at this moment
            return None

    def event_told(self, event: EventModel) -> EventModel:
        """An event as it goes out: a photo in it gets a link that works from now on."""
        if event.photo is None:
            return event
        with self._lock:
            if event.photo.n >= len(self._photos):
                return event
            photo = self._photos[event.photo.n]
        return event.model_copy(update={"photo": self.photo(event.photo.n, photo)})
