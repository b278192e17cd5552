"""Outlines of countries and regions: to draw maps, to find the cells that a country touches, and to
find the country or region of a coordinate.

Two files made by training/outlines.py from Natural Earth: countries at 1:50 million to draw, and
states and provinces at 1:10 million to measure. They are kept to a hundredth of a degree, so an
outline is good to about 3 km; a cell nearer than that counts as touching.

The nearest town may lie across a border, so the outlines decide. Where a coordinate is in none of
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
"""The error of an outline, in degrees."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The ground inside closed rings; a ring within a ring is a hole."""

    rings: Sequence[Floats]
    """Each (n, 2): latitude and longitude; the last point joins the first. None crosses ±180."""

    def contains(self, lat: ArrayLike, lon: ArrayLike) -> NDArray[np.bool_]:
        """Whether places lie inside: an eastward ray crosses the rings an odd number of times."""
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
            to_test = np.flatnonzero(near & ~touched)
            if len(to_test):
                touched[to_test] = _crosses(ring, mid[to_test], half[to_test])
        return np.unique(cells.owner[touched])


def _crosses(ring: Floats, mid: Floats, half: Floats) -> NDArray[np.bool_]:
    """Whether any side of the ring crosses each box, by separating axes."""
    ends = np.roll(ring, -1, axis=0)
    step = np.abs(ends - ring) / 2
    across, along = (ends - ring)[:, 0] / 2, (ends - ring)[:, 1] / 2
    crossed = np.zeros(len(mid), dtype=bool)
    for box in range(len(mid)):
        offset = (ring + ends) / 2 - mid[box]
        reach = half[box]
        separate = (np.abs(offset) > reach + step).any(axis=1)
        separate |= np.abs(along * offset[:, 0] - across * offset[:, 1]) > (
            reach[0] * step[:, 1] + reach[1] * step[:, 0]
        )
        crossed[box] = not separate.all()
    return crossed


@cache
def countries() -> dict[str, Outline]:
    """The countries to draw, by two-letter code.

    >>> bool(countries()["PT"].contains(39.5, -8.0))
    True
    """
    codes = load_data_file("countries.bin").text("codes").split()
    return dict(zip(codes, _read_outlines("countries.bin"), strict=True))


@cache
def regions() -> list[Outline]:
    """The states and provinces to measure, in the order of the gazetteer's regions."""
    return _read_outlines("regions.bin")


def _read_outlines(file: str) -> list[Outline]:
    """All outlines in a data file."""
    data = load_data_file(file)
    points = np.stack((data.numbers("lat"), data.numbers("lon")), axis=1) / GRAIN
    rings = np.split(points, np.cumsum(data.numbers("points"))[:-1])
    ends = np.cumsum(data.numbers("rings")).tolist()
    return [Outline(rings[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def ground(lat: ArrayLike, lon: ArrayLike, kind: str) -> tuple[Place, ...]:
    """The "country" or the "region" of each of these coordinates.

    A country without regions stands for itself.

    >>> [str(owner) for owner in ground([38.72, 46.2], [-9.14, 6.1], "country")]
    ['Portugal', 'Switzerland']
    >>> str(ground(38.72, -9.14, "region")[0])
    'Lisbon, Portugal'
    """
    if kind not in {"country", "region"}:
        raise InputError(f"ground belongs to a country or a region, not to a {kind}")
    lats, lons = (np.ravel(axis) for axis in canonical(lat, lon))
    south, west, north, east, ring_part = _ring_boxes()
    candidates: set[int] = set()
    for y, x in zip(lats.tolist(), lons.tolist(), strict=True):
        near = (south <= y) & (y <= north) & (west <= x) & (x <= east)
        candidates.update(ring_part[near].tolist())
    parts = np.full(len(lats), -1)
    for number in sorted(candidates):
        open_points = np.flatnonzero(parts < 0)
        inside = regions()[number].contains(lats[open_points], lons[open_points])
        parts[open_points[inside]] = number
    table = gazetteer()
    owners = []
    for found, y, x in zip(parts.tolist(), lats.tolist(), lons.tolist(), strict=True):
        part = found
        country = int(table.country_of_part[part]) if part >= 0 else -1
        if country < 0:
            town = nearest_town(y, x)[0]
            part, country = int(table.part[town.row]), int(table.country[town.row])
        region = int(table.region_of_part[part]) if part >= 0 else -1
        is_region = kind == "region" and region >= 0
        owners.append(place_of_row(region if is_region else int(table.country_row[country])))
    return tuple(owners)


@cache
def _ring_boxes() -> tuple[Floats, Floats, Floats, Floats, Ints]:
    """South, west, north and east of every ring, and the state or province that it belongs to."""
    rings = [(n, ring) for n, outline in enumerate(regions()) for ring in outline.rings]
    low = np.array([ring.min(axis=0) for _, ring in rings])
    high = np.array([ring.max(axis=0) for _, ring in rings])
    return low[:, 0], low[:, 1], high[:, 0], high[:, 1], np.array([n for n, _ in rings])
