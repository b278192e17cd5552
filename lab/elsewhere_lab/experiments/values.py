"""What photo values save: withholding three snapshots instead of the one picture that matters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere_lab.comparison import NO_PLAN
from elsewhere_lab.plots import beside, names_below, pick
from elsewhere_lab.sampling import KINDS, TOP, in_part, kinds_of, parts
from elsewhere_lab.solving import ahead, fewest, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, found, percent
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale, mean, number

STARS = (0.35, 0.25, 0.2, 0.15, 0.05)
"""How many photos have one to five stars; a photo with s stars is worth 1 + s."""
CHANCE, LANDMARKS = "stars at random", "stars for what shows the place"
SAVED, MORE = "saved of the worth withheld", "more photos"
_RATED = 20261116


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way that stars are given."""
    rows: list[Row] = []
    for each in in_part(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        blind = fewest(each.scores, each.truth, TOP)
        for liked in (CHANCE, LANDMARKS):
            worth = rated(each, liked)
            aware = fewest(each.scores, each.truth, TOP, values=worth.tolist())
            rows.append(
                {
                    "kind": each.kind, "number": each.number, "photos": each.photos,
                    "liked": liked, "worth": int(worth.sum()),
                    "blind photos": len(blind.withheld) if blind.found else None,
                    "blind worth": int(worth[list(blind.withheld)].sum()) if blind.found else None,
                    "aware photos": len(aware.withheld) if aware.found else None,
                    "aware worth": int(worth[list(aware.withheld)].sum()) if aware.found else None,
                    "status blind": str(blind.status), "status aware": str(aware.status),
                }
            )  # fmt: skip
    return rows


def rated(each: Collection, liked: str) -> Any:
    """What each photo is worth: 1 + its stars, at random or by how much it shows the place."""
    rng = np.random.default_rng([_RATED, each.number, each.photos])
    order = rng.permutation(each.photos)
    if liked == LANDMARKS:
        order = np.argsort(each.scores[:, each.truth], kind="stable")
    edges = np.floor(np.cumsum(STARS) * each.photos + 1e-9)
    stars = np.searchsorted(edges, np.arange(each.photos), side="right").clip(max=4) + 1
    worth = np.empty(each.photos, dtype=np.int64)
    worth[order] = 1 + stars
    return worth


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Shares of the photos and of their worth that are withheld, without and with values.

    Both ways have a plan or neither does. What is saved is told of each collection's own loss.
    """
    result = []
    for kind in kinds_of(rows):
        for liked in (CHANCE, LANDMARKS):
            every = [row for row in rows if row["kind"] == kind and row["liked"] == liked]
            mine = [
                row for row in every
                if row["blind photos"] is not None and row["aware photos"] is not None
            ]  # fmt: skip
            line = f"{kind}, {liked}"
            for way in ("blind", "aware"):
                for what, whole in (("worth", "worth"), ("photos", "photos")):
                    lost = [number(r[f"{way} {what}"]) / number(r[whole]) for r in mine]
                    result.append(Number(line, f"{way}: {what}", *mean(lost)))
            saved = [1 - number(r["aware worth"]) / number(r["blind worth"]) for r in mine]
            result.append(Number(line, SAVED, *mean(saved)))
            more = [
                (number(r["aware photos"]) - number(r["blind photos"])) / number(r["photos"])
                for r in mine
            ]
            result.append(Number(line, MORE, *mean(more)))
            none = mean([float(row not in mine) for row in every])
            result.append(Number(line, NO_PLAN, *none))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        line, hard = (found(numbers, f"{kind}, {liked}") for liked in (CHANCE, LANDMARKS))
        if SAVED not in line or SAVED not in hard:
            continue
        told.append(
            f"{kind}: values (--value stars) save {amount(line[SAVED])} of the worth that is "
            f"withheld otherwise, for {amount(line[MORE], sign=True)} of the photos; where the "
            f"best-loved ones are those that show the place, {amount(hard[SAVED])} (no plan for "
            f"{percent(line[NO_PLAN])})."
            + (" Rate your photos." if line[SAVED].ours - 1.96 * line[SAVED].error > 0.01 else "")
        )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Worth withheld without and with values."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    kinds = kinds_of(rows)
    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.2), sharey=True)
    for axes, liked in zip(grid, (CHANCE, LANDMARKS), strict=True):
        for i, (way, colour, marker, name) in enumerate(
            (
                ("blind", LIGHT.baseline, "P", "without values"),
                ("aware", LIGHT.kept, "o", "with values"),
            )
        ):
            values = [pick(numbers, f"{kind}, {liked}", f"{way}: worth") for kind in kinds]
            beside(axes, values, (i, 2), colour=colour, marker=marker, name=name)
        axes.set_title(liked.capitalize())
        axes.set_ylim(0, 0.9)
        names_below(axes, kinds)
    grid[0].set_ylabel("share of the worth withheld")
    handles, names = grid[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=2)
    return {"values": figure}


EXPERIMENT = Experiment(
    name="values",
    title="What photo values save",
    about=(
        "Photos have one to five stars and are worth one more than their stars. The fewest photos "
        "(blind) against the least worth (aware): the share of the worth and of the photos that "
        "is withheld, where stars fall at random and where they go to what shows the place, and "
        "the share of each collection's own loss that values save. Over the collections that were "
        "in the top 5 and have a plan. One place: an album of the truth file."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
