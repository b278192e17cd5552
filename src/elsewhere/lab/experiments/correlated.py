"""Attackers who know that ten pictures of one fountain are not ten pieces of evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab import attackers
from elsewhere.lab.holding import CAREFUL, PLAIN, WAYS, drawn, planned, summary, table
from elsewhere.lab.solving import ahead, unproved
from elsewhere.lab.some import TOP, kinds_of, means, parts, some
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Collection, Experiment, Number, Part, Row, Scale

OTHERS = tuple(attackers.REPEATS)
KINDS = ("Albums", "R-32")


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    rows: list[Row] = []
    for each in some(source, part):
        if ahead(each.scores, each.truth) < TOP:
            before = {name: _holds(name, each, range(each.photos)) for name in OTHERS}
            seen = len(np.unique(attackers.scenes(each.scores.astype(np.float64))))
            found = planned(each, WAYS, before, _holds)
            rows += [{**row, "scenes": seen} for row in found]
    return rows


def _holds(name: str, each: Collection, kept: Sequence[int]) -> bool:
    return attackers.holds(attackers.REPEATS[name], each.scores[list(kept)], each.truth, TOP)


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How often the place stays out of the top k, and how many photos make a scene."""
    numbers = summary(rows, OTHERS)
    for kind in kinds_of(rows):
        mine = [row for row in rows if row["kind"] == kind and row["way"] == PLAIN]
        numbers.append(Number(f"{kind}, {PLAIN}", "scenes", *means(mine, "scenes")))
    return numbers


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    at = table(numbers)
    for kind in kinds_of(rows):
        plain, careful = at.get(f"{kind}, {PLAIN}"), at.get(f"{kind}, {CAREFUL}")
        if plain and careful:
            worst = min(OTHERS, key=lambda name: plain[name])
            told.append(
                f"{kind}: somebody who discounts near-repeats ({worst}) still has the place in his "
                f"top {TOP} after {1 - plain[worst]:.0%} of the plans for the sum, after "
                f"{1 - careful[worst]:.0%} of those with a margin of 0.1, which withhold "
                f"{careful['withheld']:.2f} instead of {plain['withheld']:.2f}: bursts are better "
                "thinned out by hand than trusted to speak for somewhere else."
            )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Holding by attacker, one line for each way to plan."""
    return {"correlated": drawn(rows, numbers, OTHERS)}


EXPERIMENT = Experiment(
    name="correlated",
    title="Attackers who discount near-repeats",
    about=(
        "Photos of one scene repeat each other, and a sum counts each of them in full. These "
        "attackers find near-repeats by their scores (a correlation of .9 and more) and count a "
        "scene once, or n photos of it as √n. How often the place is out of their first five, over "
        "the collections in which they had it; with the number of scenes and the share withheld."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
