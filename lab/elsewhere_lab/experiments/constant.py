"""The constant T of the paper's linear model: what follows where it is not large enough.

The supplement's model holds for any plan only if T is at least as large as every cell's summed
lead over the truth *or lag behind it*. The program that the authors published takes the number of
photos times the largest gain, which bounds leads and not lags: plans that leave any cell further
behind are cut off, and collections without a plan within a budget are passed over. With sixteen
photos all plans can be looked at, so what that does to Tables 2 and 4 can be counted out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import partitions, sample_parts
from elsewhere_lab.experiments.nesting import STEPS
from elsewhere_lab.paper import reported
from elsewhere_lab.plots import Figure, label_places, new_panels, plot_beside
from elsewhere_lab.solving import gains, within
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import by_column, mean_by_cell, pick
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

KIND, PHOTOS = "R-16", 16
LARGE, PUBLISHED = "T large enough", "T as published"
TOPS = (1, 5)
FEWEST, ORDER, UNRELATED = "fewest photos", "one order", "unrelated"
CHOICES = (FEWEST, ORDER, UNRELATED)
"""Which of the best plans is taken: one with the fewest photos; the first in one order of all
plans, the same for all budgets; any of them, by itself for each budget."""
NONE = "no plan within 12.5 %"
PER_CELL = 4
"""Collections of a cell."""
_PLANS_AT_ONCE = 4096
parts = partial(sample_parts, kinds=(KIND,), share=1.0)


@lru_cache(maxsize=1)
def every_plan() -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """All sets of photos to withhold but that of all photos, and how large each is."""
    codes = np.arange((1 << PHOTOS) - 1)
    gone = ((codes[:, None] >> np.arange(PHOTOS)) & 1).astype(np.float64)
    return gone, gone.sum(axis=1).astype(np.intp)


def counted(gain: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For every plan, how many rivals hold, and the sum of the one furthest behind."""
    gone, _ = every_plan()
    ahead, last = np.empty(len(gone), dtype=np.intp), np.empty(len(gone))
    for start in range(0, len(gone), _PLANS_AT_ONCE):
        some = slice(start, start + _PLANS_AT_ONCE)
        sums = (1 - gone[some]) @ gain
        ahead[some], last[some] = (sums >= 0).sum(axis=1), sums.min(axis=1)
    return ahead, last


def collections_of(source: Source, part: Part) -> Iterator[Collection]:
    """The first collections of each cell of a part."""
    for cell in part.settings["numbers"]:
        yield from islice(partitions(source, cell, KIND, 1), PER_CELL)


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection and T: the fewest photos, and the share that comes back."""
    _, size = every_plan()
    for each in collections_of(source, part):
        gain = gains(each.scores, each.truth)
        ahead, last = counted(gain)
        for name, allowed in (
            (LARGE, np.ones(len(ahead), dtype=bool)),
            (PUBLISHED, last >= -PHOTOS * gain.max()),
        ):
            row: dict[str, Value] = {"kind": each.kind, "number": each.number, "T": name}
            for top in TOPS:  # None where there is no plan, or nothing to do
                enough = size[allowed & (ahead >= top)]
                possible = ahead[0] < top and len(enough)
                row[f"fewest {top}"] = int(enough.min()) / PHOTOS if possible else None
            row["none"] = int(_best(ahead, allowed, within(PHOTOS, STEPS[0][0])) is None)
            yield row | _returned(ahead, allowed)


def _best(
    ahead: NDArray[np.intp], allowed: NDArray[np.bool_], budget: int
) -> NDArray[np.intp] | None:
    """All plans within a budget that push the truth furthest down."""
    _, size = every_plan()
    possible = np.flatnonzero(allowed & (size <= budget))
    return possible[ahead[possible] == ahead[possible].max()] if len(possible) else None


def _returned(ahead: NDArray[np.intp], allowed: NDArray[np.bool_]) -> dict[str, Value]:
    """For each step and choice, the share of the photos withheld before that is kept now."""
    gone, size = every_plan()
    result: dict[str, Value] = {}
    for low, high, column in STEPS:
        plans = [_best(ahead, allowed, within(PHOTOS, share)) for share in (low, high)]
        for choice in CHOICES:
            result[f"{column}, {choice}"] = None
            before, after = (None if best is None else _chosen(best, choice) for best in plans)
            if before is not None and after is not None:
                withholding = before[size[before] > 0]
                kept = 1 - gone[after].mean(axis=0)
                if len(withholding):
                    back = (gone[withholding] @ kept) / size[withholding]
                    result[f"{column}, {choice}"] = round(float(back.mean()), 5)
    return result


def _chosen(best: NDArray[np.intp], choice: str) -> NDArray[np.intp]:
    """The plans that a choice leaves, which are equally likely."""
    _, size = every_plan()
    if choice == ORDER:
        return best[:1]
    return best[size[best] == size[best].min()] if choice == FEWEST else best


def summarise(rows: Rows) -> Iterator[Number]:
    """Both tables' fields for both T."""
    columns = [
        (f"top-{top} optimal", f"fewest {top}", reported("fewest", KIND, f"top-{top} optimal"))
        for top in TOPS
    ]
    for _, _, step in STEPS:
        names = [f"{step}, {choice}" for choice in CHOICES]
        columns += [(column, column, reported("nesting", KIND, step)) for column in names]
    for name in dict.fromkeys(str(row["T"]) for row in rows):
        mine = [row for row in rows if row["T"] == name]
        for column, field, theirs in [*columns, (NONE, "none", None)]:
            values = [None if row[field] is None else number(row[field]) for row in mine]
            average = mean_by_cell(mine, values)
            if average[2]:
                yield Number(name, column, *average, theirs)


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How far each T is from the paper's lines, by the choice that comes nearest to Table 4."""
    far = {
        name: {choice: off for choice in CHOICES if (off := _distance(numbers, name, choice))}
        for name in (LARGE, PUBLISHED)
    }
    if not all(far.values()):
        return
    for name, mine in far.items():
        each = ", ".join(f"{four:.2f} ({choice})" for choice, (four, _) in mine.items())
        two = min(mine.values())[1]
        yield (
            f"{name}: off the paper's line of 16 photos by at most {two:.2f} in Table 2, and in "
            f"Table 4 by {each}."
        )
    large, published = (min(mine.values()) for mine in far.values())
    if published[0] < large[0] and published[1] > large[1]:
        error = max(n.error for n in numbers if n.column.endswith(f", {ORDER}"))
        yield (
            "The published T comes nearer to Table 4 and less near to Table 2 (standard errors in "
            f"one order are up to {error:.2f}): it may be part of why Table 4 differs, and what "
            "else is we do not know."
        )


def _distance(numbers: Numbers, name: str, choice: str) -> tuple[float, float] | None:
    """How far a T is off Table 4, with a choice, and off Table 2; None where one lacks a field."""
    line = by_column(numbers, name)
    four = [line.get(f"{step}, {choice}") for _, _, step in STEPS]
    two = [line.get(f"top-{top} optimal") for top in TOPS]
    known = [
        [abs(n.ours - n.paper) for n in some if n and n.paper is not None] for some in (four, two)
    ]
    return (max(known[0]), max(known[1])) if all(len(each) == 2 for each in known) else None


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Table 4's two numbers for each T and choice, the paper's as lines."""
    figure, grid = new_panels(2, (7.4, 3.1), sharey=True)
    series = ((LARGE, LIGHT.kept, "o"), (PUBLISHED, LIGHT.withheld, "s"))
    for axes, (_, _, step) in zip(grid, STEPS, strict=True):
        for i, (name, colour, marker) in enumerate(series):
            values = [pick(numbers, name, f"{step}, {choice}") for choice in CHOICES]
            plot_beside(axes, values, (i, 2), colour=colour, marker=marker, name=name)
        theirs = reported("nesting", KIND, step)
        axes.axhline(theirs, color=LIGHT.ink, lw=1, ls=(0, (4, 2)), label="paper")
        label_places(axes, CHOICES)
        axes.set(title=step)
        axes.set_ylim(bottom=0)
    grid[0].set_ylabel("share withheld before, kept now")
    grid[0].legend()
    return figure
