"""Table 4: a larger budget does not just withhold more; it changes its mind about some.

Which number that gives depends on which of many equally good plans is taken, so two readings are
shown: plans that use the whole budget, and plans that withhold no photo without need.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.report.colours import LIGHT
from elsewhere_lab.averages import Averaged, mean_by_cell, share
from elsewhere_lab.collections import RANDOM, cell_of
from elsewhere_lab.experiments import budget
from elsewhere_lab.paper import reported, tolerance
from elsewhere_lab.plots import explain, names_below, pick, steps
from elsewhere_lab.values import Experiment, Number, Row

STEPS = ((0.125, 0.25, "12.5 % → 25 %"), (0.25, 0.5, "25 % → 50 %"))
PLANS = {"full": "", "plan": " (fewest photos)"}
EMPTY = {0.125: "none withheld at 12.5 %", 0.25: "none withheld at 25 %"}


def returned(row: Row, plan: str, low: float, high: float) -> tuple[int, int] | None:
    """Of the photos withheld under the lower budget, how many the higher one keeps; of how many."""
    before, after = row[f"{plan} {low}"], row[f"{plan} {high}"]
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    gone = budget.unpacked(before)
    return len(gone - budget.unpacked(after)), len(gone)


def pooled(rows: Sequence[Row], plan: str, low: float, high: float) -> Averaged:
    """The share of photos that come back, of all photos that were withheld."""
    found = [(told, cell_of(row)) for row in rows if (told := returned(row, plan, low, high))]
    back, gone = [one[0] for one, _ in found], [one[1] for one, _ in found]
    result, error, _ = share(back, gone, [cell for _, cell in found])
    return result, error, sum(1 for count in gone if count)


def mean_of_shares(rows: Sequence[Row], plan: str, low: float, high: float) -> float:
    """The mean of each collection's own share, where it has withheld any.

    >>> row = {"plan 0.125": "x3", "plan 0.25": "x1"}
    >>> mean_of_shares([row, {"plan 0.125": "x1", "plan 0.25": "x1"}], "plan", 0.125, 0.25)
    0.25
    """
    told = (returned(row, plan, low, high) for row in rows)
    shares = [back / gone for back, gone in (one for one in told if one) if gone]
    return sum(shares) / len(shares) if shares else math.nan


def empty(row: Row, low: float) -> float | None:
    """Whether nothing at all is withheld under a budget, because nothing would be gained."""
    plan = row[f"plan {low}"]
    return None if plan is None else float(plan == budget.packed(()))


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Shares of photos, over the collections where the lower budget withholds any."""
    result = []
    for kind in RANDOM:
        mine = [row for row in rows if row["kind"] == kind]
        for plan, suffix in PLANS.items():
            for low, high, column in STEPS:
                found = pooled(mine, plan, low, high)
                if found[2]:
                    theirs = reported("nesting", kind, column)
                    within = tolerance("nesting", kind, column)
                    result.append(Number(kind + suffix, column, *found, theirs, within))
        for low, column in EMPTY.items():
            averaged = mean_by_cell(mine, [empty(row, low) for row in mine])
            if averaged[2]:
                # their count is that of all collections, which the table's last column is not about
                alone = averaged[:2]
                result.append(Number(kind + PLANS["plan"], column, *alone))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What the two lines are, what chance would give, and where the paper's number lies."""
    told = [
        "Many plans within a budget are equally good, and which one is taken decides this table. "
        "The first line of each kind takes one that uses the whole budget, filled up with photos "
        "at random in one order for all budgets; the second takes one that withholds as few photos "
        "as possible, as `elsewhere` does. The paper does not say which its solver took. Two "
        "choices that have nothing to do with each other would give 0.75 and 0.50.",
        "Small budgets often gain nothing: the last two columns say for which share of the "
        "collections the plan with the fewest photos is then empty. Those say nothing in the "
        "second line, and in the first line their photos are chance alone.",
    ]
    apart = [
        abs(mean_of_shares(mine, plan, low, high) - found.ours)
        for kind in RANDOM
        if (mine := [row for row in rows if row["kind"] == kind])
        for plan, suffix in PLANS.items()
        for low, high, column in STEPS
        if (found := pick(numbers, kind + suffix, column)) is not None
    ]
    if apart:
        told.append(
            "The mean of each collection's own share, which the paper's caption could mean as well "
            f"as the share of all photos, differs from these numbers by at most {max(apart):.3f}."
        )
    between = asked = 0
    for kind in RANDOM:
        for _, _, column in STEPS:
            both = [pick(numbers, kind + suffix, column) for suffix in PLANS.values()]
            ends = [each.ours for each in both if each is not None]
            theirs = reported("nesting", kind, column)
            if len(ends) == 2 and theirs is not None:
                asked += 1
                between += min(ends) <= theirs <= max(ends)
    if asked:
        told.append(
            f"The paper's number lies between the two lines in {between} of {asked} cases. What "
            "the constant of its model may have to do with it is looked at under `constant`."
        )
    return told


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Both readings of the table, what chance would give, and the paper's."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.2), sharey=True)
    looks = {"full": (LIGHT.withheld, "X", "--"), "plan": (LIGHT.kept, "o", "-")}
    for axes, (_, high, column) in zip(grid, STEPS, strict=True):
        for plan, suffix in PLANS.items():
            colour, marker, style = looks[plan]
            values = [pick(numbers, kind + suffix, column) for kind in RANDOM]
            name = "whole budget" if plan == "full" else "fewest photos"
            steps(axes, values, colour=colour, marker=marker, style=style, name=name, paper=False)
        theirs = [reported("nesting", kind, column) for kind in RANDOM]
        axes.plot(range(len(theirs)), theirs, "o", mfc="none", mec=LIGHT.ink, ms=6)
        axes.axhline(
            1 - high, color=LIGHT.baseline, lw=1, ls=(0, (1, 3)), label="unrelated choices"
        )
        axes.set_title(column)
        names_below(axes, RANDOM)
    grid[0].set_ylabel("share withheld before, kept now")
    grid[0].set_ylim(0, 1)
    explain(figure)
    return {"nesting": figure}


EXPERIMENT = Experiment(
    name="nesting",
    title="Table 4: withheld under a small budget, kept under a larger one",
    about=(
        "Of all photos that the optimal plans withhold under the lower budget, the share that the "
        "optimal plans under the higher budget keep. The last column counts the collections where "
        "the lower budget withholds any."
    ),
    parts=lambda source, scale: [],
    measure=lambda source, scale, part: [],
    summarise=summarise,
    draw=draw,
    says=says,
    rows_of="budget",
)
