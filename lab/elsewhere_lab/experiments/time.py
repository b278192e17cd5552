"""Running time against the number of photos, of cells, and the k of the guarantee.

The paper reports about 4.8 s for R-64 and 9.2 s for R-128 with a commercial solver on a machine of
its time; ours are wall-clock times of `protect`, the re-proof included, on whatever runs this.
"""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import RANDOM, one_each, spread
from elsewhere_lab.paper import reported
from elsewhere_lab.plots import Figure, new_panels
from elsewhere_lab.solving import fewest
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

CELLS = (64, 128, 256, 512)
TOPS = (1, 2, 5, 10, 20)
AXES = {"photos": "photos (k = 5)", "cells": "cells (R-64, k = 5)", "k": "k (R-64)"}


def parts(source: Source, scale: Scale) -> list[Part]:
    """Each axis on its own, the others at R-64, all cells and k = 5."""
    cells = spread(source.cells, max(5, scale.sample // 8))
    points = [("photos", kind, CELLS[-1], 5) for kind in RANDOM]
    points += [("cells", "R-64", m, 5) for m in CELLS]
    points += [("k", "R-64", CELLS[-1], k) for k in TOPS]
    return [
        Part(f"{axis}-{kind}-{m}-{k}", {"axis": axis, "kind": kind, "m": m, "k": k, "cells": cells})
        for axis, kind, m, k in points
    ]


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One timed plan for each cell's first collection."""
    axis, kind, m, k = (part.settings[key] for key in ("axis", "kind", "m", "k"))
    for each in one_each(source, part):
        scores, truth = each.scores, each.truth
        if m < scores.shape[1]:  # the truth and some others at random: a smaller problem, not a
            # coarser map, whose cells would be larger and further apart
            others = np.random.default_rng([truth, m]).permutation(scores.shape[1])
            picked = np.array([truth, *(j for j in others.tolist() if j != truth)][:m])
            scores, truth = scores[:, picked], 0
        start = perf_counter()
        plan = fewest(scores, truth, k)
        yield {
                "kind": kind, "number": each.number, "axis": axis, "cells": m, "k": k,
                "photos": each.photos, "seconds": round(perf_counter() - start, 6),
                "work": plan.work, "status time": str(plan.status),
            }  # fmt: skip


def _seconds(rows: Rows, axis: str) -> dict[int, list[float]]:
    """The seconds of all plans, by the value on an axis."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if row["axis"] == axis:
            found.setdefault(int(number(row[axis])), []).append(number(row["seconds"]))
    return dict(sorted(found.items()))


def summarise(rows: Rows) -> Iterator[Number]:
    """Median and longest milliseconds; the paper's seconds as milliseconds beside."""
    for axis in AXES:
        for value, seconds in _seconds(rows, axis).items():
            took = [1000 * each for each in seconds]
            line = f"R-{value}" if axis == "photos" else f"R-64, {axis} = {value}"
            theirs = reported("time", line, "seconds")
            paper = None if theirs is None else 1000 * theirs
            median = float(np.median(took))
            yield Number(line, "median ms", median, count=len(took), paper=paper)
            yield Number(line, "longest ms", max(took), count=len(took))


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """What the paper's times are and are not."""
    return [
        "Wall-clock times of one process, `protect` with its re-proof; the paper's are CPLEX on "
        "another machine of another year, so the ratio is a rough sign only "
        "([the benchmark](benchmarks.md) measures CPLEX on the same machine)."
    ]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Three axes, every plan a dot, the median a line, the paper's two times as crosses."""
    figure, grid = new_panels(3, (9.6, 3.1), sharey=True)
    for axes, (axis, label) in zip(grid, AXES.items(), strict=True):
        mine = [row for row in rows if row["axis"] == axis]
        axes.plot(
            [row[axis] for row in mine], [row["seconds"] for row in mine], ".", alpha=0.35,
            color=LIGHT.kept, markersize=4, label="one plan",
        )  # fmt: skip
        seconds = _seconds(rows, axis)
        medians = [float(np.median(each)) for each in seconds.values()]
        axes.plot(list(seconds), medians, "-o", color=LIGHT.kept, label="median")
        axes.set(xscale="log", yscale="log", xlabel=label)
        axes.set_xticks(list(seconds), [str(value) for value in seconds])
        axes.minorticks_off()
    theirs = [reported("time", f"R-{n}", "seconds") for n in (64, 128)]
    grid[0].plot((64, 128), theirs, "P", color=LIGHT.baseline, ms=7, label="paper (CPLEX)")
    grid[0].set_ylabel("seconds")
    grid[0].set_title("Running time of a top-k plan")
    grid[0].legend(loc="upper left")
    return figure
