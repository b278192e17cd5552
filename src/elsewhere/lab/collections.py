"""Random partitions of a pool by cell, and albums: what the tables average over.

The photos of each cell are shuffled and cut into collections of one size; what is left over is not
used. Done ten times over 512 cells of 146 photos each this gives the paper's counts: 46,080
collections of 16, 20,480 of 32, 10,240 of 64 and 5,120 of 128.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from elsewhere.lab.sources import Source
from elsewhere.lab.values import Collection, Part, Scale

RANDOM = ("R-16", "R-32", "R-64", "R-128")
KINDS = (*RANDOM, "Albums")
CELLS_PER_PART = 8
ALBUMS_PER_PART = 250
_SHUFFLED = 20200220
"""Mixed into the seeds of the shuffles, so that they are independent of the simulator's."""


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
    if kind == "Albums":
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
    if kind == "Albums":
        start, stop = part.wish["albums"]
        for number in range(start, stop):
            yield source.album(number)
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
            # numbered by turn, cell and place: unique, and the same at every scale
            number = (turn * 100_000 + cell) * 1_000 + i
            yield Collection(
                kind, number, cell, tuple(view[rows] for view in views), tuple(rows.tolist())
            )
