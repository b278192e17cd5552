"""Attackers who look at a part of the photos, or distrust some: does the plan hold for them too?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere_lab import attackers
from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD, same
from elsewhere_lab.sampling import KINDS, TOP, in_part, kinds_of, parts
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, apart, found, percent
from elsewhere_lab.strategies import ALONE, PLAIN, WAYS, drawn, planned, summary
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale

OTHERS = ("any one photo", *attackers.PART_OF_IT, "one photo less")
"""The first and the last are the worst case: any kept photo alone, any kept photo gone."""


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, way to plan, and attacker."""
    rows: list[Row] = []
    for each in in_part(source, part):
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
    for kind in kinds_of(rows):
        plain, alone = (found(numbers, f"{kind}, {way}") for way in (PLAIN, ALONE))
        any_one = OTHERS[0]
        if any_one not in plain or any_one not in alone:
            continue
        mine = [row for row in rows if row["kind"] == kind]
        pairs = [same(mine, name, (PLAIN, ALONE)) for name in OTHERS[1:]]
        told.append(
            f"{kind}: no kept photo alone has the place in its top {TOP} after "
            f"{percent(plain[any_one])} of the plans for the sum, and after "
            f"{percent(alone[any_one])} of those that also hold each photo to it; these withhold "
            f"{amount(alone[WITHHELD])} of the photos, {amount(alone[MORE], sign=True)} on the "
            f"same collections, and do not exist for {percent(alone[NO_PLAN])} "
            f"(for the sum: {percent(plain[NO_PLAN])})."
            + "".join(
                f" Against {after.column} they hold in {percent(after)}, plans for the sum of the "
                f"same collections in {percent(before)}."
                for before, after in pairs
                if apart(before, after)
            )
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
        "any one kept photo is taken away again. Over the collections that were in the top 5 and "
        "have a plan, and for each attacker only those that he had in his; `more than bare` is "
        "against the plan for the sum, on the same collections. One place: an album of the truth "
        "file."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
