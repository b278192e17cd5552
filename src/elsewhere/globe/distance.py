"""Distances on the sphere, in km: between places, and from a place to the nearest part of a cell.

A cell's centre says nothing about how near the cell is, so nothing here measures to one. A cell is
boxes between parallels and meridians, and for those the nearest part is found exactly: at any
latitude a box is nearest on its meridian nearest to the place, and along a meridian the distance
has one lowest point. The earth is a sphere of its mean radius: at most 0.6 % off the ellipsoid.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import Floats, canonical

EARTH_KM = 6371.0088
"""The mean radius of the earth."""


def between_km(lat1: ArrayLike, lon1: ArrayLike, lat2: ArrayLike, lon2: ArrayLike) -> Floats:
    """Great-circle distance between places; arrays broadcast.

    >>> round(float(between_km(51.5074, -0.1278, 40.7128, -74.0060)))
    5570
    """
    (a, b), (c, d) = canonical(lat1, lon1), canonical(lat2, lon2)
    return EARTH_KM * _angle(np.radians(a), np.radians(c), np.radians(d - b))


def unit_vector(lat: ArrayLike, lon: ArrayLike) -> Floats:
    """Places as vectors of length one from the middle of the earth, in the last axis."""
    lats, lons = canonical(lat, lon)
    phi, theta = np.radians(lats), np.radians(lons)
    return np.stack((np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)), -1)


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
            _angle(phi, np.clip(closest, south, north), offset),
            _angle(phi, south, offset),
            _angle(phi, north, offset),
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
    diagonals = _angle(south, north, np.minimum(east - west, np.pi))
    by_cell: Floats = np.maximum.reduceat(diagonals, cells.starts) * EARTH_KM
    return by_cell


def _angle(lat1: Floats, lat2: Floats, offset: Floats) -> Floats:
    """The angle between places in radians, accurate for neighbours and antipodes alike."""
    half = np.sin((lat1 - lat2) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(offset / 2) ** 2
    other = np.sin((lat1 + lat2) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.cos(offset / 2) ** 2
    angle: Floats = 2 * np.arctan2(np.sqrt(half), np.sqrt(other))
    return angle
