"""Outlines of countries and regions: to draw maps, and to say which cells a country touches.

Two files made by training/outlines.py from Natural Earth: countries at 1:50 million to draw, and
states and provinces at 1:10 million to measure. They are kept to a hundredth of a degree, so an
outline is good to about 3 km; a cell nearer than that counts as touching.

On whose ground a coordinate lies: its country, or its region.

The nearest town may lie across a border, so the outlines decide; where a coordinate is in none of
them, at sea or on an island too small to be drawn, the nearest town does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import Floats, Ints, canonical
from elsewhere.globe.gazetteer import gazetteer, load_data_file
from elsewhere.globe.names import nearest_town
from elsewhere.globe.places import Place, place_of_row

GRAIN = 100
"""Coordinates are kept in hundredths of a degree."""
MARGIN = 0.03
"""How wrong an outline may be, in degrees."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The ground inside closed rings; a ring within a ring is a hole."""

    rings: Sequence[Floats]
    """Each (n, 2): latitude and longitude; the last point joins the first. None crosses ±180."""

    def contains(self, lat: ArrayLike, lon: ArrayLike) -> NDArray[np.bool_]:
        """Whether places lie inside: an eastward ray from there crosses the rings an odd number
        of times.
        """
        lats, lons = np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        inside = np.zeros(np.broadcast(lats, lons).shape, dtype=bool)
        for ring in self.rings:
            (south, west), (north, east) = ring.min(axis=0), ring.max(axis=0)
            near = (lats >= south) & (lats <= north) & (lons >= west) & (lons <= east)
            if not near.any():
                continue
            a, b = ring, np.roll(ring, -1, axis=0)
            y, x = lats[near][:, np.newaxis], lons[near][:, np.newaxis]
            spans = (a[:, 0] > y) != (b[:, 0] > y)
            rise, run = b[:, 0] - a[:, 0], b[:, 1] - a[:, 1]
            west_of = (x - a[:, 1]) * rise < (y - a[:, 0]) * run
            inside[near] ^= (spans & (west_of == (rise > 0))).sum(axis=1) % 2 == 1
        return inside

    def touching(self, cells: Cells) -> Ints:
        """Every cell any part of which lies inside, or within `MARGIN` of the outline."""
        south, west, north, east = cells.boxes.T
        mid = np.stack(((south + north) / 2, (west + east) / 2), axis=1)
        half = np.stack(((north - south) / 2, (east - west) / 2), axis=1) + MARGIN
        touched = self.contains(mid[:, 0], mid[:, 1])
        for ring in self.rings:
            near = (ring.min(axis=0) <= mid + half).all(axis=1)
            near &= (ring.max(axis=0) >= mid - half).all(axis=1)
            waiting = np.flatnonzero(near & ~touched)
            if len(waiting):
                touched[waiting] = _crossed(ring, mid[waiting], half[waiting])
        return np.unique(cells.owner[touched])


def _crossed(ring: Floats, mid: Floats, half: Floats) -> NDArray[np.bool_]:
    """Whether any side of the ring meets each box: no line separates the two."""
    ends = np.roll(ring, -1, axis=0)
    step = np.abs(ends - ring) / 2
    across, along = (ends - ring)[:, 0] / 2, (ends - ring)[:, 1] / 2
    met = np.zeros(len(mid), dtype=bool)
    for box in range(len(mid)):
        off = (ring + ends) / 2 - mid[box]
        reach = half[box]
        apart = (np.abs(off) > reach + step).any(axis=1)
        apart |= np.abs(along * off[:, 0] - across * off[:, 1]) > (
            reach[0] * step[:, 1] + reach[1] * step[:, 0]
        )
        met[box] = not apart.all()
    return met


@cache
def countries() -> dict[str, Outline]:
    """The countries to draw, by two-letter code.

    >>> bool(countries()["PT"].contains(39.5, -8.0))
    True
    """
    codes = load_data_file("countries.bin").text("codes").split()
    return dict(zip(codes, _outlines("countries.bin"), strict=True))


@cache
def regions() -> list[Outline]:
    """The states and provinces to measure, in the order of the gazetteer's regions."""
    return _outlines("regions.bin")


def _outlines(file: str) -> list[Outline]:
    """All outlines of a file."""
    data = load_data_file(file)
    points = np.stack((data.numbers("lat"), data.numbers("lon")), axis=1) / GRAIN
    rings = np.split(points, np.cumsum(data.numbers("points"))[:-1])
    ends = np.cumsum(data.numbers("rings")).tolist()
    return [Outline(rings[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def ground(lat: ArrayLike, lon: ArrayLike, kind: str) -> tuple[Place, ...]:
    """The "country" or the "region" of each of these coordinates.

    A country without regions stands for itself.

    >>> [str(one) for one in ground([38.72, 46.2], [-9.14, 6.1], "country")]
    ['Portugal', 'Switzerland']
    >>> str(ground(38.72, -9.14, "region")[0])
    'Lisbon, Portugal'
    """
    if kind not in {"country", "region"}:
        raise InputError(f"ground belongs to a country or a region, not to a {kind}")
    lats, lons = (np.ravel(axis) for axis in canonical(lat, lon))
    part = np.full(len(lats), -1)
    for number in _near(lats, lons):
        waiting = np.flatnonzero(part < 0)
        part[waiting[regions()[number].contains(lats[waiting], lons[waiting])]] = number
    return tuple(
        _owner(int(at), float(a), float(b), kind) for at, a, b in zip(part, lats, lons, strict=True)
    )


def _near(lats: Floats, lons: Floats) -> list[int]:
    """The states and provinces that any of these coordinates can lie in, by their rings' boxes."""
    south, west, north, east, whose = _boxes()
    found: set[int] = set()
    for lat, lon in zip(lats, lons, strict=True):
        inside = (south <= lat) & (lat <= north) & (west <= lon) & (lon <= east)
        found.update(whose[inside].tolist())
    return sorted(found)


@cache
def _boxes() -> tuple[Floats, Floats, Floats, Floats, Ints]:
    """South, west, north and east of every ring, and whose it is."""
    rings = [(n, ring) for n, outline in enumerate(regions()) for ring in outline.rings]
    low = np.array([ring.min(axis=0) for _, ring in rings])
    high = np.array([ring.max(axis=0) for _, ring in rings])
    return low[:, 0], low[:, 1], high[:, 0], high[:, 1], np.array([n for n, _ in rings])


def _owner(part: int, lat: float, lon: float, kind: str) -> Place:
    """Who a state or province belongs to; without one, whose the nearest town is."""
    table = gazetteer()
    country = int(table.country_of_part[part]) if part >= 0 else -1
    if country < 0:
        town = nearest_town(lat, lon)[0]
        part, country = int(table.part[town.row]), int(table.country[town.row])
    region = int(table.region_of_part[part]) if part >= 0 else -1
    row = region if kind == "region" and region >= 0 else int(table.country_row[country])
    return place_of_row(row)
