"""The paper's adaptive partition: the same number of geotagged photos in every cell.

The globe is one box; it is halved again and again, always across its longer side (in km, its
width measured at its middle latitude), between the two photos in the middle. So crowded cities
are split, oceans stay whole, and every level refines the one before.

Halves differ by at most one photo, and then so do all cells of a level. Where photos that share
a parallel, a meridian or a place forbid the straight cut, the cut gets a step beside them, and a
cell is then a few boxes rather than one; where no step helps, the other side is cut. Two goals
cannot always be reached:

- Photos at the very same place cannot be separated. Then the counts are as near to equal as a
  simple cut allows.
- In a lattice of photos with hardly one to a cell, no simple cut may leave both halves in one
  piece. Then equal counts have priority. All other cells are contiguous.

A box with at most one place to tell apart is halved in its middle.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import islice, product

import numpy as np

from elsewhere.errors import InputError
from elsewhere.globe.coordinates import Floats, Ints, is_contiguous

Box = tuple[float, float, float, float]
"""South, west, north, east, in degrees: holds [south, north) × [west, east)."""

Parts = tuple[list[Box], list[Box]]
Half = tuple[Ints, list[Box]]
"""Some photos and the ground they lie on."""

_MAX_LINES, _MAX_LINES_BOTH_SIDES, _MAX_STRIP = 100, 6, 64
"""A step is tried with strips of so many lines on one side or on both, and of so many photos."""
_MAX_OFFSET = 24
"""How far from the middle a cut may be where photos share a place."""

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
    mine = points[photos]
    ordered = mine[np.lexsort(mine.T)]
    new = (np.diff(ordered, axis=0) != 0).any(axis=1)
    if not new.any():
        return _halve_ground(points, photos, boxes)
    half, odd = divmod(len(photos), 2)
    not_contiguous: Parts | None = None
    # where photos share a place, nearly half is accepted
    for off in range(1 if new.all() or len(photos) > 100 * _MAX_OFFSET else _MAX_OFFSET):
        middles = dict.fromkeys(m for m in (half - off, half + odd + off) if 0 < m < len(photos))
        for parts in _cuts(mine, boxes, list(middles)):
            if all(map(is_contiguous, parts)):
                return _with_photos(points, photos, *parts)
            not_contiguous = not_contiguous or parts
    if not_contiguous is None or not new.all():
        not_contiguous = _nearest_gap(mine, boxes)
    return _with_photos(points, photos, *not_contiguous)


def _cuts(points: Floats, boxes: list[Box], middles: list[int]) -> Iterator[Parts]:
    """All cuts with as many photos below: the simplest of every way, then the less simple ones."""
    ways = list(product(_axes(boxes), (_straight, _steps), middles))
    for most in (1, None):
        for axis, way, middle in ways:
            yield from islice(way(points, boxes, axis, middle), most)


def _nearest_gap(points: Floats, boxes: list[Box]) -> Parts:
    """The straight cut that leaves the counts nearest to equal."""
    best: tuple[float, int, float] | None = None
    for axis in _axes(boxes):
        along = np.sort(points[:, axis])
        gaps = 1 + np.flatnonzero(np.diff(along))
        for gap in gaps[np.argsort(np.abs(gaps - len(points) / 2), kind="stable")][:1].tolist():
            uneven = abs(gap - len(points) / 2)
            if best is None or uneven < best[0]:
                best = uneven, axis, short_decimal_between(float(along[gap - 1]), float(along[gap]))
    assert best is not None, "two places differ along one axis or the other"
    return split_boxes(boxes, best[1], best[2])


def _straight(points: Floats, boxes: list[Box], axis: int, middle: int) -> Iterator[Parts]:
    """Cut across the axis with `middle` photos below, if no two photos forbid it."""
    before, after = np.partition(points[:, axis], (middle - 1, middle))[middle - 1 : middle + 1]
    if before != after:
        yield split_boxes(boxes, axis, short_decimal_between(float(before), float(after)))


def _steps(points: Floats, boxes: list[Box], axis: int, middle: int) -> Iterator[Parts]:
    """Cut beside the line that has too many photos, and hand the excess over beside it.

    What is handed over is a strip along the cut, above or below some value of the other axis, with
    exactly the excess in it: the thinnest strip first. One line is enough where no two photos
    share a place.
    """
    order = np.argsort(points[:, axis], kind="stable")
    along, across = points[order, axis], points[order, 1 - axis]
    for first, last in _strips(along, middle):
        strip = np.sort(across[first:last])
        low, rest = split_boxes(boxes, axis, _cut_before(along, first))
        line, high = split_boxes(rest, axis, _cut_before(along, last))
        stays, goes = middle - first, last - middle
        for below_is_low in (stays != goes, stays == goes):  # either order is valid
            kept = stays if below_is_low else goes
            if 0 < kept < len(strip) and strip[kept - 1] != strip[kept]:
                at = short_decimal_between(float(strip[kept - 1]), float(strip[kept]))
                below, above = split_boxes(line, 1 - axis, at)
                yield (low + below, above + high) if below_is_low else (low + above, below + high)


def _strips(along: Floats, middle: int) -> Iterator[tuple[int, int]]:
    """The line with the photo `middle`, then with more lines before it, after it, or both."""
    starts = np.flatnonzero(np.append(True, np.diff(along) != 0))
    line = int(np.searchsorted(starts, middle, side="right")) - 1
    ends = np.append(starts[1:], len(along))
    reach = [(before, 0) for before in range(_MAX_LINES)]
    reach += [(0, behind) for behind in range(1, _MAX_LINES)]
    reach += [
        (before, behind)
        for before in range(1, _MAX_LINES_BOTH_SIDES)
        for behind in range(1, _MAX_LINES_BOTH_SIDES)
    ]
    widest = max(_MAX_STRIP, len(along) // 8)
    for before, behind in reach:
        if line - before >= 0 and line + behind < len(starts):
            first, last = int(starts[line - before]), int(ends[line + behind])
            if last - first <= widest or before == behind == 0:
                yield first, last


def _cut_before(along: Floats, index: int) -> float:
    """A number that separates the photos before `index` from the rest."""
    if 0 < index < len(along):
        return short_decimal_between(float(along[index - 1]), float(along[index]))
    return math.inf if index else -math.inf


def _with_photos(
    points: Floats, photos: Ints, low: list[Box], high: list[Box]
) -> tuple[Half, Half]:
    """The two halves with the photos that lie in each."""
    lat, lon = points[photos].T
    below = np.zeros(len(photos), dtype=bool)
    for south, west, north, east in low:
        below |= (lat >= south) & (lat < north) & (lon >= west) & (lon < east)
    return (photos[below], low), (photos[~below], high)


def _halve_ground(points: Floats, photos: Ints, boxes: list[Box]) -> tuple[Half, Half]:
    """Halve the ground without photos to decide: its largest box, across the longer side."""
    largest = max(boxes, key=lambda box: _side_lengths(box)[0] * _side_lengths(box)[1])
    axis = _axes([largest])[0]
    at = short_decimal_between(largest[axis], largest[axis + 2])
    if not largest[axis] < at < largest[axis + 2]:
        raise InputError(
            "the coordinates lie too close together for so many cells: ask for fewer cells"
        )
    return _with_photos(points, photos, *split_boxes(boxes, axis, at))


def split_boxes(boxes: Iterable[Box], axis: int, at: float) -> tuple[list[Box], list[Box]]:
    """The parts of boxes below `at` along the axis (0 latitude, 1 longitude), and the rest."""
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


def short_decimal_between(a: float, b: float) -> float:
    """A short decimal c near the middle of two numbers, a < c ≤ b: cells files stay readable."""
    middle = a / 2 + b / 2
    for digits in range(4, 17):
        short = round(middle, digits)
        if a < short <= b:
            return short
    return middle if a < middle <= b else b


def _axes(boxes: list[Box]) -> tuple[int, int]:
    """The axis of the longer side of the ground the boxes span, and the other one."""
    span = (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )
    height, width = _side_lengths(span)
    return (0, 1) if height >= width else (1, 0)


def _side_lengths(box: Box) -> tuple[float, float]:
    """Height, and width at the middle latitude, in degrees of a great circle."""
    south, west, north, east = box
    return north - south, (east - west) * math.cos(math.radians((south + north) / 2))
