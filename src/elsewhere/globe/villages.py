"""Villages: settlements of the world with fewer than 5,000 people, by name.

Made by training/villages.py from GeoNames. They name no cell and no place of an album, for which
there is always a town; they are known where somebody writes their name, on a sign or as a place.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cache

from elsewhere.globe.coordinates import Floats, Ints
from elsewhere.globe.gazetteer import load_data_file, name_key

GRAIN = 100
"""Coordinates are kept in hundredths of a degree."""
MAX_PEOPLE = 5_000
"""From here on, a settlement is a town of the gazetteer."""


@dataclass(frozen=True)
class Village:
    """A village, to about a kilometre."""

    name: str
    lat: float
    lon: float
    code: str
    """Its country's two letters."""
    population: int
    part: int
    """Its state or province (an index into `outlines("regions")`); −1 where it has none."""


@dataclass(frozen=True)
class _Villages:
    keys: list[bytes]
    """As `name_key` writes the names, ascending."""
    names: list[str]
    lat: Floats
    lon: Floats
    population: Ints
    country: Ints
    part: Ints
    codes: list[str]


@cache
def _villages() -> _Villages:
    data = load_data_file("villages.bin")
    return _Villages(
        keys=data.raw("keys").split(b"\n"),
        names=data.raw("names").decode().split("\n"),
        lat=data.numbers("lat") / GRAIN,
        lon=data.numbers("lon") / GRAIN,
        population=data.numbers("population"),
        country=data.numbers("country"),
        part=data.numbers("part"),
        codes=data.raw("codes").decode().split(),
    )


def villages_named(text: str) -> list[Village]:
    """The villages of this name, the most populous first.

    >>> [(village.code, village.population) for village in villages_named("GIVERNY")]
    [('FR', 564)]
    """
    table, key = _villages(), name_key(text).encode()
    found = []
    at = bisect_left(table.keys, key)
    while key and at < len(table.keys) and table.keys[at] == key:
        found.append(
            Village(
                table.names[at],
                float(table.lat[at]),
                float(table.lon[at]),
                table.codes[table.country[at]],
                int(table.population[at]),
                int(table.part[at]),
            )
        )
        at += 1
    return sorted(found, key=lambda village: -village.population)
