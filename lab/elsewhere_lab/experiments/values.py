"""What photo values save: withholding three snapshots instead of the one picture that matters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.plots import Figure, label_places, legend_below, new_panels, plot_beside
from elsewhere_lab.solving import fewest
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import NO_PLAN, by_column, lines_of, mean, pick
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, number

STARS = (0.35, 0.25, 0.2, 0.15, 0.05)
"""How many photos have one to five stars; a photo with s stars is worth 1 + s."""
CHANCE, LANDMARKS = "stars at random", "stars for what shows the place"
SAVED, MORE = "saved of the worth withheld", "more photos"
_SEED = 20261116
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each way that stars are given."""
    for each in endangered(source, part):
        blind = fewest(each.scores, each.truth, TOP)
        for liked in (CHANCE, LANDMARKS):
            worth = rated(each, liked)
            aware = fewest(each.scores, each.truth, TOP, values=worth.tolist())
            row = {**each.key, "liked": liked, "worth": int(worth.sum())}
            for name, plan in (("blind", blind), ("aware", aware)):
                gone = list(plan.withheld)
                row[f"{name} photos"] = len(gone) if plan.found else None
                row[f"{name} worth"] = int(worth[gone].sum()) if plan.found else None
            row |= {"status blind": str(blind.status), "status aware": str(aware.status)}
            yield row


def rated(each: Collection, liked: str) -> NDArray[np.int64]:
    """What each photo is worth: 1 + its stars, at random or by how much it shows the place."""
    rng = np.random.default_rng([_SEED, each.number, each.photos])
    order = rng.permutation(each.photos)
    if liked == LANDMARKS:
        order = np.argsort(each.scores[:, each.truth], kind="stable")
    edges = np.floor(np.cumsum(STARS) * each.photos + 1e-9)
    stars = np.searchsorted(edges, np.arange(each.photos), side="right").clip(max=4) + 1
    worth = np.empty(each.photos, dtype=np.int64)
    worth[order] = 1 + stars
    return worth


def summarise(rows: Rows) -> Iterator[Number]:
    """Shares of the photos and of their worth that are withheld, without and with values.

    Both have a plan or neither has. What is saved is a share of each collection's own loss.
    """
    for line, _, _, own in lines_of(rows, "liked"):
        planned = [
            r for r in own if r["blind photos"] is not None and r["aware photos"] is not None
        ]

        def mean_ratio(
            part: str, whole: str, less: str | None = None, rows: Rows = planned
        ) -> tuple[float, float, int]:
            return mean(
                [
                    (number(r[part]) - (number(r[less]) if less else 0)) / number(r[whole])
                    for r in rows
                ]
            )

        for plan in ("blind", "aware"):
            for what in ("worth", "photos"):
                yield Number(line, f"{plan}: {what}", *mean_ratio(f"{plan} {what}", what))
        saved = [1 - number(r["aware worth"]) / number(r["blind worth"]) for r in planned]
        yield Number(line, SAVED, *mean(saved))
        more = mean_ratio("aware photos", "photos", less="blind photos")
        yield Number(line, MORE, *more)
        yield Number(line, NO_PLAN, *mean([float(row not in planned) for row in own]))


def advice(kind: str, rows: Rows, numbers: Numbers) -> str:
    """Whether values save anything."""
    saved = by_column(numbers, f"{kind}, {CHANCE}")[SAVED]
    return " Rate your photos." if saved.ours - 1.96 * saved.error > 0.01 else ""


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Worth withheld without and with values."""
    kinds = kinds_of(rows)
    figure, grid = new_panels(2, (7.4, 3.2), sharey=True)
    series = (
        ("blind", LIGHT.baseline, "P", "without values"),
        ("aware", LIGHT.kept, "o", "with values"),
    )
    for axes, liked in zip(grid, (CHANCE, LANDMARKS), strict=True):
        for i, (plan, colour, marker, name) in enumerate(series):
            values = [pick(numbers, f"{kind}, {liked}", f"{plan}: worth") for kind in kinds]
            plot_beside(axes, values, (i, 2), colour=colour, marker=marker, name=name)
        axes.set_title(liked.capitalize())
        axes.set_ylim(0, 0.9)
        label_places(axes, kinds)
    grid[0].set_ylabel("share of the worth withheld")
    legend_below(figure, grid[0], 2)
    return figure
