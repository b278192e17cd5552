"""Each photo's share: its summed gain against named rivals, so that shares add up to the whole.

What is measured against what is decided once, by `basis`. On it stand the exact sums of an audit
and the quick ones of the app, which asks anew with every click.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from elsewhere.audit.ranks import Floats, Ints, outside
from elsewhere.audit.values import Guess, Shares

ZERO = -745.0
"""What a probability of zero counts as here: the logarithm of the least that a double can hold."""
RIVALS = 5
"""How many rivals are measured against where no plan names any."""


class Basis(NamedTuple):
    """What photos are measured by: the rivals' scores and those of one cell of the truth."""

    rivals: tuple[int, ...]
    against: int
    theirs: Floats
    """(photos, rivals)"""
    own: Floats
    """(photos,)"""


def basis(values: Floats, zone: Ints, rivals: Sequence[int] | None) -> Basis:
    """The plan's rivals or the likeliest, and the cell of the truth that all are measured against.

    Where the truth is a zone, every photo is measured against the same cell of it, the one that
    all photos together make likeliest; with each photo's own best cell, gains would not add up.
    """
    mine = _columns(values, zone)
    best = int(np.argmax(mine.sum(axis=0)))
    if rivals is None:
        rest = outside(values.shape[1], zone)
        total = _columns(values, rest).sum(axis=0)
        rivals = rest[np.argsort(-total, kind="stable")[:RIVALS]].tolist()
    chosen = np.array(rivals, dtype=np.int64)
    return Basis(
        tuple(chosen.tolist()), int(zone[best]), _columns(values, chosen), mine[:, best].copy()
    )


def gains(found: Basis, margin: float) -> Floats:
    """Each photo's share by floating-point sums, which may round: for a bar, not for a proof."""
    gained: Floats = found.theirs.sum(axis=1) - len(found.rivals) * (found.own + margin)
    return gained


def shares(
    values: Floats,
    zone: Ints,
    *,
    rivals: Sequence[int] | None,
    margin: float,
    named: Callable[[int], Guess],
) -> Shares:
    """Who gives the place away, and who hides it; every sum is correctly rounded."""
    found = basis(values, zone, rivals)
    terms = [
        [term for their in theirs for term in (their, -own, -margin)]
        for theirs, own in zip(found.theirs.tolist(), found.own.tolist(), strict=True)
    ]
    return Shares(
        rivals=tuple(named(cell) for cell in found.rivals),
        from_plan=rivals is not None,
        against=found.against,
        margin=margin,
        gains=tuple(math.fsum(photo) for photo in terms),
        total=math.fsum(term for photo in terms for term in photo),
    )


def _columns(values: Floats, cells: Ints) -> Floats:
    """Some cells' scores, none below what a logarithm can be."""
    some: Floats = np.maximum(values[:, cells], ZERO, order="C")
    return some
