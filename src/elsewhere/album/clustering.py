"""Positions that belong together: groups of which no two members are further apart than a limit.

Nearest groups are joined first, and two groups are joined only while even their furthest members
are within the limit (complete linkage). So a place never gets wider than the limit: a road trip
with a photo every few kilometres becomes a string of places, where joining whatever is near would
make all of it one. Distances are great circles, so poles and the antimeridian are nothing special.
The result does not depend on the order of the positions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe import between_km
from elsewhere.globe.coordinates import canonical

WIDEST_KM = 50.0
"""No two photos of one place are further apart: a city with what belongs to it."""
GRAIN_DEGREES = 1e-3
"""Positions that agree to this much, a hundred metres, are one point to begin with."""
MOST_POINTS = 2_000
"""Beyond so many points the grain is doubled until there are fewer: all pairs are measured."""


def groups(
    positions: Sequence[tuple[float, float]], widest_km: float = WIDEST_KM
) -> list[list[int]]:
    """The positions, by number, in groups at most `widest_km` across; each in exactly one.

    >>> groups([(38.72, -9.14), (48.86, 2.35), (38.70, -9.42)])
    [[0, 2], [1]]
    """
    if not positions:
        return []
    lats, lons = canonical(*np.array(positions, dtype=np.float64).T)
    grain = GRAIN_DEGREES
    while True:
        rounded = np.round(np.stack((lats, lons), axis=1) / grain)
        points, point_of = np.unique(rounded, axis=0, return_inverse=True)
        if len(points) <= MOST_POINTS:
            break
        grain *= 2
    point_of = point_of.reshape(-1)  # NumPy 2.0 kept a second axis here
    # each point lies where the first of its positions does, in an order that is the points' own
    order = np.lexsort((lons, lats))
    first = np.full(len(points), -1)
    for position in order[::-1].tolist():
        first[point_of[position]] = position
    group_of = _linked(between_km(
        lats[first][:, None], lons[first][:, None], lats[first], lons[first]
    ), widest_km)[point_of]  # fmt: skip
    found: dict[int, list[int]] = {}
    for position, group in enumerate(group_of.tolist()):
        found.setdefault(group, []).append(position)
    return list(found.values())


def _linked(apart: NDArray[np.float64], widest: float) -> NDArray[np.intp]:
    """The group of each point, by complete linkage along chains of nearest neighbours.

    A chain is followed from point to nearest point until two are each other's nearest: those are
    joined next, whatever else there is. Where they are too far apart, neither will ever be joined.
    """
    count = len(apart)
    apart = apart.copy()
    np.fill_diagonal(apart, np.inf)
    group_of = np.arange(count)
    waiting = np.ones(count, bool)
    chain: list[int] = []
    while True:
        if not chain:
            left = np.flatnonzero(waiting)
            if not len(left):
                return group_of
            chain = [int(left[0])]
        here = chain[-1]
        nearest = int(np.argmin(apart[here]))
        if apart[here, nearest] > widest:  # distances only grow: this group is finished
            chain.pop()
            waiting[here] = False
            continue
        before = chain[-2] if len(chain) > 1 else -1
        if before >= 0 and apart[here, before] <= apart[here, nearest]:
            keep, gone = sorted((here, before))
            del chain[-2:]
            np.maximum(apart[keep], apart[gone], out=apart[keep])
            apart[:, keep] = apart[keep]
            apart[gone] = apart[:, gone] = np.inf
            waiting[gone] = False
            group_of[group_of == gone] = keep
        else:
            chain.append(nearest)
