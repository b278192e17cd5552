"""Tables 1 to 3 in other simulated worlds: how much of a number is the world's own."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import CELLS_PER_PART, RANDOM, SINGLE, chunks, spread as spread_cells
from elsewhere_lab.experiments import say, tables
from elsewhere_lab.paper import BUDGETS, paper_number, tolerance
from elsewhere_lab.plots import METHODS, Figure, new_panels
from elsewhere_lab.sources import Simulator
from elsewhere_lab.statistics import select
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale

WORLDS = range(1, 9)
MEAN, SPREAD, ERROR = "mean", "between worlds", "standard error within one"
_TITLES = {"accuracy": "Table 1", "fewest": "Table 2", "budget": "Table 3"}


def parts_worlds(source: Simulator, scale: Scale) -> list[Part]:
    """A few cells of each world; two worlds at the smallest scale."""
    cells = spread_cells(source.cells, max(2, scale.sample * 8 // 25))
    worlds = WORLDS if scale.sample >= 50 else WORLDS[:2]
    return [
        Part(
            f"{kind}-world-{world}-{some[0]:05}",
            {"kind": kind, "cells": some, "partitions": 1, "world": world},
        )
        for world in worlds
        for kind in (SINGLE, *RANDOM)
        for some in chunks(cells, CELLS_PER_PART)
    ]


def measure_worlds(source: Simulator, scale: Scale, part: Part) -> Iterator[Row]:
    """The rows of Tables 1 to 3 in that world, all with the same columns."""
    there = replace(source, world_seed=part.settings["world"])
    single = part.settings["kind"] == SINGLE
    found = [tables.measure_accuracy(there, scale, part)]
    if not single:
        found += [list(tables.measure_fewest(there, scale, part))]
        found += [list(tables.measure_budget(there, scale, part))]
    columns = [f"{method} {top}" for top in tables.FEWEST_TOPS for method in METHODS]
    columns += [f"{method} {share}" for share in BUDGETS for method in METHODS]
    for same in zip(*found, strict=True):
        every: Row = {key: value for row in same for key, value in row.items()}
        first = {key: every[key] for key in ("kind", "number", "photos", "ahead")}
        rest = {key: every.get(key) for key in columns}
        yield {"world": part.settings["world"], **first, **rest}


def numbers_of(rows: Rows) -> Iterator[tuple[str, Number]]:
    """The numbers of the three tables in one world, with the table's name."""
    for each in tables.summarise_accuracy(rows):
        if each.line in (SINGLE, RANDOM[0]):  # the others are all 1 or 0
            yield "accuracy", each
    together = [row for row in rows if row["kind"] != SINGLE]
    for name, summarise in (
        ("fewest", tables.summarise_fewest),
        ("budget", tables.summarise_budget),
    ):
        yield from ((name, each) for each in summarise(together))


def summarise_worlds(rows: Rows) -> Iterator[Number]:
    """Of each number its mean over the worlds, their spread, and the error within a world."""
    found: dict[tuple[str, str, str], list[Number]] = {}
    for world in WORLDS:
        for name, each in numbers_of(select(rows, world=world)):
            found.setdefault((name, each.line, each.column), []).append(each)
    for (table, line, column), every in found.items():
        if len(every) > 1:
            values = np.array([each.ours for each in every])
            theirs, near = (find(table, line, column) for find in (paper_number, tolerance))
            spread = float(values.std(ddof=1))
            place = f"{_TITLES[table]}, {line} {column}"
            yield Number(place, MEAN, float(values.mean()), spread, 0, theirs, near)
            yield Number(place, SPREAD, spread)
            yield Number(place, ERROR, float(np.mean([each.error for each in every])))


def findings_worlds(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """Which differences from the paper the choice of a world can explain, and which not."""
    means = [each for each in numbers if each.column == MEAN and each.paper is not None]
    far = [each for each in means if each.differs]
    inside = [each for each in far if abs(each.ours - (each.paper or 0)) <= 2 * each.error]
    if means:
        worlds = len({row["world"] for row in rows})
        counts = {"far": len(far), "all": len(means), "explained": len(inside)}
        yield say("worlds", "explained", worlds=worlds, **counts)
    names = [
        f"{each.line} ({each.ours:.2f} ± {each.error:.2f}, paper {each.paper:.2f})"
        for each in far
        if each not in inside
    ]
    if names:
        yield say("worlds", "open", names="; ".join(names))


def draw_worlds(rows: Rows, numbers: Numbers) -> Figure:
    """Each number as its distance from the paper's, in units of what is wanted."""
    means = [n for n in numbers if n.column == MEAN and n.paper is not None and n.within]
    figure, (axes,) = new_panels(1, (8.2, 0.16 * len(means) + 1))
    for i, each in enumerate(reversed(means)):
        assert each.paper is not None and each.within is not None
        x, reach = (each.ours - each.paper) / each.within, each.error / each.within
        axes.errorbar([x], [i], xerr=[2 * reach], fmt="o", ms=3, color=LIGHT.kept, capsize=1.5)
    axes.axvspan(-1, 1, color=LIGHT.baseline, alpha=0.15)
    axes.set_yticks(range(len(means)), [each.line for each in reversed(means)], fontsize=6)
    axes.set_xlabel("off the paper, in units of what is wanted; bars are two standard deviations")
    return figure
