"""Plans made in several ways, tried on attackers that they promise nothing about.

Shared by the studies of attackers who look at a part of the photos and of those who discount
near-repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab.quick import quick
from elsewhere.lab.some import TOP, kinds_of, means
from elsewhere.lab.values import Collection, Number, Row, mean, number

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
    """
    rows: list[Row] = []
    for way, wishes in ways.items():
        plan = quick(each.scores, each.truth, top=TOP, **wishes)
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
    """How often each way holds against each attacker, and the share withheld."""
    result = []
    for kind in kinds_of(rows):
        for way in dict.fromkeys(str(row["way"]) for row in rows):
            mine = [row for row in rows if row["kind"] == kind and row["way"] == way]
            found = [row for row in mine if row["withheld"] is not None]
            line = f"{kind}, {way}"
            for name in names:
                result.append(Number(line, name, *means(found, name)))
            gone = [number(row["withheld"]) / number(row["photos"]) for row in found]
            result.append(Number(line, "withheld", *mean(gone)))
    return result


def table(numbers: Sequence[Number]) -> dict[str, dict[str, float]]:
    """Numbers by line and column."""
    found: dict[str, dict[str, float]] = {}
    for each in numbers:
        found.setdefault(each.line, {})[each.column] = each.ours
    return found


def drawn(rows: Sequence[Row], numbers: Sequence[Number], names: Sequence[str]) -> Any:
    """One panel for each kind: how often each way holds against each attacker."""
    import matplotlib.pyplot as plt

    from elsewhere.lab.plots import pick
    from elsewhere.report.look import LIGHT

    kinds = kinds_of(rows)
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    look = list(zip((LIGHT.withheld, LIGHT.kept, LIGHT.decoy, LIGHT.truth), "os^D", strict=True))
    figure, grid = plt.subplots(
        1, len(kinds), figsize=(3.1 * len(kinds), 3.6), sharey=True, squeeze=False
    )
    for axes, kind in zip(grid[0], kinds, strict=True):
        for i, (way, (colour, marker)) in enumerate(zip(ways, look, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", name) for name in names]
            beside(axes, values, (i, len(ways)), colour=colour, marker=marker, name=way)
        names_aslant(axes, names)
        axes.set(ylim=(-0.03, 1.04), title=kind)
    grid[0][0].set_ylabel("share of plans that hold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(ways))
    return figure


def beside(
    axes: Any,
    numbers: Sequence[Number | None],
    place: tuple[int, int],
    *,
    colour: str,
    marker: str,
    name: str,
) -> None:
    """One series of several over named places, each a little beside the others; bars end at 0, 1.

    `place` is which of how many series it is.
    """
    which, of = place
    shift = 0.6 * (which - (of - 1) / 2) / of
    here = [(i + shift, n) for i, n in enumerate(numbers) if n is not None and n.count]
    reach = [0.0 if math.isnan(n.error) else 1.96 * n.error for _, n in here]
    low = [min(r, n.ours) for r, (_, n) in zip(reach, here, strict=True)]
    high = [min(r, max(0.0, 1 - n.ours)) for r, (_, n) in zip(reach, here, strict=True)]
    axes.errorbar(
        [at for at, _ in here], [n.ours for _, n in here], [low, high], ls="none", marker=marker,
        color=colour, capsize=1.5, elinewidth=1, label=name,
    )  # fmt: skip


def names_aslant(axes: Any, names: Sequence[str]) -> None:
    """What stands at each place, where the names are long."""
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(visible=False, axis="x")
