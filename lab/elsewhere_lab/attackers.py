"""Attackers that do not simply add up: each makes one score for every cell from the kept photos.

A plan promises something of the plain sum. Whether it holds against somebody who looks at the
best photo only, or who counts ten pictures of one fountain as one, has to be measured.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from elsewhere_lab.values import FloatMatrix

Floats = NDArray[np.float64]
BEST = 5
CLIP = 3.0
"""Nats below a photo's likeliest cell at which whoever distrusts extremes stops counting."""
ALIKE = 0.9
"""Correlation of two photos' scores from which they count as near-repeats."""


def added(rows: Floats) -> Floats:
    """The attacker of the promise."""
    return np.asarray(rows.sum(axis=0))


def best_photo(rows: Floats) -> Floats:
    """Only the photo that says most."""
    return np.asarray(rows[np.argmax(_said(rows))])


def best_five(rows: Floats) -> Floats:
    """The five photos that say most, added up."""
    return np.asarray(rows[np.argsort(-_said(rows), kind="stable")[:BEST]].sum(axis=0))


def clipped(rows: Floats) -> Floats:
    """No photo may speak against a cell by more than three nats."""
    return np.asarray(np.maximum(rows, rows.max(axis=1, keepdims=True) - CLIP).sum(axis=0))


def tempered(rows: Floats) -> Floats:
    """The square roots of the probabilities, added up: one doubt weighs less than one certainty.

    (A power of each photo's probabilities, multiplied, would change no ranking at all.)
    """
    return np.asarray(np.exp(_normal(rows) / 2).sum(axis=0))


def averaged(rows: Floats) -> Floats:
    """The mean of the probabilities."""
    return np.asarray(np.exp(_normal(rows)).sum(axis=0))


def by_scene(rows: Floats, scene: NDArray[np.intp], power: float) -> Floats:
    """n photos of one scene count as n to this power: 0 for one photo, their mean; ½ for √n.

    >>> by_scene(np.array([[0.0, 2.0], [0.0, 4.0], [1.0, 0.0]]), np.array([0, 0, 1]), 0.0).tolist()
    [1.0, 3.0]
    """
    total = np.zeros(rows.shape[1])
    for one in np.unique(scene):
        mine = rows[scene == one]
        total += mine.mean(axis=0) * len(mine) ** power
    return total


def scenes(rows: Floats) -> NDArray[np.intp]:
    """A number for each photo, near-repeats (and their near-repeats) alike, by scores alone.

    Of the simulator's albums, whose scenes are known, this finds a part only: there the attacker is
    told them.

    >>> scenes(np.array([[0.0, 1, 2], [0, 1, 2.1], [2, 1, 0]])).tolist()
    [0, 0, 2]
    """
    centred = rows - rows.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1, keepdims=True)
    unit = centred / np.where(length > 0, length, 1.0)
    near = unit @ unit.T >= ALIKE
    label = np.arange(len(rows))
    while True:
        spread = np.where(near, label[None, :], len(rows)).min(axis=1)
        spread = np.minimum(spread, label)
        if (spread == label).all():
            return label
        label = spread


def holds(attack: Callable[[Floats], Floats], kept: FloatMatrix, truth: int, top: int) -> bool:
    """Whether the truth is out of this attacker's first `top` cells."""
    score = attack(kept.astype(np.float64))
    ahead = score >= score[truth]
    return int(ahead.sum()) - 1 >= top


def _normal(rows: Floats) -> Floats:
    top = rows.max(axis=1, keepdims=True)
    return np.asarray(rows - top - np.log(np.exp(rows - top).sum(axis=1, keepdims=True)))


def _said(rows: Floats) -> Floats:
    """How much each photo says: its negative entropy."""
    logs = _normal(rows)
    return np.asarray((np.exp(logs) * logs).sum(axis=1))


PART_OF_IT: dict[str, Callable[[Floats], Floats]] = {
    "best photo": best_photo,
    "best five": best_five,
    "clipped": clipped,
    "tempered": tempered,
    "averaged": averaged,
}
REPEATS = {"scenes once": 0.0, "scenes by root": 0.5}
"""What n photos of one scene count as: n to this power."""
