"""Which places of an album are hidden: `all`, `home`, or those that a name or coordinate means.

A name is looked up in the gazetteer and then in the album: "Lisbon" is the album's place around
there, "Portugal" every place of the album in that country. Where a name could mean several towns
of the world, the album decides. A name that means no place of the album is a mistake, not a wish:
nothing would be hidden and nobody would notice.

The truth of a place in a scorer's cells: every cell within the radius of any of its photos.

Instead of a radius a level can be given: the cell itself, the city, the region or the country that
the photos were taken in. What is hidden around a place may hold photos of another one that is not
hidden, a suburb or the next town; those speak of the hidden place as its own do, and count there.

Nothing is known of where an album was taken: what the models guess, so that the user can say.

A plan hides a place; without one there is nothing to plan. The guesses of a model are shown, never
taken: hiding what the model believes would leave what it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Photo
from elsewhere.album.places import AlbumPlace, Places, Position, likely_home
from elsewhere.errors import InputError, PlaceError
from elsewhere.globe import (
    Cells,
    Place,
    Zone,
    between_km,
    cell_names,
    chief_town,
    ground,
    places as called,
    zone,
    zone_of_cells,
    zone_of_place,
)
from elsewhere.globe.gazetteer import name_key
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.scored_album import ModelScores, ScoredAlbum
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.wishes import HideScope
from elsewhere.values.wording import listed

NEAR_KM = 25.0
"""A place of the album is at a town or coordinate when one of its photos is within this."""


@dataclass(frozen=True)
class PlaceSelection:
    """The album's places, hidden and public."""

    hidden: tuple[AlbumPlace, ...]
    public: tuple[AlbumPlace, ...]
    notes: tuple[Note, ...] = ()


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
            where = likely_home(places, photos)
            hidden.add(where.label)
            notes.append(Note(NoteKind.HOME, places=(where.label,)))
        else:
            hidden.update(place.label for place in resolve_place(text, places))
    return PlaceSelection(
        tuple(place for place in places.places if place.label in hidden),
        tuple(place for place in places.places if place.label not in hidden),
        tuple(notes),
    )


def resolve_place(text: str, places: Places) -> tuple[AlbumPlace, ...]:
    """The places of the album that a name or coordinate means; InputError where there are none."""
    exact = tuple(place for place in places.places if name_key(place.label) == name_key(text))
    if exact and name_key(text):
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


GUESSES = 5


@dataclass(frozen=True)
class Guess:
    """One place that a model thinks of."""

    scorer: str
    place: str
    share: float
    """How probable the model finds it, for all photos together."""


class NowhereError(InputError):
    """No photo says where it was taken and neither did the user; `guesses` are the models'."""

    def __init__(self, guesses: tuple[Guess, ...]) -> None:
        self.guesses = guesses
        super().__init__(
            "no photo says where it was taken, so there is nothing to hide yet: "
            "say it with --at (a town, a region, a country or coordinates)"
        )


def guesses(seen: ScoredAlbum, many: int = GUESSES) -> tuple[Guess, ...]:
    """What each scorer thinks of the album as a whole, likeliest first."""
    return tuple(guess for attack in seen.models for guess in _of(attack, many))


def _of(attack: ModelScores, many: int) -> list[Guess]:
    if attack.about.globe is None:
        return []
    row = combine_rows(attack.scores.values, attack.about.exponents)
    names = cell_names(attack.about.globe)
    best = np.argsort(-row, kind="stable")[:many].tolist()
    return [Guess(attack.spec, names[cell], float(np.exp(row[cell]))) for cell in best]
