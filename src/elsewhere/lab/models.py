"""The same photos as several models see them, by name: to plan against some and attack with others.

Score files are called by their names. The simulator has two models that were trained on different
halves of the same photos, and one that agrees with them much less, for a backbone of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.errors import InputError
from elsewhere.lab.collections import size_of
from elsewhere.lab.settings import HALVES, Pairing
from elsewhere.lab.sources import PER_CELL, Scored, Simulated, Source
from elsewhere.lab.values import FloatMatrix

APART = Pairing(agree=0.3)
"""Another backbone, in the simulator: by guess, for nothing is known to calibrate it on."""
_SHUFFLED = 20261118


@dataclass(frozen=True, eq=False)
class Several:
    """One collection as several models score it."""

    kind: str
    number: int
    truth: int
    models: dict[str, FloatMatrix]

    @property
    def photos(self) -> int:
        """How many photos."""
        return len(next(iter(self.models.values())))


def collection(source: Source, kind: str, number: int) -> Several:
    """The album of that number, or photos of the cell of that number."""
    if kind == "Albums":
        album = source.album(number)
        return Several(
            kind, number, album.truth, dict(zip(_names(source), album.views, strict=True))
        )
    every = _of_cell(source, number)
    have = len(next(iter(every.values())))
    order = np.random.default_rng([_SHUFFLED, number]).permutation(have)[: size_of(kind)]
    return Several(kind, number, number, {name: rows[order] for name, rows in every.items()})


def _of_cell(source: Source, cell: int) -> dict[str, FloatMatrix]:
    if isinstance(source, Simulated):
        near, apart = (
            source.world.halves(cell, PER_CELL, np.random.default_rng([source.seed, 1, cell]), pair)
            for pair in (HALVES, APART)
        )
        return {"half-a": near[0], "half-b": near[1], "other": apart[1]}
    return dict(zip(_names(source), source.photos(cell), strict=True))


def _names(source: Source) -> tuple[str, ...]:
    if not isinstance(source, Scored) or len(source.files) < 2:
        raise InputError("this needs the scores of several models: give --source twice or more")
    return tuple(file.stem for file in source.files)
