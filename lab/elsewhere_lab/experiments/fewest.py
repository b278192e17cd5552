"""Table 2: the fewest photos to withhold for a top-1 and a top-5 guarantee, optimal and greedy."""

from __future__ import annotations

from collections.abc import Iterator

from elsewhere.values.plan import Status
from elsewhere_lab import collections
from elsewhere_lab.collections import ALBUMS, KINDS, RANDOM
from elsewhere_lab.paper import with_papers
from elsewhere_lab.plots import (
    METHODS,
    Figure,
    label_places,
    legend_with_paper,
    new_panels,
    plot_series,
)
from elsewhere_lab.solving import fewest, greedy_fewest, greedy_steps, stopped, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import mean_by_cell, pick
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, Value, number

TOPS = (1, 5)
parts = collections.parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """For each collection and k, what is withheld; nothing where it was not top-k accurate."""
    for each in collections.collections(source, part):
        steps = greedy_steps(each.scores, each.truth)
        row: dict[str, Value] = {**each.key, "ahead": int(steps[0])}
        for top in TOPS:
            row |= {f"optimal {top}": None, f"greedy {top}": None, f"status {top}": None}
            if steps[0] < top:
                plan = fewest(each.scores, each.truth, top)
                row[f"optimal {top}"] = len(plan.withheld) if plan.found else None
                row[f"greedy {top}"] = greedy_fewest(steps, top)
                row[f"status {top}"] = str(plan.status)
        yield row


def withheld(row: Row, method: str, top: int) -> float | None:
    """The share of photos withheld, of the collections where both methods have a plan."""
    gone, other = row[f"{method} {top}"], row[f"greedy {top}"]
    return None if gone is None or other is None else number(gone) / number(row["photos"])


def summarise(rows: Rows) -> Iterator[Number]:
    """Mean shares, over the collections that were top-k accurate before."""
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        for top in TOPS:
            for method in METHODS:
                averaged = mean_by_cell(mine, [withheld(row, method, top) for row in mine])
                if averaged[2]:
                    yield with_papers("fewest", kind, f"top-{top} {method}", averaged)


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How many plans there are, how many are proved, and where there is none."""
    asked = [
        (row[f"status {top}"], row[f"optimal {top}"] is not None, row[f"greedy {top}"] is not None)
        for row in rows
        for top in TOPS
        if row[f"status {top}"] is not None
    ]
    unfinished = len(unproved(rows))
    plans = sum(found for _, found, _ in asked)
    none = sum(status == Status.INFEASIBLE for status, _, _ in asked)
    worse = sum(found and not greedy for _, found, greedy in asked)
    proof = f"{plans - unfinished:,} of them" if unfinished else "all"
    yield f"Plans found: {plans:,}, {proof} proved optimal."
    if none:
        yield (
            "Proved to have no plan, because whatever is withheld the photos that stay give the "
            f"place away: {none:,}."
        )
    if worse:
        yield f"Where there is a plan and greedy finds none: {worse:,}."
    if none or worse:
        yield "Both averages leave out collections for which either has none."
    yield from stopped(rows)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Shares withheld by kind, optimal and greedy."""
    figure, grid = new_panels(2, (8.2, 3.1), sharey=True)
    for axes, top in zip(grid, TOPS, strict=True):
        for method, (colour, marker, style) in METHODS.items():
            column = f"top-{top} {method}"
            values = [pick(numbers, kind, column) for kind in RANDOM]
            plot_series(axes, values, colour=colour, marker=marker, style=style, name=method)
            albums = [None] * len(RANDOM) + [pick(numbers, ALBUMS, column)]
            plot_series(axes, albums, colour=colour, marker=marker, style="none")
        axes.set_title(f"Top-{top} guarantee")
        axes.set_ylim(0, 0.8)
        label_places(axes, KINDS)
    grid[0].set_ylabel("share of photos withheld")
    legend_with_paper(figure)
    return figure
