"""Which places of an album are hidden: `all`, `home`, or those that a name or coordinate means.

A name is looked up in the gazetteer and then in the album: "Lisbon" is the album's place around
there, "Portugal" every place of the album in that country. Where a name could mean several towns
of the world, the album decides. A name that means no place of the album is a mistake, not a wish:
nothing would be hidden and nobody would notice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elsewhere.album import Photo
from elsewhere.album.places import AlbumPlace, Places, home
from elsewhere.errors import InputError, PlaceError
from elsewhere.globe import Place, between_km, ground
from elsewhere.globe import places as called
from elsewhere.globe.gazetteer import key

NEAR_KM = 25.0
"""A place of the album is at a town or coordinate when one of its photos is within this."""


@dataclass(frozen=True)
class PlaceSelection:
    """The album's places, hidden and public."""

    hidden: tuple[AlbumPlace, ...]
    public: tuple[AlbumPlace, ...]
    notes: tuple[str, ...] = ()


def select_places(places: Places, photos: Sequence[Photo], hide: Sequence[str]) -> PlaceSelection:
    """What is hidden, in the album's order."""
    if not hide:
        raise InputError("nothing is to be hidden: say all, home or a place")
    hidden: set[str] = set()
    notes = []
    for text in hide:
        word = text.strip().lower()
        if word == "all":
            hidden.update(place.label for place in places.places)
        elif word == "home":
            where = home(places, photos)
            hidden.add(where.label)
            notes.append(
                f"home is taken to be {where.label}: the place with photos on most different days"
            )
        else:
            hidden.update(place.label for place in resolve_place(text, places))
    return PlaceSelection(
        tuple(place for place in places.places if place.label in hidden),
        tuple(place for place in places.places if place.label not in hidden),
        tuple(notes),
    )


def resolve_place(text: str, places: Places) -> tuple[AlbumPlace, ...]:
    """The places of the album that a name or coordinate means; InputError where there are none."""
    exact = tuple(place for place in places.places if key(place.label) == key(text))
    if exact and key(text):
        return exact
    found: list[tuple[Place, tuple[AlbumPlace, ...]]] = []
    candidates = called(text, limit=50)
    for candidate in candidates:
        there = tuple(place for place in places.places if at(place, candidate))
        if there:
            found.append((candidate, there))
    if not found:
        known = "" if candidates else "no place is called so, and "
        listed = "; ".join(place.label for place in places.places)
        raise PlaceError(
            f"{text.strip()!r} is not one of the album's places: {known}those are {listed}",
            places.places,
        )
    first, there = found[0]
    for other, elsewhere in found[1:]:
        if other.kind == first.kind and not set(elsewhere) <= set(there):
            raise PlaceError(
                f"{text.strip()!r} could be {first.label} or {other.label} in this album: "
                "add its region or country after a comma",
                [first, other],
            )
    return there


def at(place: AlbumPlace, wanted: Place) -> bool:
    """Whether a place of the album is in (or, for a town or coordinate, near) a place on earth."""
    if place.area is not None:
        return _same_ground(place.area, wanted)
    lats, lons = np.array(place.positions).T
    if wanted.kind in {"region", "country"}:
        return wanted in ground(lats, lons, wanted.kind)
    return bool((between_km(lats, lons, wanted.lat, wanted.lon) <= NEAR_KM).any())


def _same_ground(area: Place, wanted: Place) -> bool:
    """Whether an area that the user gave is the wanted place, holds it, or lies in it."""
    if area == wanted:
        return True
    kind = "country" if "country" in (area.kind, wanted.kind) else "region"
    one = area if area.kind == kind else ground(area.lat, area.lon, kind)[0]
    other = wanted if wanted.kind == kind else ground(wanted.lat, wanted.lon, kind)[0]
    return one == other
