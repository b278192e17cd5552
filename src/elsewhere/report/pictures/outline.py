"""The line around several boxes, without the lines between them.

A zone of seventeen cells is one piece of ground to the reader. All edges cut the boxes into a
lattice of rectangles; an edge between inside and outside belongs to the line, all others do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elsewhere.globe.coordinates import Floats
from elsewhere.report.pictures.land import path
from elsewhere.report.pictures.projection import project

Box = tuple[float, float, float, float]
_STRIDE = 6.0
"""Degrees: a parallel is straight on this map, a meridian is drawn in pieces this long."""


def around(boxes: Sequence[Box]) -> str:
    """The line around boxes of south, west, north, east, as SVG path data on the map."""
    return "".join(path(points, closed=False) for points in _pieces(np.array(boxes).reshape(-1, 4)))


def ground(boxes: Sequence[Box]) -> str:
    """The boxes themselves, to be filled."""
    drawn = []
    for south, west, north, east in boxes:
        lat = _along(south, north)
        lats, lons = np.concatenate((lat, lat[::-1])), np.repeat([west, east], len(lat))
        drawn.append(path(np.stack(project(lats, lons), axis=1)))
    return "".join(drawn)


def edges(boxes: Sequence[Box]) -> list[Box]:
    """The pieces of the line: south, west, north, east, where two of these are the same.

    >>> edges([(0, 0, 1, 1), (0, 1, 1, 2)])
    [(0.0, 0.0, 0.0, 2.0), (1.0, 0.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.0), (0.0, 2.0, 1.0, 2.0)]
    """
    rows = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    if not len(rows):
        return []
    lat, lon = np.unique(rows[:, [0, 2]]), np.unique(rows[:, [1, 3]])
    inside = np.zeros((len(lat) + 1, len(lon) + 1), dtype=bool)  # a rim of outside all around
    for south, west, north, east in rows:
        bottom, top = np.searchsorted(lat, [south, north]) + 1
        left, right = np.searchsorted(lon, [west, east]) + 1
        inside[bottom:top, left:right] = True
    flat = inside[1:] != inside[:-1]
    upright = inside[:, 1:] != inside[:, :-1]
    found = []
    for row in range(len(lat)):
        for first, last in _runs(flat[row, 1:-1]):
            found.append((float(lat[row]), float(lon[first]), float(lat[row]), float(lon[last])))
    for column in range(len(lon)):
        for first, last in _runs(upright[1:-1, column]):
            x = float(lon[column])
            found.append((float(lat[first]), x, float(lat[last]), x))
    return found


def _runs(marked: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Where runs of marked places begin, and where they have ended."""
    change = np.diff(np.concatenate(([0], marked.astype(int), [0])))
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _pieces(boxes: Floats) -> list[Floats]:
    pieces = []
    for south, west, north, east in edges(boxes.tolist()):
        lats = _along(south, north) if south < north else np.array([south, south])
        lons = np.linspace(west, east, len(lats))
        pieces.append(np.stack(project(lats, lons), axis=1))
    return pieces


def _along(south: float, north: float) -> Floats:
    return np.linspace(south, north, 2 + int((north - south) / _STRIDE))
