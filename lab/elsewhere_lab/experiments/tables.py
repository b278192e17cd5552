"""The paper's Tables 1 to 4."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere.values.plan import Status
from elsewhere_lab import collections, plots, solving, statistics as stats
from elsewhere_lab.collections import ALBUMS, KINDS, RANDOM, SINGLE, cell_of
from elsewhere_lab.experiments import say
from elsewhere_lab.paper import BUDGETS, paper_number, with_papers
from elsewhere_lab.plots import METHODS, Figure, label_places, legend_with_paper, plot_series
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import Average, mean_by_cell, pick, select
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale, Value, number

# accuracy: Table 1: one photo rarely gives a place away; sixteen together do

_CELLS_PER_PART = 16


def parts_accuracy(source: Source, scale: Scale) -> list[Part]:
    """All collections, and the photos one by one."""
    cells = collections.spread(source.cells, scale.cells)
    single = [
        Part(f"{SINGLE}-{some[0]:05}-{some[-1]:05}", {"kind": SINGLE, "cells": some})
        for some in collections.chunks(cells, _CELLS_PER_PART)
    ]
    return single + collections.parts(source, scale)


def measure_accuracy(source: Source, scale: Scale, part: Part) -> list[Row]:
    """How many cells rank at least as high as the truth, for each collection or photo."""
    if part.settings["kind"] != SINGLE:
        return [
            {**each.key, "ahead": solving.rank_ahead(each.scores, each.truth)}
            for each in collections.collections(source, part)
        ]
    return [
        {
            "kind": SINGLE,
            "number": collections.single_number(cell, i),
            "photos": 1,
            "ahead": int(count),
        }
        for cell in part.settings["cells"]
        for i, count in enumerate((solving.gains(source.photos(cell)[0], cell) >= 0).sum(axis=1))
    ]


def summarise_accuracy(rows: Rows) -> Iterator[Number]:
    """Top-1 and top-5 accuracy and the mean protected-k, of every kind."""
    for kind in (SINGLE, *KINDS):
        mine = select(rows, kind=kind)
        if not mine:
            continue
        ranks = np.array([float(row["ahead"] or 0) for row in mine])
        cells = [cell_of(row) for row in mine]
        for column, values in (("top-1", ranks < 1), ("top-5", ranks < 5), ("protected-k", ranks)):
            average = stats.share(values, np.ones(len(mine)), cells)
            yield with_papers("accuracy", kind, column, average)


def draw_accuracy(rows: Rows, numbers: Numbers) -> Figure:
    """Accuracy and protected-k by kind."""
    kinds = [kind for kind in (SINGLE, *KINDS) if pick(numbers, kind, "top-1")]
    figure, (left, right) = plots.new_panels(2, (8.2, 3.1))
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


# fewest: Table 2: the fewest photos to withhold, optimal and greedy

FEWEST_TOPS = (1, 5)
parts_fewest = collections.parts


def measure_fewest(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """For each collection and k, what is withheld; nothing where it was not top-k accurate."""
    for each in collections.collections(source, part):
        steps = solving.greedy_steps(each.scores, each.truth)
        row: dict[str, Value] = {**each.key, "ahead": int(steps[0])}
        for top in FEWEST_TOPS:
            row |= {f"optimal {top}": None, f"greedy {top}": None, f"status {top}": None}
            if steps[0] < top:
                plan = solving.fewest(each.scores, each.truth, top)
                row[f"optimal {top}"] = len(plan.withheld) if plan.found else None
                row[f"greedy {top}"] = solving.greedy_fewest(steps, top)
                row[f"status {top}"] = str(plan.status)
        yield row


def summarise_fewest(rows: Rows) -> Iterator[Number]:
    """Mean shares withheld, over the collections for which both methods have a plan."""
    for kind in KINDS:
        mine = select(rows, kind=kind)
        for top in FEWEST_TOPS:
            for method in METHODS:
                shares = [
                    None
                    if row[f"{method} {top}"] is None or row[f"greedy {top}"] is None
                    else number(row[f"{method} {top}"]) / number(row["photos"])
                    for row in mine
                ]
                average = mean_by_cell(mine, shares)
                if average[2]:
                    yield with_papers("fewest", kind, f"top-{top} {method}", average)


def findings_fewest(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How many plans there are, how many are proved, and where there is none."""
    outcomes = [
        (row[f"status {top}"], row[f"optimal {top}"] is not None, row[f"greedy {top}"] is not None)
        for row in rows
        for top in FEWEST_TOPS
        if row[f"status {top}"] is not None
    ]
    none = sum(status == Status.INFEASIBLE for status, _, _ in outcomes)
    worse = sum(optimal and not greedy for _, optimal, greedy in outcomes)
    yield _count_plans(sum(optimal for _, optimal, _ in outcomes), rows)
    if none:
        yield (
            "Proved to have no plan, because whatever is withheld the photos that stay give the "
            f"place away: {none:,}."
        )
    if worse:
        yield f"Where there is a plan and greedy finds none: {worse:,}."
    if none or worse:
        yield "Both averages leave out collections for which either has none."
    yield from solving.describe_unproved(rows)


def _count_plans(plans: int, rows: Rows) -> str:
    unfinished = len(solving.list_unproved(rows))
    proof = f"{plans - unfinished:,} of them" if unfinished else "all"
    return f"Plans found: {plans:,}, {proof} proved optimal."


def draw_fewest(rows: Rows, numbers: Numbers) -> Figure:
    """Shares withheld by kind, optimal and greedy."""
    figure, grid = plots.new_panels(2, (8.2, 3.1), sharey=True)
    for axes, top in zip(grid, FEWEST_TOPS, strict=True):
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


# budget: Table 3: how far down the truth can be pushed when so many photos may be withheld

BUDGET_COLUMNS = dict(zip(BUDGETS, ("12.5 %", "25 %", "37.5 %", "50 %"), strict=True))
ALBUM_BUDGETS = BUDGETS[:2]
"""Beyond a quarter the paper does not look: the albums' truth is already below rank 100."""
parts_budget = collections.parts


def measure_budget(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """For each collection and budget: protected-k, optimal and greedy, and what is withheld."""
    for each in collections.collections(source, part):
        steps = solving.greedy_steps(each.scores, each.truth)
        order = np.random.default_rng([each.number, each.photos]).permutation(each.photos)
        row: dict[str, Value] = {**each.key}
        for share in BUDGETS:
            names = [f"{what} {share}" for what in ("optimal", "greedy", "status", "plan", "full")]
            row |= dict.fromkeys(names)
            if each.kind == ALBUMS and share not in ALBUM_BUDGETS:
                continue
            budget = solving.within(each.photos, share)
            plan = solving.furthest(each.scores, each.truth, budget)
            full = None
            if each.kind != ALBUMS:
                full = pack(fill_budget(each.scores, each.truth, plan.withheld, budget, order))
            values = (plan.protected_k, int(steps[budget]), str(plan.status), pack(plan.withheld))
            row |= dict(zip(names, (*values, full), strict=True))
        yield row


def fill_budget(
    scores: FloatMatrix, truth: int, withheld: Sequence[int], budget: int,
    order: Sequence[int] | NDArray[np.intp],
) -> list[int]:  # fmt: skip
    """Another plan that is as good: further photos, in a given order, fill the budget up.

    The order is the same for all budgets, so that chance alone changes no photo.
    """
    rows = solving.gains(scores, truth)
    kept = np.ones(len(rows), bool)
    kept[list(withheld)] = False
    sums = rows[kept].sum(axis=0)
    best = int((sums >= 0).sum())
    free = budget - len(withheld)
    for photo in order:
        if free == 0 or kept.sum() == 1:
            break
        if kept[photo] and int((sums - rows[photo] >= 0).sum()) >= best:
            sums, free = sums - rows[photo], free - 1
            kept[photo] = False
    return np.flatnonzero(~kept).tolist()


def pack(photos: Sequence[int]) -> str:
    """A set of photos as a short text that fits into a table.

    >>> pack([0, 3]), unpack(pack([0, 3]))
    ('x9', {0, 3})
    """
    return f"x{sum(1 << photo for photo in photos):x}"


def unpack(text: str) -> set[int]:
    """The set of photos again."""
    bits = int(text.removeprefix("x"), 16)
    return {photo for photo in range(bits.bit_length()) if bits >> photo & 1}


def summarise_budget(rows: Rows) -> Iterator[Number]:
    """Mean protected-k over all collections."""
    for kind in KINDS:
        mine = select(rows, kind=kind)
        for method in METHODS:
            for share, column in BUDGET_COLUMNS.items():
                fields = [row[f"{method} {share}"] for row in mine]
                values = [None if field is None else number(field) for field in fields]
                average = mean_by_cell(mine, values)
                if average[2]:
                    yield with_papers("budget", f"{kind} {method}", column, average)


def findings_budget(rows: Rows, numbers: Numbers) -> list[str]:
    """How many plans there are, and how many are proved."""
    plans = sum(1 for row in rows for share in BUDGETS if row[f"status {share}"] is not None)
    return [_count_plans(plans, rows), *solving.describe_unproved(rows)]


def draw_budget(rows: Rows, numbers: Numbers) -> Figure:
    """Protected-k against the budget, one panel for each kind."""
    kinds = [kind for kind in KINDS if pick(numbers, f"{kind} optimal", BUDGET_COLUMNS[BUDGETS[0]])]
    figure, grid = plots.new_panels(len(kinds), (2.1 * len(kinds), 3.1))
    for axes, kind in zip(grid, kinds, strict=True):
        columns = [c for c in BUDGET_COLUMNS.values() if pick(numbers, f"{kind} optimal", c)]
        for method, (colour, marker, style) in METHODS.items():
            values = [pick(numbers, f"{kind} {method}", column) for column in columns]
            plot_series(axes, values, colour=colour, marker=marker, style=style, name=method)
        axes.set_title(kind)
        label_places(axes, [column.removesuffix(" %") for column in columns])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("budget, % of photos")
    grid[0].set_ylabel("protected-k, mean")
    legend_with_paper(figure)
    return figure


# nesting: Table 4: a larger budget does not just withhold more; it changes its mind about some

NESTING_STEPS = ((0.125, 0.25, "12.5 % → 25 %"), (0.25, 0.5, "25 % → 50 %"))
NESTING_PLANS = {"full": "", "plan": " (fewest photos)"}
NESTING_EMPTY = {0.125: "none withheld at 12.5 %", 0.25: "none withheld at 25 %"}


def count_returned(row: Row, plan: str, low: float, high: float) -> tuple[int, int] | None:
    """Of the photos withheld under the lower budget, how many the higher one keeps; of how many."""
    before, after = row[f"{plan} {low}"], row[f"{plan} {high}"]
    if not isinstance(before, str) or not isinstance(after, str):
        return None
    gone = unpack(before)
    return len(gone - unpack(after)), len(gone)


def pooled_return(rows: Rows, plan: str, low: float, high: float) -> Average:
    """The share of photos that come back, of all photos that were withheld."""
    known = [
        (*pair, cell_of(row)) for row in rows if (pair := count_returned(row, plan, low, high))
    ]
    back, gone, cells = zip(*known, strict=True) if known else ((), (), ())
    result, error, _ = stats.share(back, gone, cells)
    return result, error, sum(1 for count in gone if count)


def mean_of_shares(rows: Rows, plan: str, low: float, high: float) -> float:
    """The mean of each collection's own share, where it has withheld any.

    >>> row = {"plan 0.125": "x3", "plan 0.25": "x1"}
    >>> mean_of_shares([row, {"plan 0.125": "x1", "plan 0.25": "x1"}], "plan", 0.125, 0.25)
    0.25
    """
    pairs = (count_returned(row, plan, low, high) for row in rows)
    shares = [pair[0] / pair[1] for pair in pairs if pair and pair[1]]
    return sum(shares) / len(shares) if shares else math.nan


def summarise_nesting(rows: Rows) -> Iterator[Number]:
    """Shares of photos, over the collections where the lower budget withholds any."""
    for kind in RANDOM:
        mine = select(rows, kind=kind)
        for plan, suffix in NESTING_PLANS.items():
            for low, high, column in NESTING_STEPS:
                average = pooled_return(mine, plan, low, high)
                if average[2]:
                    yield with_papers("nesting", kind, column, average, suffix)
        for low, column in NESTING_EMPTY.items():
            plans = [row[f"plan {low}"] for row in mine]
            empty = [None if plan is None else float(plan == pack(())) for plan in plans]
            value, error, count = mean_by_cell(mine, empty)
            if count:  # of all collections, which the table's last column does not count
                yield Number(kind + NESTING_PLANS["plan"], column, value, error)


def findings_nesting(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """What another mean would give, and where the paper's number lies."""
    differences = []
    between = cases = 0
    for kind in RANDOM:
        mine = select(rows, kind=kind)
        for low, high, column in NESTING_STEPS:
            ends = {}
            for plan, suffix in NESTING_PLANS.items():
                if (found := pick(numbers, kind + suffix, column)) is not None:
                    ends[plan] = found.ours
                    differences.append(abs(mean_of_shares(mine, plan, low, high) - found.ours))
            theirs = paper_number("nesting", kind, column)
            if len(ends) == 2 and theirs is not None:
                cases += 1
                between += min(ends.values()) <= theirs <= max(ends.values())
    if differences:
        yield say("nesting", "means", most=max(differences))
    if cases:
        yield say("nesting", "between", between=between, cases=cases)


def draw_nesting(rows: Rows, numbers: Numbers) -> Figure:
    """Both readings of the table, what chance would give, and the paper's."""
    figure, grid = plots.new_panels(2, (7.4, 3.2), sharey=True)
    readings = (
        ("full", "whole budget", LIGHT.withheld, "X", "--"),
        ("plan", "fewest photos", LIGHT.kept, "o", "-"),
    )
    for axes, (_, high, column) in zip(grid, NESTING_STEPS, strict=True):
        for plan, name, colour, marker, style in readings:
            values = [pick(numbers, kind + NESTING_PLANS[plan], column) for kind in RANDOM]
            plot_series(
                axes, values, colour=colour, marker=marker, style=style, name=name, paper=False
            )
        theirs = [paper_number("nesting", kind, column) for kind in RANDOM]
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
