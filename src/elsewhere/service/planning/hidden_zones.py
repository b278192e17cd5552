"""The truth of a place in a scorer's cells: every cell within the radius of any of its photos.

Instead of a radius a level can be given: the cell itself, the city, the region or the country that
the photos were taken in. What is hidden around a place may hold photos of another one that is not
hidden, a suburb or the next town; those speak of the hidden place as its own do, and count there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elsewhere.album.places import AlbumPlace, Position
from elsewhere.errors import InputError
from elsewhere.globe import (
    Cells,
    Place,
    Zone,
    between_km,
    chief_town,
    ground,
    zone,
    zone_of_cells,
    zone_of_place,
)
from elsewhere.values.wording import listed

LEVELS = ("cell", "city", "region", "country")
CITY_KM = 25.0
"""How far a city reaches beyond the photos taken in it, and the radius where none is given."""


@dataclass(frozen=True)
class HideScope:
    """How widely places are hidden: a radius, or a level."""

    radius_km: float = CITY_KM
    level: str | None = None

    def __post_init__(self) -> None:
        if self.level is not None and self.level not in LEVELS:
            raise InputError(f"a place is hidden by {', '.join(LEVELS)}, not by {self.level!r}")
        if self.level is not None and self.radius_km != CITY_KM:
            raise InputError("a place is hidden by a level or by a radius: give one of them")
        if not 0 <= self.radius_km < math.inf:
            raise InputError(f"a radius is 0 km or more, not {self.radius_km}")

    @property
    def km(self) -> float:
        """How far around photos; 0 where ground or cells decide."""
        return self.radius_km if self.level in {None, "city"} else 0.0

    @property
    def words(self) -> str:
        """For people: what is hidden of a place."""
        if self.level is None:
            return f"within {self.radius_km:g} km"
        return {"cell": "its cell", "city": "the city"}.get(self.level, f"the whole {self.level}")


@lru_cache(maxsize=256)
def hidden_zone(cells: Cells, place: AlbumPlace, width: HideScope) -> Zone:
    """The zone of a place of the album; remembered, for every click in the app asks again."""
    lats, lons = np.array(place.positions).T
    if width.level == "city":
        town = chief_town(place.lat, place.lon)[0]
        lats, lons = np.append(lats, town.lat), np.append(lons, town.lon)
    around = zone(cells, lats, lons, width.km)
    parts = [zone_of_place(cells, area) for area in _areas(place, width)]
    if not parts:
        return around
    return zone_of_cells(cells, np.unique(np.concatenate([z.cells for z in (around, *parts)])))


def hidden_name(place: AlbumPlace, width: HideScope) -> str:
    """What is hidden by name: the place, or the regions or countries that its photos are of."""
    level = width.level
    if level not in {"region", "country"} or (place.area is not None and place.area.kind == level):
        return place.label
    if place.area is not None and place.area.kind == "country":
        return place.label  # its regions are all in it
    lats, lons = np.array(place.positions).T
    # the region around a town is often called as the town is
    named = {one: one.label for one in ground(lats, lons, level)}
    if level == "region":
        named = {one: f"{one.name} region, {one.country}" for one in named}
    return listed(list(named.values()))


def hidden_names(places: Sequence[AlbumPlace], width: HideScope) -> list[str]:
    """The same of several places, each once: two towns of a hidden country are one country."""
    return list(dict.fromkeys(hidden_name(place, width) for place in places))


def inside(place: AlbumPlace, width: HideScope, positions: Sequence[Position]) -> NDArray[np.bool_]:
    """Which positions lie in what is hidden of a place."""
    if not positions:
        return np.zeros(0, bool)
    lats, lons = np.array(positions).T
    near = np.zeros(len(positions), bool)
    for lat, lon in place.positions:
        near |= between_km(lats, lons, lat, lon) <= width.km
    areas = _areas(place, width)
    for kind in {area.kind for area in areas}:
        near |= [one in areas for one in ground(lats, lons, kind)]
    return near


def _areas(place: AlbumPlace, width: HideScope) -> tuple[Place, ...]:
    """The regions or countries that are hidden as a whole."""
    given = () if place.area is None else (place.area,)
    if width.level not in {"region", "country"}:
        return given
    lats, lons = np.array(place.positions).T
    return tuple(dict.fromkeys((*given, *ground(lats, lons, width.level))))
