"""Random partitions of a pool by cell, and albums: what the tables average over.

The photos of each cell are shuffled and cut into collections of one size; what is left over is not
used. Done ten times over 512 cells of 146 photos each this gives the paper's counts: 46,080
collections of 16, 20,480 of 32, 10,240 of 64 and 5,120 of 128.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from elsewhere_lab.sources import Source
from elsewhere_lab.values import Collection, Part, Row, Scale, number

RANDOM = ("R-16", "R-32", "R-64", "R-128")
ALBUMS = "Albums"
KINDS = (*RANDOM, ALBUMS)
SINGLE = "Single"
"""Photos one by one."""
CELLS_PER_PART = 8
ALBUMS_PER_PART = 250
_SHUFFLED = 20200220
"""Mixed into the seeds of the shuffles, so that they are independent of the simulator's."""
_TURN, _PER_TURN, _PER_CELL = 100_000, 1_000, 100_000
"""How collections are numbered: fewer cells than this, collections of a cell, photos of a cell."""


def size_of(kind: str) -> int:
    """How many photos a random collection has.

    >>> size_of("R-64")
    64
    """
    return int(kind.removeprefix("R-"))


def cells_of(source: Source, scale: Scale) -> list[int]:
    """The cells that are used at this scale: all, or a few spread evenly."""
    every = source.cells
    if scale.cells is None or scale.cells >= len(every):
        return list(every)
    return [every[i * len(every) // scale.cells] for i in range(scale.cells)]


def parts(source: Source, scale: Scale, kinds: Sequence[str] = KINDS) -> list[Part]:
    """Everything in handfuls: some cells of a kind, or some albums.

    The kinds take turns, so that a run that is not finished yet has something of each.
    """
    turns = []
    for at, kind in enumerate(kinds):
        mine = _parts_of(source, scale, kind)
        turns += [((i + 0.5) / len(mine), at, part) for i, part in enumerate(mine)]
    return [part for _, _, part in sorted(turns, key=lambda turn: turn[:2])]


def _parts_of(source: Source, scale: Scale, kind: str) -> list[Part]:
    if kind == ALBUMS:
        count = min(scale.albums, source.albums())
        bounds = range(0, count, ALBUMS_PER_PART)
        spans = [(start, min(start + ALBUMS_PER_PART, count)) for start in bounds]
        return [
            Part(f"{kind}-{start:05}-{stop:05}", {"kind": kind, "albums": (start, stop)})
            for start, stop in spans
        ]
    cells = cells_of(source, scale)
    result = []
    for start in range(0, len(cells), CELLS_PER_PART):
        some = cells[start : start + CELLS_PER_PART]
        wish: dict[str, Any] = {"kind": kind, "cells": some, "partitions": scale.partitions}
        name = f"{kind}-{scale.partitions}x-{some[0]:05}-{some[-1]:05}"
        result.append(Part(name, wish))
    return result


def collections(source: Source, part: Part, *, paired: bool = False) -> Iterator[Collection]:
    """The collections of one part; paired: as two models see them."""
    kind = part.wish["kind"]
    if kind == ALBUMS:
        start, stop = part.wish["albums"]
        for which in range(start, stop):
            yield source.album(which)
        return
    for cell in part.wish["cells"]:
        yield from partitions(source, cell, kind, part.wish["partitions"], paired=paired)


def partitions(
    source: Source, cell: int, kind: str, times: int, *, paired: bool = False
) -> Iterator[Collection]:
    """The photos of one cell cut at random into collections of one size, several times."""
    views = source.photos(cell, paired=paired)
    size, have = size_of(kind), len(views[0])
    each = have // size
    for turn in range(times):
        order = np.random.default_rng([_SHUFFLED, size, turn, cell]).permutation(have)
        for i in range(each):
            rows = order[i * size : (i + 1) * size]
            seen = tuple(view[rows] for view in views)
            yield Collection(kind, _number(turn, cell, i), cell, seen, tuple(rows.tolist()))


def one_each(source: Source, part: Part, *, paired: bool = False) -> Iterator[Collection]:
    """The first collection of each of a part's cells, of those that have the photos for one."""
    for cell in part.wish["cells"]:
        yield from islice(partitions(source, cell, part.wish["kind"], 1, paired=paired), 1)


def cell_of(row: Row) -> int:
    """The cell that a row's collection was taken in.

    Albums are numbered by themselves; whoever knows their cells adds them as a column. Where
    nobody does, each counts as a cell of its own.

    >>> cell_of({"kind": "R-16", "number": _number(3, 411, 2)})
    411
    """
    if isinstance(known := row.get("cell"), int):
        return known
    which = int(number(row["number"]))
    if row["kind"] == ALBUMS:
        return -1 - which
    return which // _PER_CELL if row["kind"] == SINGLE else which // _PER_TURN % _TURN


def single_number(cell: int, place: int) -> int:
    """The number of a photo by itself."""
    return cell * _PER_CELL + place


def _number(turn: int, cell: int, place: int) -> int:
    """Numbered by turn, cell and place: unique, and the same at every scale."""
    return (turn * _TURN + cell) * _PER_TURN + place
