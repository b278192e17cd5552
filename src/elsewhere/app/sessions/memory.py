"""What is decided of an album, noted a moment after a click so that no click waits for a disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path

from pydantic import ValidationError

from elsewhere.app.api import models
from elsewhere.app.sessions.planning import PlannedAnswer
from elsewhere.platform.threads import start_thread
from elsewhere.service import (
    EXAMPLE_ALBUM,
    Photo,
    RecentAlbum,
    forget_album,
    recent_albums,
    remember_album,
    said_home,
)

NOTE_SECONDS = 1.0
BY_NAME = ("keep", "drop", "posted", "as_is")
"""The wishes that name photos."""


class AlbumMemory:
    """The albums that were opened by path, and their wishes; nothing where it is off."""

    def __init__(self, *, enabled: bool) -> None:
        self._enabled = enabled
        self._lock = threading.Lock()
        self._next: RecentAlbum | None = None
        self._waiting = False

    def recent(self) -> list[models.RecentAlbumModel]:
        """The last albums, the latest first, without those that are gone."""
        return [
            models.RecentAlbumModel(
                paths=list(album.paths), name=album.name, photos=album.photos, day=album.day
            )
            for album in (recent_albums() if self._enabled else ())
            if all(Path(path).exists() for path in album.paths)
        ]

    def home(self) -> tuple[float, float] | None:
        """What the user last hid alone of several places."""
        return said_home(recent_albums()) if self._enabled else None

    def wishes(
        self, paths: Sequence[Path], photos: Sequence[Photo], scorers: Sequence[str]
    ) -> tuple[models.WishesModel, str] | None:
        """What was decided of an album before, and on which day; of photos that are still there."""
        wanted = tuple(str(path) for path in paths)
        ids = {photo.id for photo in photos}
        for album in recent_albums() if self._enabled else ():
            if album.paths == wanted:
                with suppress(ValidationError):
                    found = models.WishesModel.model_validate_json(album.wishes)
                    there: dict[str, object] = {
                        name: [one for one in getattr(found, name) if one in ids]
                        for name in BY_NAME
                    }
                    there["rectangles"] = {k: v for k, v in found.rectangles.items() if k in ids}
                    there["scorers"] = list(scorers)
                    return found.model_copy(update=there), album.day
        return None

    def remembers(self, paths: Sequence[Path], answer: PlannedAnswer) -> bool:
        """Whether wishes for an album are noted; the example is as it comes each time."""
        example = answer.scored.album.folders == (EXAMPLE_ALBUM,)
        return self._enabled and bool(paths) and not example

    def note(self, paths: Sequence[Path], name: str, answer: PlannedAnswer) -> None:
        """Note the wishes that count now, soon."""
        if not self.remembers(paths, answer):
            return
        places, hidden = answer.places.places, answer.wishes.hide
        alone = [place for place in places if len(places) > 1 and hidden == [place.label]]
        album = RecentAlbum(
            tuple(str(path) for path in paths),
            name,
            len(answer.scored.photos),
            date.today().isoformat(),
            answer.wishes.model_dump_json(),
            (alone[0].lat, alone[0].lon) if alone else None,
        )
        with self._lock:
            self._next, waiting, self._waiting = album, self._waiting, True
        if not waiting:
            try:
                start_thread(self._flush_soon)
            except MemoryError:  # then it is noted when the album is closed
                with self._lock:
                    self._waiting = False

    def _flush_soon(self) -> None:
        time.sleep(NOTE_SECONDS)
        with self._lock:
            self._waiting = False
        self.flush()

    def flush(self) -> None:
        """Write what is still to be noted."""
        with self._lock:
            album, self._next = self._next, None
            if album is not None:
                remember_album(album)

    def forget(self, paths: Sequence[str] | None) -> None:
        """Forget one album, or all of them."""
        with self._lock:
            self._next = None
            for album in recent_albums():
                if paths is None or album.paths == tuple(paths):
                    forget_album(album.paths)
