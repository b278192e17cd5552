"""The arithmetic of rows: normalising one, checking one, and reading several as one album.

A row is trusted by everything after it, so what a scorer hands over is checked once, here: the
right width, finite, and summing to one within 1e-4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import ScorerError

TOLERANCE = 1e-4
"""How far from one the probabilities of a row may sum."""


def log_softmax(logits: ArrayLike) -> NDArray[np.float32]:
    """Logits (or unnormalised log-probabilities) as a normalised row.

    The sum is formed in float64, so the float32 row is normalised to about 1e-6.
    """
    given = np.asarray(logits, dtype=np.float64)
    wide: NDArray[np.float64] = given - given.max()
    return (wide - math.log(float(np.exp(wide).sum()))).astype(np.float32)


def checked(row: NDArray[np.float32], cells: int, scorer: str, photo: str) -> NDArray[np.float32]:
    """`row` itself if it is a row of `cells` log-probabilities; a sentence otherwise."""
    if row.shape != (cells,):
        raise ScorerError(
            f"the scorer {scorer} gave {photo} a row of shape {row.shape} instead of "
            f"({cells},): its model and its cells do not belong together"
        )
    if not np.isfinite(row).all():
        raise ScorerError(
            f"the scorer {scorer} gave {photo} scores that are not finite: "
            "use another model or leave the photo out"
        )
    total = float(np.exp(row.astype(np.float64)).sum())
    if abs(total - 1.0) > TOLERANCE:
        raise ScorerError(
            f"the scorer {scorer} gave {photo} probabilities that sum to {total:.6g} instead "
            "of 1: it must hand over normalised log-probabilities"
        )
    return row


def exponent(exponents: Mapping[int, float], photos: int) -> float:
    """What the sum of `photos` rows is multiplied with, so that its probabilities are calibrated.

    Rows of one album are not independent, so their plain sum is overconfident. Between the
    sizes that were fitted the exponent is linear in log(size); outside them it stays as it is.
    """
    if not exponents:
        return 1.0
    sizes = sorted(exponents)
    return float(np.interp(math.log(photos), np.log(sizes), [exponents[size] for size in sizes]))


def together(
    rows: NDArray[np.float32] | NDArray[np.float64], exponents: Mapping[int, float]
) -> NDArray[np.float32]:
    """One row for all photos as a set: the calibrated posterior under a uniform prior."""
    total = rows.sum(axis=0, dtype=np.float64)
    return log_softmax(exponent(exponents, len(rows)) * total)
