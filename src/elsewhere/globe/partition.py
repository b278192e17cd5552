"""The paper's adaptive partition: the same number of geotagged photos in every cell.

The globe is one box; it is halved again and again, always across its longer side (in km, its
width measured at its middle latitude), between the two photos in the middle. So crowded cities
are split and oceans stay whole, every level refines the one before, and every cell is contiguous.

Halves differ by at most one photo, and then so do all cells of a level. Where photos that share
a parallel, a meridian or a place forbid the straight cut, the cut gets a step beside them, and a
cell is then two boxes rather than one; where no step helps, the other side is cut. Photos at the
very same place can never be parted: when all else fails the cut moves to the nearest place that
can be cut, and the counts differ by what lies at that one place.

A box with at most one place to tell apart is halved in its middle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product

import numpy as np

from elsewhere.errors import InputError
from elsewhere.globe.coordinates import Floats, Ints
from elsewhere.globe.lattice import contiguous

Box = tuple[float, float, float, float]
"""South, west, north, east, in degrees: holds [south, north) × [west, east)."""

Parts = tuple[list[Box], list[Box]]
Half = tuple[Ints, list[Box]]
"""Some photos and the ground they lie on."""

_LINES = 100  # how many lines of photos a step may swallow before another way is tried

GLOBE: Box = (-90.0, -180.0, 90.0, 180.0)


def equal_count(lat: Floats, lon: Floats, count: int) -> list[list[Box]]:
    """The boxes of each of `count` (a power of two) cells; cells 2i and 2i+1 halve one parent.

    The coordinates must be canonical.
    """
    points = np.column_stack((lat, lon))
    level: list[Half] = [(np.arange(len(points)), [GLOBE])]
    while len(level) < count:
        level = [half for photos, boxes in level for half in _halve(points, photos, boxes)]
    return [boxes for _, boxes in level]


def _halve(points: Floats, photos: Ints, boxes: list[Box]) -> tuple[Half, Half]:
    """One cell into two, with half of its photos each."""
    if len(photos) < 2:
        return _middle(points, photos, boxes)
    half = len(photos) // 2
    middles = (half,) if len(photos) % 2 == 0 else (half, half + 1)
    sides = _sides(boxes)
    torn = None
    for axis, cut, middle in product(sides, (_straight, _step), middles):
        parts = cut(points[photos], boxes, axis, middle)
        if parts and all(map(contiguous, parts)):
            return _shared(points, photos, *parts)
        torn = torn or parts
    if torn:
        return _shared(points, photos, *torn)
    # photos at one place are in the way: part what can be parted, as near the middle as can be
    along = np.sort(points[photos, sides[0]])
    gaps = 1 + np.flatnonzero(np.diff(along))
    if not len(gaps):
        return _middle(points, photos, boxes)
    nearest = int(gaps[np.argmin(np.abs(gaps - len(photos) / 2))])
    at = between(float(along[nearest - 1]), float(along[nearest]))
    return _shared(points, photos, *split(boxes, sides[0], at))


def _straight(points: Floats, boxes: list[Box], axis: int, middle: int) -> Parts | None:
    """Cut across the axis with `middle` photos below, if no two photos forbid it."""
    before, after = np.partition(points[:, axis], (middle - 1, middle))[middle - 1 : middle + 1]
    if before == after:
        return None
    return split(boxes, axis, between(float(before), float(after)))


def _step(points: Floats, boxes: list[Box], axis: int, middle: int) -> Parts | None:
    """Cut behind the line that has too many photos, and hand the excess back beside it.

    What goes back is a strip before the cut, above or below some value of the other axis: as thin
    a strip as has exactly the excess there. One line is enough where no two photos share a place.
    """
    order = np.argsort(points[:, axis], kind="stable")
    along, across = points[order, axis], points[order, 1 - axis]
    stop = int(np.searchsorted(along, along[middle], side="right"))
    excess = stop - middle
    cut = between(float(along[stop - 1]), float(along[stop])) if stop < len(along) else math.inf
    start = stop
    for _ in range(_LINES):
        start = int(np.searchsorted(along, along[start - 1], side="left"))
        strip = np.sort(across[start:stop])
        back = between(float(along[start - 1]), float(along[start])) if start else -math.inf
        for kept in (len(strip) - excess, excess):
            if 0 < kept < len(strip) and strip[kept - 1] != strip[kept]:
                low, rest = split(boxes, axis, back)
                line, high = split(rest, axis, cut)
                below, above = split(
                    line, 1 - axis, between(float(strip[kept - 1]), float(strip[kept]))
                )
                if kept == excess:
                    below, above = above, below
                return low + below, above + high
        if not start:
            break
    return None


def _shared(points: Floats, photos: Ints, low: list[Box], high: list[Box]) -> tuple[Half, Half]:
    """The two halves with the photos that lie in each."""
    lat, lon = points[photos].T
    below = np.zeros(len(photos), dtype=bool)
    for south, west, north, east in low:
        below |= (lat >= south) & (lat < north) & (lon >= west) & (lon < east)
    return (photos[below], low), (photos[~below], high)


def _middle(points: Floats, photos: Ints, boxes: list[Box]) -> tuple[Half, Half]:
    """Halve the ground where photos cannot say how: its largest box, across the longer side."""
    largest = max(boxes, key=lambda box: _lengths(box)[0] * _lengths(box)[1])
    axis = _sides([largest])[0]
    at = between(largest[axis], largest[axis + 2])
    if not largest[axis] < at < largest[axis + 2]:
        raise InputError(
            "the coordinates lie too close together for so many cells: ask for fewer cells"
        )
    return _shared(points, photos, *split(boxes, axis, at))


def split(boxes: Iterable[Box], axis: int, at: float) -> tuple[list[Box], list[Box]]:
    """What of the boxes lies below `at` along the axis (0 latitude, 1 longitude), and the rest."""
    low: list[Box] = []
    high: list[Box] = []
    for box in boxes:
        if box[axis + 2] <= at:
            low.append(box)
        elif box[axis] >= at:
            high.append(box)
        else:
            south, west, north, east = box
            low.append((south, west, at, east) if axis == 0 else (south, west, north, at))
            high.append((at, west, north, east) if axis == 0 else (south, at, north, east))
    return low, high


def between(a: float, b: float) -> float:
    """A short decimal c near the middle of two numbers, a < c ≤ b: cells files stay readable."""
    middle = a / 2 + b / 2
    for digits in range(4, 17):
        short = round(middle, digits)
        if a < short <= b:
            return short
    return middle if a < middle <= b else b


def _sides(boxes: list[Box]) -> tuple[int, int]:
    """The axis of the longer side of the ground the boxes span, and the other one."""
    span = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    height, width = _lengths(span)
    return (0, 1) if height >= width else (1, 0)


def _lengths(box: Box) -> tuple[float, float]:
    """Height, and width at the middle latitude, in degrees of a great circle."""
    south, west, north, east = box
    return north - south, (east - west) * math.cos(math.radians((south + north) / 2))
