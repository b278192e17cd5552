"""Pictures of the tables: ours filled, the paper's hollow beside it.

Built from numbers alone. Each kind of collection and each method has a colour and a shape of its
own in all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from elsewhere.report.colours import LIGHT
from elsewhere_lab.statistics import wilson
from elsewhere_lab.values import Number

METHODS = {"optimal": (LIGHT.kept, "o", "-"), "greedy": (LIGHT.baseline, "P", "--")}
_BESIDE = 0.13
"""How far the paper's mark stands from ours."""


def pick(numbers: Sequence[Number], line: str, column: str) -> Number | None:
    """One number of a table, if it is there."""
    return next((n for n in numbers if n.line == line and n.column == column), None)


def steps(
    axes: Any,
    numbers: Sequence[Number | None],
    *,
    colour: str,
    marker: str,
    style: str = "-",
    name: str = "",
    paper: bool = True,
) -> None:
    """A series over equally spaced places: ours with its standard error, the paper's hollow."""
    here = [(i, n) for i, n in enumerate(numbers) if n is not None]
    x = [at for at, _ in here]
    axes.errorbar(
        x, [n.ours for _, n in here], [1.96 * _known(n.error) for _, n in here], ls=style,
        marker=marker, color=colour, capsize=2, label=name or None,
    )  # fmt: skip
    theirs = [(at + _BESIDE, n.paper) for at, n in here if paper and n.paper is not None]
    axes.plot(
        [at for at, _ in theirs], [value for _, value in theirs], ls="none", marker=marker,
        mfc="none", mec=colour, mew=1.2, ms=6,
    )  # fmt: skip


def whiskers(points: Sequence[tuple[float, float, int]]) -> list[list[float]]:
    """How far up and down the bars of shares reach: no share is below none or above all.

    >>> whiskers([(1.0, 0.1, 9)])
    [[0.196], [0.0]]
    """
    reach = [1.96 * _known(error) for _, error, _ in points]
    low = [min(r, found) for r, (found, _, _) in zip(reach, points, strict=True)]
    high = [min(r, 1 - found) for r, (found, _, _) in zip(reach, points, strict=True)]
    return [low, high]


def names_below(axes: Any, names: Sequence[str]) -> None:
    """What stands at each place."""
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.35, len(names) - 0.5)
    axes.grid(visible=False, axis="x")


def beside(
    axes: Any,
    numbers: Sequence[Number | None],
    place: tuple[int, int],
    *,
    colour: str,
    marker: str,
    name: str,
    share: bool = False,
) -> None:
    """One series of several over named places, each a little beside the others, with 95 % bars.

    `place` is which of how many series it is; `share` says that these are shares of collections.
    """
    which, of = place
    shift = 0.6 * (which - (of - 1) / 2) / of
    here = [
        (i + shift, n)
        for i, n in enumerate(numbers)
        if n is not None and n.count and not math.isnan(n.ours)
    ]
    reach = [bars(n, share=share) for _, n in here]
    axes.errorbar(
        [at for at, _ in here], [n.ours for _, n in here],
        [[low for low, _ in reach], [high for _, high in reach]], ls="none", marker=marker,
        color=colour, capsize=1.5, elinewidth=1, label=name,
    )  # fmt: skip


def bars(number: Number, *, share: bool) -> tuple[float, float]:
    """How far the 95 % bar of a number reaches down and up."""
    if share:
        low, high = wilson(number.ours, number.count)
        return max(0.0, number.ours - low), max(0.0, high - number.ours)
    reach = 1.96 * _known(number.error)
    return min(reach, number.ours), reach


def names_aslant(axes: Any, names: Sequence[str]) -> None:
    """What stands at each place, where the names are long."""
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.5, len(names) - 0.5)
    axes.grid(visible=False, axis="x")


def explain(figure: Any, *, marker: str = "o", columns: int = 4) -> None:
    """One legend below all panels, with the hollow mark explained."""
    from matplotlib.lines import Line2D

    handles: list[Any] = []
    seen: set[str] = set()
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            if name not in seen:
                seen.add(name)
                handles.append(handle)
    hollow = Line2D([], [], ls="none", marker=marker, mfc="none", mec=LIGHT.ink, label="paper")
    figure.legend(handles=[*handles, hollow], loc="outside lower center", ncols=columns)


def _known(error: float) -> float:
    return 0.0 if math.isnan(error) else error
