"""Circles on the earth: which of them are hidden, and how many places lie apart from each other.

From the cells' points and the photos' positions alone, with no help from the solver.

**Hidden circles.** The heaviest one may be centred anywhere within R of a photo. Moved as far as
the points that it holds allow, it is centred where two circles of radius R meet that are drawn
around points or photos, or on a point or photo itself. These are finitely many; each is given a
centimetre more, which makes up for rounding.

**Apart.** Rivals count where they are more than 4R from each other. Whether k of them are is a
search of its own.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]
Mask = NDArray[np.bool_]

EARTH_KM = 6371.0088
TOLERANCE_KM = 1e-5
"""Hidden circles are larger, rivals smaller, and distances longer by so much."""
MAX_BRANCHES = 2_000
"""Steps of the search for distinct rivals before it gives up."""
MAX_SEARCHED = 1_000
"""Places that this search is tried for; it is meant for few."""
MAX_COUNTED = 4_000
"""Places, the first ones, of which it is counted how many each rules out."""
MAX_REMEMBERED = 10_000
"""Circles whose points are remembered; beyond, all of them are forgotten."""
_BLOCK = 256
"""Photos whose circles are met at a time; its square are the centres tried at a time."""


class Points:
    """The cells' points, ordered so that those near a place are found quickly."""

    def __init__(self, lat: ArrayLike, lon: ArrayLike) -> None:
        self.unit = directions(lat, lon)
        self._order: Ints = np.argsort(self.unit[:, 2], kind="stable")
        self._heights = self.unit[self._order, 2]
        self.neighbours: dict[float, tuple[Ints, Ints]] = {}
        """What `neighbours` found, by km."""

    def near(self, place: Floats, km: float) -> Ints:
        """The points within `km` of a place, ascending."""
        chord = chord_of(km)
        wider = chord + 1e-12  # the comparison below decides
        first, last = np.searchsorted(self._heights, (place[2] - wider, place[2] + wider))
        band = self._order[first:last]
        apart = self.unit[band] - place
        return np.sort(band[np.einsum("ij,ij->i", apart, apart) <= chord * chord])


def directions(lat: ArrayLike, lon: ArrayLike) -> Floats:
    """Unit vectors of places in degrees."""
    phi = np.radians(np.atleast_1d(np.asarray(lat, dtype=np.float64)))
    theta = np.radians(np.atleast_1d(np.asarray(lon, dtype=np.float64)))
    level = np.cos(phi)
    return np.stack((level * np.cos(theta), level * np.sin(theta), np.sin(phi)), axis=1)


def chord_of(km: float) -> float:
    """The straight distance between places `km` apart on a globe of radius 1."""
    return 2.0 * math.sin(km / EARTH_KM / 2) if km < math.pi * EARTH_KM else 3.0


def cosine_of(km: float) -> float:
    """The cosine of so many km; unit vectors whose product is smaller lie farther apart."""
    return 1.0 - chord_of(km) ** 2 / 2


def neighbours(points: Points, km: float) -> tuple[Ints, Ints]:
    """The points within `km` of every point, point after point, and where each begins.

    Remembered with the points; where a longer distance is remembered, they are among those.
    """
    if km not in points.neighbours:
        unit = points.unit
        wider = min((known for known in points.neighbours if known > km), default=None)
        if wider is None:
            centres, members = _pairs_within(unit, km)
        else:
            members, starts = points.neighbours[wider]
            centres = np.repeat(np.arange(len(unit)), np.diff(starts))
            near = _are_within(unit, centres, members, km)
            centres, members = centres[near], members[near]
        starts = np.searchsorted(centres, np.arange(len(unit) + 1)).astype(np.intp)
        points.neighbours[km] = members, starts
    return points.neighbours[km]


def _are_within(unit: Floats, first: Ints, second: Ints, km: float) -> Mask:
    """Which of these pairs of points are within so many km."""
    return np.asarray(np.einsum("ij,ij->i", unit[first], unit[second]) >= cosine_of(km))


def _pairs_within(unit: Floats, km: float) -> tuple[Ints, Ints]:
    """All pairs of points within so many km, in order.

    The points are sorted into cubes as wide as that; only those of cubes that touch are compared.
    """
    wide = chord_of(km) * (1 + 1e-9)  # no rounding parts a pair
    cubes = np.floor((unit + 1.0) / wide).astype(np.int64) + 1
    count = int(cubes.max()) + 2
    steps = np.array([count * count, count, 1])
    cube = cubes @ steps
    by_cube = np.argsort(cube, kind="stable")
    ordered = cube[by_cube]
    centre, member = [], []
    for offset in np.ndindex(3, 3):  # three cubes in a row at a time
        wanted = cube + (np.array([*offset, 1]) - 1) @ steps
        first = np.searchsorted(ordered, wanted - 1)
        lengths = np.searchsorted(ordered, wanted + 1, side="right") - first
        ends = np.cumsum(lengths)
        at = np.arange(ends[-1]) + np.repeat(first - ends + lengths, lengths)
        own, other = np.repeat(np.arange(len(unit)), lengths), by_cube[at]
        near = _are_within(unit, own, other, km)
        centre.append(own[near])
        member.append(other[near])
    centres, members = np.concatenate(centre), np.concatenate(member)
    order = np.lexsort((members, centres))
    return centres[order], members[order]


def meeting_points(first: Floats, second: Floats, angle: float, other: float) -> Floats:
    """Where circles of `angle` around the `first` meet those of `other` around the `second`.

    All pairs of two lists of unit vectors; pairs that do not meet give nothing. Circles that only
    just touch, or miss each other by a rounding, give the point between them. Pairs within a few
    metres are passed over: what only they bound is all but a whole circle, centred on either.

    On the way from a to b both points lie as far as `along`, and `beside` it. No difference of
    cosines is taken, which would be wrong by metres for small circles.
    """
    a = np.repeat(first, len(second), axis=0)
    step = np.tile(second, (len(first), 1)) - a
    chord = np.linalg.norm(step, axis=1)
    keep = (chord > 1e-6) & (chord < 2.0 - 1e-9)
    a, step, chord = a[keep], step[keep], chord[keep]
    apart = 2.0 * np.arcsin(chord / 2)
    towards = step - np.einsum("ij,ij->i", step, a)[:, None] * a
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    unequal = 2.0 * math.sin((angle + other) / 2) * math.sin((angle - other) / 2) / math.cos(angle)
    along = np.arctan((unequal + chord**2 / 2) / np.sin(apart))
    meets = np.abs(along) <= angle * (1 + 1e-9)
    a, towards, along = a[meets], towards[meets], along[meets, None]
    square = np.sin((angle + along) / 2) * np.sin((angle - along) / 2) / np.cos(along)
    beside = 2.0 * np.arcsin(np.sqrt(np.maximum(square, 0.0)))
    base = np.cos(beside) * (np.cos(along) * a + np.sin(along) * towards)
    off = np.sin(beside) * np.cross(a, towards)
    return np.concatenate((base + off, base - off))


def heaviest_sets(points: Points, places: Floats, radius_km: float) -> list[Ints]:
    """The points of every hidden circle that may be heaviest; together they bound all of them."""
    reach, angle = radius_km + TOLERANCE_KM, radius_km / EARTH_KM
    found: dict[bytes, Ints] = {}
    waiting = places
    while len(waiting):
        apart = np.linalg.norm(waiting - waiting[0], axis=1)
        together = apart <= chord_of(2 * radius_km)
        group, waiting = waiting[together], waiting[~together]
        near = points.near(group[0], 5 * radius_km)
        own = points.unit[near]
        near = near[(_squares(own, group) <= chord_of(2 * reach) ** 2).any(axis=1)]
        if not len(near):
            continue
        own = points.unit[near]
        if 2 * angle >= math.pi / 2:  # such circles are not convex: all of them, as one
            found[near.tobytes()] = near
            continue
        limit = chord_of(reach) ** 2
        centres = np.concatenate((own, meeting_points(own, own, angle, angle)))
        parts = [centres[(_squares(centres, group) <= limit).any(axis=1)]]
        for start in range(0, len(group), _BLOCK):  # an album may have thousands of photos
            some = group[start : start + _BLOCK]
            parts += [some, meeting_points(own, some, angle, angle)]
        rows: dict[bytes, Mask] = {}
        for part in parts:
            for start in range(0, len(part), _BLOCK * _BLOCK):
                held = _squares(part[start : start + _BLOCK * _BLOCK], own) <= limit
                packed = np.packbits(held, axis=1)
                keys = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
                for at in np.unique(keys, return_index=True)[1].tolist():
                    rows[packed[at].tobytes()] = held[at]
        for row in rows.values():
            if row.any():
                found[near[row].tobytes()] = near[row]
    return list(found.values())


def _squares(first: Floats, second: Floats) -> Floats:
    """(first, second) the squares of the straight distances."""
    return np.asarray(np.maximum(2.0 - 2.0 * (first @ second.T), 0.0))


def find_apart(unit: Floats, km: float, need: int, *, thorough: bool = True) -> list[int]:
    """`need` of these places more than `km` from each other, or as many as were found.

    The first one that is free is taken, again and again; then the one that rules out fewest. Where
    that is not enough, a `thorough` search tries for some place each way to have it or one that it
    rules out.
    """
    limit = chord_of(km + TOLERANCE_KM) ** 2
    chosen = take_apart(unit, limit, need)
    if len(chosen) >= need or len(unit) < need:
        return chosen
    few = len(unit) <= MAX_SEARCHED  # of more, only some that rule out fewest are tried
    # places within half the distance of one rule each other out: one of them at most
    if few and len(take_apart(unit, chord_of(km / 2) ** 2, need)) < need:
        return chosen
    order = np.argsort(_count_near(unit[:MAX_COUNTED], limit), kind="stable")
    fewest = order[take_apart(unit[order], limit, need)].tolist()
    if len(fewest) >= need or not few or not thorough:
        return fewest if len(fewest) > len(chosen) else chosen
    conflicts = _squares(unit, unit) <= limit
    np.fill_diagonal(conflicts, True)
    return _search_apart(conflicts, need)[0] or chosen


def surely_fewer_apart(unit: Floats, km: float, need: int) -> bool:
    """Whether it is certain that no `need` of these places are more than `km` from each other."""
    # places within half the distance of one rule each other out: one of them at most
    near = chord_of(max(km / 2 - TOLERANCE_KM, 0.0)) ** 2
    if len(unit) < need or len(take_apart(unit, near, need)) < need:
        return True
    if len(unit) > MAX_SEARCHED:
        return False
    conflicts = _squares(unit, unit) <= chord_of(max(km - TOLERANCE_KM, 0.0)) ** 2
    np.fill_diagonal(conflicts, True)
    found, complete = _search_apart(conflicts, need)
    return found is None and complete


def _search_apart(conflicts: Mask, need: int) -> tuple[list[int] | None, bool]:
    """So many places without a conflict, and whether all ways were tried where none was found.

    For some place each way is tried to have it or one that it rules out.
    """
    branches = 0

    def search(left: Mask, wanted: int) -> list[int] | None:
        nonlocal branches
        branches += 1
        if wanted == 0:
            return []
        numbers = np.flatnonzero(left)
        if branches > MAX_BRANCHES or len(numbers) < wanted:
            return None
        own = conflicts[np.ix_(numbers, numbers)]
        middle = int(np.count_nonzero(own, axis=1).argmin())
        for at in [middle, *(n for n in np.flatnonzero(own[middle]).tolist() if n != middle)]:
            rest = search(left & ~conflicts[numbers[at]], wanted - 1)
            if rest is not None:
                return [int(numbers[at]), *rest]
        return None

    found = search(np.ones(len(conflicts), bool), need)
    return found, branches <= MAX_BRANCHES


def _count_near(unit: Floats, limit: float) -> Ints:
    """How many of these places each of them rules out."""
    starts = range(0, len(unit), 256)  # all distances at once would take too much memory
    near = [np.count_nonzero(_squares(unit[i : i + 256], unit) <= limit, axis=1) for i in starts]
    return np.concatenate(near)


def take_apart(unit: Floats, limit: float, need: int) -> list[int]:
    """Places in this order, each farther from those before than the root of `limit`."""
    chosen: list[int] = []
    free = np.ones(len(unit), bool)
    while len(chosen) < need and free.any():
        at = int(free.argmax())
        chosen.append(at)
        apart = unit - unit[at]
        free &= np.einsum("ij,ij->i", apart, apart) > limit
        free[at] = False
    return chosen


def with_nearest(points: Points, places: Floats, radius_km: float) -> Floats:
    """The places, each once, and the nearest point of those that have none within two radii."""
    places = np.unique(np.atleast_2d(places), axis=0)
    reach = 2 * (radius_km + TOLERANCE_KM)
    lonely = [place for place in places if not len(points.near(place, reach))]
    nearest = [points.unit[int((points.unit @ place).argmax())] for place in lonely]
    return np.concatenate((places, *(point[None] for point in nearest)))


class Hidden:
    """What is hidden among the points: circles near some places, and what is too near for rivals.

    For a place that is far from all points the nearest one stands.
    """

    def __init__(self, points: Points, places: Floats, radius_km: float) -> None:
        self.points, self.radius_km = points, radius_km
        self.places = with_nearest(points, places, radius_km)
        self.sets = heaviest_sets(points, self.places, radius_km)
        self.zone: Ints = np.unique(np.concatenate([np.zeros(0, np.intp), *self.sets]))
        """The points of hidden circles, ascending."""
        self.in_set = np.zeros((len(self.sets), len(self.zone)))
        """(hidden, zone) 1 where a hidden circle holds a point, else 0."""
        for row, cells in zip(self.in_set, self.sets, strict=True):
            row[np.searchsorted(self.zone, cells)] = 1.0
        self.near: Mask = np.zeros(len(points.unit), bool)
        """(cells,) which points lie within 3R of a place, so that no rival is centred there."""
        for place in self.places:
            self.near[points.near(place, 3 * radius_km + TOLERANCE_KM)] = True
        self._members: dict[int, Ints] = {}
        self._around: dict[int, list[int]] = {}

    def members(self, centre: int) -> Ints:
        """The points that the circle around a point surely holds."""
        cells = self._members.get(centre)
        if cells is None:
            if len(self._members) >= MAX_REMEMBERED:
                self._members.clear()
            inside = max(self.radius_km - TOLERANCE_KM, 0.0)
            cells = self.points.near(self.points.unit[centre], inside)
            cells = cells if len(cells) else np.array([centre], np.intp)
            self._members[centre] = cells
        return cells

    def rivals_around(self, cell: int) -> list[int]:
        """The centres of the rivals that hold a point, by cell."""
        rivals = self._around.get(cell)
        if rivals is None:
            if len(self._around) >= MAX_REMEMBERED:
                self._around.clear()
            around = np.append(self.points.near(self.points.unit[cell], self.radius_km), cell)
            rivals = self._around[cell] = around[~self.near[around]].tolist()
        return rivals
