"""From a map of text probabilities to rotated rectangles, with numpy alone.

The detector marks the core of each line of text. A connected region of marked pixels becomes the
smallest rectangle around it, which is then enlarged to hold the whole letters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MARKED = 0.3
"""A pixel with at least this probability belongs to a text."""
MIN_SCORE = 0.5
"""The least mean probability of the marked pixels of a text."""
_GROWTH = 1.6
"""The detector's cores are shrunk; this much brings them back to the letters."""
_MIN_CORE = 2.0
"""Shorter cores, in pixels of the map, are noise."""
MAX_REGIONS = 1_000
"""Regions of one map that are measured: the largest. The others are only counted."""


@dataclass(frozen=True)
class Region:
    """A rectangle around one line of text, in pixels of the map."""

    x: float
    """The centre."""
    y: float
    width: float
    """Along the line."""
    height: float
    angle: float
    """Of the line, in radians, clockwise from the horizontal: −π/4 to 3π/4."""
    score: float

    def corners(self) -> Floats:
        """The corners (4, 2): upper left, upper right, lower right, lower left of the line."""
        along = np.array([np.cos(self.angle), np.sin(self.angle)])
        down = np.array([-along[1], along[0]])
        half_x, half_y = along * self.width / 2, down * self.height / 2
        centre = np.array([self.x, self.y])
        return np.array(
            [
                centre - half_x - half_y,
                centre + half_x - half_y,
                centre + half_x + half_y,
                centre - half_x + half_y,
            ]
        )

    def scaled(self, factor: float) -> Region:
        """The same region of a picture that is this many times as large."""
        return replace(
            self,
            x=self.x * factor,
            y=self.y * factor,
            width=self.width * factor,
            height=self.height * factor,
        )


def find_regions(
    probabilities: NDArray[np.float32], least: float = MIN_SCORE
) -> tuple[list[Region], int]:
    """The regions of a map with this score, and how many more texts there were than measured."""
    rows, starts, ends, labels = _label(probabilities >= MARKED)
    if not len(rows):
        return [], 0
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order], prepend=-1, append=labels.max() + 1))
    sums = np.concatenate(
        [np.zeros((len(probabilities), 1)), np.cumsum(probabilities, axis=1, dtype=np.float64)], 1
    )
    mass = sums[rows, ends] - sums[rows, starts]
    groups = [order[first:last] for first, last in pairwise(bounds.tolist())]
    areas = np.array([int((ends[runs] - starts[runs]).sum()) for runs in groups])
    scores = np.array([float(mass[runs].sum()) for runs in groups]) / areas
    texts = np.flatnonzero((scores >= least) & (areas >= _MIN_CORE * _MIN_CORE))
    largest = texts[np.argsort(-areas[texts], kind="stable")]
    regions = []
    for number in largest[:MAX_REGIONS].tolist():
        runs = groups[number]
        y, left, right = rows[runs], starts[runs], ends[runs]
        points = np.concatenate(
            [np.stack([x, at], 1) for at in (y, y + 1) for x in (left, right)]
        ).astype(np.float64)
        x, y_centre, width, height, angle = _smallest_rectangle(_hull(points))
        if min(width, height) < _MIN_CORE:
            continue
        growth = width * height * _GROWTH / (width + height)
        regions.append(
            Region(x, y_centre, width + growth, height + growth, angle, float(scores[number]))
        )
    return regions, int((scores[largest[MAX_REGIONS:]] >= MIN_SCORE).sum())


def _label(mask: NDArray[np.bool_]) -> tuple[NDArray[np.intp], ...]:
    """The horizontal runs of a mask (row, start, end), each with the number of its region.

    Runs of neighbouring rows that touch, also at a corner, are one region.
    """
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), np.int8)
    padded[:, 1:-1] = mask
    steps = np.diff(padded, axis=1)
    rows, starts = np.nonzero(steps == 1)
    ends = np.nonzero(steps == -1)[1]
    parent = list(range(len(rows)))

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    first_of_row = np.searchsorted(rows, np.arange(mask.shape[0] + 1)).tolist()
    first, last = starts.tolist(), ends.tolist()
    for row in range(1, mask.shape[0]):
        above, current = first_of_row[row - 1], first_of_row[row]
        above_end, current_end = current, first_of_row[row + 1]
        while above < above_end and current < current_end:
            if first[current] <= last[above] and first[above] <= last[current]:
                a, b = root(above), root(current)
                parent[max(a, b)] = min(a, b)
            if last[above] < last[current]:
                above += 1
            else:
                current += 1
    labels = np.array([root(run) for run in range(len(parent))], dtype=np.intp)
    return rows, starts, ends, labels


def _hull(points: Floats) -> Floats:
    """The convex hull of points, in order around it."""
    ordered = np.unique(points, axis=0)
    if len(ordered) < 3:
        return ordered

    def half(sequence: list[list[float]]) -> list[list[float]]:
        chain: list[list[float]] = []
        for point in sequence:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax) > 0:
                    break
                chain.pop()
            chain.append(point)
        return chain[:-1]

    forward = ordered.tolist()
    return np.array(half(forward) + half(forward[::-1]))


def _smallest_rectangle(hull: Floats) -> tuple[float, float, float, float, float]:
    """The smallest rectangle around a convex hull: centre, width, height, angle.

    It lies along one edge of the hull. The longer side is the line, unless the rectangle is
    nearly square; then it is the one nearer to the horizontal.
    """
    edges = np.roll(hull, -1, axis=0) - hull
    angles = np.unique(np.round(np.arctan2(edges[:, 1], edges[:, 0]) % (np.pi / 2), 6))
    cos, sin = np.cos(angles), np.sin(angles)
    along = hull @ np.array([cos, sin])
    down = hull @ np.array([-sin, cos])
    low_x, high_x = along.min(axis=0), along.max(axis=0)
    low_y, high_y = down.min(axis=0), down.max(axis=0)
    best = int(np.argmin((high_x - low_x) * (high_y - low_y)))
    width, height = float(high_x[best] - low_x[best]), float(high_y[best] - low_y[best])
    u, v = (low_x[best] + high_x[best]) / 2, (low_y[best] + high_y[best]) / 2
    x, y = u * cos[best] - v * sin[best], u * sin[best] + v * cos[best]
    angle = float(angles[best])
    if height > 1.2 * width or (angle > np.pi / 4 and width < 1.2 * height):
        width, height, angle = height, width, angle - np.pi / 2
    if angle < -np.pi / 4:
        angle += np.pi  # a vertical line is read downwards
    return float(x), float(y), width, height, angle
