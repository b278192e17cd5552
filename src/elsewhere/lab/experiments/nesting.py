"""Table 4: a larger budget does not just withhold more; it changes its mind about some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.lab.collections import RANDOM
from elsewhere.lab.experiments import budget
from elsewhere.lab.paper import reported
from elsewhere.lab.plots import explain, names_below, pick, steps
from elsewhere.lab.values import Experiment, Number, Row, mean
from elsewhere.report.look import LIGHT

STEPS = ((0.125, 0.25, "12.5 % → 25 %"), (0.25, 0.5, "25 % → 50 %"))
PLANS = {"full": "", "plan": " (fewest photos)"}


def returned(row: Row, plan: str, low: float, high: float) -> float | None:
    """Of the photos withheld under the lower budget, the share that the higher one keeps."""
    before, after = row[f"{plan} {low}"], row[f"{plan} {high}"]
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    gone = budget.unpacked(before)
    return len(gone - budget.unpacked(after)) / len(gone) if gone else None


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Means over the collections where the lower budget withholds anything."""
    result = []
    for kind in RANDOM:
        mine = [row for row in rows if row["kind"] == kind]
        for plan, suffix in PLANS.items():
            for low, high, column in STEPS:
                values = [returned(row, plan, low, high) for row in mine]
                found, error, count = mean([v for v in values if v is not None])
                if count:
                    theirs = reported("nesting", kind, column)
                    result.append(Number(kind + suffix, column, found, error, count, theirs))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """Why the two lines of each kind differ, and from the paper."""
    return [
        "Many plans within a budget are equally good, and which one is taken moves this table. The "
        "first line of each kind takes one that uses the whole budget, the rest of it at random, "
        "as a solver may that is asked for nothing else; the second takes one that withholds as "
        "few photos as possible, as `elsewhere` does, over the collections where it withholds any. "
        "The paper does not say which its solver took.",
    ]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Both readings of the table, and the paper's."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.0), sharey=True)
    looks = {"full": (LIGHT.withheld, "X", "--"), "plan": (LIGHT.kept, "o", "-")}
    for axes, (_, _, column) in zip(grid, STEPS, strict=True):
        for plan, suffix in PLANS.items():
            colour, marker, style = looks[plan]
            values = [pick(numbers, kind + suffix, column) for kind in RANDOM]
            name = "whole budget, rest at random" if plan == "full" else "fewest photos"
            steps(axes, values, colour=colour, marker=marker, style=style, name=name, paper=False)
            theirs = [None if n is None else n.paper for n in values]
            axes.plot(range(len(theirs)), theirs, "o", mfc="none", mec=LIGHT.ink, ms=6)
        axes.set_title(column)
        names_below(axes, RANDOM)
    grid[0].set_ylabel("withheld before, kept now")
    grid[0].set_ylim(0, 0.8)
    explain(figure)
    return {"nesting": figure}


EXPERIMENT = Experiment(
    name="nesting",
    title="Table 4: withheld under a small budget, kept under a larger one",
    about=(
        "Of the photos that the optimal plan withholds under the lower budget, the share that the "
        "optimal plan under the higher budget keeps."
    ),
    parts=lambda source, scale: [],
    measure=lambda source, scale, part: [],
    summarise=summarise,
    draw=draw,
    says=says,
    rows_of="budget",
)
