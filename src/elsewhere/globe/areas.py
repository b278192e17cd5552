"""Areas of the earth: zones of cells around a place, and outlines of countries and regions.

Twenty neighbouring cells make up London; pushing one out in favour of the next protects nobody. So
a zone, the cells that must not stand out when a place is hidden, is every cell any part of which
lies within R km of the place, and a decoy lies wholly outside it. Distances are to the nearest part
of a cell, which is exact for boxes: at any latitude a box is nearest on its meridian nearest to the
place, and along a meridian the distance has one lowest point.

Outlines are made by training/outlines.py from Natural Earth: countries at 1:50 million to draw, and
states and provinces at 1:10 million to measure. They are kept to a hundredth of a degree, so an
outline is good to about 3 km; a cell nearer than that counts as touching. They decide which country
or region a coordinate is in, for the nearest town may lie across a border. Only a coordinate in no
outline, at sea or on an island too small to be drawn, belongs where the nearest town does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, angle, canonical
from elsewhere.globe.gazetteer import gazetteer, load_data_file
from elsewhere.globe.places import Place, nearest_town, place_of_row


@dataclass(frozen=True, eq=False)
class Zone:
    """The cells of a place and its surroundings."""

    cells: Ints
    """Every cell of the zone, ascending."""
    decoys: Ints
    """Every cell that lies wholly outside, ascending."""
    radius_km: float
    """How far the zone reaches beyond the place; 0 for the ground of a country or region alone."""
    widest_cell_km: float = 0.0
    """Where the cell that holds the place is wider than the radius, how wide it is; else 0."""

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, cell: object) -> bool:
        return cell in self.cells


def zone(cells: Cells, lat: ArrayLike, lon: ArrayLike, radius_km: float = 25.0) -> Zone:
    """Every cell any part of which lies within `radius_km` of the place, or of any of several.

    With radius 0 these are the cells that hold or touch the places themselves.

    >>> from elsewhere.globe import Cells
    >>> len(zone(Cells.paper(), 51.5074, -0.1278, 25))
    17
    >>> round(zone(Cells.paper(), 71.17, 25.78, 25).widest_cell_km)
    3265
    """
    if not 0.0 <= radius_km < math.inf:
        raise InputError(f"a radius is 0 km or more, not {radius_km}")
    lats, lons = np.atleast_1d(lat), np.atleast_1d(lon)
    if lats.size == 0 or lons.size == 0:
        raise InputError("a zone is around a place: give at least one coordinate")
    own = np.unique(cells.locate(lats, lons))
    near = np.zeros(cells.count, dtype=bool)
    near[own] = True
    # only boxes at about the same latitude can be near
    reach = math.degrees(radius_km / EARTH_KM) + 1e-6
    possible = cells.boxes[:, 0] <= lats.max() + reach
    possible &= cells.boxes[:, 2] >= lats.min() - reach
    angles = _angles_to(cells.boxes[possible], lats.ravel(), lons.ravel())
    near[cells.owner[possible][angles.min(axis=0) * EARTH_KM <= radius_km]] = True
    widest = float(across_km(cells)[own].max())
    inside, outside = np.flatnonzero(near), np.flatnonzero(~near)
    return Zone(inside, outside, radius_km, widest if widest > radius_km > 0 else 0.0)


def zone_of_place(cells: Cells, place: Place, radius_km: float = 25.0) -> Zone:
    """The zone of a place: around a town or coordinate, or all the ground of a region or country.

    A region or country is every cell that touches it, whatever the radius.

    >>> from elsewhere.globe import Cells, place
    >>> cells = Cells.paper()
    >>> portugal = zone_of_place(cells, place("Portugal"))
    >>> cells.locate(38.72, -9.14) in portugal, cells.locate(48.86, 2.35) in portugal
    (True, False)
    """
    if place.kind in {"city", "coordinate"}:
        return zone(cells, place.lat, place.lon, radius_km)
    table = gazetteer()
    if place.kind == "region":
        parts = table.parts[place.row]
        towns = np.isin(table.part, parts)
    else:
        country = table.country[place.row]
        parts = np.flatnonzero(table.country_of_part == country).tolist()
        towns = (table.country == country) & (table.kind == 2)
    touched = [outlines("regions")[part].touching(cells) for part in parts]
    # a town outside all outlines lies on an island too small to be drawn
    touched.append(cells.locate(table.lat[towns], table.lon[towns]))
    touched.append(np.atleast_1d(cells.locate(place.lat, place.lon)))
    return zone_of_cells(cells, np.unique(np.concatenate(touched)).tolist())


def zone_of_cells(cells: Cells, inside: Iterable[int]) -> Zone:
    """The zone of just these cells."""
    near = np.zeros(cells.count, dtype=bool)
    for cell in inside:
        if not 0 <= cell < cells.count:
            raise InputError(f"there is no cell {cell}: these are 0 to {cells.count - 1}")
        near[cell] = True
    if not near.any():
        raise InputError("a zone needs at least one cell")
    return Zone(np.flatnonzero(near), np.flatnonzero(~near), 0.0)


def distance_km(cells: Cells, lat: ArrayLike, lon: ArrayLike) -> Floats:
    """Distance from a place to the nearest part of every cell: 0 for the cell it lies in.

    One place gives (M,), an array of places gives their shape with M added.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.paper()
    >>> km = distance_km(cells, 38.72, -9.14)
    >>> km.shape, float(km[cells.locate(38.72, -9.14)])
    ((512,), 0.0)
    """
    nearest = _angles_to(cells.boxes, lat, lon)
    by_cell: Floats = np.minimum.reduceat(nearest, cells.starts, axis=-1) * EARTH_KM
    return by_cell


def _angles_to(boxes: Floats, lat: ArrayLike, lon: ArrayLike) -> Floats:
    """The angle from places to the nearest part of every box."""
    lats, lons = canonical(lat, lon)
    phi = np.radians(lats)[..., np.newaxis]
    south, north = np.radians(boxes[:, 0]), np.radians(boxes[:, 2])
    # how far the box begins to the east and to the west of the place; 0 when it spans its meridian
    eastward = np.mod(boxes[:, 1] - lons[..., np.newaxis], 360.0)
    westward = np.mod(lons[..., np.newaxis] - boxes[:, 3], 360.0)
    spans = eastward + (boxes[:, 3] - boxes[:, 1]) >= 360.0
    offset = np.radians(np.where(spans, 0.0, np.minimum(eastward, westward)))
    # along the nearest meridian the closest latitude, which may lie beyond a pole
    closest = np.arctan2(np.sin(phi), np.cos(phi) * np.cos(offset))
    nearest: Floats = np.minimum.reduce(
        [
            angle(phi, np.clip(closest, south, north), offset),
            angle(phi, south, offset),
            angle(phi, north, offset),
        ]
    )
    return nearest


def across_km(cells: Cells) -> Floats:
    """How far it is across each cell: from one corner of its largest box to the opposite one.

    >>> from elsewhere.globe import Cells
    >>> round(float(np.median(across_km(Cells.paper()))))
    325
    """
    south, west, north, east = np.radians(cells.boxes).T
    diagonals = angle(south, north, np.minimum(east - west, np.pi))
    by_cell: Floats = np.maximum.reduceat(diagonals, cells.starts) * EARTH_KM
    return by_cell


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


def countries() -> dict[str, Outline]:
    """The countries to draw, by two-letter code.

    >>> bool(countries()["PT"].contains(39.5, -8.0))
    True
    """
    codes = load_data_file("countries.bin").raw("codes").decode().split()
    return dict(zip(codes, outlines("countries"), strict=True))


@cache
def outlines(kind: Literal["countries", "regions"]) -> list[Outline]:
    """The countries to draw, or the states and provinces to measure in the gazetteer's order."""
    data = load_data_file(f"{kind}.bin")
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
    south_west, north_east, ring_part = _ring_boxes()
    candidates: set[int] = set()
    for point in np.stack((lats, lons), axis=1):
        near = ((south_west <= point) & (point <= north_east)).all(axis=1)
        candidates.update(ring_part[near].tolist())
    parts = np.full(len(lats), -1)
    for number in sorted(candidates):
        open_points = np.flatnonzero(parts < 0)
        inside = outlines("regions")[number].contains(lats[open_points], lons[open_points])
        parts[open_points[inside]] = number
    table = gazetteer()
    owners = []
    for part, y, x in zip(parts.tolist(), lats.tolist(), lons.tolist(), strict=True):
        region = int(table.region_of_part[part]) if part >= 0 else -1
        country = int(table.country_of_part[part]) if part >= 0 else -1
        if country < 0:
            town = nearest_town(y, x)[0].row
            region = int(table.region_of_part[table.part[town]]) if table.part[town] >= 0 else -1
            country = int(table.country[town])
        is_region = kind == "region" and region >= 0
        owners.append(place_of_row(region if is_region else int(table.country_row[country])))
    return tuple(owners)


@cache
def _ring_boxes() -> tuple[Floats, Floats, Ints]:
    """The corners of every ring, and the state or province that it belongs to."""
    rings = [(n, ring) for n, outline in enumerate(outlines("regions")) for ring in outline.rings]
    south_west = np.array([ring.min(axis=0) for _, ring in rings])
    north_east = np.array([ring.max(axis=0) for _, ring in rings])
    return south_west, north_east, np.array([n for n, _ in rings])
