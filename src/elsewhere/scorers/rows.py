"""The arithmetic of rows: normalising one and checking one.

A row is trusted by everything after it, so what a scorer hands over is checked once, here: the
right width, finite, and summing to one within 1e-4.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import ScorerError
from elsewhere.scorers import calibration

TOLERANCE = 1e-4
"""How far from one the probabilities of a row may sum."""


def log_softmax(logits: ArrayLike) -> NDArray[np.float32]:
    """Logits (or unnormalised log-probabilities) as a normalised row.

    The sum is formed in float64, so the float32 row is normalised to about 1e-6.
    """
    return calibration.log_softmax(logits).astype(np.float32)


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
