"""Circles: which cells lie within so many kilometres of a centre.

A cell's probability is put at the point that stands for it (`Cells.points`), so a circle holds a
cell when it holds its point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, unit_vector

TOLERANCE_KM = 1e-5
"""A centimetre, far above the rounding of angles between cells.

A circle's cells lie inside it by as much, and what must be apart is apart by as much more.
"""
GRID = 12
"""Steps in a radius of the grid of centres near a place."""
_BLOCK = 256
_CANDIDATES = 16
"""Centres looked at first for each distinct one."""
_MAX_REMEMBERED = 4
"""Radii that are remembered."""
_REMEMBERED: dict[object, tuple[tuple[Floats, Floats], Circles]] = {}


class Circles:
    """The cells within a radius of every cell's point.

    >>> from elsewhere.globe.cells import Cells
    >>> circles = Circles(Cells.leaves().points, 25.0)
    >>> bool((circles.masses(np.ones(36_000)) >= 1).all())
    True
    """

    def __init__(self, points: tuple[Floats, Floats], radius_km: float) -> None:
        self.points, self.radius_km = points, radius_km
        self.unit = unit_vector(*points)
        """(M, 3) the cells' points."""
        lats = points[0]
        self.count = len(lats)
        order = np.argsort(lats, kind="stable")
        reach = math.degrees(radius_km / EARTH_KM) + 1e-9
        first = np.searchsorted(lats[order], lats[order] - reach)
        last = np.searchsorted(lats[order], lats[order] + reach, side="right")
        inside = cosine(max(radius_km - TOLERANCE_KM, 0.0)) - 1e-15  # a cell holds its own point
        centre, member = [], []
        for start in range(0, self.count, _BLOCK):
            block = order[start : start + _BLOCK]
            near = order[first[start] : last[min(start + _BLOCK, self.count) - 1]]
            row, column = np.nonzero(self.unit[block] @ self.unit[near].T >= inside)
            centre.append(block[row])
            member.append(near[column])
        centres = np.concatenate(centre)
        by_centre = np.lexsort((np.concatenate(member), centres))
        self.members = np.concatenate(member)[by_centre]
        """The cells of all circles, circle after circle."""
        self.first = np.searchsorted(centres[by_centre], np.arange(self.count + 1))
        """(M + 1,) where the circle around each cell's point begins in `members`."""

    def of(self, cell: int) -> Ints:
        """The cells within the circle around one cell's point."""
        return self.members[self.first[cell] : self.first[cell + 1]]

    def masses(self, probability: Floats) -> Floats:
        """(…, M) the probability within the circle around every cell's point, of (…, M)."""
        return np.add.reduceat(probability[..., self.members], self.first[:-1], axis=-1)

    def groups(self, centres: Ints) -> tuple[Ints, Ints]:
        """The cells of these circles, circle after circle, and how many each has."""
        lengths = self.first[centres + 1] - self.first[centres]
        ends = np.cumsum(lengths)
        at = np.repeat(self.first[centres] - ends + lengths, lengths) + np.arange(lengths.sum())
        return self.members[at], lengths

    @cached_property
    def distinct_groups(self) -> tuple[Ints, Ints]:
        """The cells in groups at most four radii across, and where each group begins.

        Of circles more than four radii apart, at most one is centred in a group.
        """
        reach = 2 * self.radius_km - TOLERANCE_KM
        lats = self.points[0]
        by_lat = np.argsort(lats, kind="stable")
        sorted_lats, far = lats[by_lat], cosine(reach)
        degrees = math.degrees(reach / EARTH_KM) + 1e-9
        group = np.full(self.count, -1)
        count = 0
        for cell in by_lat.tolist():
            if group[cell] < 0:
                first, last = np.searchsorted(
                    sorted_lats, (lats[cell] - degrees, lats[cell] + degrees)
                )
                band = by_lat[first:last]
                band = band[group[band] < 0]
                group[band[self.unit[band] @ self.unit[cell] >= far]] = count
                group[cell] = count
                count += 1
        order = np.argsort(group, kind="stable")
        return order, np.searchsorted(group[order], np.arange(count))

    def clusters(self, places: Floats, km: float) -> Iterator[tuple[Ints, Ints]]:
        """Places that lie together, and all cells with a point within `km` of one of them."""
        waiting = np.arange(len(places))
        while len(waiting):
            along = places[waiting] @ places[waiting[0]]
            together = along >= cosine(2 * km)
            together[0] = True
            cluster, waiting = waiting[together], waiting[~together]
            cells = np.flatnonzero(self.unit @ places[cluster[0]] >= cosine(3 * km + 1.0))
            apart = self.unit[cells] @ places[cluster].T
            yield cluster, cells[apart.max(axis=1, initial=-2.0) >= cosine(km + TOLERANCE_KM)]

    def within(self, places: Floats, km: float) -> Ints:
        """The cells whose points lie within `km` of one of the places, given as unit vectors."""
        near = np.zeros(self.count, bool)
        for _, cells in self.clusters(places, km):
            near[cells] = True
        return np.flatnonzero(near)

    def hidden_places(self, lat: Floats, lon: Floats) -> Floats:
        """Unit vectors of the photos, and of the cells that stand for those with no cell near."""
        pairs = np.unique(np.column_stack((lat, lon)), axis=0)
        places = unit_vector(*pairs.T)
        reach = 2 * self.radius_km
        lonely = np.ones(len(places), bool)
        for cluster, near in self.clusters(places, reach):
            along = places[cluster] @ self.unit[near].T
            lonely[cluster] = along.max(axis=1, initial=-2.0) < cosine(reach + TOLERANCE_KM)
        if lonely.any():
            nearest = np.unique((places[lonely] @ self.unit.T).argmax(axis=1))
            places = np.concatenate((places, self.unit[nearest]))
        return places

    def sets_near(self, places: Floats, *, real: bool = False) -> tuple[Floats, tuple[Ints, ...]]:
        """Centres, and the cells of circles such that each circle centred within the radius of a
        place lies in one of them; or, `real`, cells of some circles that are centred there.
        """
        radius, step = self.radius_km, self.radius_km / GRID
        found: dict[bytes, tuple[Floats, Ints]] = {}
        for cluster, near in self.clusters(places, 2 * radius):
            grid = grid_around(places[cluster], radius, step)
            reach = radius + step + TOLERANCE_KM
            if real:
                reach = max(radius - 2 * TOLERANCE_KM, 0.0)
                grid = np.concatenate((grid, places[cluster], self.unit[near]))
                grid = grid[(grid @ places[cluster].T >= cosine(reach)).any(axis=1)]
            inside = self.unit[near] @ grid.T >= cosine(reach)
            packed = {row.tobytes(): number for number, row in enumerate(np.packbits(inside, 0).T)}
            numbers = np.array(list(packed.values()), dtype=np.int64)
            sets = inside.T[numbers].astype(np.float32)
            sizes = sets.sum(axis=1)
            order = np.argsort(-sizes, kind="stable")
            sets, sizes, numbers = sets[order], sizes[order], numbers[order]
            # a set that lies in an earlier one is hidden with it
            covered = np.zeros(len(sets), bool)
            for start in range(0, len(sets), 1024):
                part = slice(start, start + 1024)
                lies_in = sets[part] @ sets.T == sizes[part, None]
                covered[part] = np.tril(lies_in, start - 1).any(axis=1)
            for at in np.flatnonzero(~covered & (sizes > 0)).tolist():
                cells = near[sets[at] > 0]
                found[cells.tobytes()] = grid[numbers[at]], cells
        centres = np.array([centre for centre, _ in found.values()]).reshape(-1, 3)
        return centres, tuple(cells for _, cells in found.values())

    def distinct(self, score: Floats, near: Ints, count: int) -> Ints:
        """The `count` best centres of `score` apart from each other, none of them in `near`.

        They lie more than four radii from each other. Centres with a score of −inf do not count.
        """
        score = score.copy()
        score[near] = -np.inf
        return best_apart(self.unit, score, 4 * self.radius_km + TOLERANCE_KM, count)

    def apart(self, order: Ints, count: int) -> Ints:
        """The first `count` centres in this order, each more than four radii from those before."""
        return _apart(self.unit, order, 4 * self.radius_km + TOLERANCE_KM, count)


def find_circles(points: tuple[Floats, Floats], radius_km: float) -> Circles:
    """The circles of a radius around points; remembered."""
    key = (id(points[0]), id(points[1]), radius_km)
    known = _REMEMBERED.get(key)
    if known is None:
        if len(_REMEMBERED) >= _MAX_REMEMBERED:
            _REMEMBERED.clear()
        known = _REMEMBERED[key] = points, Circles(points, radius_km)
    return known[1]


def best_apart(unit: Floats, score: Floats, km: float, count: int) -> Ints:
    """The `count` best centres of `score`, each more than `km` from those before it.

    Centres are unit vectors; those with a score of −inf do not count.
    """
    first = _CANDIDATES * count
    if first < len(score):
        best = np.argpartition(-score, first)[:first]
        best = best[score[best] > -np.inf]
        # in the order of all, where scores are equal
        found = _apart(unit, best[np.lexsort((best, -score[best]))], km, count)
        if len(found) == count:
            return found
    order = np.argsort(-score, kind="stable")
    return _apart(unit, order[score[order] > -np.inf], km, count)


def _apart(unit: Floats, order: Ints, km: float, count: int) -> Ints:
    """The first `count` centres in this order, each more than `km` from those before."""
    unit, free, far = unit[order], np.ones(len(order), bool), cosine(km)
    found: list[int] = []
    at = 0
    while len(found) < count and at < len(order):
        found.append(int(order[at]))
        free &= unit @ unit[at] < far
        step = int(free[at:].argmax())
        if not free[at + step]:
            break
        at += step
    return np.array(found, dtype=np.int64)


def cosine(km: float) -> float:
    """The cosine of a distance on the earth, as an angle seen from its middle.

    Beyond the antipodes it is below every cosine that rounding can give.
    """
    return math.cos(km / EARTH_KM) if km < math.pi * EARTH_KM else -1.1


def grid_around(places: Floats, radius_km: float, step_km: float) -> Floats:
    """Unit vectors no centre within `radius_km` of these places is farther from than `step_km`.

    Places are unit vectors. The grid is laid out in the plane that touches the earth at the first
    of them, and wrapped around the earth from there: that brings no two of its points farther
    apart.
    """
    farthest = float(np.linalg.norm(places - places[0], axis=1).max())
    reach = 2 * math.asin(min(farthest / 2, 1.0)) * EARTH_KM + radius_km + TOLERANCE_KM
    side = step_km * math.sqrt(2)  # a square of this side lies within `step_km` of its middle
    offsets = np.arange(-math.ceil(reach / side) - 1, math.ceil(reach / side) + 2) * side
    x, y = (axis.ravel() for axis in np.meshgrid(offsets, offsets))
    inside = np.hypot(x, y) <= reach + step_km + TOLERANCE_KM
    angle, bearing = np.hypot(x, y)[inside] / EARTH_KM, np.arctan2(x, y)[inside]
    east = np.cross([0.0, 0.0, 1.0], places[0])
    length = float(np.linalg.norm(east))
    east = east / length if length > 1e-12 else np.array([1.0, 0.0, 0.0])
    north = np.cross(places[0], east)
    along = np.cos(bearing)[:, None] * north + np.sin(bearing)[:, None] * east
    grid = places[0] * np.cos(angle)[:, None] + along * np.sin(angle)[:, None]
    near = (grid @ places.T >= cosine(radius_km + step_km + TOLERANCE_KM)).any(axis=1)
    return np.asarray(grid[near])
