"""Running time against the number of photos, of cells, and the k of the guarantee.

The paper reports about 4.8 s for R-64 and 9.2 s for R-128 with a commercial solver on a machine of
its time; ours are wall-clock times of `protect`, the re-proof included, on whatever runs this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from elsewhere_lab.collections import RANDOM, cells_of, one_each
from elsewhere_lab.paper import reported
from elsewhere_lab.solving import fewest
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, number

CELLS = (64, 128, 256, 512)
TOPS = (1, 2, 5, 10, 20)
AXES = ("photos", "cells", "k")
_CELLS_IN_FULL = 512


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """Each axis on its own, the others at R-64, all cells and k = 5."""
    smaller = Scale(scale.name, 1, max(5, scale.few // 8), 0, scale.few)
    cells = cells_of(source, smaller)
    points = [("photos", kind, _CELLS_IN_FULL, 5) for kind in RANDOM]
    points += [("cells", "R-64", m, 5) for m in CELLS]
    points += [("k", "R-64", _CELLS_IN_FULL, k) for k in TOPS]
    return [
        Part(f"{axis}-{kind}-{m}-{k}", {"axis": axis, "kind": kind, "m": m, "k": k, "cells": cells})
        for axis, kind, m, k in points
    ]


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One timed plan for each cell's first collection."""
    axis, kind, m, k = (part.wish[key] for key in ("axis", "kind", "m", "k"))
    rows: list[Row] = []
    for each in one_each(source, part):
        scores, truth = each.scores, each.truth
        if m < scores.shape[1]:  # the truth and some others at random: a smaller problem, not a
            # coarser map, whose cells would be larger and further apart
            others = np.random.default_rng([truth, m]).permutation(scores.shape[1])
            picked = np.array([truth, *(j for j in others.tolist() if j != truth)][:m])
            scores, truth = scores[:, picked], 0
        start = perf_counter()
        plan = fewest(scores, truth, k)
        rows.append(
            {
                "kind": kind, "number": each.number, "axis": axis, "cells": m, "k": k,
                "photos": each.photos, "seconds": round(perf_counter() - start, 6),
                "work": plan.work, "status time": str(plan.status),
            }
        )  # fmt: skip
    return rows


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Median and longest milliseconds; the paper's seconds as milliseconds beside."""
    result = []
    for axis in AXES:
        mine = [row for row in rows if row["axis"] == axis]
        for value in sorted({int(number(row[axis])) for row in mine}):
            took = [1000 * number(row["seconds"]) for row in mine if row[axis] == value]
            line = f"R-{value}" if axis == "photos" else f"R-64, {axis} = {value}"
            theirs = reported("time", line, "seconds")
            result += [
                Number(
                    line, "median ms", float(np.median(took)), count=len(took),
                    paper=None if theirs is None else 1000 * theirs,
                ),
                Number(line, "longest ms", max(took), count=len(took)),
            ]  # fmt: skip
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Three axes, every plan a dot, the median a line, the paper's two times as crosses."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    figure, grid = plt.subplots(1, 3, figsize=(9.6, 3.1), sharey=True)
    words = {"photos": "photos (k = 5)", "cells": "cells (R-64, k = 5)", "k": "k (R-64)"}
    for axes, axis in zip(grid, AXES, strict=True):
        mine = [row for row in rows if row["axis"] == axis]
        values = sorted({int(number(row[axis])) for row in mine})
        axes.plot(
            [row[axis] for row in mine], [row["seconds"] for row in mine], ".", alpha=0.35,
            color=LIGHT.kept, markersize=4, label="one plan",
        )  # fmt: skip
        middle = [
            float(np.median([number(r["seconds"]) for r in mine if r[axis] == v])) for v in values
        ]
        axes.plot(values, middle, "-o", color=LIGHT.kept, label="median")
        axes.set(xscale="log", yscale="log", xlabel=words[axis])
        axes.set_xticks(values, [str(v) for v in values])
        axes.minorticks_off()
    seconds = [reported("time", f"R-{n}", "seconds") for n in (64, 128)]
    grid[0].plot((64, 128), seconds, "P", color=LIGHT.baseline, ms=7, label="paper (CPLEX)")
    grid[0].set_ylabel("seconds")
    grid[0].set_title("Running time of a top-k plan")
    grid[0].legend(loc="upper left")
    return {"time": figure}


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What the paper's times are and are not."""
    return [
        "Wall-clock times of one process, `protect` with its re-proof; the paper's are CPLEX on "
        "another machine of another year, so the ratio is a rough sign only "
        "([the benchmark](benchmarks.md) measures CPLEX on the same machine)."
    ]


EXPERIMENT = Experiment(
    name="time",
    title="Running time",
    about=(
        "Time of one top-k plan against the number of photos, of cells (the truth and a random "
        "choice of the others), and k."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    decimals=0,
    alone=True,
)
