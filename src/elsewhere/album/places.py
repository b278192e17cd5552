"""Where an album was taken: photos of one place belong together, whenever they were taken.

What the user says (`at`) comes first, then the positions that the files carry. Photos near each
other are one place (`clustering.py`); a photo without a position goes where the photos around it
in time were taken, if those agree (`timing.py`). What is left counts in every hidden place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.album.album import Photo
from elsewhere.album.clustering import WIDEST_KM, groups
from elsewhere.album.metadata import Metadata
from elsewhere.album.timing import by_time
from elsewhere.globe import Place, between_km, chief_town, ground

Position = tuple[float, float]


@dataclass(frozen=True)
class AlbumPlace:
    """All photos of an album taken at one place, whenever. Photos are numbers in the album."""

    label: str
    """The town, "Lisbon, Portugal"; no other place of the album is called so."""
    lat: float
    """A middle: the position of one of its photos, or what the user said."""
    lon: float
    photos: tuple[int, ...]
    """Taken there, ascending: by position, or by time beside photos that have one."""
    positions: tuple[Position, ...]
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
    """The places of an album: where the user says it was taken, or where the files do.

    One place in `at` is the place of every photo, whatever its file says. Of several, a photo
    belongs to the one nearest to its position; without a position or a usable time it could be
    any of them, and stays unplaced.
    """
    known = [photo.metadata for photo in photos]
    where = {n: one.position for n, one in enumerate(known) if one.position is not None}
    if at:
        return _as_told(known, where, tuple(dict.fromkeys(at)))
    numbers = list(where)
    found = groups([where[n] for n in numbers])
    return _places(known, [{numbers[i]: where[numbers[i]] for i in group} for group in found])


def home(places: Places, photos: Sequence[Photo]) -> AlbumPlace:
    """The place with photos on most different days; where several are, the one with most photos."""

    def days(place: AlbumPlace) -> int:
        times = [photos[n].metadata.time for n in place.photos]
        return len({time.date() for time in times if time is not None})

    return max(places.places, key=lambda place: (days(place), len(place.photos)))


def _places(known: Sequence[Metadata], found: Sequence[Mapping[int, Position]]) -> Places:
    """Groups of photos with positions as places, the photos that only have a time among them."""
    place_of = {n: number for number, group in enumerate(found) for n in group}
    timed = by_time(known, place_of)
    made = []
    for number, group in enumerate(found):
        late = tuple(n for n, place in timed.items() if place == number)
        positions = tuple(sorted(set(group.values())))
        lat, lon = _middle(list(group.values()))
        label = chief_town(lat, lon)[0].label
        made.append(AlbumPlace(label, lat, lon, tuple(sorted((*group, *late))), positions, late))
    placed = {*place_of, *timed}
    return Places(_sorted(made), tuple(n for n in range(len(known)) if n not in placed))


def _as_told(
    known: Sequence[Metadata], where: Mapping[int, Position], at: Sequence[Place]
) -> Places:
    """The user's places; positions only say which of several, and how widely they spread."""
    spots = list(where.values())
    table = np.array([_apart(one, spots) for one in at]).reshape(len(at), len(spots))
    nearest = table.argmin(axis=0).tolist() if spots else []
    place_of = dict(zip(where, nearest, strict=True))
    elsewhere = [n for n, km in zip(where, table.T, strict=True) if km.min() > WIDEST_KM]
    timed = by_time(known, place_of)
    if len(at) == 1:
        place_of = dict.fromkeys(range(len(known)), 0)
        timed = {}
    made = []
    for number, one in enumerate(at):
        mine = {n for n, place in {**place_of, **timed}.items() if place == number}
        late = tuple(sorted(n for n in mine if n in timed))
        near = {where[n] for n in mine if n in where and n not in elsewhere}
        spot = one.kind in {"city", "coordinate"}
        if spot or not near:
            near.add((one.lat, one.lon))
        label = chief_town(one.lat, one.lon)[0].label if one.kind == "coordinate" else one.label
        numbers, positions = tuple(sorted(mine)), tuple(sorted(near))
        area = None if spot else one
        made.append(AlbumPlace(label, one.lat, one.lon, numbers, positions, late, area))
    placed = {*place_of, *timed}
    unplaced = tuple(n for n in range(len(known)) if n not in placed)
    return Places(_sorted(made), unplaced, _overruled(len(elsewhere), at))


def _overruled(count: int, at: Sequence[Place]) -> tuple[str, ...]:
    """What to say where files and user disagree."""
    if not count:
        return ()
    who = "1 photo says it was" if count == 1 else f"{count} photos say they were"
    told = " and ".join(one.label for one in at)
    return (
        f"{who} taken more than {WIDEST_KM:.0f} km from {told}: what you said counts, "
        "not the position in the file",
    )


def _apart(place: Place, positions: Sequence[Position]) -> NDArray[np.float64]:
    """How many km positions lie from what the user said; 0 on the ground of an area."""
    if not positions:
        return np.zeros(0)
    lats, lons = np.array(positions).T
    km = between_km(lats, lons, place.lat, place.lon)
    if place.kind in {"region", "country"}:
        km[[one == place for one in ground(lats, lons, place.kind)]] = 0.0
    return km


def _middle(positions: Sequence[Position]) -> Position:
    """The one position that has the others nearest to it: a real one, and never off the road."""
    points = sorted(Counter(positions).items())
    lats, lons = np.array([point for point, _ in points]).T
    times = np.array([count for _, count in points])
    # among very many, some of them are enough to tell
    step = -(-len(points) // 300)
    here = slice(None, None, step)
    km = between_km(lats[here, None], lons[here, None], lats, lons) @ times
    best = int(np.argmin(km)) * step
    return float(lats[best]), float(lons[best])


def _sorted(made: Sequence[AlbumPlace]) -> tuple[AlbumPlace, ...]:
    """Most photos first; places called alike get numbers, in that order."""
    ordered = sorted(made, key=lambda one: (-len(one.photos), one.lat, one.lon))
    seen: Counter[str] = Counter()
    result = []
    for one in ordered:
        seen[one.label] += 1
        times = seen[one.label]
        result.append(one if times == 1 else replace(one, label=f"{one.label} ({times})"))
    return tuple(result)
