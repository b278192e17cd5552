"""Each photo's share: its summed gain against named rivals, so that shares add up to the whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from elsewhere.audit.ranks import Floats, Ints, outside
from elsewhere.audit.values import Guess, Shares

ZERO = -745.0
"""What a probability of zero counts as here: the logarithm of the least that a double can hold."""
RIVALS = 5
"""How many rivals are measured against where no plan names any."""


def shares(
    values: Floats,
    zone: Ints,
    *,
    rivals: Sequence[int] | None,
    margin: float,
    named: Callable[[int], Guess],
) -> Shares:
    """Who gives the place away, and who hides it, against the plan's rivals or the likeliest.

    Where the truth is a zone, every photo is measured against the same cell of it, the one that
    all photos together make likeliest; with each photo's own best cell, gains would not add up.
    """
    rows = np.maximum(values, ZERO)
    total = rows.sum(axis=0)
    against = int(zone[np.argmax(total[zone])])
    if rivals is None:
        rest = outside(values.shape[1], zone)
        chosen = rest[np.argsort(-total[rest], kind="stable")[:RIVALS]].tolist()
    else:
        chosen = list(rivals)
    terms = [
        [term for rival in chosen for term in (row[rival], -row[against], -margin)]
        for row in rows.tolist()
    ]
    return Shares(
        rivals=tuple(named(cell) for cell in chosen),
        from_plan=rivals is not None,
        against=against,
        margin=margin,
        gains=tuple(math.fsum(photo) for photo in terms),
        total=math.fsum(term for photo in terms for term in photo),
    )
