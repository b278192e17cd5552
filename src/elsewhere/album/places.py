"""Where an album was taken: photos of one place belong together, whenever they were taken.

The user's word (`at`) comes first, then the positions in the files. Positions are grouped by
complete linkage: the nearest groups are joined first, and two only while even their furthest
members are within a limit. So a road trip becomes a string of places. Distances are great circles,
and the result does not depend on the order of the positions.

A photo without a position belongs where the photos around it in time were taken, if those agree. A
camera's clock shows local time and often no zone, so a photo without a zone is compared by clocks,
one with a zone by moments. A name with a date and no hour stands for all of that day. Photos that
remain without a place count in every hidden place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, time

import numpy as np
from numpy.typing import NDArray

from elsewhere.album.album import Photo
from elsewhere.album.metadata import Metadata
from elsewhere.globe import Place, between_km, ground, place_label
from elsewhere.globe.coordinates import canonical
from elsewhere.values.notes import Note, NoteKind

Position = tuple[float, float]

WIDEST_KM = 50.0
"""No two photos of one place are further apart: a city with its surroundings."""
GRAIN_DEGREES = 1e-3
"""Positions within this grain, a hundred metres, are one point to begin with."""
MAX_POINTS = 2_000
"""With more points the grain is doubled until there are fewer: all pairs are measured."""
HOUR = 3600.0
BESIDE = 3 * HOUR
"""All photos with a position within this time must be of one place."""
BETWEEN = 12 * HOUR
"""Where there are none, the last one before and the first one after, each within this time."""
DAY = 24 * HOUR


@dataclass(frozen=True)
class AlbumPlace:
    """All photos of an album taken at one place. Photos are numbers in the album."""

    label: str
    """The town, "Lisbon, Portugal"; unique in the album."""
    lat: float
    """The position of a photo in the middle, or the one that the user gave."""
    lon: float
    photos: tuple[int, ...]
    """Taken there, ascending: by position, or by time beside photos that have one."""
    positions: tuple[Position, ...]
    """Distinct latitudes and longitudes, for the zone."""
    by_time: tuple[int, ...] = ()
    """Those of `photos` that were placed by their time only."""
    area: Place | None = None
    """The region or country that the user gave: all of it is the place."""


@dataclass(frozen=True)
class Places:
    """The places of an album, most photos first; false where none is known."""

    places: tuple[AlbumPlace, ...]
    unplaced: tuple[int, ...] = ()
    """Photos with neither a position nor a usable time: they count in every hidden place."""
    notes: tuple[Note, ...] = ()
    """That `at` overrules positions."""

    def __bool__(self) -> bool:
        return bool(self.places)


def places_of(photos: Sequence[Photo], *, at: Sequence[Place] | None = None) -> Places:
    """The places of an album: those that the user gives, or those in the files.

    One place in `at` is the place of every photo, whatever its file says. Of several, a photo
    belongs to the one nearest to its position; without a position or a usable time it could be
    any of them, and stays unplaced.
    """
    known = [photo.metadata for photo in photos]
    positions = {n: data.position for n, data in enumerate(known) if data.position is not None}
    notes: tuple[Note, ...] = ()
    if at:
        places, notes = _given_places(known, positions, tuple(dict.fromkeys(at)))
    else:
        places = _places_in_files(known, positions)
    # most photos first; places with the same name get numbers, in that order
    places.sort(key=lambda place: (-len(place.photos), place.lat, place.lon))
    uses: Counter[str] = Counter()
    for index, place in enumerate(places):
        uses[place.label] += 1
        if uses[place.label] > 1:
            places[index] = replace(place, label=f"{place.label} ({uses[place.label]})")
    placed = {n for place in places for n in place.photos}
    return Places(tuple(places), tuple(n for n in range(len(known)) if n not in placed), notes)


def _places_in_files(
    known: Sequence[Metadata], positions: Mapping[int, Position]
) -> list[AlbumPlace]:
    """The groups of positions, with the photos that belong there by their time."""
    numbers = list(positions)
    grouped = [[numbers[i] for i in group] for group in groups(list(positions.values()))]
    timed = places_by_time(known, {n: i for i, group in enumerate(grouped) for n in group})
    places = []
    for index, group in enumerate(grouped):
        by_time = tuple(n for n, place in timed.items() if place == index)
        # the middle is the position that has the others nearest: real, and never off the road
        counts = Counter(positions[n] for n in group)
        points = sorted(counts)
        lats, lons = np.array(points).T
        sample = slice(None, None, -(-len(points) // 300))  # of very many, a sample is enough
        km = between_km(lats[sample, None], lons[sample, None], lats, lons)
        lat, lon = points[sample][int(np.argmin(km @ [counts[point] for point in points]))]
        label = _town_of(points[sample], counts) or place_label(lat, lon)
        members = tuple(sorted((*group, *by_time)))
        places.append(AlbumPlace(label, lat, lon, members, tuple(points), by_time))
    return places


def _town_of(points: Sequence[Position], counts: Mapping[Position, int]) -> str:
    """The town that more than half of the photos would be said to be of; empty where there is none.

    Udaipur with one ride into the country is Udaipur, wherever its middle lies.
    """
    votes: Counter[str] = Counter()
    for lat, lon in points:
        votes[place_label(lat, lon)] += counts[lat, lon]
    label, most = votes.most_common(1)[0]
    return label if 2 * most > votes.total() else ""


def _given_places(
    known: Sequence[Metadata], positions: Mapping[int, Position], at: Sequence[Place]
) -> tuple[list[AlbumPlace], tuple[Note, ...]]:
    """The user's places; positions only say which of several, and how widely they spread."""
    distances = _distances(list(positions.values()), at)
    nearest = distances.argmin(axis=0).tolist()
    place_of = dict(zip(positions, nearest, strict=True))
    far = [n for n, km in zip(positions, distances.T, strict=True) if km.min() > WIDEST_KM]
    timed = places_by_time(known, place_of)
    if len(at) == 1:
        place_of = dict.fromkeys(range(len(known)), 0)
        timed = {}
    places = []
    for index, place in enumerate(at):
        members = {n for n, own in {**place_of, **timed}.items() if own == index}
        by_time = tuple(sorted(n for n in members if n in timed))
        near = {positions[n] for n in members if n in positions and n not in far}
        is_point = place.kind in {"city", "coordinate"}
        if is_point or not near:
            near.add((place.lat, place.lon))
        is_coordinate = place.kind == "coordinate"
        label = place_label(place.lat, place.lon) if is_coordinate else place.label
        photos, points = tuple(sorted(members)), tuple(sorted(near))
        area = None if is_point else place
        places.append(AlbumPlace(label, place.lat, place.lon, photos, points, by_time, area))
    if not far:
        return places, ()
    labels = tuple(place.label for place in at)
    return places, (
        Note(NoteKind.POSITIONS_OVERRULED, count=len(far), places=labels, km=WIDEST_KM),
    )


def km_away(positions: Sequence[Position | None], at: Sequence[Place]) -> dict[int, float]:
    """How far each position is from the nearest of the user's places, by its number."""
    known = {n: position for n, position in enumerate(positions) if position is not None}
    nearest = _distances(list(known.values()), at).min(axis=0).tolist()
    return dict(zip(known, nearest, strict=True))


def _distances(positions: Sequence[Position], at: Sequence[Place]) -> NDArray[np.float64]:
    """(places, positions) in km; 0 on the ground of a region or country."""
    distances = np.zeros((len(at), len(positions)))
    if positions:
        lats, lons = np.array(positions).T
        for row, place in zip(distances, at, strict=True):
            row[:] = between_km(lats, lons, place.lat, place.lon)
            if place.kind in {"region", "country"}:
                row[[owner == place for owner in ground(lats, lons, place.kind)]] = 0.0
    return distances


def likely_home(places: Places, photos: Sequence[Photo]) -> AlbumPlace:
    """The place with photos on the most different days; of several, the one with most photos."""

    def days(place: AlbumPlace) -> int:
        times = [photos[n].metadata.time for n in place.photos]
        return len({time.date() for time in times if time is not None})

    return max(places.places, key=lambda place: (days(place), len(place.photos)))


def groups(
    positions: Sequence[tuple[float, float]], widest_km: float = WIDEST_KM
) -> list[list[int]]:
    """The positions, by number, in groups at most `widest_km` across; each in exactly one.

    >>> groups([(38.72, -9.14), (48.86, 2.35), (38.70, -9.42)])
    [[0, 2], [1]]
    """
    if not positions:
        return []
    lats, lons = canonical(*np.array(positions, dtype=np.float64).T)
    grain = GRAIN_DEGREES
    while True:
        rounded = np.round(np.stack((lats, lons), axis=1) / grain)
        points, point_of = np.unique(rounded, axis=0, return_inverse=True)
        if len(points) <= MAX_POINTS:
            break
        grain *= 2
    point_of = point_of.reshape(-1)  # NumPy 2.0 kept a second axis here
    # each point lies where the first of its positions does, in an order of the points' own
    order = np.lexsort((lons, lats))
    first = np.full(len(points), -1)
    for position in order[::-1].tolist():
        first[point_of[position]] = position
    lats, lons = lats[first], lons[first]
    group_of = _link(between_km(lats[:, None], lons[:, None], lats, lons), widest_km)[point_of]
    found: dict[int, list[int]] = {}
    for position, group in enumerate(group_of.tolist()):
        found.setdefault(group, []).append(position)
    return list(found.values())


def _link(distances: NDArray[np.float64], limit: float) -> NDArray[np.intp]:
    """The group of each point, by complete linkage along chains of nearest neighbours.

    A chain leads from point to nearest point until two are each other's nearest: those are joined.
    Where they are too far apart, neither will ever be joined.
    """
    count = len(distances)
    distances = distances.copy()
    np.fill_diagonal(distances, np.inf)
    group_of = np.arange(count)
    waiting = np.ones(count, bool)
    chain: list[int] = []
    while True:
        if not chain:
            open_points = np.flatnonzero(waiting)
            if not len(open_points):
                return group_of
            chain = [int(open_points[0])]
        here = chain[-1]
        nearest = int(np.argmin(distances[here]))
        if distances[here, nearest] > limit:  # distances only grow: this group is complete
            chain.pop()
            waiting[here] = False
            continue
        before = chain[-2] if len(chain) > 1 else -1
        if before >= 0 and distances[here, before] <= distances[here, nearest]:
            keep, joined = sorted((here, before))
            del chain[-2:]
            np.maximum(distances[keep], distances[joined], out=distances[keep])
            distances[:, keep] = distances[keep]
            distances[joined] = distances[:, joined] = np.inf
            waiting[joined] = False
            group_of[group_of == joined] = keep
        else:
            chain.append(nearest)


def has_date_only(known: Metadata) -> bool:
    """Whether the time is a date without an hour: midnight sharp, as read from a file's name."""
    return known.time is not None and known.time.tzinfo is None and known.time.time() == time.min


def places_by_time(photos: Sequence[Metadata], place_of: Mapping[int, int]) -> dict[int, int]:
    """The places of photos without a position, by time; only where the neighbours agree.

    `place_of` has the places of the photos with a position.
    """
    moments, clocks, places = [], [], []  # when it was, what a clock on the wall showed, where
    for n, place in place_of.items():
        photo = photos[n]
        # a date without an hour says nothing about its neighbours' hours
        if photo.position is None or photo.time is None or has_date_only(photo):
            continue
        moment = photo.moment
        assert moment is not None
        if photo.time.tzinfo is not None and not photo.time.utcoffset():
            # Google's times are in UTC wherever they were taken
            clocks.append(moment + HOUR * round(photo.position[1] / 15))
        else:
            clocks.append(photo.time.replace(tzinfo=UTC).timestamp())
        moments.append(moment)
        places.append(place)
    result = {}
    for number, photo in enumerate(photos):
        if number in place_of or photo.time is None:
            continue
        times = np.array(clocks if photo.time.tzinfo is None else moments)
        start = photo.time.replace(tzinfo=photo.time.tzinfo or UTC).timestamp()
        end = start + DAY if has_date_only(photo) else start
        since_start, since_end = times - start, times - end
        # the neighbours: all beside it in time, else the last before and the first after
        near = (since_start >= -BESIDE) & (since_end <= BESIDE)
        if not near.any():
            before = (since_start < 0) & (since_start >= -BETWEEN)
            after = (since_end > 0) & (since_end <= BETWEEN)
            if not before.any() or not after.any():
                continue
            near = before & (since_start == since_start[before].max())
            near |= after & (since_end == since_end[after].min())
        around = np.unique(np.array(places, dtype=np.intp)[near])
        if len(around) == 1:
            result[number] = int(around[0])
    return result
