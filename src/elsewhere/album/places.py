"""Where an album was taken: photos of one place belong together, whenever they were taken.

What the user says (`at`) comes first, then the positions that the files carry. Photos near each
other are one place (`clustering.py`); a photo without a position goes where the photos around it
in time were taken, if those agree (`timing.py`). What is left counts in every hidden place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elsewhere.album.album import Photo
from elsewhere.globe import Place


@dataclass(frozen=True)
class AlbumPlace:
    """All photos of an album taken at one place, whenever. Photos are numbers in the album."""

    label: str
    """The nearest town, "Lisbon, Portugal"; no other place of the album is called so."""
    lat: float
    """A middle."""
    lon: float
    photos: tuple[int, ...]
    """Taken there, ascending: by position, or by time beside photos that have one."""
    positions: tuple[tuple[float, float], ...]
    """Where exactly: distinct latitudes and longitudes, for the zone."""
    by_time: tuple[int, ...] = ()
    """Which of `photos` were placed by their time only."""
    area: Place | None = None
    """The region or country that the user gave instead of a spot: all of it is the place."""


@dataclass(frozen=True)
class Places:
    """The places of an album, the one with most photos first; false where none is known."""

    places: tuple[AlbumPlace, ...]
    unplaced: tuple[int, ...] = ()
    """Photos with neither a position nor a usable time: they count in every hidden place."""
    notes: tuple[str, ...] = ()
    """What the user has to be told: positions that `at` overrules, and the like."""

    def __bool__(self) -> bool:
        return bool(self.places)


def places_of(photos: Sequence[Photo], *, at: Sequence[Place] | None = None) -> Places:
    """The places of an album."""
    raise NotImplementedError
