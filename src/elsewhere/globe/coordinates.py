"""Coordinates: which numbers are a place on earth, one spelling for each, and distances in km.

A place has many spellings: longitude 190 is −170, 180 is −180, and at a pole every longitude is the
same point. Everything goes through `canonical`, so that a place is never in two cells because it
was written in two ways. The earth is a sphere of its mean radius: at most 0.6 % off the ellipsoid.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Box = tuple[float, float, float, float]
"""South, west, north, east, in degrees: holds [south, north) × [west, east)."""

EARTH_KM = 6371.0088
"""The mean radius of the earth."""
_BELOW_THE_POLE = float(np.nextafter(90.0, 0.0))


def canonical(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    """Latitudes in [−90, 90) and longitudes in [−180, 180), or an InputError.

    Longitudes are wrapped. A pole gets longitude 0, and the north pole the last float below 90,
    so that half-open boxes [south, north) × [west, east) hold every place exactly once.

    >>> canonical([90, 10], [77, 190])
    (array([90., 10.]), array([   0., -170.]))
    """
    try:
        lats, lons = np.broadcast_arrays(
            np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        )
    except (TypeError, ValueError):
        raise InputError(
            "coordinates must be numbers, with as many latitudes as longitudes"
        ) from None
    for bad, problem in (
        (~(np.isfinite(lats) & np.isfinite(lons)), "is not a coordinate: give finite numbers"),
        (np.abs(lats) > 90.0, "is not on earth: a latitude lies between -90 and 90"),
    ):
        if bad.any():
            first = tuple(np.argwhere(bad)[0])
            raise InputError(f"({lats[first]:g}, {lons[first]:g}) {problem}")
    pole = np.abs(lats) == 90.0
    outside = (lons < -180.0) | (lons >= 180.0)
    # only what is outside is wrapped: the arithmetic would round the others
    wrapped = np.where(outside, np.mod(lons + 180.0, 360.0) - 180.0, lons)
    wrapped = np.where(pole | (wrapped == 0.0), 0.0, wrapped)
    wrapped = np.where(wrapped >= 180.0, -180.0, wrapped)
    return np.minimum(lats, _BELOW_THE_POLE) + 0.0, wrapped


def between_km(lat1: ArrayLike, lon1: ArrayLike, lat2: ArrayLike, lon2: ArrayLike) -> Floats:
    """Great-circle distance between places; arrays broadcast.

    >>> round(float(between_km(51.5074, -0.1278, 40.7128, -74.0060)))
    5570
    """
    (a, b), (c, d) = canonical(lat1, lon1), canonical(lat2, lon2)
    return EARTH_KM * angle(np.radians(a), np.radians(c), np.radians(d - b))


def angle(lat1: Floats, lat2: Floats, offset: Floats) -> Floats:
    """The angle between places in radians, accurate for neighbours and antipodes alike.

    `offset` is the difference of their longitudes.
    """
    half = np.sin((lat1 - lat2) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(offset / 2) ** 2
    other = np.sin((lat1 + lat2) / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.cos(offset / 2) ** 2
    result: Floats = 2 * np.arctan2(np.sqrt(half), np.sqrt(other))
    return result


def unit_vector(lat: ArrayLike, lon: ArrayLike) -> Floats:
    """Places as vectors of length one from the middle of the earth, in the last axis."""
    lats, lons = canonical(lat, lon)
    phi, theta = np.radians(lats), np.radians(lons)
    return np.stack((np.cos(phi) * np.cos(theta), np.cos(phi) * np.sin(theta), np.sin(phi)), -1)


def merge_boxes(boxes: Sequence[Sequence[float]]) -> list[Box]:
    """The ground of disjoint boxes as few boxes, the same ones however it was cut before.

    Every edge's parallel cuts the ground into strips, a strip is a few runs of longitude, and a
    run that continues unchanged in the next strip is one box with it. Ordered by south, then west.

    >>> merge_boxes([(0, 0, 1, 1), (0, 1, 1, 2), (1, 0, 3, 2)])
    [(0, 0, 3, 2)]
    """
    edges = sorted({box[0] for box in boxes} | {box[2] for box in boxes})
    merged: list[Box] = []
    open_since: dict[tuple[float, float], float] = {}
    for bottom, top in zip(edges, [*edges[1:], None], strict=True):
        runs: list[tuple[float, float]] = []
        for west, east in sorted((b[1], b[3]) for b in boxes if b[0] <= bottom < b[2]):
            if runs and runs[-1][1] == west:
                runs[-1] = (runs[-1][0], east)
            else:
                runs.append((west, east))
        for run in [run for run in open_since if top is None or run not in runs]:
            merged.append((open_since.pop(run), run[0], bottom, run[1]))
        for run in runs:
            open_since.setdefault(run, bottom)
    return sorted(merged)


def is_contiguous(boxes: Sequence[Sequence[float]]) -> bool:
    """Whether all boxes are connected across edges (not merely corners).

    >>> is_contiguous([(0, 0, 1, 1), (0, 1, 1, 2)]), is_contiguous([(0, 0, 1, 1), (1, 1, 2, 2)])
    (True, False)
    """
    reached = {0}
    frontier = [0]
    while frontier:
        south, west, north, east = boxes[frontier.pop()]
        for other, (bottom, left, top, right) in enumerate(boxes):
            lat, lon = min(north, top) - max(south, bottom), min(east, right) - max(west, left)
            if other not in reached and lat >= 0 and lon >= 0 and lat + lon > 0:
                reached.add(other)
                frontier.append(other)
    return len(reached) == len(boxes)
