"""Table 3: how far down the truth can be pushed when so many photos may be withheld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab.averages import mean_by_cell
from elsewhere_lab.collections import KINDS, collections, parts
from elsewhere_lab.paper import BUDGETS, with_papers
from elsewhere_lab.plots import METHODS, explain, names_below, pick, steps
from elsewhere_lab.solving import furthest, gains, greedy_steps, stopped, unproved, within
from elsewhere_lab.sources import Source
from elsewhere_lab.values import (
    Collection,
    Experiment,
    FloatMatrix,
    Number,
    Part,
    Row,
    Scale,
    Value,
    number,
)

COLUMNS = dict(zip(BUDGETS, ("12.5 %", "25 %", "37.5 %", "50 %"), strict=True))
ALBUM_BUDGETS = BUDGETS[:2]
"""Beyond a quarter the paper does not look: the albums' truth is already below rank 100."""


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """For each collection and budget: protected-k, optimal and greedy, and who is withheld."""
    return [one(each) for each in collections(source, part)]


def one(each: Collection) -> Row:
    """All budgets of one collection."""
    steps = greedy_steps(each.scores, each.truth)
    order = np.random.default_rng([each.number, each.photos]).permutation(each.photos)
    row: dict[str, Value] = {"kind": each.kind, "number": each.number, "photos": each.photos}
    for share in BUDGETS:
        named = (f"{what} {share}" for what in ("optimal", "greedy", "status", "plan", "full"))
        optimal, greedy, status, chosen, full = named
        row |= dict.fromkeys((optimal, greedy, status, chosen, full))
        if each.kind == "Albums" and share not in ALBUM_BUDGETS:
            continue
        budget = within(each.photos, share)
        plan = furthest(each.scores, each.truth, budget)
        row[optimal] = plan.protected_k
        row[greedy] = int(steps[budget])
        row[status] = str(plan.status)
        row[chosen] = packed(plan.withheld)
        if each.kind != "Albums":
            row[full] = packed(filled(each.scores, each.truth, plan.withheld, budget, order))
    return row


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
    """A set of photos as a short word that fits into a table.

    >>> packed([0, 3]), unpacked(packed([0, 3]))
    ('x9', {0, 3})
    """
    return f"x{sum(1 << photo for photo in photos):x}"


def unpacked(word: str) -> set[int]:
    """The set of photos again."""
    bits = int(word.removeprefix("x"), 16)
    return {photo for photo in range(bits.bit_length()) if bits >> photo & 1}


def reached(row: Row, key: str) -> float | None:
    """The protected-k of one method and budget; none where the budget was not asked for."""
    return None if row[key] is None else number(row[key])


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Mean protected-k over all collections."""
    result = []
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        for method in ("optimal", "greedy"):
            for share, column in COLUMNS.items():
                values = [reached(row, f"{method} {share}") for row in mine]
                averaged = mean_by_cell(mine, values)
                if averaged[2]:
                    result.append(with_papers("budget", f"{kind} {method}", column, averaged))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """How sure all this is."""
    plans = sum(1 for row in rows for share in BUDGETS if row[f"status {share}"] is not None)
    open_ones = len(unproved(rows))
    proof = f"{plans - open_ones:,} of them" if open_ones else "all"
    return [f"Plans found: {plans:,}, {proof} proved optimal.", *stopped(rows)]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Protected-k against the budget, one panel for each kind."""
    import matplotlib.pyplot as plt

    kinds = [kind for kind in KINDS if pick(numbers, f"{kind} optimal", COLUMNS[BUDGETS[0]])]
    figure, grid = plt.subplots(1, len(kinds), figsize=(2.1 * len(kinds), 3.1), squeeze=False)
    for axes, kind in zip(grid[0], kinds, strict=True):
        columns = [c for c in COLUMNS.values() if pick(numbers, f"{kind} optimal", c)]
        for method, (colour, marker, style) in METHODS.items():
            values = [pick(numbers, f"{kind} {method}", column) for column in columns]
            steps(axes, values, colour=colour, marker=marker, style=style, name=method)
        axes.set_title(kind)
        names_below(axes, [column.removesuffix(" %") for column in columns])
        axes.set_ylim(bottom=0)
        axes.set_xlabel("budget, % of photos")
    grid[0][0].set_ylabel("protected-k, mean")
    explain(figure)
    return {"budget": figure}


EXPERIMENT = Experiment(
    name="budget",
    title="Table 3: the furthest the truth can be pushed down",
    about=(
        "The mean protected-k when at most 12.5, 25, 37.5 or 50 % of the photos may be withheld, "
        "by the proved best plan and by greedy, which withholds as many photos as it may, those "
        "with the highest scores for the true cell, as the paper has it; over all collections. A "
        "share of an album is rounded down to whole photos."
    ),
    parts=parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
