"""Plans made in several ways, tried on attackers that they promise nothing about.

Shared by the studies of attackers who look at a part of the photos and of those who discount
near-repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere_lab.comparison import costs
from elsewhere_lab.plots import beside, names_aslant, pick
from elsewhere_lab.sampling import TOP, kinds_of, means
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Collection, Number, Row

PLAIN, ALONE = "the sum", "the sum and each photo"
CAREFUL, BOTH = "margin 0.1", "margin 0.1 and each photo"
WAYS: dict[str, dict[str, Any]] = {
    PLAIN: {},
    ALONE: {"each_photo": True},
    CAREFUL: {"margin": 0.1},
    BOTH: {"margin": 0.1, "each_photo": True},
}
"""What was planned for."""

Holds = Callable[[str, Collection, Sequence[int]], bool]


def planned(
    each: Collection, ways: Mapping[str, dict[str, Any]], before: Mapping[str, bool], holds: Holds
) -> list[Row]:
    """One row for each way to plan: what it withholds, and which attackers it holds against.

    An attacker who did not have the place before has nothing to lose it from: his field is empty.
    So it is where there is no plan.
    """
    rows: list[Row] = []
    for way, wishes in ways.items():
        plan = unexplained_plan(each.scores, each.truth, top=TOP, **wishes)
        row: dict[str, Any] = {
            "kind": each.kind, "number": each.number, "photos": each.photos, "way": way,
            "withheld": plan.withheld,
            "status plan": plan.status,
        }  # fmt: skip
        for name, held in before.items():
            kept = None if plan.kept is None else np.flatnonzero(plan.kept).tolist()
            row[name] = None if held or kept is None else int(holds(name, each, kept))
        rows.append(row)
    return rows


def summary(rows: Sequence[Row], names: Sequence[str]) -> list[Number]:
    """How often each way's plans hold against each attacker, and what they cost."""
    result = []
    for kind in kinds_of(rows):
        mine = [row for row in rows if row["kind"] == kind]
        for way in dict.fromkeys(str(row["way"]) for row in mine):
            line = f"{kind}, {way}"
            for name in names:
                held = means([row for row in mine if row["way"] == way], name)
                result.append(Number(line, name, *held))
            result += costs(mine, line, way, PLAIN)
    return result


def drawn(rows: Sequence[Row], numbers: Sequence[Number], names: Sequence[str]) -> Any:
    """One panel for each kind: how often each way holds against each attacker."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    kinds = kinds_of(rows)
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    colours = (LIGHT.withheld, LIGHT.kept, LIGHT.decoy, LIGHT.truth, LIGHT.ink)
    look = list(zip(colours, "os^Dv", strict=True))
    figure, grid = plt.subplots(
        1, len(kinds), figsize=(max(4.6, 3.1 * len(kinds)), 3.6), sharey=True, squeeze=False
    )
    for axes, kind in zip(grid[0], kinds, strict=True):
        for i, (way, (colour, marker)) in enumerate(zip(ways, look, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", name) for name in names]
            beside(axes, values, (i, len(ways)), colour=colour, marker=marker, name=way, share=True)
        names_aslant(axes, names)
        axes.set(ylim=(-0.03, 1.04), title=kind)
    grid[0][0].set_ylabel("share of plans that hold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(ways)))
    return figure
