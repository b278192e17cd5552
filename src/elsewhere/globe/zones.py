"""Zones: the cells that must not stand out when a place is to be hidden; distances to cells.

Twenty neighbouring cells make up London; pushing one out in favour of the next protects nobody.
So a zone is every cell any part of which lies within R km of the place, and a decoy lies wholly
outside it.

Distances are to the nearest part of a cell, never to its centre. A cell is boxes between parallels
and meridians, and for those the nearest part is found exactly: at any latitude a box is nearest on
its meridian nearest to the place, and along a meridian the distance has one lowest point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, angle, canonical
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.outlines import regions
from elsewhere.globe.places import Place


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
    >>> len(zone(Cells.default(), 51.5074, -0.1278, 25))
    17
    >>> round(zone(Cells.default(), 71.17, 25.78, 25).widest_cell_km)
    3265
    """
    if not 0.0 <= radius_km < math.inf:
        raise InputError(f"a radius is 0 km or more, not {radius_km}")
    lats, lons = np.atleast_1d(lat), np.atleast_1d(lon)
    if lats.size == 0 or lons.size == 0:
        raise InputError("a zone is around a place: give at least one coordinate")
    km = distance_km(cells, lats, lons).reshape(-1, cells.count).min(axis=0)
    near: NDArray[np.bool_] = km <= radius_km
    own = np.unique(cells.locate(lats, lons))
    near[own] = True
    widest = float(across_km(cells)[own].max())
    return _zone(near, radius_km, widest if widest > radius_km > 0 else 0.0)


def zone_of_place(cells: Cells, place: Place, radius_km: float = 25.0) -> Zone:
    """The zone of a place: around a town or coordinate, or all the ground of a region or country.

    A region or country is every cell that touches it, whatever the radius.

    >>> from elsewhere.globe import Cells, place
    >>> cells = Cells.default()
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
    outlines = regions()
    touched = [outlines[part].touching(cells) for part in parts]
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
    return _zone(near, 0.0)


def _zone(near: NDArray[np.bool_], radius_km: float, widest_cell_km: float = 0.0) -> Zone:
    inside, outside = np.flatnonzero(near), np.flatnonzero(~near)
    return Zone(inside.astype(np.int64), outside.astype(np.int64), radius_km, widest_cell_km)


def distance_km(cells: Cells, lat: ArrayLike, lon: ArrayLike) -> Floats:
    """Distance from a place to the nearest part of every cell: 0 for the cell it lies in.

    One place gives (M,), an array of places gives their shape with M added.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.default()
    >>> km = distance_km(cells, 38.72, -9.14)
    >>> km.shape, float(km[cells.locate(38.72, -9.14)])
    ((512,), 0.0)
    """
    lats, lons = canonical(lat, lon)
    phi = np.radians(lats)[..., np.newaxis]
    south, north = np.radians(cells.boxes[:, 0]), np.radians(cells.boxes[:, 2])
    # how far the box begins to the east and to the west of the place; 0 when it spans its meridian
    eastward = np.mod(cells.boxes[:, 1] - lons[..., np.newaxis], 360.0)
    westward = np.mod(lons[..., np.newaxis] - cells.boxes[:, 3], 360.0)
    spans = eastward + (cells.boxes[:, 3] - cells.boxes[:, 1]) >= 360.0
    offset = np.radians(np.where(spans, 0.0, np.minimum(eastward, westward)))
    # along the nearest meridian the closest latitude, which may lie beyond a pole
    closest = np.arctan2(np.sin(phi), np.cos(phi) * np.cos(offset))
    nearest = np.minimum.reduce(
        [
            angle(phi, np.clip(closest, south, north), offset),
            angle(phi, south, offset),
            angle(phi, north, offset),
        ]
    )
    by_cell: Floats = np.minimum.reduceat(nearest, cells.starts, axis=-1) * EARTH_KM
    return by_cell


def across_km(cells: Cells) -> Floats:
    """How far it is across each cell: from one corner of its largest box to the opposite one.

    >>> from elsewhere.globe import Cells
    >>> round(float(np.median(across_km(Cells.default()))))
    325
    """
    south, west, north, east = np.radians(cells.boxes).T
    diagonals = angle(south, north, np.minimum(east - west, np.pi))
    by_cell: Floats = np.maximum.reduceat(diagonals, cells.starts) * EARTH_KM
    return by_cell
