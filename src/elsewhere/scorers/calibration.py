"""The probabilities that are shown for several photos together.

Photos of one album are not independent, so the plain sum of their scores is overconfident. A scorer
may know by how much: an exponent by number of photos, fitted on held-out albums, that the sum is
multiplied with. It is the same for every cell, so it changes no ranking and no plan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def exponent(exponents: Mapping[int, float], photos: int) -> float:
    """The factor that calibrates the sum of `photos` rows; 1 without any exponents.

    Between the fitted sizes it is linear in log(size), and below them that of the smallest. Beyond
    the largest nobody has measured how much more so many photos tell, so they count as much as the
    largest number did: the exponent falls as their number grows.

    >>> exponent({1: 1.0, 4: 0.5}, 2), exponent({1: 1.0, 4: 0.5}, 400), exponent({}, 7)
    (0.75, 0.005, 1.0)
    """
    if not exponents:
        return 1.0
    sizes = sorted(exponents)
    fitted = np.interp(math.log(photos), np.log(sizes), [exponents[size] for size in sizes])
    return float(fitted * min(1.0, sizes[-1] / photos))


def log_softmax(logits: ArrayLike) -> Floats:
    """Normalised log-probabilities along the last axis, in double precision.

    A row in which everything is impossible becomes uniform.

    >>> np.exp(log_softmax([np.log(3.0), 0.0])).round(3).tolist()
    [0.75, 0.25]
    """
    wide = np.array(logits, dtype=np.float64)
    wide[np.isneginf(wide).all(axis=-1)] = 0.0
    wide -= wide.max(axis=-1, keepdims=True)
    normalised: Floats = wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))
    return normalised


def combine_rows(
    rows: NDArray[np.float32] | NDArray[np.float64], exponents: Mapping[int, float]
) -> Floats:
    """One row for all photos as a set: the calibrated posterior under a uniform prior.

    >>> halves = np.log([[0.8, 0.2], [0.8, 0.2]])
    >>> np.exp(combine_rows(halves, {2: 0.5})).round(3).tolist()
    [0.8, 0.2]
    """
    total = rows.sum(axis=0, dtype=np.float64)
    return log_softmax(exponent(exponents, len(rows)) * total)
