"""Attackers who look at a part of the photos, or distrust some: does the plan hold for them too?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab import attackers
from elsewhere.lab.holding import ALONE, PLAIN, WAYS, drawn, planned, summary, table
from elsewhere.lab.solving import ahead, unproved
from elsewhere.lab.some import KINDS, TOP, kinds_of, parts, some
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Collection, Experiment, Number, Part, Row, Scale

OTHERS = ("any one photo", *attackers.PART_OF_IT, "one photo less")
"""The first and the last are the worst case: any kept photo alone, any kept photo gone."""


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, way to plan, and attacker."""
    rows: list[Row] = []
    for each in some(source, part):
        if ahead(each.scores, each.truth) < TOP:
            before = {name: _holds(name, each, range(each.photos)) for name in OTHERS}
            rows += planned(each, WAYS, before, _holds)
    return rows


def _holds(name: str, each: Collection, kept: Sequence[int]) -> bool:
    rows = each.scores[list(kept)]
    if name == "any one photo":
        return all(ahead(rows[[i]], each.truth) >= TOP for i in range(len(rows)))
    if name == "one photo less":
        whole = rows.astype(np.float64)
        total = whole.sum(axis=0)
        return all(
            int((left >= left[each.truth]).sum()) - 1 >= TOP
            for left in (total - row for row in whole[: len(rows) if len(rows) > 1 else 0])
        )
    return attackers.holds(attackers.PART_OF_IT[name], rows, each.truth, TOP)


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How often the place stays out of the top k."""
    return summary(rows, OTHERS)


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    at = table(numbers)
    for kind in kinds_of(rows):
        plain, alone = at.get(f"{kind}, {PLAIN}"), at.get(f"{kind}, {ALONE}")
        if plain and alone:
            told.append(
                f"{kind}: ask that each photo holds alone, too: after a plan for the sum some kept "
                f"photo alone has the place in its top {TOP} in "
                f"{1 - plain['any one photo']:.0%} of the collections, and the photo that "
                f"says most in {1 - plain['best photo']:.0%}; "
                f"with it, in none, for {alone['withheld']:.2f} of the photos withheld instead of "
                f"{plain['withheld']:.2f}."
            )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Holding by attacker, one line for each way to plan."""
    return {"subset": drawn(rows, numbers, OTHERS)}


EXPERIMENT = Experiment(
    name="subset",
    title="Attackers who look at a part of the photos",
    about=(
        "Plans promise something of the sum of all kept photos. How often the place is out of the "
        "first five of somebody else: of any one kept photo alone; of the one that says most; of "
        "the best five; of a sum in which no photo speaks against a cell by more than three nats; "
        "of the sum of the square roots of the probabilities; of their mean; and of the sum when "
        "any one kept photo is taken away again. Over the collections that were in the top 5, and "
        "for each attacker only those that he had in his; the last column is the share withheld."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
