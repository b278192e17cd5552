"""User preference: one photo must stay; what that costs depends on how telling it is.

In each collection the photo of some rank is kept, rank 1 being the one with the highest score for
the truth. Success is that a plan exists at all; the share withheld is averaged over successes, as
in the paper's figure. What the wish costs is another thing: the difference to the plan without
it, of the collections where it can be had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import RANDOM, one_each, parts, size_of
from elsewhere_lab.figures import KIND_COLOURS, KIND_MARKERS
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, mean, number

TOPS = (1, 5)
SHARES = (0.0, 0.0625, 0.125, 0.25, 0.375, 0.5, 0.75, 1.0)
"""Ranks that are tried, from the most telling photo to the least."""


def ranks(photos: int) -> list[int]:
    """Which ranks are kept in turn.

    >>> ranks(16)
    [1, 2, 3, 5, 7, 9, 12, 16]
    """
    return sorted({1 + round(share * (photos - 1)) for share in SHARES})


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """A few collections of each kind: one partition, cells spread evenly."""
    smaller = Scale(scale.name, 1, scale.few, 0, scale.few)
    return parts(source, smaller, RANDOM)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection, k and rank; rank 0 is the baseline without a wish."""
    rows: list[Row] = []
    for each in one_each(source, part):
        order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
        before = ahead(each.scores, each.truth)
        for top in TOPS:
            if before >= top:
                continue
            for rank in [0, *ranks(each.photos)]:
                keep = [int(order[rank - 1])] if rank else []
                found = unexplained_plan(each.scores, each.truth, top=top, keep=keep)
                rows.append(
                    {
                        "kind": each.kind, "number": each.number, "photos": each.photos,
                        "top": top, "rank": rank, "withheld": found.withheld,
                        "status pins": found.status,
                    }
                )  # fmt: skip
    return rows


def _chosen(rows: Sequence[Row], kind: str, top: int, rank: int) -> list[Row]:
    return [
        row for row in rows if row["kind"] == kind and row["top"] == top and row["rank"] == rank
    ]


def costs(rows: Sequence[Row], kind: str, top: int, rank: int) -> tuple[float, float, int]:
    """By how much the share withheld grows, of the collections where the photo can stay."""
    free = {row["number"]: row["withheld"] for row in _chosen(rows, kind, top, 0)}
    return mean(
        [
            (number(row["withheld"]) - number(free[row["number"]])) / number(row["photos"])
            for row in _chosen(rows, kind, top, rank)
            if row["withheld"] is not None and free[row["number"]] is not None
        ]
    )


def curve(
    rows: Sequence[Row], kind: str, top: int
) -> list[tuple[int, tuple[float, float, int], tuple[float, float, int]]]:
    """For each rank (0: no wish): success rate, and share withheld over successes."""
    result = []
    for rank in [0, *ranks(size_of(kind))]:
        mine = _chosen(rows, kind, top, rank)
        success = mean([float(row["withheld"] is not None) for row in mine])
        gone = [
            row["withheld"] / row["photos"]
            for row in mine
            if isinstance(row["withheld"], int) and isinstance(row["photos"], int)
        ]
        result.append((rank, success, mean(gone)))
    return result


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Success and share withheld, by kind, k and rank."""
    result = []
    for kind in RANDOM:
        for top in TOPS:
            for rank, success, gone in curve(rows, kind, top):
                line = f"{kind}, rank {rank}" if rank else f"{kind}, no wish"
                if success[2]:
                    result.append(Number(line, f"top-{top} success", *success))
                    result.append(Number(line, f"top-{top} withheld", *gone))
                if success[2] and rank:
                    result.append(Number(line, f"top-{top} cost", *costs(rows, kind, top, rank)))
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
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
            colour = KIND_COLOURS[kind]
            x = [rank for rank, _, _ in points[1:]]
            axes.plot(
                x, [s[0] for _, s, _ in points[1:]], "--", marker=KIND_MARKERS[kind],
                markerfacecolor="white", color=colour, label="a plan exists",
            )  # fmt: skip
            axes.plot(
                x, [g[0] for _, _, g in points[1:]], "-", marker=KIND_MARKERS[kind], color=colour,
                label="share withheld",
            )  # fmt: skip
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
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return {"pins": figure}


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in ("R-16", "R-128"):
        points = curve(rows, kind, 5)
        if not points[0][1][2]:
            continue
        first, half = points[1], points[len(points) // 2 + 1]
        told.append(
            f"{kind}, top-5: the most telling photo can stay in {first[1][0]:.0%} of the "
            f"collections{_priced(costs(rows, kind, 5, first[0]))}; the one of rank {half[0]} in "
            f"{half[1][0]:.0%}{_priced(costs(rows, kind, 5, half[0]))}."
        )
    return told + unproved(rows)


def _priced(cost: tuple[float, float, int]) -> str:
    """What that costs where it can be had; nothing where it never can."""
    return f", where it costs {cost[0]:.2f} of the photos" if cost[2] else ""


EXPERIMENT = Experiment(
    name="pins",
    title="User preference: one photo must stay",
    about=(
        "One photo of each collection is kept, by its rank in score for the truth (1: the most "
        "telling): how often a plan exists, the share withheld where one does, and its cost, "
        "the difference to the plan without the wish, of those same collections. Over the "
        "collections that were top-k accurate before, one for each of some cells (the paper takes "
        "all collections). The paper's figure prints no numbers."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
