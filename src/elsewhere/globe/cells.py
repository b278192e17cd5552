"""Cells: the globe cut into numbered cells, every place in exactly one.

A cell is one box between two parallels and two meridians, or a few boxes. Those of the paper, with
equally many photos in each, are made by `equal_count`. The leaves are finer: small where people
live, each inside one of the paper's 512 cells (training/leaves.py). A sweep from pole to pole shows
exactly, without any rounding, what is not covered or covered twice; the cell of a coordinate is
found among the few boxes that touch its square of one degree.

On disk cells are a small JSON file:

    {"format": "elsewhere cells", "version": 1, "nested": true, "fingerprint": "…",
     "boxes": [[0, -90, -180, -55.2, -67.1], …]}

A box is [cell, south, west, north, east] in degrees and holds its south and west edge. Cells are
numbered from 0, in the order of the model's outputs. West beyond east means across the date line.
"nested" and "fingerprint" may be left out; a fingerprint that is there must be right.

`Cells.build` makes the paper's cells, with equally many photos in each. The globe is halved again
and again, always across its longer side in km and between the two photos in the middle. Halves
differ by at most one photo, and then so do all cells of a level. Where photos that share a
parallel, a meridian or a place forbid the straight cut, the cut gets a step beside them, and a cell
is a few boxes; where no step helps, the other side is cut. Two goals cannot always be reached:

- Photos at the very same place cannot be separated. Then the counts are as near to equal as a
  simple cut allows.
- In a lattice of photos with hardly one to a cell, no simple cut may leave both halves in one
  piece. Then equal counts have priority.

A box with at most one place to tell apart is halved in its middle.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from itertools import islice, pairwise, product, zip_longest
from os import PathLike
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.errors import FileError, InputError
from elsewhere.globe.coordinates import Box, Floats, Ints, canonical, is_contiguous, merge_boxes
from elsewhere.globe.gazetteer import DATA
from elsewhere.platform.files import write_whole

_FORMAT = "elsewhere cells"


class Cells:
    """M cells that cover the globe without overlap.

    >>> cells = Cells.paper()
    >>> cells.locate(38.72, -9.14) == cells.locate(38.72, 350.86)
    True
    """

    boxes: Floats
    """(B, 4), read-only: south, west, north, east in degrees; a box never crosses ±180."""
    owner: Ints
    """(B,), ascending: the cell that each box belongs to."""
    count: int
    """How many cells (M)."""
    nested: bool
    """Whether cells 2i and 2i+1 halve one parent cell, level by level, down to two cells."""
    fingerprint: str
    """SHA-256 over the boxes and their owners; equal exactly for the same cells."""
    parents: Ints | None
    """(M,) the coarser cell that each cell is a part of, ascending; None where none is known."""
    starts: Ints
    """The first box of each cell, for reductions over boxes."""
    points: tuple[Floats, Floats]
    """Latitude and longitude of the point that stands for each cell: where its mass is put.

    Of the leaves, the most central town or photo; of other cells, the centre.
    """
    centres: tuple[Floats, Floats]
    """Latitude and longitude of the middle of each cell's largest box: to draw, not to measure."""

    def __init__(
        self,
        boxes: ArrayLike,
        owner: ArrayLike | None = None,
        *,
        nested: bool = False,
        parents: ArrayLike | None = None,
        points: ArrayLike | None = None,
    ):
        """Cells from their boxes; without `owner`, each box is a cell.

        What does not cover the globe exactly once is refused.
        """
        rows = np.array(boxes, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != 4 or len(rows) < 2:
            raise InputError("cells need at least two boxes of south, west, north and east")
        owners = np.arange(len(rows)) if owner is None else np.array(owner, dtype=np.int64)
        if owners.shape != (len(rows),):
            raise InputError(f"{len(rows)} boxes need {len(rows)} owners, not {owners.size}")
        order = np.lexsort((rows[:, 1], rows[:, 0], owners))
        rows, owners = rows[order] + 0.0, owners[order]  # + 0.0: −0 and 0 are one edge
        present = np.unique(owners)
        if len(present) < 2 or not np.array_equal(present, np.arange(len(present))):
            raise InputError("cells must be numbered 0, 1, 2, … without a gap, and be two or more")
        if nested and len(present) & (len(present) - 1):
            raise InputError(f"nested cells are a power of two, not {len(present)}")
        _require_cover(rows, owners)
        if len(present) < len(rows):  # cells with several boxes get their one canonical form
            boxes_by_cell = np.split(rows, 1 + np.flatnonzero(np.diff(owners)))
            parts = [merge_boxes(part.tolist()) for part in boxes_by_cell]
            rows = np.array([box for part in parts for box in part], dtype=np.float64)
            owners = np.repeat(present, [len(part) for part in parts])
        self.boxes, self.owner, self.count = rows, owners, len(present)
        self.nested = nested
        self.parents = None if parents is None else np.asarray(parents, dtype=np.int64)
        self.boxes.flags.writeable = self.owner.flags.writeable = False
        seal = hashlib.sha256(f"cells {self.count} {len(rows)}\n".encode())
        seal.update(owners.astype("<i8").tobytes())
        seal.update(rows.astype("<f8").tobytes())
        self.fingerprint = seal.hexdigest()
        self.starts = np.searchsorted(owners, present).astype(np.int64)
        # the largest box of a cell is its last one when boxes are ordered by owner and area
        south, west, north, east = rows.T
        area = (np.sin(np.radians(north)) - np.sin(np.radians(south))) * (east - west)
        order = np.lexsort((area, owners))
        largest = order[np.append(np.flatnonzero(np.diff(owners[order])), len(order) - 1)]
        self.centres = (south + north)[largest] / 2, (west + east)[largest] / 2
        self.points = self.centres
        if points is not None:
            lats, lons = np.asarray(points, dtype=np.float64).T
            self.points = lats, lons

    @classmethod
    def build(cls, lat: ArrayLike, lon: ArrayLike, count: int = 512) -> Cells:
        """Cells with equally many of these photos in each, to within one photo.

        `count` is a power of two. Photos at the very same place always share a cell.
        """
        lats, lons = canonical(np.ravel(lat), np.ravel(lon))
        if count < 2 or count & (count - 1):
            raise InputError(f"the number of cells must be a power of two, not {count}")
        if lats.size == 0:
            raise InputError("cells are built from coordinates: give at least one")
        points = np.column_stack((lats, lons))
        level: list[Half] = [(np.arange(len(points)), [(-90.0, -180.0, 90.0, 180.0)])]
        while len(level) < count:
            level = [half for photos, boxes in level for half in _halve(points, photos, boxes)]
        owner = [cell for cell, (_, boxes) in enumerate(level) for _ in boxes]
        return cls([box for _, boxes in level for box in boxes], owner, nested=True)

    @staticmethod
    def default() -> Cells:
        """The cells of the embedded scorer: the leaves."""
        return Cells.leaves()

    @staticmethod
    @cache
    def paper() -> Cells:
        """The paper's 512 cells, made by training/cells.py; the leaves are parts of them."""
        return Cells.load(DATA / "cells_512.json")

    @staticmethod
    @cache
    def leaves() -> Cells:
        """The leaves: 36,000 cells, at most 50 km wide where nine of ten people live."""
        with np.load(DATA / "leaves.npz") as stored:
            return Cells(stored["boxes"], parents=stored["parent"], points=stored["point"])

    @property
    def fine(self) -> bool:
        """Whether cells are as small as towns, so that circles of some km can be told apart."""
        return self.parents is not None

    @staticmethod
    def known(fingerprint: str) -> Cells | None:
        """The leaves or the paper's cells, if one of them has this fingerprint."""
        if not fingerprint:
            return None
        known = (make() for make in (Cells.paper, Cells.leaves))
        return next((cells for cells in known if cells.fingerprint == fingerprint), None)

    @staticmethod
    def load(path: str | PathLike[str]) -> Cells:
        """Cells from a cells file; one that does not cover the globe exactly once is refused."""
        try:
            raw = Path(path).read_bytes()
        except OSError as error:
            raise FileError(f"cannot read the cells file {path}: {error.strerror}") from None
        return parse(raw, f"the cells file {path}")

    def save(self, path: str | PathLike[str]) -> None:
        """Write a cells file: the same bytes for the same cells, completely or not at all.

        A link is followed, and the file that it names is written.
        """
        file = Path(path)
        try:
            if file.is_file():
                file.open("r+b").close()  # a read-only file stays as it is
            if file.is_file() or not file.exists():
                write_whole(Path(os.path.realpath(file)), dump(self))
            else:  # a pipe or a device cannot be replaced
                file.write_bytes(dump(self))
        except OSError as error:
            raise FileError(f"cannot write the cells file {path}: {error.strerror}") from None

    def __len__(self) -> int:
        return self.count

    @overload
    def locate(self, lat: float, lon: float) -> int: ...
    @overload
    def locate(self, lat: ArrayLike, lon: ArrayLike) -> Ints: ...
    def locate(self, lat: ArrayLike, lon: ArrayLike) -> Ints | int:
        """The cell of each coordinate.

        Longitudes are wrapped; a latitude beyond a pole, NaN or infinity is refused.
        """
        lats, lons = canonical(lat, lon)
        first, boxes = self._index
        square = (np.floor(lats).astype(np.int64) + 90) * 360 + np.floor(lons).astype(np.int64)
        cell = np.empty(lats.shape, dtype=np.int64)
        waiting, at = np.arange(lats.size), first[square + 180].ravel()
        lats, lons = lats.ravel(), lons.ravel()
        while waiting.size:  # try the next box of every place that is not found yet
            box = boxes[at]
            south, west, north, east = self.boxes[box].T
            found = (lats >= south) & (lats < north) & (lons >= west) & (lons < east)
            cell.ravel()[waiting[found]] = self.owner[box[found]]
            waiting, at = waiting[~found], at[~found] + 1
            lats, lons = lats[~found], lons[~found]
        return cell if cell.ndim else int(cell)

    @cached_property
    def _index(self) -> tuple[Ints, Ints]:
        """For each square of one degree, where its boxes start in a list of boxes, and the list."""
        south, west = np.floor(self.boxes[:, :2]).astype(np.int64).T
        north, east = np.ceil(self.boxes[:, 2:]).astype(np.int64).T
        squares = (north - south) * (east - west)
        box = np.repeat(np.arange(len(squares)), squares)
        number = np.arange(len(box)) - np.repeat(np.cumsum(squares) - squares, squares)
        row, column = np.divmod(number, (east - west)[box])
        square = (south[box] + row + 90) * 360 + west[box] + column + 180
        order = np.argsort(square, kind="stable")
        return np.searchsorted(square[order], np.arange(180 * 360 + 1)), box[order]

    def coarsen(self, count: int) -> Cells:
        """The `count` cells that these refine.

        Of cells built by halving, cell c becomes c // (self.count // count); the leaves become the
        512 cells or what these refine.
        """
        if self.parents is not None:
            coarse = Cells(self.boxes, self.parents[self.owner], nested=True)
            return coarse if count == coarse.count else coarse.coarsen(count)
        if not self.nested:
            raise InputError("only cells built by halving can be coarsened, and these are not")
        if count < 2 or count & (count - 1) or count > self.count:
            raise InputError(
                f"{self.count} cells coarsen to a smaller power of two, not to {count}"
            )
        return Cells(self.boxes, self.owner // (self.count // count), nested=True)

    def boxes_of(self, cell: int) -> Floats:
        """The boxes of one cell."""
        if not 0 <= cell < self.count:
            raise InputError(f"there is no cell {cell}: these are 0 to {self.count - 1}")
        first, last = np.searchsorted(self.owner, [cell, cell + 1])
        return self.boxes[first:last]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cells):
            return NotImplemented
        return self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Cells {self.count}, {self.fingerprint[:12]}>"


def dump(cells: Cells) -> bytes:
    """The file's bytes."""
    head = {"format": _FORMAT, "version": 1}
    head |= {"nested": cells.nested, "fingerprint": cells.fingerprint}
    rows = ",\n".join(
        json.dumps([cell, *(int(edge) if edge == int(edge) else edge for edge in box)])
        for cell, box in zip(cells.owner.tolist(), cells.boxes.tolist(), strict=True)
    )
    return (json.dumps(head)[:-1] + ', "boxes": [\n' + rows + "\n]}\n").encode()


def parse(raw: bytes, what: str) -> Cells:
    """Cells from the file's bytes; `what` names the file in errors."""
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        raise FileError(f"{what} is not a cells file: it is not JSON") from None
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise FileError(f'{what} is not a cells file: its "format" must be "{_FORMAT}"')
    if content.get("version") != 1:
        raise FileError(f"{what} has version {content.get('version')!r}; this elsewhere reads 1")
    rows = content.get("boxes")
    # each row is a whole number and four numbers
    if not isinstance(rows, list) or not all(
        isinstance(row, list)
        and len(row) == 5
        and type(row[0]) is int
        and 0 <= row[0] < 2**31
        and all(type(edge) in (int, float) and abs(edge) <= 360 for edge in row[1:])
        for row in rows
    ):
        raise FileError(f'{what} needs "boxes", each [cell, south, west, north, east] in numbers')
    owner: list[int] = []
    boxes: list[Box] = []
    for cell, south, west, north, east in rows:
        sides = [(west, east)] if west <= east else [(west, 180.0), (-180.0, east)]
        for left, right in sides:
            if left != right or west == east:
                owner.append(cell)
                boxes.append((south, left, north, right))
    try:
        cells = Cells(boxes, owner, nested=content.get("nested") is True)
    except InputError as error:
        raise FileError(f"{what} cannot be used: {error}") from None
    if content.get("fingerprint", cells.fingerprint) != cells.fingerprint:
        raise FileError(
            f'{what} was changed after it was written: restore it, or remove its "fingerprint"'
        )
    return cells


def _require_cover(boxes: Floats, owner: Ints) -> None:
    """Refuse boxes that overlap or do not cover the globe: exact, since edges are only compared.

    From the south pole northwards, the boxes that end at a parallel and those that begin there
    must cover the same longitudes, and those that begin must not overlap. Then every parallel is
    covered exactly once if the first one is.
    """
    south, west, north, east = boxes.T
    valid = (south >= -90) & (south < north) & (north <= 90)
    valid &= (west >= -180) & (west < east) & (east <= 180)
    if not valid.all():
        wrong = int(np.argmin(valid))
        raise InputError(
            f"the box {boxes[wrong].tolist()} of cell {owner[wrong]} is not south < north "
            "within ±90 and west < east within ±180"
        )
    ends = np.append(north[north < 90], -90.0)
    ended = _runs(ends, np.append(west[north < 90], -180.0), np.append(east[north < 90], 180.0))
    begun = _runs(south, west, east)
    if ended.shape == begun.shape and (ended == begun).all():
        return
    # the first parallel that differs, and the first longitude there that is not in one box
    lat = next(
        min(run[0] for run in pair if run)
        for pair in zip_longest(ended.tolist(), begun.tolist())
        if pair[0] != pair[1]
    )
    crossing = (south <= lat) & (lat < north)
    edges = np.unique(np.concatenate((west[crossing], east[crossing], (-180.0, 180.0))))
    for left, right in pairwise(edges.tolist()):
        inside = np.flatnonzero(crossing & (west <= left) & (left < east))
        if len(inside) > 1:
            cells = np.sort(owner[inside])
            raise InputError(
                f"cells {cells[0]} and {cells[1]} overlap: every place must be in one cell"
            )
        if not len(inside):
            top = min(south[south > lat].min(initial=90.0), north[north > lat].min(initial=90.0))
            raise InputError(
                "the cells do not cover the globe: none holds "
                f"{(lat + top) / 2:.4f}, {(left + right) / 2:.4f}"
            )


def _runs(lat: Floats, west: Floats, east: Floats) -> Floats:
    """The longitudes at each parallel, joined where they touch: (runs, 3), in order.

    Where two overlap, a run begins anew, so that it equals no run without an overlap.
    """
    order = np.lexsort((west, lat))
    lat, west, east = lat[order], west[order], east[order]
    begins = np.append(True, (lat[1:] != lat[:-1]) | (west[1:] != east[:-1]))
    first = np.flatnonzero(begins)
    last = np.append(first[1:] - 1, len(lat) - 1)
    return np.column_stack((lat[first], west[first], east[last]))


Parts = tuple[list[Box], list[Box]]
Half = tuple[Ints, list[Box]]
"""Some photos and the ground they lie on."""

_MAX_LINES, _MAX_LINES_BOTH_SIDES, _MAX_STRIP = 100, 6, 64
"""A step is tried with strips of so many lines on one side or on both, and of so many photos."""
_MAX_OFFSET = 24
"""How far from the middle a cut may be where photos share a place."""


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
    for limit in (1, None):
        for axis, way, middle in ways:
            yield from islice(way(points, boxes, axis, middle), limit)


def _nearest_gap(points: Floats, boxes: list[Box]) -> Parts:
    """The straight cut that leaves the counts nearest to equal."""
    candidates: list[tuple[float, int, float]] = []
    for axis in _axes(boxes):
        along = np.sort(points[:, axis])
        gaps = 1 + np.flatnonzero(np.diff(along))
        if len(gaps):
            gap = int(gaps[np.argmin(np.abs(gaps - len(points) / 2))])
            at = short_decimal_between(float(along[gap - 1]), float(along[gap]))
            candidates.append((abs(gap - len(points) / 2), axis, at))
    _, axis, at = min(candidates, key=lambda candidate: candidate[0])
    return split_boxes(boxes, axis, at)


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
            count_below = stays if below_is_low else goes
            if 0 < count_below < len(strip) and strip[count_below - 1] != strip[count_below]:
                at = short_decimal_between(float(strip[count_below - 1]), float(strip[count_below]))
                below, above = split_boxes(line, 1 - axis, at)
                yield (low + below, above + high) if below_is_low else (low + above, below + high)


def _strips(along: Floats, middle: int) -> Iterator[tuple[int, int]]:
    """The line with the photo `middle`, then with more lines before it, after it, or both."""
    starts = np.flatnonzero(np.append(True, np.diff(along) != 0))
    line = int(np.searchsorted(starts, middle, side="right")) - 1
    ends = np.append(starts[1:], len(along))
    reach = [(before, 0) for before in range(_MAX_LINES)]
    reach += [(0, behind) for behind in range(1, _MAX_LINES)]
    reach += product(range(1, _MAX_LINES_BOTH_SIDES), range(1, _MAX_LINES_BOTH_SIDES))
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
    souths, wests, norths, easts = zip(*boxes, strict=True)
    height, width = _side_lengths((min(souths), min(wests), max(norths), max(easts)))
    return (0, 1) if height >= width else (1, 0)


def _side_lengths(box: Box) -> tuple[float, float]:
    """Height, and width at the middle latitude, in degrees of a great circle."""
    south, west, north, east = box
    return north - south, (east - west) * math.cos(math.radians((south + north) / 2))
