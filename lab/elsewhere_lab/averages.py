"""Means and shares, and how sure they are when collections share photos.

Ten random partitions of a cell use the same 146 photos ten times over, and cells differ in how
distinct they are, so collections of one cell are no independent draws. What is independent is the
cell: errors are those of sums over cells (one cell's deviations are added up before they are
squared), which at the paper's counts is four to eight times what independent collections would
have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from elsewhere_lab.collections import cell_of
from elsewhere_lab.values import Row

Averaged = tuple[float, float, int]
"""A mean or share, its standard error, and of how many collections."""


def mean_by_cell(rows: Sequence[Row], values: Sequence[float | None]) -> Averaged:
    """The mean of the rows' values, of those that have one.

    >>> rows = [{"kind": "Albums", "number": i, "cell": i // 2} for i in range(4)]
    >>> mean_by_cell(rows, [0.0, 0.0, 1.0, 1.0])
    (0.5, 0.5, 4)
    """
    pairs = zip(rows, values, strict=True)
    found = [(each, cell_of(row)) for row, each in pairs if each is not None]
    if not found:
        return float("nan"), float("nan"), 0
    return share([each for each, _ in found], np.ones(len(found)), [cell for _, cell in found])


def share(parts: ArrayLike, wholes: ArrayLike, cells: Sequence[int]) -> Averaged:
    """What all parts together are of all wholes together.

    >>> share([1, 0], [2, 2], [7, 8])
    (0.25, 0.25, 2)
    """
    some, of = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    whole = float(of.sum())
    if whole == 0:
        return float("nan"), float("nan"), 0
    found = float(some.sum()) / whole
    _, which = np.unique(np.asarray(cells), return_inverse=True)
    off = np.bincount(which, some - found * of)
    count = len(off)
    if count < 2:
        return found, float("nan"), len(some)
    error = float(np.sqrt(count / (count - 1) * (off**2).sum())) / whole
    return found, error, len(some)
