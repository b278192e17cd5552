"""User preference: one photo must stay; what that costs depends on how telling it is.

In each collection the photo of some rank is kept, rank 1 being the one with the highest score for
the truth. Success is that a plan exists at all; the share withheld is averaged over successes, as
in the paper's figure. The cost of the wish is the difference to the plan without it, of the
collections where it can be had.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import RANDOM, one_each, one_each_parts, size_of
from elsewhere_lab.plots import KIND_COLOURS, KIND_MARKERS, Figure, legend_below
from elsewhere_lab.solving import rank_ahead, solve_quietly, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import Average, mean, withheld_share
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

TOPS = (1, 5)
SHARES = (0.0, 0.0625, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0)
"""Ranks that are tried, from the most telling photo to the least."""
parts = partial(one_each_parts, kinds=RANDOM)


def ranks(photos: int) -> list[int]:
    """Which ranks are kept in turn.

    >>> ranks(16)
    [1, 2, 3, 5, 7, 9, 12, 16]
    """
    return sorted({1 + round(share * (photos - 1)) for share in SHARES})


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, k and rank; rank 0 is the baseline without a wish."""
    for each in one_each(source, part):
        order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
        before = rank_ahead(each.scores, each.truth)
        for top in [top for top in TOPS if before < top]:
            for rank in [0, *ranks(each.photos)]:
                keep = [int(order[rank - 1])] if rank else []
                plan = solve_quietly(each.scores, each.truth, top=top, keep=keep)
                row = {"top": top, "rank": rank, "withheld": plan.withheld}
                yield {**each.key, **row, "status pins": plan.status}


def _chosen(rows: Rows, kind: str, top: int, rank: int) -> list[Row]:
    return [row for row in rows if (row["kind"], row["top"], row["rank"]) == (kind, top, rank)]


def costs(rows: Rows, kind: str, top: int, rank: int) -> Average:
    """By how much the share withheld grows, of the collections where the photo can stay."""
    free = {row["number"]: row["withheld"] for row in _chosen(rows, kind, top, 0)}
    return mean(
        [
            (number(row["withheld"]) - number(free[row["number"]])) / number(row["photos"])
            for row in _chosen(rows, kind, top, rank)
            if row["withheld"] is not None and free[row["number"]] is not None
        ]
    )


def curve(rows: Rows, kind: str, top: int) -> list[tuple[int, Average, Average]]:
    """For each rank (0: no wish): success rate, and share withheld over successes."""
    result = []
    for rank in [0, *ranks(size_of(kind))]:
        shares = [withheld_share(row) for row in _chosen(rows, kind, top, rank)]
        success = mean([float(share is not None) for share in shares])
        result.append((rank, success, mean([share for share in shares if share is not None])))
    return result


def summarise(rows: Rows) -> Iterator[Number]:
    """Success and share withheld, by kind, k and rank."""
    for kind in RANDOM:
        for top in TOPS:
            for rank, success, gone in curve(rows, kind, top):
                line = f"{kind}, rank {rank}" if rank else f"{kind}, no wish"
                if success[2]:
                    yield Number(line, f"top-{top} success", *success)
                    yield Number(line, f"top-{top} withheld", *gone)
                if success[2] and rank:
                    yield Number(line, f"top-{top} cost", *costs(rows, kind, top, rank))


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """How often a telling photo can stay, and at what cost."""
    for kind in ("R-16", "R-128"):
        points = curve(rows, kind, 5)
        if not points[0][1][2]:
            continue
        texts = []
        for rank, success, _ in (points[1], points[len(points) // 2 + 1]):
            cost = costs(rows, kind, 5, rank)
            price = f", where it costs {cost[0]:.2f} of the photos" if cost[2] else ""
            texts.append((rank, f"{success[0]:.0%}", price))
        (_, first, first_price), (rank, half, half_price) = texts
        yield (
            f"{kind}, top-5: the most telling photo can stay in {first} of the "
            f"collections{first_price}; the one of rank {rank} in {half}{half_price}."
        )
    yield from unproved(rows)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """The paper's figure: success and share withheld against the rank of the photo that stays."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 4, figsize=(10, 4.6), sharey=True)
    for at, kind in enumerate(RANDOM):
        for line, top in zip(grid, TOPS, strict=True):
            axes = line[at]
            points = curve(rows, kind, top)
            if not points[0][1][2]:
                axes.set_axis_off()
                continue
            x = [rank for rank, _, _ in points[1:]]
            look = {"marker": KIND_MARKERS[kind], "color": KIND_COLOURS[kind]}
            axes.plot(
                x, [s[0] for _, s, _ in points[1:]], "--", **look, markerfacecolor="white",
                label="a plan exists",
            )  # fmt: skip
            axes.plot(x, [g[0] for _, _, g in points[1:]], "-", **look, label="share withheld")
            # of the same collections: those that can keep a telling photo are the easy ones
            free = [g[0] - costs(rows, kind, top, rank)[0] for rank, _, g in points[1:]]
            axes.plot(x, free, ":", color=LIGHT.baseline, label="the same without the wish")
            axes.set_xscale("log", base=2)
            axes.set_xticks([1, 4, 16, 64][: 2 + at], [str(t) for t in (1, 4, 16, 64)][: 2 + at])
            axes.minorticks_off()
            axes.set_ylim(-0.03, 1.05)
            axes.set_title(f"{kind}, top-{top}")
            if top == TOPS[-1]:
                axes.set_xlabel("rank of the photo that stays")
    legend_below(figure, grid[0][0], 3)
    return figure
