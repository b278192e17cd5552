"""One way to read a coordinate: which numbers are a place on earth, and one spelling for each.

A place has many spellings: longitude 190 is −170, 180 is −180, and at a pole every longitude is
the same point. Everything in this room goes through `canonical`, so that a place is never in two
cells because it was written in two ways.

Where a coordinate falls among boxes: the proof that they cover the globe, and a fast lookup.

All edges of all boxes, drawn right across the globe, cut it into a lattice of small rectangles.
Painting every box onto the lattice shows exactly, without any rounding, what is left bare or is
painted twice; and afterwards the cell of a coordinate is one look into a table.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BELOW_THE_POLE = float(np.nextafter(90.0, 0.0))


def canonical(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    """Latitudes in [−90, 90) and longitudes in [−180, 180), or a sentence that says what is wrong.

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
    bad = ~(np.isfinite(lats) & np.isfinite(lons))
    if bad.any():
        raise InputError(f"{_first(lats, lons, bad)} is not a coordinate: give finite numbers")
    bad = np.abs(lats) > 90.0
    if bad.any():
        raise InputError(
            f"{_first(lats, lons, bad)} is not on earth: a latitude lies between -90 and 90"
        )
    pole = np.abs(lats) == 90.0
    outside = (lons < -180.0) | (lons >= 180.0)
    # only what is outside is wrapped: the arithmetic would round the others
    wrapped = np.where(outside, np.mod(lons + 180.0, 360.0) - 180.0, lons)
    wrapped = np.where(pole | (wrapped == 0.0), 0.0, wrapped)
    wrapped = np.where(wrapped >= 180.0, -180.0, wrapped)
    return np.minimum(lats, _BELOW_THE_POLE) + 0.0, wrapped


def _first(lats: Floats, lons: Floats, bad: NDArray[np.bool_]) -> str:
    where = tuple(np.argwhere(bad)[0])
    return f"({lats[where]:g}, {lons[where]:g})"


_MOST = 50_000_000  # rectangles: 200 MB


class Lattice:
    """The lattice of boxes (B, 4) that belong to the cells `owner` (B,)."""

    def __init__(self, boxes: Floats, owner: Ints) -> None:
        """Paint the boxes; what is bare or painted twice is refused."""
        south, west, north, east = boxes.T
        whole = (south >= -90) & (south < north) & (north <= 90)
        whole &= (west >= -180) & (west < east) & (east <= 180)
        if not whole.all():
            wrong = int(np.argmin(whole))
            raise InputError(
                f"the box {boxes[wrong].tolist()} of cell {owner[wrong]} is not south < north "
                "within ±90 and west < east within ±180"
            )
        self._lat = np.unique(np.concatenate((south, north, (-90.0, 90.0))))
        self._lon = np.unique(np.concatenate((west, east, (-180.0, 180.0))))
        shape = len(self._lat) - 1, len(self._lon) - 1
        if shape[0] * shape[1] > _MOST:
            raise InputError(
                "the cells have too many different edges; let boxes share parallels and meridians"
            )
        self._cell = np.full(shape, -1, dtype=np.int32)
        first, last = np.searchsorted(self._lat, south), np.searchsorted(self._lat, north)
        left, right = np.searchsorted(self._lon, west), np.searchsorted(self._lon, east)
        for box, cell in enumerate(owner.tolist()):
            ground = self._cell[first[box] : last[box], left[box] : right[box]]
            if ground.max() >= 0:
                raise InputError(
                    f"cells {ground.max()} and {cell} overlap: every place must be in one cell"
                )
            ground[:] = cell
        bare = np.argwhere(self._cell < 0)
        if len(bare):
            row, column = bare[0]
            lat = (self._lat[row] + self._lat[row + 1]) / 2
            lon = (self._lon[column] + self._lon[column + 1]) / 2
            raise InputError(f"the cells do not cover the globe: none holds {lat:.4f}, {lon:.4f}")

    def locate(self, lat: Floats, lon: Floats) -> Ints:
        """The cell of each canonical coordinate."""
        row = np.searchsorted(self._lat, lat, side="right") - 1
        column = np.searchsorted(self._lon, lon, side="right") - 1
        return self._cell[row, column].astype(np.int64)


def merge_boxes(boxes: Sequence[Sequence[float]]) -> list[tuple[float, float, float, float]]:
    """The ground of disjoint boxes as few boxes, the same ones however it was cut before.

    Every edge's parallel cuts the ground into strips, a strip is a few runs of longitude, and a
    run that goes on unchanged in the next strip is one box with it. Ordered by south, then west.

    >>> tidy([(0, 0, 1, 1), (0, 1, 1, 2), (1, 0, 3, 2)])
    [(0, 0, 3, 2)]
    """
    edges = sorted({box[0] for box in boxes} | {box[2] for box in boxes})
    tidied: list[tuple[float, float, float, float]] = []
    open_since: dict[tuple[float, float], float] = {}
    for bottom, top in zip(edges, [*edges[1:], None], strict=True):
        runs: list[tuple[float, float]] = []
        for west, east in sorted((b[1], b[3]) for b in boxes if b[0] <= bottom < b[2]):
            if runs and runs[-1][1] == west:
                runs[-1] = (runs[-1][0], east)
            else:
                runs.append((west, east))
        for run in [run for run in open_since if top is None or run not in runs]:
            tidied.append((open_since.pop(run), run[0], bottom, run[1]))
        for run in runs:
            open_since.setdefault(run, bottom)
    return sorted(tidied)


def is_contiguous(boxes: Sequence[Sequence[float]]) -> bool:
    """Whether one can walk from any box to any other across edges (not merely corners).

    >>> contiguous([(0, 0, 1, 1), (0, 1, 1, 2)]), contiguous([(0, 0, 1, 1), (1, 1, 2, 2)])
    (True, False)
    """
    reached = {0}
    edge = [0]
    while edge:
        south, west, north, east = boxes[edge.pop()]
        for other, (bottom, left, top, right) in enumerate(boxes):
            lat, lon = min(north, top) - max(south, bottom), min(east, right) - max(west, left)
            if other not in reached and lat >= 0 and lon >= 0 and lat + lon > 0:
                reached.add(other)
                edge.append(other)
    return len(reached) == len(boxes)
