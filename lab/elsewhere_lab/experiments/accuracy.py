"""Table 1: one photo rarely gives a place away; sixteen together do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab import collections
from elsewhere_lab.collections import KINDS, SINGLE, cell_of, cells_of, single_number
from elsewhere_lab.paper import with_papers
from elsewhere_lab.plots import Figure, label_places, legend_with_paper, new_panels, plot_series
from elsewhere_lab.solving import gains, rank_ahead
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import pick, share
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale

_CELLS_PER_PART = 16


def parts(source: Source, scale: Scale) -> list[Part]:
    """All collections, and the photos one by one."""
    cells = cells_of(source, scale)
    blocks = [cells[i : i + _CELLS_PER_PART] for i in range(0, len(cells), _CELLS_PER_PART)]
    single = [
        Part(f"{SINGLE}-{some[0]:05}-{some[-1]:05}", {"kind": SINGLE, "cells": some})
        for some in blocks
    ]
    return single + collections.parts(source, scale)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """How many cells rank at least as high as the truth, for each collection or photo."""
    if part.settings["kind"] != SINGLE:
        return [
            {**each.key, "ahead": rank_ahead(each.scores, each.truth)}
            for each in collections.collections(source, part)
        ]
    return [
        {"kind": SINGLE, "number": single_number(cell, i), "photos": 1, "ahead": int(count)}
        for cell in part.settings["cells"]
        for i, count in enumerate((gains(source.photos(cell)[0], cell) >= 0).sum(axis=1))
    ]


def summarise(rows: Rows) -> Iterator[Number]:
    """Top-1 and top-5 accuracy and the mean protected-k, of every kind."""
    for kind in (SINGLE, *KINDS):
        mine = [row for row in rows if row["kind"] == kind]
        if not mine:
            continue
        ranks, cells = (
            np.array([float(row["ahead"] or 0) for row in mine]),
            list(map(cell_of, mine)),
        )
        for column, values in (("top-1", ranks < 1), ("top-5", ranks < 5), ("protected-k", ranks)):
            averaged = share(values, np.ones(len(mine)), cells)
            yield with_papers("accuracy", kind, column, averaged)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Accuracy and protected-k by kind."""
    kinds = [kind for kind in (SINGLE, *KINDS) if pick(numbers, kind, "top-1")]
    figure, (left, right) = new_panels(2, (8.2, 3.1))
    for axes, column, colour, marker in (
        (left, "top-1", LIGHT.kept, "o"),
        (left, "top-5", LIGHT.decoy, "s"),
        (right, "protected-k", LIGHT.truth, "D"),
    ):
        values = [pick(numbers, kind, column) for kind in kinds]
        plot_series(axes, values, colour=colour, marker=marker, style="none", name=column)
    left.set(ylim=(0, 1.05), ylabel="accuracy")
    left.set_title("How often the place is among the first guesses")
    right.set_yscale("symlog", linthresh=0.1)
    right.set(ylim=(-0.01, 200), ylabel="cells ahead of the truth, mean")
    right.set_title("How far down it is")
    for axes in (left, right):
        label_places(axes, kinds)
    legend_with_paper(figure)
    return figure
