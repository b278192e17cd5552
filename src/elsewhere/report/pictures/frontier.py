"""What each number of withheld photos buys: protected-k, proved or open, greedy beside it.

A disc is proved: no plan that withholds as few protects more. A ring is the best plan known, with
a line up to what could not be ruled out. A plus is the paper's greedy baseline.
"""

from __future__ import annotations

from collections.abc import Iterable

from elsewhere.report.contents import Staircase
from elsewhere.report.markup import Child, Markup
from elsewhere.report.pictures.chart import (
    Scale,
    counted,
    counted_ticks,
    disc,
    linear,
    picture,
    plus,
    ring,
    rule,
    steps,
    strokes,
    text,
    whole_ticks,
)

_WIDTH, _HEIGHT = 500.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 486.0, 26.0, 228.0
_CROWDED = 60
"""With more steps than this the marks would touch: they are drawn smaller."""


def frontier_chart(staircase: Staircase) -> Markup:
    """The chart."""
    known = staircase.steps
    furthest = max([step.withheld for step in known] + [n for n, _ in staircase.greedy] + [1])
    highest = max(
        [step.bound for step in known] + [k for _, k in staircase.greedy] + [staircase.asked or 1]
    )
    across, up = linear(0, furthest, _LEFT, _RIGHT), counted(highest, _BOTTOM, _TOP)
    size = 3.6 if len(known) <= _CROWDED else 2.2
    proved = sum(step.proved for step in known)
    label = (
        f"Protected-k against photos withheld, from 0 to {furthest}; {proved} of {len(known)} "
        "points are proved best"
    )
    return picture(
        _WIDTH,
        _HEIGHT,
        label,
        _frame(across, up, furthest, highest),
        _greedy(staircase, across, up, size),
        strokes("kept", steps([(across(s.withheld), up(s.protected)) for s in known]), 1.2),
        [_mark(s.proved, across(s.withheld), up(s.protected), up(s.bound), size) for s in known],
        _asked(staircase.asked, up),
        _chosen(staircase, across, up),
    )


def _frame(across: Scale, up: Scale, furthest: int, highest: int) -> Iterable[Child]:
    for tick in counted_ticks(highest):
        yield rule(_LEFT, up(tick), _RIGHT, up(tick))
        yield text(_LEFT - 6, up(tick) + 4, tick, anchor="end")
    for tick in whole_ticks(furthest):
        yield text(across(tick), _BOTTOM + 17, tick, anchor="middle")
    yield text((_LEFT + _RIGHT) / 2, _BOTTOM + 34, "photos withheld", anchor="middle", role="ink")
    yield text(4, 13, "cells that rank above the place", role="ink")


def _asked(asked: int | None, up: Scale) -> Iterable[Child]:
    if asked is not None:
        yield rule(_LEFT, up(asked), _RIGHT, up(asked), dashed=True)
        words = f"asked for: {asked}"
        yield text(_RIGHT, up(asked) - 5, words, anchor="end", role="ink", halo=4.0)


def _greedy(staircase: Staircase, across: Scale, up: Scale, size: float) -> Markup:
    marks = [plus(across(n), up(k), size) for n, k in staircase.greedy]
    return strokes("baseline", "".join(marks), 1.3)


def _mark(proved: bool, x: float, y: float, bound: float, size: float) -> Iterable[Child]:
    if proved:
        yield disc(x, y, "kept", size)
        return
    yield strokes("kept", f"M{x:.1f},{y - size:.1f}V{bound:.1f}", 0.9, dashed="2 2")
    yield ring(x, y, "kept", size, 1.4, hides=True)


def _chosen(staircase: Staircase, across: Scale, up: Scale) -> Iterable[Child]:
    if staircase.chosen is None:
        return
    n, k = staircase.chosen
    x, y = across(n), up(k)
    yield ring(x, y, "withheld", 8.5, 2.0)
    right = x < (_LEFT + _RIGHT) / 2  # where there is more room
    up_there = y - 12 if y - 12 > _TOP + 8 else y + 18
    yield text(
        x + 11 if right else x - 11,
        up_there if not right else y + 16,
        f"this plan: {n} withheld",
        anchor="start" if right else "end",
        role="withheld",
        halo=4.0,
    )
