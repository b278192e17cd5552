"""Five folds by near-duplicate cluster: who is trained on when each fifth of the photos is scored.

Unlike `splits.py`, which holds out whole sources to measure how well places never seen are found,
these folds make one score matrix of all photos in which nobody scored what he was trained on.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from training.splits import halves

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

FOLDS = 5


def cluster_folds(groups: Ints, seed: int = 11) -> Ints:
    """A fold for each photo, near-duplicates alike."""
    rng = np.random.default_rng(seed)
    fold = rng.integers(FOLDS, size=int(groups.max()) + 1)
    return np.asarray(fold[groups])


def trained_on(groups: Ints) -> dict[str, list[Mask]]:
    """For each kind of model and fold, the photos that it is trained on."""
    fold, side = cluster_folds(groups), halves(groups)
    rest = [fold != i for i in range(FOLDS)]
    return {
        "embedded": rest,
        "half-a": [mine & side for mine in rest],
        "half-b": [mine & ~side for mine in rest],
    }


def never_saw(groups: Ints, fold: Ints, masks: list[Mask]) -> bool:
    """Whether no model was trained on a photo that it scores, nor on a near-duplicate of one."""
    return all(not np.isin(groups[fold == i], groups[mine]).any() for i, mine in enumerate(masks))
