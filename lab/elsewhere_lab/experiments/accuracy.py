"""Table 1: one photo rarely gives a place away; sixteen together do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.averages import share
from elsewhere_lab.collections import (
    KINDS,
    SINGLE,
    cell_of,
    cells_of,
    collections,
    parts,
    single_number,
)
from elsewhere_lab.paper import with_papers
from elsewhere_lab.plots import explain, names_below, pick, steps
from elsewhere_lab.solving import ahead, gains
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale

_CELLS_AT_ONCE = 16


def every_part(source: Source, scale: Scale) -> list[Part]:
    """All collections, and the photos one by one."""
    cells = cells_of(source, scale)
    blocks = [cells[i : i + _CELLS_AT_ONCE] for i in range(0, len(cells), _CELLS_AT_ONCE)]
    alone = [
        Part(f"{SINGLE}-{some[0]:05}-{some[-1]:05}", {"kind": SINGLE, "cells": some})
        for some in blocks
    ]
    return alone + parts(source, scale)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """How many cells rank at least as high as the truth, for each collection or photo."""
    rows: list[Row] = []
    if part.wish["kind"] == SINGLE:
        for cell in part.wish["cells"]:
            counts = (gains(source.photos(cell)[0], cell) >= 0).sum(axis=1)
            rows += [
                {"kind": SINGLE, "number": single_number(cell, i), "photos": 1, "ahead": int(c)}
                for i, c in enumerate(counts)
            ]
        return rows
    for each in collections(source, part):
        rank = ahead(each.scores, each.truth)
        rows.append(
            {"kind": each.kind, "number": each.number, "photos": each.photos, "ahead": rank}
        )
    return rows


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Top-1 and top-5 accuracy and the mean protected-k, of every kind."""
    result = []
    for kind in (SINGLE, *KINDS):
        mine = [row for row in rows if row["kind"] == kind]
        if not mine:
            continue
        ranks, cells = (
            np.array([row["ahead"] for row in mine], dtype=float),
            list(map(cell_of, mine)),
        )
        for column, values in (
            ("top-1", ranks < 1),
            ("top-5", ranks < 5),
            ("protected-k", ranks),
        ):
            averaged = share(values, np.ones(len(mine)), cells)
            result.append(with_papers("accuracy", kind, column, averaged))
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Accuracy and protected-k by kind."""
    import matplotlib.pyplot as plt

    kinds = [kind for kind in (SINGLE, *KINDS) if pick(numbers, kind, "top-1")]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.2, 3.1))
    for column, colour, marker in (("top-1", LIGHT.kept, "o"), ("top-5", LIGHT.decoy, "s")):
        values = [pick(numbers, kind, column) for kind in kinds]
        steps(left, values, colour=colour, marker=marker, style="none", name=column)
    left.set(ylim=(0, 1.05), ylabel="accuracy")
    left.set_title("How often the place is among the first guesses")
    values = [pick(numbers, kind, "protected-k") for kind in kinds]
    steps(right, values, colour=LIGHT.truth, marker="D", style="none", name="protected-k")
    right.set_yscale("symlog", linthresh=0.1)
    right.set(ylim=(-0.01, 200), ylabel="cells ahead of the truth, mean")
    right.set_title("How far down it is")
    for axes in (left, right):
        names_below(axes, kinds)
    explain(figure)
    return {"accuracy": figure}


EXPERIMENT = Experiment(
    name="accuracy",
    title="Table 1: single photos against collections",
    about=(
        "How often the true cell is the first guess (top-1) or among the first five (top-5), and "
        "how many cells rank at least as high (protected-k), for photos one by one and added up."
    ),
    parts=every_part,
    measure=measure,
    summarise=summarise,
    draw=draw,
)
