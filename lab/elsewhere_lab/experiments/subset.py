"""Attackers who look at a part of the photos, or distrust some: does the plan hold for them too?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere_lab import attackers, statistics as stats
from elsewhere_lab.attackers import ALONE, PLAIN, STRATEGIES, try_strategies
from elsewhere_lab.collections import TOP, endangered, sample_parts
from elsewhere_lab.plots import Figure
from elsewhere_lab.solving import rank_ahead
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import percent
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale

OTHERS = ("any one photo", *attackers.PARTIAL, "one photo less")
"""The first and the last are the worst case: any kept photo alone, any kept photo gone."""
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, strategy, and attacker."""
    for each in endangered(source, part):
        before = {name: _holds(name, each, range(each.photos)) for name in OTHERS}
        yield from try_strategies(each, STRATEGIES, before, _holds)


def _holds(name: str, each: Collection, kept: Sequence[int]) -> bool:
    rows = each.scores[list(kept)]
    if name == "any one photo":
        return all(rank_ahead(rows[[i]], each.truth) >= TOP for i in range(len(rows)))
    if name == "one photo less":
        whole = rows.astype(np.float64)
        total = whole.sum(axis=0)
        return all(
            int((left >= left[each.truth]).sum()) - 1 >= TOP
            for left in (total - row for row in whole[: len(rows) if len(rows) > 1 else 0])
        )
    return attackers.holds(attackers.PARTIAL[name], rows, each.truth, TOP)


def summarise(rows: Rows) -> list[Number]:
    """How often the place stays out of the top k."""
    return attackers.summarise_strategies(rows, OTHERS)


def advice(kind: str, rows: Rows, numbers: Numbers) -> str:
    """The attackers against whom it helps to hold each photo to the top, too."""
    mine = [row for row in rows if row["kind"] == kind]
    pairs = (stats.same(mine, name, (PLAIN, ALONE)) for name in OTHERS[1:])
    return "".join(
        f" Against {after.column} they hold in {percent(after)}, plans for the sum of the same "
        f"collections in {percent(before)}."
        for before, after in pairs
        if stats.differ(before, after)
    )


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Holding by attacker, one series for each strategy."""
    return attackers.draw_strategies(rows, numbers, OTHERS)
