"""Collections: random partitions of a pool by cell, albums, and samples of them for the studies."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from elsewhere.errors import InputError
from elsewhere_lab.calibrated import HALVES, Pairing
from elsewhere_lab.solving import rank_ahead
from elsewhere_lab.sources import PER_CELL, ScoreFiles, Simulator, Source
from elsewhere_lab.values import Collection, FloatMatrix, Part, Row, Scale, number

RANDOM = ("R-16", "R-32", "R-64", "R-128")
ALBUMS = "Albums"
KINDS = (*RANDOM, ALBUMS)
SINGLE = "Single"  # photos one by one
ONE_PLACE = "One place"
"""The kind of a truth file's albums in the studies: each is cut to its photos of one cell. Those of
the kept real photos are nearly all of one landmark, by many people, and nobody's album."""
SAMPLED_KINDS = ("R-16", "R-32", ALBUMS)
"""The sizes of what people post; larger collections behave like R-32, more so."""
TOP = 5  # what the studies ask for: the default of `elsewhere protect`
CELLS_PER_PART, ALBUMS_PER_PART, SAMPLED_PER_PART = 8, 250, 4
OTHER_BACKBONE = Pairing(agree=0.3)
"""Another backbone, in the simulator: by guess, for nothing is known to calibrate it on."""
RIVALS = 20
_PARTITION_SEED, _SEVERAL_SEED = 20200220, 20261118
"""Mixed into the seeds of the shuffles, so that they are independent of the simulator's."""
_TURN, _PER_TURN, _PER_CELL = 100_000, 1_000, 100_000
"""How collections are numbered: fewer cells than this, collections of a cell, photos of a cell."""


def size_of(kind: str) -> int:
    """How many photos a random collection has.

    >>> size_of("R-64")
    64
    """
    return int(kind.removeprefix("R-"))


def spread(cells: Sequence[int], count: int | None) -> list[int]:
    """This many of the cells, spread evenly; all for None."""
    if count is None or count >= len(cells):
        return list(cells)
    return [cells[i * len(cells) // count] for i in range(count)]


def parts(source: Source, scale: Scale, kinds: Sequence[str] = KINDS) -> list[Part]:
    """Every collection: some cells of a kind, or some albums, in each part."""
    turns = []
    for order, kind in enumerate(kinds):
        if kind == ALBUMS:
            count = min(scale.albums, source.albums())
            of_kind = [
                Part(f"{kind}-{i:05}-{stop:05}", {"kind": kind, "albums": (i, stop)})
                for i in range(0, count, ALBUMS_PER_PART)
                if (stop := min(i + ALBUMS_PER_PART, count))
            ]
        else:
            of_kind = [
                Part(
                    f"{kind}-{scale.partitions}x-{some[0]:05}-{some[-1]:05}",
                    {"kind": kind, "cells": some, "partitions": scale.partitions},
                )
                for some in chunks(spread(source.cells, scale.cells), CELLS_PER_PART)
            ]
        turns += [((i + 0.5) / len(of_kind), order, part) for i, part in enumerate(of_kind)]
    return [part for _, _, part in sorted(turns, key=lambda turn: turn[:2])]


def chunks(numbers: Sequence[int], size: int) -> list[list[int]]:
    """The numbers in lists of this size."""
    return [list(numbers[i : i + size]) for i in range(0, len(numbers), size)]


def one_each_parts(source: Source, scale: Scale, kinds: Sequence[str]) -> list[Part]:
    """A sample of the cells, for experiments that take one collection of each (`one_each`)."""
    return parts(source, replace(scale, partitions=1, cells=scale.sample, albums=0), kinds)


def collections(source: Source, part: Part, *, paired: bool = False) -> Iterator[Collection]:
    """The collections of one part; paired: as two models see them."""
    kind = part.settings["kind"]
    if kind == ALBUMS:
        start, stop = part.settings["albums"]
        for which in range(start, stop):
            yield source.album(which)
        return
    for cell in part.settings["cells"]:
        yield from partitions(source, cell, kind, part.settings["partitions"], paired=paired)


def partitions(
    source: Source, cell: int, kind: str, times: int, *, paired: bool = False
) -> Iterator[Collection]:
    """The photos of one cell cut at random into collections of one size, several times."""
    views = source.photos(cell, paired=paired)
    size, have = size_of(kind), len(views[0])
    each = have // size
    for turn in range(times):
        order = np.random.default_rng([_PARTITION_SEED, size, turn, cell]).permutation(have)
        for i in range(each):
            rows = order[i * size : (i + 1) * size]
            chosen = tuple(view[rows] for view in views)
            yield Collection(kind, _number(turn, cell, i), cell, chosen, tuple(rows.tolist()))


def one_each(source: Source, part: Part, *, paired: bool = False) -> Iterator[Collection]:
    """The first collection of each of a part's cells, of those that have the photos for one."""
    for cell in part.settings["cells"]:
        yield from islice(partitions(source, cell, part.settings["kind"], 1, paired=paired), 1)


def sample_parts(
    source: Source, scale: Scale, kinds: Sequence[str] = SAMPLED_KINDS, share: float = 0.4
) -> list[Part]:
    """A share of the scale's sample, of each kind; four collections in each part."""
    count = max(2, round(scale.sample * share))
    result = []
    for kind in kinds:
        if kind == ALBUMS:
            numbers: Sequence[int] = range(min(count, source.albums()))
        else:
            cells = source.cells
            if source.kind != "simulator":
                cells = tuple(c for c in cells if len(source.photos(c)[0]) >= size_of(kind))
            numbers = spread(cells, count)
        result += [
            Part(f"{kind}-{some[0]:05}-{some[-1]:05}", {"kind": kind, "numbers": some})
            for some in chunks(numbers, SAMPLED_PER_PART)
        ]
    return result


def sample(source: Source, part: Part) -> Iterator[Collection]:
    """The collections of one part of a sample."""
    kind = part.settings["kind"]
    for which in part.settings["numbers"]:
        if kind != ALBUMS:
            yield next(partitions(source, which, kind, 1))
        elif source.kind == "simulator":
            yield source.album(which)
        else:
            yield replace(source.album(which), kind=ONE_PLACE)


def endangered(source: Source, part: Part) -> Iterator[Collection]:
    """Those whose place is among the first five guesses with everything shared."""
    for each in sample(source, part):
        if rank_ahead(each.scores, each.truth) < TOP:
            yield each


def kinds_of(rows: Sequence[Row]) -> list[str]:
    """The kinds that a table has, in the order of the tables."""
    there = {row["kind"] for row in rows}
    return [kind for kind in (*KINDS, ONE_PLACE) if kind in there]


def cell_of(row: Row) -> int:
    """The cell that a row's collection was taken in.

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


def several_views(
    source: Source, kind: str, cell: int
) -> tuple[Collection, dict[str, FloatMatrix]]:
    """Photos of a cell as several models see them; the views also by the models' names."""
    if isinstance(source, Simulator):
        near, apart = (
            source.world.halves(cell, PER_CELL, np.random.default_rng([source.seed, 1, cell]), pair)
            for pair in (HALVES, OTHER_BACKBONE)
        )
        views: dict[str, FloatMatrix] = {"half-a": near[0], "half-b": near[1], "other": apart[1]}
    else:
        names = model_names(source)
        if len(names) < 2:
            raise InputError("this needs the scores of several models: give --source twice or more")
        views = dict(zip(names, source.photos(cell), strict=True))
    have = len(next(iter(views.values())))
    order = np.random.default_rng([_SEVERAL_SEED, cell]).permutation(have)[: size_of(kind)]
    views = {name: rows[order] for name, rows in views.items()}
    return Collection(kind, cell, cell, tuple(views.values())), views


def model_names(source: Source) -> tuple[str, ...]:
    """What a collection's views are called: the files' names, or the one simulated model."""
    if isinstance(source, ScoreFiles):
        return tuple(file.stem for file in source.files)
    return ("simulated",)


def distance(first: FloatMatrix, second: FloatMatrix, truth: int) -> float:
    """How far two models' gains over the truth are apart, in nats a photo.

    >>> round(distance(np.array([[0.0, -1.0, -2.0]]), np.array([[0.0, -1.5, -2.5]]), 0), 3)
    0.5
    """
    gains, other_gains = (
        np.delete(rows.mean(axis=0) - rows[:, truth].mean(), truth)
        for rows in (first.astype(np.float64), second.astype(np.float64))
    )
    likeliest = np.argsort(-gains, kind="stable")[:RIVALS]
    return float(np.sqrt(np.mean((gains - other_gains)[likeliest] ** 2)))
