"""What each number of withheld photos buys: protected-k, proved or open, greedy beside it.

A disc is proved: no plan that withholds as few protects more. A ring is the best plan known, and
the band above it reaches up to what could not be ruled out. A plus is the paper's greedy baseline.
Of a long staircase only the corners are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from elsewhere.report.contents import FrontierSteps, Step
from elsewhere.report.markup import Child, Markup, element, number
from elsewhere.report.pictures.chart import (
    Scale,
    counted,
    counted_ticks,
    disc,
    linear,
    picture,
    plus,
    ring_mark,
    rule,
    steps,
    strokes,
    text,
    whole_ticks,
)

_WIDTH, _HEIGHT = 500.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 486.0, 26.0, 228.0
_SIZE = 3.6
_ROOM = 140.0
"""What the plan's label needs."""
_CROWDED = 60
"""With more steps than this the marks would touch: only corners have one."""


def frontier_chart(staircase: FrontierSteps) -> Markup:
    """The chart."""
    known = staircase.steps
    furthest = max([step.withheld for step in known] + [n for n, _ in staircase.greedy] + [1])
    highest = max(
        [step.bound for step in known] + [k for _, k in staircase.greedy] + [staircase.asked or 1]
    )
    across, up = linear(0, furthest, _LEFT, _RIGHT), counted(highest, _BOTTOM, _TOP)
    proved = sum(step.proved for step in known)
    label = (
        f"Protected-k against photos withheld, from 0 to {furthest}; {proved} of {len(known)} "
        "points are proved best"
    )
    marked = corners([(step.protected, step.proved) for step in known])
    return picture(
        _WIDTH,
        _HEIGHT,
        label,
        _frame(across, up, furthest, highest),
        _band(known, across, up),
        _greedy(staircase.greedy, across, up),
        strokes("kept", steps([(across(s.withheld), up(s.protected)) for s in known]), 1.2),
        [_mark(known[n].proved, across(known[n].withheld), up(known[n].protected)) for n in marked],
        _asked(staircase.asked, up),
        _chosen(staircase, across, up),
    )


def corners(values: Sequence[object]) -> list[int]:
    """Which points are marked: all of a few; of many, the first of each level and the last.

    >>> corners([1, 1, 2]), corners([0] * 50 + [4] * 50)
    ([0, 1, 2], [0, 50, 99])
    """
    if len(values) <= _CROWDED:
        return list(range(len(values)))
    last = len(values) - 1
    return [n for n in range(last + 1) if n in {0, last} or values[n] != values[n - 1]]


def _band(known: Sequence[Step], across: Scale, up: Scale) -> Markup | None:
    """What could not be ruled out, from the first open point on."""
    there = [step for step in known if not step.proved]
    if not there:
        return None
    first = known.index(there[0])
    open_ones = known[max(0, first - 1) :]
    top = [(across(step.withheld), up(step.bound)) for step in open_ones]
    bottom = [(across(step.withheld), up(step.protected)) for step in open_ones]
    ahead = " ".join(f"L{number(x)},{number(y)}" for x, y in reversed(top))
    return element("path", d=f"{steps(bottom)}{ahead}z", fill="var(--kept)", fill_opacity=0.13)


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


def _greedy(points: Sequence[tuple[int, int]], across: Scale, up: Scale) -> Iterable[Child]:
    if len(points) > _CROWDED:
        line = steps([(across(n), up(k)) for n, k in points])
        yield strokes("baseline", line, 1.2, dashed="4 3")
    marked = [points[n] for n in corners([k for _, k in points])]
    yield strokes("baseline", "".join(plus(across(n), up(k), _SIZE) for n, k in marked), 1.3)


def _mark(proved: bool, x: float, y: float) -> Markup:
    return disc(x, y, "kept", _SIZE) if proved else ring_mark(x, y, "kept", _SIZE, 1.4, hides=True)


def _chosen(staircase: FrontierSteps, across: Scale, up: Scale) -> Iterable[Child]:
    if staircase.chosen is None:
        return
    n, k = staircase.chosen
    x, y = across(n), up(k)
    yield ring_mark(x, y, "withheld", 8.5, 2.0)
    marks = [(across(step.withheld), up(step.protected)) for step in staircase.steps]
    marks += [(across(a), up(b)) for a, b in staircase.greedy]
    if staircase.asked is not None:  # its label, and the line across
        line = up(staircase.asked)
        marks += [(at, line) for at in range(int(_LEFT), int(_RIGHT), 40)]
        marks += [(at, line - 8) for at in range(int(_RIGHT) - 90, int(_RIGHT), 10)]
    words = f"this plan: {n} withheld"
    at, below, anchor = min(_places(x, y), key=lambda place: _covered(place, marks))
    yield text(at, below, words, anchor=anchor, role="withheld", halo=4.0)


def _places(x: float, y: float) -> Iterable[tuple[float, float, str]]:
    """Where the plan's label may stand: first above to the left, where stairs seldom are."""
    inside = [("end", x - 9, x - _ROOM > _LEFT), ("start", x + 9, x + _ROOM < _RIGHT)]
    for anchor, at, fits in inside:
        for below in (y - 12, y + 20, y - 30, y + 38):
            if fits and _TOP + 10 < below < _BOTTOM - 2:
                yield at, below, anchor
    yield (_LEFT + 4, _TOP + 12, "start")


def _covered(place: tuple[float, float, str], marks: Sequence[tuple[float, float]]) -> int:
    """How many marks a label there would hide."""
    at, below, anchor = place
    left = at - _ROOM if anchor == "end" else at
    return sum(left - 4 < x < left + _ROOM + 4 and below - 14 < y < below + 5 for x, y in marks)
