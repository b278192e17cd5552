"""The same photos as several models see them, by name: to plan against some and attack with others.

Score files are called by their names. The simulator has two models that were trained on different
halves of the same photos, and one that agrees with them much less, for a backbone of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.errors import InputError
from elsewhere_lab.collections import size_of
from elsewhere_lab.sampling import renamed
from elsewhere_lab.sources import PER_CELL, Scored, Simulated, Source
from elsewhere_lab.values import FloatMatrix
from elsewhere_lab.world_settings import HALVES, Pairing

APART = Pairing(agree=0.3)
"""Another backbone, in the simulator: by guess, for nothing is known to calibrate it on."""
RIVALS = 20
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
        album = renamed(source, source.album(number))
        models = dict(zip(_several(source), album.views, strict=True))
        return Several(album.kind, number, album.truth, models)
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
    return dict(zip(_several(source), source.photos(cell), strict=True))


def names_of(source: Source) -> tuple[str, ...]:
    """What a collection's views are called: the files' names, or the one simulated model."""
    if isinstance(source, Scored):
        return tuple(file.stem for file in source.files)
    return ("simulated",)


def _several(source: Source) -> tuple[str, ...]:
    names = names_of(source)
    if len(names) < 2:
        raise InputError("this needs the scores of several models: give --source twice or more")
    return names


def distance(one: FloatMatrix, other: FloatMatrix, truth: int) -> float:
    """How far two models' gains over the truth are apart, in nats a photo.

    Over all photos of a collection, root mean square at the first one's 20 likeliest rivals: the
    mean gain is what a margin θ is taken from, so this is the unit to see θ in.

    >>> round(distance(np.array([[0.0, -1.0, -2.0]]), np.array([[0.0, -1.5, -2.5]]), 0), 3)
    0.5
    """
    first, second = (
        np.delete(rows.mean(axis=0) - rows[:, truth].mean(), truth)
        for rows in (one.astype(np.float64), other.astype(np.float64))
    )
    likeliest = np.argsort(-first, kind="stable")[:RIVALS]
    return float(np.sqrt(np.mean((first - second)[likeliest] ** 2)))
