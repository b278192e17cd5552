"""The photos of one album as the page shows them, and the signed links to their pictures.

An index belongs to one album and is replaced whole when another is opened, so no link of the old
album leads into the new one. Pictures are made from the rendition, never from the original. Those
of edited photos are rendered by the decode workers when they are asked for.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256

from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions.edits import AlbumEdits
from elsewhere.app.sessions.presenter import SIDES, skipped_file_models
from elsewhere.errors import ElsewhereError
from elsewhere.service import Photo, Rendition, SkippedFile, Step
from elsewhere.values.versions import Edit

MAX_BYTES = 48 << 20  # a thousand pictures for the grid take about 15 MB
MAX_EDITS = 5000  # edits that links lead to


class Thumbnails:
    """Pictures by rendition and size; can be used from several threads."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        # decoding takes a core, and plans need one too; a second request for a picture waits
        self._decoding = [threading.Lock() for _ in range(2)]
        self._pictures: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self.used = 0  # bytes in memory

    def get(self, rendition: Rendition, side: int) -> bytes:
        """The picture of a rendition, not larger than `side`."""
        return self.make(rendition.digest, side, lambda: rendition.preview(side))

    def make(self, name: str, side: int, draw: Callable[[], bytes]) -> bytes:
        """The picture of this name and size; `draw` makes it where it is not kept."""
        key = name, side
        picture = self._find(key)
        if picture is not None:
            return picture
        with self._decoding[hash(key) % len(self._decoding)]:
            picture = self._find(key)  # another thread may have made it a moment before
            if picture is None:
                picture = draw()
                with self._lock:
                    self._pictures[key] = picture
                    self.used += len(picture)
                    while self.used > self._max_bytes and len(self._pictures) > 1:
                        _, old = self._pictures.popitem(last=False)
                        self.used -= len(old)
            return picture

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._pictures.clear()
            self.used = 0

    def _find(self, key: tuple[str, int]) -> bytes | None:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
            return self._pictures.get(key)


class PhotoIndex:
    """The photos that were read so far, by number, and the files that were left out."""

    def __init__(self, keys: Keys, number: int) -> None:
        self.number = number  # of the album
        self._keys = keys
        self._lock = threading.Lock()
        self._photos: list[Photo] = []
        self._positions: dict[str, int] = {}
        self._skipped: list[SkippedFile] = []
        self._thumbnails = Thumbnails()
        self.edits: AlbumEdits | None = None
        self._edits: OrderedDict[str, Edit] = OrderedDict()  # by the name in their links

    def add(self, step: Step) -> models.PhotoModel | None:
        """Add what was just read; the photo for the page, where it was one."""
        with self._lock:
            self._skipped += step.skipped
            if step.photo is None:
                return None
            number = len(self._photos)
            self._positions[step.photo.rendition.digest] = number
            self._photos.append(step.photo)
        return self._model(number, step.photo)

    def clear(self) -> None:
        """The renditions are gone: no link leads to them any more."""
        with self._lock:
            self._photos, self._positions = [], {}
        self._thumbnails.clear()

    def album(self) -> models.AlbumModel:
        """The album as far as it was read; no photo is scored yet."""
        with self._lock:
            photos, skipped = list(self._photos), list(self._skipped)
        return models.AlbumModel(
            name="",
            photos=[self._model(n, photo) for n, photo in enumerate(photos)],
            left=skipped_file_models(skipped),
            scorers=[],
        )

    def link(self, photo: Photo, side: int = SIDES[0]) -> str:
        """A signed link to a photo's picture; empty where the photo is not in this album."""
        with self._lock:
            position = self._positions.get(photo.rendition.digest)
        if position is None:
            return ""
        return self._keys.sign(f"/thumbs/{self.number}/{side}/{position}")

    def edit_link(self, photo: Photo, edit: Edit, side: int) -> str:
        """A signed link to the picture of an edited photo; empty where it is not in this album."""
        name = sha256(repr(edit).encode()).hexdigest()[:24]
        with self._lock:
            position = self._positions.get(photo.rendition.digest)
            self._edits[name] = edit
            self._edits.move_to_end(name)
            while len(self._edits) > MAX_EDITS:
                self._edits.popitem(last=False)
        if position is None:
            return ""
        return self._keys.sign(f"/thumbs/{self.number}/{side}/{position}/{name}")

    def picture(self, side: int, position: int) -> bytes | None:
        """The picture behind a link; None where there is none (any more)."""
        with self._lock:
            if not 0 <= position < len(self._photos):
                return None
            rendition = self._photos[position].rendition
        try:
            return self._thumbnails.get(rendition, side)
        except ValueError:  # its spool was closed at this moment
            return None

    def edited_picture(self, side: int, position: int, name: str) -> bytes | None:
        """The picture behind a link to an edited photo; None where there is none (any more)."""
        with self._lock:
            edit, edits = self._edits.get(name), self.edits
            if edit is None or edits is None or not 0 <= position < len(self._photos):
                return None
            photo = self._photos[position]
        try:
            return self._thumbnails.make(
                f"{photo.rendition.digest} {name}", side, lambda: edits.render(photo, edit, side)
            )
        except (ElsewhereError, ValueError):  # the album was closed, or the original is gone
            return None

    def refresh_link(self, event: EventModel) -> EventModel:
        """The event as it is sent: a photo in it gets a fresh link."""
        if event.photo is None:
            return event
        with self._lock:
            if event.photo.n >= len(self._photos):
                return event
            photo = self._photos[event.photo.n]
        return event.model_copy(update={"photo": self._model(event.photo.n, photo)})

    def _model(self, number: int, photo: Photo) -> models.PhotoModel:
        return models.PhotoModel(
            n=number,
            id=photo.id,
            width=photo.rendition.width,
            height=photo.rendition.height,
            thumb=self.link(photo),
        )
