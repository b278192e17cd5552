"""Cells on disk: a small JSON file, readable by people, for our cells and for anyone's.

    {"format": "elsewhere cells", "version": 1, "nested": true, "fingerprint": "…",
     "boxes": [[0, -90, -180, -55.2, -67.1], …]}

A box is [cell, south, west, north, east] in degrees and holds its south and west edge. Cells are
numbered from 0, in the order of the model's outputs; a cell may have several boxes. West beyond
east means across the date line. "nested" and "fingerprint" may be left out; a fingerprint that is
there must be right.
"""

from __future__ import annotations

import json
import os
from os import PathLike
from pathlib import Path

from elsewhere.errors import FileError, InputError
from elsewhere.globe.cells import Cells
from elsewhere.platform.files import write_whole

_FORMAT = "elsewhere cells"


def save(cells: Cells, path: str | PathLike[str]) -> None:
    """Write `cells` to `path`, the same bytes for the same cells, all at once or not at all.

    A link is followed, and the file that it names is written.
    """
    file = Path(path)
    try:
        if file.is_file():
            file.open("r+b").close()  # one that may only be read stays as it is
        if file.is_file() or not file.exists():
            write_whole(Path(os.path.realpath(file)), dump(cells))
        else:  # a pipe or a device cannot be replaced
            file.write_bytes(dump(cells))
    except OSError as error:
        raise FileError(f"cannot write the cells file {path}: {error.strerror}") from None


def load(path: str | PathLike[str]) -> Cells:
    """Read the cells file at `path`; one that does not cover the globe exactly once is refused."""
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"cannot read the cells file {path}: {error.strerror}") from None
    return parse(raw, f"the cells file {path}")


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
        told = json.loads(raw)
    except (ValueError, RecursionError):
        raise FileError(f"{what} is not a cells file: it is not JSON") from None
    if not isinstance(told, dict) or told.get("format") != _FORMAT:
        raise FileError(f'{what} is not a cells file: its "format" must be "{_FORMAT}"')
    if told.get("version") != 1:
        raise FileError(f"{what} has version {told.get('version')!r}; this elsewhere reads 1")
    rows = told.get("boxes")
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
        cells = Cells(boxes, owner, nested=told.get("nested") is True)
    except InputError as error:
        raise FileError(f"{what} cannot be used: {error}") from None
    if told.get("fingerprint", cells.fingerprint) != cells.fingerprint:
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
