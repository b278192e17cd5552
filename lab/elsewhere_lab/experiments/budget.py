"""Table 3: how far down the truth can be pushed when so many photos may be withheld."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab import collections
from elsewhere_lab.collections import ALBUMS, KINDS
from elsewhere_lab.paper import BUDGETS, with_papers
from elsewhere_lab.plots import (
    METHODS,
    Figure,
    label_places,
    legend_with_paper,
    new_panels,
    plot_series,
)
from elsewhere_lab.solving import furthest, gains, greedy_steps, stopped, unproved, within
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import mean_by_cell, pick
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale, Value, number

COLUMNS = dict(zip(BUDGETS, ("12.5 %", "25 %", "37.5 %", "50 %"), strict=True))
ALBUM_BUDGETS = BUDGETS[:2]
"""Beyond a quarter the paper does not look: the albums' truth is already below rank 100."""
parts = collections.parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """For each collection and budget: protected-k, optimal and greedy, and what is withheld."""
    for each in collections.collections(source, part):
        steps = greedy_steps(each.scores, each.truth)
        order = np.random.default_rng([each.number, each.photos]).permutation(each.photos)
        row: dict[str, Value] = {**each.key}
        for share in BUDGETS:
            names = [f"{what} {share}" for what in ("optimal", "greedy", "status", "plan", "full")]
            row |= dict.fromkeys(names)
            if each.kind == ALBUMS and share not in ALBUM_BUDGETS:
                continue
            budget = within(each.photos, share)
            plan = furthest(each.scores, each.truth, budget)
            full = None
            if each.kind != ALBUMS:
                full = packed(filled(each.scores, each.truth, plan.withheld, budget, order))
            values = (plan.protected_k, int(steps[budget]), str(plan.status), packed(plan.withheld))
            row |= dict(zip(names, (*values, full), strict=True))
        yield row


def filled(
    scores: FloatMatrix,
    truth: int,
    withheld: Sequence[int],
    budget: int,
    order: Sequence[int] | NDArray[np.intp],
) -> list[int]:
    """Another plan that is as good: further photos, in a given order, fill the budget up.

    Any plan within the budget that reaches the best protected-k is optimal, and a solver that is
    not asked for fewer photos returns an arbitrary one; this is one such. The order is one for all
    budgets of a collection, so that chance alone changes no photo's fate between two of them.
    """
    rows = gains(scores, truth)
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


def packed(photos: Sequence[int]) -> str:
    """A set of photos as a short text that fits into a table.

    >>> packed([0, 3]), unpacked(packed([0, 3]))
    ('x9', {0, 3})
    """
    return f"x{sum(1 << photo for photo in photos):x}"


def unpacked(text: str) -> set[int]:
    """The set of photos again."""
    bits = int(text.removeprefix("x"), 16)
    return {photo for photo in range(bits.bit_length()) if bits >> photo & 1}


def summarise(rows: Rows) -> Iterator[Number]:
    """Mean protected-k over all collections."""
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        for method in METHODS:
            for share, column in COLUMNS.items():
                fields = [row[f"{method} {share}"] for row in mine]
                values = [None if field is None else number(field) for field in fields]
                averaged = mean_by_cell(mine, values)
                if averaged[2]:
                    yield with_papers("budget", f"{kind} {method}", column, averaged)


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """How many plans there are, and how many are proved."""
    plans = sum(1 for row in rows for share in BUDGETS if row[f"status {share}"] is not None)
    unfinished = len(unproved(rows))
    proof = f"{plans - unfinished:,} of them" if unfinished else "all"
    return [f"Plans found: {plans:,}, {proof} proved optimal.", *stopped(rows)]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Protected-k against the budget, one panel for each kind."""
    kinds = [kind for kind in KINDS if pick(numbers, f"{kind} optimal", COLUMNS[BUDGETS[0]])]
    figure, grid = new_panels(len(kinds), (2.1 * len(kinds), 3.1))
    for axes, kind in zip(grid, kinds, strict=True):
        columns = [c for c in COLUMNS.values() if pick(numbers, f"{kind} optimal", c)]
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
