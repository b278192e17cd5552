"""The outlines of all countries, small enough to travel inside a page.

On a map 500 units wide most of the sixty thousand points lie on top of each other. What a reader
could see neither here nor by looking closer is left out: points nearer than a seventh of a unit
to the line without them (Douglas and Peucker's rule), and islands smaller than a third of one.
Made once in a process.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from elsewhere.globe import countries
from elsewhere.globe.coordinates import Floats
from elsewhere.report.markup import number
from elsewhere.report.pictures.projection import SOUTH, project

_TOLERANCE = 0.15
_SMALLEST = 0.3
"""Square units; a smaller island is a speck of dust."""


@cache
def land() -> str:
    """All land as the data of one SVG path; borders are where two countries' lines meet."""
    drawn = []
    for code, outline in countries().items():
        if code == "AQ":  # below the map's edge
            continue
        for ring in outline.rings:
            if ring[:, 0].max() <= SOUTH:
                continue
            x, y = project(ring[:, 0], ring[:, 1])
            points = np.stack((x, y), axis=1)
            if _area(points) >= _SMALLEST:
                drawn.append(path(simplified(points)))
    return "".join(drawn)


def path(points: Floats, *, closed: bool = True) -> str:
    """Points as SVG path data, in steps of a tenth."""
    grid = np.round(np.asarray(points) * 10).astype(int)
    steps = np.diff(grid, axis=0)
    steps = steps[(steps != 0).any(axis=1)]
    start = ",".join(number(value / 10) for value in grid[0].tolist())
    rest = "".join(_step(dx, dy) for dx, dy in steps.tolist())
    return f"M{start}{rest}{'z' if closed else ''}"


def _step(dx: int, dy: int) -> str:
    if dx == 0:
        return f"v{number(dy / 10)}"
    if dy == 0:
        return f"h{number(dx / 10)}"
    across, down = number(dx / 10), number(dy / 10)
    return f"l{across}{'' if down.startswith('-') else ' '}{down}"


def simplified(points: Floats, tolerance: float = _TOLERANCE) -> Floats:
    """The points that matter: without any other, the line is off by more than the tolerance.

    >>> simplified(np.array([[0.0, 0.0], [1.0, 0.01], [2.0, 0.0], [2.0, 5.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 5.0]]
    """
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        start, between = points[first], points[first + 1 : last]
        along = points[last] - start
        length = float(np.hypot(*along))
        off = between - start
        if length > 0:
            distance = np.abs(off[:, 0] * along[1] - off[:, 1] * along[0]) / length
        else:  # the two ends of a closed ring may be one point
            distance = np.hypot(off[:, 0], off[:, 1])
        furthest = int(distance.argmax())
        if distance[furthest] > tolerance:
            middle = first + 1 + furthest
            keep[middle] = True
            spans += [(first, middle), (middle, last)]
    return np.asarray(points[keep])


def _area(points: Floats) -> float:
    x, y = points.T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
