"""Names for cells and coordinates that a person understands.

A cell is named after the most populous town in it. In a large city that town is a quarter, so the
city stands before it: "London (Islington), United Kingdom". A cell without a town, somewhere in an
ocean, is named after the nearest one.
"""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache

import numpy as np

from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, between_km, unit_vector
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import Place, place_of_row

_CITY_POPULATION, _CITY_RATIO, _REACH_KM = 500_000, 3, 20.0
"""A town within reach of a city this large, and this many times its own size, is a quarter."""
_HALF_WEIGHT_KM = 2.0
"""At this distance half of a town's people count for naming a coordinate after it."""


@lru_cache(maxsize=8)
def cell_names(cells: Cells) -> tuple[str, ...]:
    """A name for every cell, each different.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.default()
    >>> cell_names(cells)[cells.locate(38.72, -9.14)]
    'Lisbon, Portugal'
    """
    rows, without_town = _largest_towns(cells)
    names = _town_labels(rows)
    for cell in without_town.tolist():
        names[cell] = f"near {names[cell]}"
    # cells with the same name are told apart by their direction from each other, or by a number
    lat, lon = cells.centres
    for name in [name for name, count in Counter(names).items() if count > 1]:
        same = [cell for cell, other in enumerate(names) if other == name]
        height, width = np.ptp(lat[same]), np.ptp(lon[same]) * np.cos(np.radians(lat[same].mean()))
        marks, axis = (["south", "north"], lat) if height >= width else (["west", "east"], lon)
        if len(same) > 2:
            marks = [str(number) for number in range(1, len(same) + 1)]
        ordered = np.array(same)[np.argsort(axis[same], kind="stable")]
        for cell, mark in zip(ordered.tolist(), marks, strict=True):
            names[cell] = f"{name} ({mark})"
    return tuple(names)


def cell_towns(cells: Cells) -> tuple[Floats, Floats]:
    """Latitude and longitude of the town that each cell is named after, to mark it on a map.

    The middle of a coastal cell may lie far out at sea.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.default()
    >>> lat, lon = cell_towns(cells)
    >>> bool((cells.locate(lat, lon) == range(512)).mean() > 0.95)
    True
    """
    rows, _ = _largest_towns(cells)
    table = gazetteer()
    return table.lat[rows], table.lon[rows]


@lru_cache(maxsize=8)
def _largest_towns(cells: Cells) -> tuple[Ints, Ints]:
    """The row of each cell's most populous town, or of the nearest one; and the cells without."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)  # most populous first
    largest = np.full(cells.count, -1)
    found, first = np.unique(cells.locate(table.lat[towns], table.lon[towns]), return_index=True)
    largest[found] = towns[first]
    without_town = np.flatnonzero(largest < 0)
    lat, lon = cells.centres
    for cell in without_town.tolist():
        largest[cell] = nearest_town(float(lat[cell]), float(lon[cell]))[0].row
    return largest, without_town


def nearest_town(lat: float, lon: float) -> tuple[Place, float]:
    """The town nearest to a coordinate, and its distance in km.

    >>> town, km = nearest_town(38.72, -9.14)
    >>> town.country, km < 5
    ('Portugal', True)
    """
    towns, directions = _town_directions()
    town = place_of_row(int(towns[np.argmax(directions @ unit_vector(lat, lon))]))
    return town, float(between_km(lat, lon, town.lat, town.lon))


def chief_town(lat: float, lon: float) -> tuple[Place, float]:
    """The town that people would name for a coordinate, and its distance in km.

    The nearest may be a quarter of a city, so population counts too, less with distance: at twice
    `_HALF_WEIGHT_KM` a fifth. Where no town is near, it is the nearest.

    >>> str(chief_town(38.72, -9.14)[0]), str(nearest_town(38.72, -9.14)[0])
    ('Lisbon, Portugal', 'Intendente, Portugal')
    """
    towns, directions = _town_directions()
    near = towns[directions @ unit_vector(lat, lon) >= np.cos(_REACH_KM / EARTH_KM)]
    if not len(near):
        return nearest_town(lat, lon)
    table = gazetteer()
    km = between_km(lat, lon, table.lat[near], table.lon[near])
    chief = int(np.argmax((table.population[near] + 1) / (1 + (km / _HALF_WEIGHT_KM) ** 2)))
    return place_of_row(int(near[chief])), float(km[chief])


@cache
def _town_directions() -> tuple[Ints, Floats]:
    """The rows of all towns, and their unit vectors: the nearest has the largest product."""
    table = gazetteer()
    towns = np.flatnonzero(table.kind == 2)
    return towns, unit_vector(table.lat[towns], table.lon[towns])


def _town_labels(rows: Ints) -> list[str]:
    """The labels of towns, each behind the city that it is a quarter of."""
    table = gazetteer()
    cities = np.flatnonzero((table.population >= _CITY_POPULATION) & (table.kind == 2))
    # a quarter lies at nearly the latitude of its city, which spares measuring most pairs
    possible = np.abs(table.lat[rows, np.newaxis] - table.lat[cities]) < _REACH_KM / 100
    possible &= table.country[rows, np.newaxis] == table.country[cities]
    possible &= table.population[rows, np.newaxis] * _CITY_RATIO <= table.population[cities]
    town_index, city_index = np.nonzero(possible)
    a, b = rows[town_index], cities[city_index]
    km = np.full(possible.shape, np.inf)
    km[town_index, city_index] = between_km(table.lat[a], table.lon[a], table.lat[b], table.lon[b])
    labels = []
    for row, near in zip(rows.tolist(), km <= _REACH_KM, strict=True):
        town = table.name(row)
        if near.any():
            city = place_of_row(int(cities[near.argmax()]))  # the most populous comes first
            quarter = f"{city.name} ({town.removeprefix(city.name + ' ')})"
            labels.append(city.label.replace(city.name, quarter, 1))
        else:
            labels.append(place_of_row(row).label)
    return labels
