"""Names for cells and coordinates that a person understands.

A cell is called after the most populous town in it. In a large city that town is a quarter, so
the city stands before it: "London (Islington), United Kingdom". A cell without a town, somewhere
in an ocean, is called after the nearest one.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache

import numpy as np

from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import Floats, Ints
from elsewhere.globe.distance import EARTH_KM, between_km, unit_vector
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import Place, place_of_row

_CITY, _TIMES, _REACH_KM = 500_000, 3, 20.0
"""A town within this reach of a city of so many people, and so many times its own, is a quarter."""
_WALK_KM = 2.0
"""At this distance half of a town's people speak for a place being called after it."""


@lru_cache(maxsize=8)
def cell_names(cells: Cells) -> tuple[str, ...]:
    """A name for every cell, each different.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.default()
    >>> cell_names(cells)[cells.locate(38.72, -9.14)]
    'Lisbon, Portugal'
    """
    largest, bare = _largest(cells)
    names = _called(largest)
    for cell in bare.tolist():
        names[cell] = f"near {names[cell]}"
    return tuple(_all_different(cells, names))


def cell_towns(cells: Cells) -> tuple[Floats, Floats]:
    """Latitude and longitude of the town that each cell is called after: where to mark it on a map.

    The middle of a coastal cell may lie far out at sea.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.default()
    >>> lat, lon = cell_towns(cells)
    >>> bool((cells.locate(lat, lon) == range(512)).mean() > 0.95)
    True
    """
    rows, _ = _largest(cells)
    table = gazetteer()
    return table.lat[rows], table.lon[rows]


@lru_cache(maxsize=8)
def _largest(cells: Cells) -> tuple[Ints, Ints]:
    """The row of each cell's most populous town, or of the nearest one; and the cells without."""
    towns, cell_of = _towns(cells)
    largest = np.full(cells.count, -1)
    found, first = np.unique(cell_of, return_index=True)
    largest[found] = towns[first]
    bare = np.flatnonzero(largest < 0)
    lat, lon = cells.centres
    for cell in bare.tolist():
        largest[cell] = _nearest(float(lat[cell]), float(lon[cell]))
    return largest, bare


def nearest_town(lat: float, lon: float) -> tuple[Place, float]:
    """The town nearest to a coordinate, and how far away it is in km.

    >>> town, km = nearest_town(38.72, -9.14)
    >>> town.country, km < 5
    ('Portugal', True)
    """
    row = _nearest(lat, lon)
    town = place_of_row(row)
    return town, float(between_km(lat, lon, town.lat, town.lon))


def chief_town(lat: float, lon: float) -> tuple[Place, float]:
    """The town that people would name for a coordinate, and how far away it is in km.

    The nearest may be a quarter of a city, so people count too, the fewer the further away: at
    twice `_WALK_KM` a fifth. Where no town is near, it is the nearest.

    >>> str(chief_town(38.72, -9.14)[0]), str(nearest_town(38.72, -9.14)[0])
    ('Lisbon, Portugal', 'Intendente, Portugal')
    """
    towns, directions = _directions()
    near = towns[directions @ unit_vector(lat, lon) >= np.cos(_REACH_KM / EARTH_KM)]
    if not len(near):
        return nearest_town(lat, lon)
    table = gazetteer()
    km = between_km(lat, lon, table.lat[near], table.lon[near])
    chief = int(np.argmax((table.population[near] + 1) / (1 + (km / _WALK_KM) ** 2)))
    return place_of_row(int(near[chief])), float(km[chief])


def _nearest(lat: float, lon: float) -> int:
    """The row of the town nearest to a coordinate."""
    towns, directions = _directions()
    here = unit_vector(lat, lon)
    return int(towns[np.argmax(directions @ here)])


@cache
def _directions() -> tuple[Ints, Floats]:
    """The rows of all towns and where they lie, as vectors: nearest is what points alike most."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    return towns, unit_vector(table.lat[towns], table.lon[towns])


def _towns(cells: Cells) -> tuple[Ints, Ints]:
    """The rows of all towns, most populous first, and their cells."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    return towns, cells.locate(table.lat[towns], table.lon[towns])


def _called(rows: Ints) -> list[str]:
    """The labels of towns, each behind the city that it is a quarter of."""
    table = gazetteer()
    cities = np.flatnonzero((table.population >= _CITY) & (table.kind == 2))
    # a quarter lies at nearly the latitude of its city, which spares measuring most pairs
    level = np.abs(table.lat[rows, np.newaxis] - table.lat[cities]) < _REACH_KM / 100
    level &= table.country[rows, np.newaxis] == table.country[cities]
    level &= table.population[rows, np.newaxis] * _TIMES <= table.population[cities]
    one, other = np.nonzero(level)
    a, b = rows[one], cities[other]
    km = np.full(level.shape, np.inf)
    km[one, other] = between_km(table.lat[a], table.lon[a], table.lat[b], table.lon[b])
    names = []
    for row, near in zip(rows.tolist(), km <= _REACH_KM, strict=True):
        town = table.name(row)
        if near.any():
            city = place_of_row(int(cities[near.argmax()]))  # the most populous comes first
            quarter = f"{city.name} ({town.removeprefix(city.name + ' ')})"
            names.append(city.label.replace(city.name, quarter, 1))
        else:
            names.append(place_of_row(row).label)
    return names


def _all_different(cells: Cells, names: list[str]) -> list[str]:
    """Cells of one name told apart by where they lie from each other, else by a number."""
    lat, lon = cells.centres
    for name in [name for name, times in Counter(names).items() if times > 1]:
        twins = [cell for cell, other in enumerate(names) if other == name]
        spread = np.ptp(lat[twins]), np.ptp(lon[twins]) * np.cos(np.radians(lat[twins].mean()))
        ways, along = (
            (("south", "north"), lat) if spread[0] >= spread[1] else (("west", "east"), lon)
        )
        twins.sort(key=lambda cell: along[cell])
        marks = list(ways) if len(twins) == 2 else [str(n + 1) for n in range(len(twins))]
        for cell, mark in zip(twins, marks, strict=True):
            names[cell] = f"{name} ({mark})"
    return names
