"""How near a guess comes to the true place, in km.

Probabilities are over cells, and cells are large: many are hundreds of kilometres across. So a
guess is a cell drawn from the probabilities and then a town of it, drawn by its people, for photos
are taken where people are. That is a fair bet, not a bound: an attacker who looks closer may find
the very spot in the right cell. The bound is given beside it: all of a cell counts if any part of
it lies that near. Distances are to the nearest of the place's own positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from elsewhere.audit.ranks import Floats, Ints
from elsewhere.audit.values import Within
from elsewhere.globe import Cells, cell_towns, distance_km
from elsewhere.globe.distance import EARTH_KM, unit_vector
from elsewhere.globe.gazetteer import gazetteer

RADII_KM = (25.0, 200.0, 750.0)
"""A city, a region, a country: the distances that the literature reports."""
_MOST_POSITIONS = 200
"""Positions that are measured from; a walk's worth of them is within metres of each other."""


def within(probabilities: Floats, cells: Cells, at: Sequence[tuple[float, float]]) -> list[Within]:
    """The chance that a guess falls within each radius of the place, and the most it can be.

    >>> sure = np.zeros(512)
    >>> sure[Cells.default().locate(38.72, -9.14)] = 1.0
    >>> [(one.km, round(one.at_most, 2)) for one in within(sure, Cells.default(), [(38.72, -9.14)])]
    [(25.0, 1.0), (200.0, 1.0), (750.0, 1.0)]
    """
    spots = _spots(at)
    directions, cell_of, people = _towns(cells)
    alike = (directions @ unit_vector(*spots.T).T).max(axis=1)
    nearest = distance_km(cells, *spots.T).reshape(-1, cells.count).min(axis=0)
    everybody = np.bincount(cell_of, people, cells.count)
    found = []
    for km in RADII_KM:
        touched = nearest <= km
        near = np.where(alike >= np.cos(km / EARTH_KM), people, 0.0)
        # a cell without towns counts like the bound: rather too much than too little
        share = np.where(everybody > 0, np.bincount(cell_of, near, cells.count), touched)
        share = share / np.where(everybody > 0, everybody, 1.0)
        found.append(
            Within(
                km,
                min(1.0, float(probabilities @ share)),
                min(1.0, float(probabilities[touched].sum())),
            )
        )
    return found


def best_km(probabilities: Floats, cells: Cells, at: Sequence[tuple[float, float]]) -> float:
    """From the place to the town that the likeliest cell is called after."""
    lat, lon = cell_towns(cells)
    best = int(np.argmax(probabilities))
    alike = unit_vector(lat[best], lon[best]) @ unit_vector(*_spots(at).T).T
    return float(EARTH_KM * np.arccos(np.clip(alike.max(), -1.0, 1.0)))


def _spots(at: Sequence[tuple[float, float]]) -> Floats:
    """Distinct positions; where they are too many, about a kilometre apart and then thinned."""
    spots = np.array(at, dtype=np.float64)
    if len(spots) > _MOST_POSITIONS:
        spots = np.unique(spots.round(2), axis=0)
    return spots[:: 1 + (len(spots) - 1) // _MOST_POSITIONS]


@lru_cache(maxsize=4)
def _towns(cells: Cells) -> tuple[Floats, Ints, Floats]:
    """Of every town: where it lies as a vector, its cell, its people."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    lat, lon = table.lat[towns], table.lon[towns]
    people = np.maximum(table.population[towns], 1).astype(np.float64)
    return unit_vector(lat, lon), cells.locate(lat, lon), people
