"""Table 4: a larger budget does not just withhold more; it changes its mind about some.

Which number that gives depends on which of many equally good plans is taken, so two readings are
shown: plans that use the whole budget, and plans that withhold no photo without need.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import RANDOM, cell_of
from elsewhere_lab.experiments.budget import packed, unpacked
from elsewhere_lab.paper import reported, with_papers
from elsewhere_lab.plots import Figure, label_places, legend_with_paper, new_panels, plot_series
from elsewhere_lab.statistics import Average, mean_by_cell, pick, share
from elsewhere_lab.values import Number, Numbers, Row, Rows

STEPS = ((0.125, 0.25, "12.5 % → 25 %"), (0.25, 0.5, "25 % → 50 %"))
PLANS = {"full": "", "plan": " (fewest photos)"}
EMPTY = {0.125: "none withheld at 12.5 %", 0.25: "none withheld at 25 %"}


def returned(row: Row, plan: str, low: float, high: float) -> tuple[int, int] | None:
    """Of the photos withheld under the lower budget, how many the higher one keeps; of how many."""
    before, after = row[f"{plan} {low}"], row[f"{plan} {high}"]
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    gone = unpacked(before)
    return len(gone - unpacked(after)), len(gone)


def pooled(rows: Rows, plan: str, low: float, high: float) -> Average:
    """The share of photos that come back, of all photos that were withheld."""
    known = [(pair, cell_of(row)) for row in rows if (pair := returned(row, plan, low, high))]
    back, gone = [pair[0] for pair, _ in known], [pair[1] for pair, _ in known]
    result, error, _ = share(back, gone, [cell for _, cell in known])
    return result, error, sum(1 for count in gone if count)


def mean_of_shares(rows: Rows, plan: str, low: float, high: float) -> float:
    """The mean of each collection's own share, where it has withheld any.

    >>> row = {"plan 0.125": "x3", "plan 0.25": "x1"}
    >>> mean_of_shares([row, {"plan 0.125": "x1", "plan 0.25": "x1"}], "plan", 0.125, 0.25)
    0.25
    """
    pairs = (returned(row, plan, low, high) for row in rows)
    shares = [pair[0] / pair[1] for pair in pairs if pair and pair[1]]
    return sum(shares) / len(shares) if shares else math.nan


def summarise(rows: Rows) -> Iterator[Number]:
    """Shares of photos, over the collections where the lower budget withholds any."""
    for kind in RANDOM:
        mine = [row for row in rows if row["kind"] == kind]
        for plan, suffix in PLANS.items():
            for low, high, column in STEPS:
                averaged = pooled(mine, plan, low, high)
                if averaged[2]:
                    yield with_papers("nesting", kind, column, averaged, suffix)
        for low, column in EMPTY.items():
            plans = [row[f"plan {low}"] for row in mine]
            empty = [None if plan is None else float(plan == packed(())) for plan in plans]
            value, error, count = mean_by_cell(mine, empty)
            if count:  # of all collections, which the table's last column does not count
                yield Number(kind + PLANS["plan"], column, value, error)


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What the two lines are, what chance would give, and where the paper's number lies."""
    yield (
        "Many plans within a budget are equally good, and which one is taken decides this table. "
        "The first line of each kind takes one that uses the whole budget, filled up with photos "
        "at random in one order for all budgets; the second takes one that withholds as few photos "
        "as possible, as `elsewhere` does. The paper does not say which its solver took. Two "
        "choices that have nothing to do with each other would give 0.75 and 0.50."
    )
    yield (
        "Small budgets often gain nothing: the last two columns say for which share of the "
        "collections the plan with the fewest photos is then empty. Those say nothing in the "
        "second line, and in the first line their photos are chance alone."
    )
    differences = []
    between = cases = 0
    for kind in RANDOM:
        mine = [row for row in rows if row["kind"] == kind]
        for low, high, column in STEPS:
            ends = {}
            for plan, suffix in PLANS.items():
                if (found := pick(numbers, kind + suffix, column)) is not None:
                    ends[plan] = found.ours
                    differences.append(abs(mean_of_shares(mine, plan, low, high) - found.ours))
            theirs = reported("nesting", kind, column)
            if len(ends) == 2 and theirs is not None:
                cases += 1
                between += min(ends.values()) <= theirs <= max(ends.values())
    if differences:
        yield (
            "The mean of each collection's own share, which the paper's caption could mean as well "
            f"as the share of all photos, differs from these numbers by at most "
            f"{max(differences):.3f}."
        )
    if cases:
        yield (
            f"The paper's number lies between the two lines in {between} of {cases} cases. What "
            "the constant of its model may have to do with it is looked at under `constant`."
        )


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Both readings of the table, what chance would give, and the paper's."""
    figure, grid = new_panels(2, (7.4, 3.2), sharey=True)
    readings = (
        ("full", "whole budget", LIGHT.withheld, "X", "--"),
        ("plan", "fewest photos", LIGHT.kept, "o", "-"),
    )
    for axes, (_, high, column) in zip(grid, STEPS, strict=True):
        for plan, name, colour, marker, style in readings:
            values = [pick(numbers, kind + PLANS[plan], column) for kind in RANDOM]
            plot_series(
                axes, values, colour=colour, marker=marker, style=style, name=name, paper=False
            )
        theirs = [reported("nesting", kind, column) for kind in RANDOM]
        axes.plot(range(len(theirs)), theirs, "o", mfc="none", mec=LIGHT.ink, ms=6)
        axes.axhline(
            1 - high, color=LIGHT.baseline, lw=1, ls=(0, (1, 3)), label="unrelated choices"
        )
        axes.set_title(column)
        label_places(axes, RANDOM)
    grid[0].set_ylabel("share withheld before, kept now")
    grid[0].set_ylim(0, 1)
    legend_with_paper(figure)
    return figure
