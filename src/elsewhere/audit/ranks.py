"""Where the truth stands among the cells, for one sum of rows or for every prefix of an album.

Rank 1 is the attacker's first guess. A cell outside the truth stands before it when it is at least
as likely as every cell of it, which is when a rival holds in the house's one problem: the rank of
the whole album is one more than the protected k of sharing everything. Float sums decide the clear
cases and correctly rounded sums the near-ties, so the two agree there too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDING = 2.0**-52


def outside(cells: int, zone: Ints) -> Ints:
    """The cells that are not of the truth, ascending."""
    return np.setdiff1d(np.arange(cells), zone).astype(np.int64)


def prefix_ranks(values: Floats, order: Ints, zone: Ints) -> Ints:
    """The rank of the truth after the first 1, 2, …, n photos of `order`."""
    rows = values[order]
    return _ranks(rows, np.cumsum(rows, axis=0), np.arange(1, len(rows) + 1), zone)


def rank(values: Floats, zone: Ints) -> int:
    """The rank of the truth for all photos together.

    >>> rank(np.log([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]]), np.array([0]))
    2
    """
    total = values.sum(axis=0, keepdims=True)
    return int(_ranks(values, total, np.array([len(values)]), zone)[0])


def _ranks(rows: Floats, sums: Floats, many: Ints, zone: Ints) -> Ints:
    """The rank of the truth in each of some sums, of the first so `many` rows each."""
    best = sums[:, zone].max(axis=1)
    rivals = outside(rows.shape[1], zone)
    with np.errstate(invalid="ignore"):  # −inf less −inf: equally impossible, which >= decides
        ahead = sums[:, rivals] >= best[:, None]
        gap = np.abs(sums[:, rivals] - best[:, None])
        # what adding up so many numbers of this size can be off by, on both sides
        size = np.cumsum(np.abs(rows).max(axis=1, initial=0.0, where=np.isfinite(rows)))
        doubtful = gap <= 2 * many[:, None] * _ROUNDING * size[many - 1, None]
    for n, r in np.argwhere(doubtful).tolist():
        ahead[n, r] = all(_at_least(rows[: many[n]], rivals[r], z) for z in zone.tolist())
    stands: Ints = 1 + ahead.sum(axis=1)
    return stands


def own_ranks(values: Floats, zone: Ints) -> Ints:
    """The rank of the truth by each photo alone."""
    best = values[:, zone].max(axis=1, keepdims=True)
    ranks: Ints = 1 + (values[:, outside(values.shape[1], zone)] >= best).sum(axis=1)
    return ranks


def _at_least(rows: Floats, rival: int, cell: int) -> bool:
    """Whether the rival's sum is at least the cell's: the sign of a correctly rounded sum."""
    rivals, cells = rows[:, rival], rows[:, cell]
    if np.isneginf(cells).any() or np.isneginf(rivals).any():
        return bool(np.isneginf(cells).any())
    return math.fsum([*rivals.tolist(), *(-cells).tolist()]) >= 0
