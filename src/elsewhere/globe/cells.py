"""Cells: the globe cut into numbered cells, every place in exactly one.

A cell is one box between two parallels and two meridians, or a few boxes. Those of the paper, with
equally many photos in each, are made in `partition.py`. All edges of all boxes, extended across the
globe, cut it into a lattice of small rectangles. Painting every box onto the lattice shows exactly,
without any rounding, what is not covered or covered twice; afterwards the cell of a coordinate is
one lookup in a table.

On disk cells are a small JSON file, readable by people, for our cells and for anyone's:

    {"format": "elsewhere cells", "version": 1, "nested": true, "fingerprint": "…",
     "boxes": [[0, -90, -180, -55.2, -67.1], …]}

A box is [cell, south, west, north, east] in degrees and holds its south and west edge. Cells are
numbered from 0, in the order of the model's outputs; a cell may have several boxes. West beyond
east means across the date line. "nested" and "fingerprint" may be left out; a fingerprint that is
there must be right.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache, cached_property
from os import PathLike
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.errors import FileError, InputError
from elsewhere.globe.coordinates import Floats, Ints, canonical, merge_boxes
from elsewhere.globe.gazetteer import DATA
from elsewhere.globe.partition import equal_count
from elsewhere.platform.files import write_whole

_FORMAT = "elsewhere cells"
_MAX_RECTANGLES = 50_000_000  # 200 MB


class Cells:
    """M cells that cover the globe without overlap.

    >>> cells = Cells.default()
    >>> cells.count
    512
    >>> cells.locate(38.72, -9.14) == cells.locate(38.72, 350.86)
    True
    >>> cells.coarsen(256).locate(38.72, -9.14) == cells.locate(38.72, -9.14) // 2
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

    def __init__(self, boxes: ArrayLike, owner: ArrayLike | None = None, *, nested: bool = False):
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
        self._paint(rows, owners)
        if len(present) < len(rows):  # cells with several boxes get their one canonical form
            boxes_by_cell = np.split(rows, 1 + np.flatnonzero(np.diff(owners)))
            parts = [merge_boxes(part.tolist()) for part in boxes_by_cell]
            rows = np.array([box for part in parts for box in part], dtype=np.float64)
            owners = np.repeat(present, [len(part) for part in parts])
        self.boxes, self.owner, self.count = rows, owners, len(present)
        self.nested = nested
        self.boxes.flags.writeable = self.owner.flags.writeable = False

    def _paint(self, boxes: Floats, owner: Ints) -> None:
        """Make the lattice; boxes that overlap or do not cover the globe are refused."""
        south, west, north, east = boxes.T
        valid = (south >= -90) & (south < north) & (north <= 90)
        valid &= (west >= -180) & (west < east) & (east <= 180)
        if not valid.all():
            wrong = int(np.argmin(valid))
            raise InputError(
                f"the box {boxes[wrong].tolist()} of cell {owner[wrong]} is not south < north "
                "within ±90 and west < east within ±180"
            )
        lat_edges = np.unique(np.concatenate((south, north, (-90.0, 90.0))))
        lon_edges = np.unique(np.concatenate((west, east, (-180.0, 180.0))))
        shape = len(lat_edges) - 1, len(lon_edges) - 1
        if shape[0] * shape[1] > _MAX_RECTANGLES:
            raise InputError(
                "the cells have too many different edges; let boxes share parallels and meridians"
            )
        lattice = np.full(shape, -1, dtype=np.int32)
        first, last = np.searchsorted(lat_edges, south), np.searchsorted(lat_edges, north)
        left, right = np.searchsorted(lon_edges, west), np.searchsorted(lon_edges, east)
        for box, cell in enumerate(owner.tolist()):
            ground = lattice[first[box] : last[box], left[box] : right[box]]
            if ground.max() >= 0:
                raise InputError(
                    f"cells {ground.max()} and {cell} overlap: every place must be in one cell"
                )
            ground[:] = cell
        bare = np.argwhere(lattice < 0)
        if len(bare):
            row, column = bare[0]
            lat = (lat_edges[row] + lat_edges[row + 1]) / 2
            lon = (lon_edges[column] + lon_edges[column + 1]) / 2
            raise InputError(f"the cells do not cover the globe: none holds {lat:.4f}, {lon:.4f}")
        self._lat_edges, self._lon_edges, self._lattice = lat_edges, lon_edges, lattice

    @classmethod
    def build(cls, lat: ArrayLike, lon: ArrayLike, count: int = 512) -> Cells:
        """Cells with equally many of these photos in each, to within one photo.

        `count` is a power of two. Photos at the very same place always share a cell, so where
        more photos than a cell's share lie at one place its cell holds them all.

        >>> cells = Cells.build([0, 0, 50, 60], [10, 20, 5, -5], count=4)
        >>> sorted(cells.locate([0, 0, 50, 60], [10, 20, 5, -5]).tolist())
        [0, 1, 2, 3]
        """
        lats, lons = canonical(np.ravel(lat), np.ravel(lon))
        if count < 2 or count & (count - 1):
            raise InputError(f"the number of cells must be a power of two, not {count}")
        if lats.size == 0:
            raise InputError("cells are built from coordinates: give at least one")
        leaves = equal_count(lats, lons, count)
        rows = [(cell, *box) for cell, boxes in enumerate(leaves) for box in boxes]
        return cls([row[1:] for row in rows], [row[0] for row in rows], nested=True)

    @staticmethod
    @cache
    def default() -> Cells:
        """The 512 cells of the embedded scorer, made by training/cells.py."""
        return Cells.load(DATA / "cells_512.json")

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
        row = np.searchsorted(self._lat_edges, lats, side="right") - 1
        column = np.searchsorted(self._lon_edges, lons, side="right") - 1
        cell = self._lattice[row, column].astype(np.int64)
        return cell if cell.ndim else int(cell)

    def coarsen(self, count: int) -> Cells:
        """The `count` cells that these refine: cell c becomes c // (self.count // count)."""
        if not self.nested:
            raise InputError("only cells built by halving can be coarsened, and these are not")
        if count < 2 or count & (count - 1) or count > self.count:
            raise InputError(
                f"{self.count} cells coarsen to a smaller power of two, not to {count}"
            )
        return Cells(self.boxes, self.owner // (self.count // count), nested=True)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the boxes and their owners; equal exactly for the same cells."""
        seal = hashlib.sha256(f"cells {self.count} {len(self.boxes)}\n".encode())
        seal.update(self.owner.astype("<i8").tobytes())
        seal.update(self.boxes.astype("<f8").tobytes())
        return seal.hexdigest()

    def boxes_of(self, cell: int) -> Floats:
        """The boxes of one cell."""
        if not 0 <= cell < self.count:
            raise InputError(f"there is no cell {cell}: these are 0 to {self.count - 1}")
        first, last = np.searchsorted(self.owner, [cell, cell + 1])
        return self.boxes[first:last]

    @cached_property
    def centres(self) -> tuple[Floats, Floats]:
        """Latitude and longitude of the middle of each cell's largest box: to draw, not to measure.

        Distances are to a cell's nearest part (`distance_km`), never to its centre.
        """
        south, west, north, east = self.boxes.T
        area = (np.sin(np.radians(north)) - np.sin(np.radians(south))) * (east - west)
        order = np.lexsort((area, self.owner))
        largest = order[np.append(np.flatnonzero(np.diff(self.owner[order])), len(order) - 1)]
        return (south + north)[largest] / 2, (west + east)[largest] / 2

    @cached_property
    def starts(self) -> Ints:
        """The first box of each cell, for reductions over boxes."""
        return np.searchsorted(self.owner, np.arange(self.count)).astype(np.int64)

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
    head = {
        "format": _FORMAT,
        "version": 1,
        "nested": cells.nested,
        "fingerprint": cells.fingerprint,
    }
    boxes = zip(cells.owner.tolist(), cells.boxes.tolist(), strict=True)
    rows = ",\n".join(
        json.dumps([cell, *(int(edge) if edge == int(edge) else edge for edge in box)])
        for cell, box in boxes
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
    if not isinstance(rows, list) or not all(map(_is_row, rows)):
        raise FileError(f'{what} needs "boxes", each [cell, south, west, north, east] in numbers')
    owner: list[int] = []
    boxes: list[tuple[float, float, float, float]] = []
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


def _is_row(row: object) -> bool:
    """Whether this is [cell, south, west, north, east]: a whole number and four numbers."""
    return (
        isinstance(row, list)
        and len(row) == 5
        and type(row[0]) is int
        and 0 <= row[0] < 2**31
        and all(type(edge) in (int, float) and abs(edge) <= 360 for edge in row[1:])
    )
