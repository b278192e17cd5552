"""The charts of the report: plain values → SVG.

Python computes scales, ticks and paths; a template draws. Sizes are in the chart's own units, which
are smaller than a pixel on a phone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup

from elsewhere.audit import Curve
from elsewhere.report.contents import FrontierSteps, PhotoPicture
from elsewhere.report.templating import number, render

Scale = Callable[[float], float]
"""From a value to a coordinate."""
Points = Sequence[tuple[float, float]]

MAX_BARS = 40
"""The largest shares only: nobody reads more bars."""
_WIDTH, _LEFT, _RIGHT, _TOP = 500, 38, 486, 26
_CROWDED = 60
"""With more points the marks would touch: only the first of each level has one."""
_LABEL_WIDTH = 140


def shares_chart(photos: Sequence[PhotoPicture], names: Mapping[str, str]) -> Markup | None:
    """Bars for the photos with the largest shares, what gives most away first.

    `names` are written beside the bars; the whole name is shown on hover. None without any share.
    """
    measured = [photo for photo in photos if photo.gain is not None]
    if not measured:
        return None
    largest = sorted(measured, key=lambda photo: -abs(photo.gain or 0.0))[:MAX_BARS]
    return render(
        "shares.svg.j2",
        rows=sorted(largest, key=lambda photo: photo.gain or 0.0),
        widest=max(abs(photo.gain or 0.0) for photo in largest) or 1.0,
        names=names,
        width=_WIDTH,
    )


def sharpening_chart(
    album: Curve, worst: Curve, cells: int, rank_limit: int | None = None
) -> Markup:
    """The rank of the place after each photo, in the album's order and in the worst one.

    A rank above the limit is drawn one below it.
    """
    bottom = 168
    photos = max(len(album.ranks), 1)
    lowest = max([*album.ranks, *worst.ranks, 2])
    x = scale(1, max(photos, 2), _LEFT, _RIGHT)
    y = scale(0, lowest - 1, _TOP, bottom, log=True)
    lines = []
    for curve in (album, worst):
        points = [(x(n), y(rank - 1)) for n, rank in enumerate(curve.ranks, 1)]
        if len(points) == 1:  # a short line, so that there is something to see
            points.append((points[0][0] + 8, points[0][1]))
        lines.append("M" + " ".join(f"{number(a, 1)},{number(b, 1)}" for a, b in points))
    return render(
        "sharpening.svg.j2",
        **{"width": _WIDTH, "left": _LEFT, "right": _RIGHT, "bottom": bottom, "x": x, "y": y},
        album=album,
        cells=cells,
        rank_limit=rank_limit,
        photos=photos,
        rank_ticks=sorted({max(tick, 1) for tick in ticks(lowest, log=True)}),
        photo_ticks=ticks(photos),
        album_line=lines[0],
        worst_line=lines[1],
    )


def frontier_chart(frontier: FrontierSteps, guesses: str = "cells") -> Markup:
    """What each number of withheld photos buys, with greedy beside it."""
    steps, greedy, bottom = frontier.steps, frontier.greedy, 228
    furthest = math.ceil(max([step.loss for step in steps] + [n for n, _ in greedy] + [1]))
    bounds = [step.bound for step in steps if step.bounded]
    reached_tops = [step.protected for step in steps] + [k for _, k in greedy]
    highest = max([*bounds, *reached_tops, frontier.requested_top or 1])
    x = scale(0, furthest, _LEFT, _RIGHT)
    y = scale(0, highest, bottom, _TOP, log=True)
    reached = [(x(step.loss), y(step.protected)) for step in steps]
    greedy_points = [(x(n), y(k)) for n, k in greedy]
    band = ""
    if not all(step.proved for step in steps):  # from the point before the first open one on
        first = max(0, [step.proved for step in steps].index(False) - 1)
        upper = [(x(step.loss), y(min(step.bound, highest))) for step in reversed(steps[first:])]
        back = " ".join(f"L{number(a, 1)},{number(b, 1)}" for a, b in upper)
        band = f"{step_path(reached[first:])}{back}z"
    label = None
    if frontier.plan_point is not None:
        covered = [*reached, *greedy_points]
        if frontier.requested_top is not None:  # the line across, and its label
            line = y(frontier.requested_top)
            covered += [(float(at), line) for at in range(_LEFT, _RIGHT, 40)]
            covered += [(float(at), line - 8) for at in range(_RIGHT - 90, _RIGHT, 10)]
        plan = x(frontier.plan_point[0]), y(frontier.plan_point[1])
        label = _label_place(*plan, bottom, covered)
    return render(
        "frontier.svg.j2",
        **{"width": _WIDTH, "left": _LEFT, "right": _RIGHT, "bottom": bottom, "x": x, "y": y},
        frontier=frontier,
        guesses=guesses,
        furthest=furthest,
        proved=sum(step.proved for step in steps),
        cell_ticks=ticks(highest, log=True),
        photo_ticks=ticks(furthest),
        band=band,
        greedy_line=step_path(greedy_points) if len(greedy) > _CROWDED else "",
        greedy_marks="".join(
            f"M{number(a - 3.6)},{number(b)}h7.2M{number(a)},{number(b - 3.6)}v7.2"
            for a, b in (greedy_points[n] for n in level_starts([k for _, k in greedy]))
        ),
        steps_line=step_path(reached),
        marked=[steps[n] for n in level_starts([(s.protected, s.proved) for s in steps])],
        label=label,
    )


def bar_chart(counts: Mapping[str, int], role: str, label: str) -> Markup:
    """Counts as horizontal bars, in the colour of a role."""
    return render("bars.svg.j2", counts=counts, role=role, label=label)


def scale(low: float, high: float, start: float, end: float, *, log: bool = False) -> Scale:
    """Values from `low` to `high` between two coordinates.

    Evenly, or counts by the logarithm of one more, so that 0, 5 and 500 can all be told apart.
    """
    if log:
        bottom, top = math.log1p(low), math.log1p(max(high, 1.0))
        return lambda value: start + (math.log1p(value) - bottom) / (top - bottom) * (end - start)
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def ticks(high: int, limit: int = 8, *, log: bool = False) -> list[int]:
    """Round whole numbers from 0 up to `high`: in at most `limit` steps, or for a log scale.

    >>> ticks(24), ticks(3), ticks(60, log=True)
    ([0, 5, 10, 15, 20], [0, 1, 2, 3], [0, 1, 2, 5, 10, 20, 50])
    """
    rising = [unit * 10**power for power in range(12) for unit in (1, 2, 5)]
    if log:
        return [tick for tick in (0, *rising) if tick <= max(high, 1)]
    return list(range(0, high + 1, next(size for size in rising if size * limit >= high)))


def level_starts(values: Sequence[object]) -> list[int]:
    """Which points are marked: all of a few; of many, the first of each level and the last.

    >>> level_starts([1, 1, 2]), level_starts([0] * 50 + [4] * 50)
    ([0, 1, 2], [0, 50, 99])
    """
    last = len(values) - 1
    return [
        n
        for n in range(len(values))
        if len(values) <= _CROWDED or n in {0, last} or values[n] != values[n - 1]
    ]


def step_path(points: Points) -> str:
    """Points joined by horizontal and vertical lines, as SVG path data."""
    if not points:
        return ""
    (x, y), *rest = points
    return f"M{number(x, 1)},{number(y, 1)}" + "".join(
        f"H{number(a, 1)}V{number(b, 1)}" for a, b in rest
    )


def _label_place(x: float, y: float, bottom: float, points: Points) -> tuple[float, float, str]:
    """Where the plan's label covers the fewest points: its x, its base line, its anchor."""
    places: list[tuple[float, float, str]] = []
    for anchor, at, fits in (
        ("end", x - 9, x - _LABEL_WIDTH > _LEFT),
        ("start", x + 9, x + _LABEL_WIDTH < _RIGHT),
    ):
        for base in (y - 12, y + 20, y - 30, y + 38):
            if fits and _TOP + 10 < base < bottom - 2:
                places.append((at, base, anchor))
    places.append((_LEFT + 4, _TOP + 12, "start"))
    covered = []
    for at, base, anchor in places:
        left = at - _LABEL_WIDTH - 4 if anchor == "end" else at - 4
        right = left + _LABEL_WIDTH + 8
        covered.append(sum(left < a < right and base - 14 < b < base + 5 for a, b in points))
    return places[covered.index(min(covered))]
