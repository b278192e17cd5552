"""On whose ground a coordinate lies: its country, or its region.

The nearest town may lie across a border, so the outlines decide; where a coordinate is in none of
them, at sea or on an island too small to be drawn, the nearest town does.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.errors import InputError
from elsewhere.globe.coordinates import Floats, Ints, canonical
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.names import nearest_town
from elsewhere.globe.outlines import regions
from elsewhere.globe.places import Place, place_of_row


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
