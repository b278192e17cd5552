"""Which places and photos the wishes mean, and how far around a place is hidden.

A place is `all`, `home`, or a name or coordinate, looked up in the gazetteer and then in the album:
"Lisbon" is the album's place around there, "Portugal" every place of the album in that country. The
album decides between towns of one name. A name that means no place of the album is an error, for
nothing would be hidden.

The truth of a place is every cell within the radius of any of its photos; or, instead of a radius,
the cell, the city, the region or the country. Photos of another place that were taken inside count
as the hidden place's own. Where no place is known, the guesses of the models are shown and never
used: hiding what a model believes would leave what it does not.

A photo is named by its own name (`2024/IMG_1.jpg`), the part behind its last slash, or a pattern
for either with `*`, `?` and `[…]`. A name without a photo is an error that lists similar names.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Photo, SkippedFile
from elsewhere.album.places import AlbumPlace, Places, Position, has_date_only, likely_home
from elsewhere.audit.places import place_guesses
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
from elsewhere.scorers import ScorerInfo
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.solver.requests import read_value
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.versions import Edit
from elsewhere.values.wishes import CITY_KM, HideScope, Wishes
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
            meant = [place.label for place in resolve_place(text, places)]
            hidden.update(meant)
            for label in meant:
                if name_key(text) not in {name_key(part) for part in (label, *label.split(","))}:
                    notes.append(Note(NoteKind.CALLED, places=(text.strip(), label)))
    return PlaceSelection(
        tuple(place for place in places.places if place.label in hidden),
        tuple(place for place in places.places if place.label not in hidden),
        tuple(notes),
    )


def suggested_home(
    places: Places, photos: Sequence[Photo], said: Position | None = None
) -> tuple[AlbumPlace, bool]:
    """The likely home, and whether it is what the user said before and not a guess by days."""
    if said is not None:
        for place in places.places:
            lats, lons = np.array(place.positions).T
            if bool((between_km(lats, lons, *said) <= NEAR_KM).any()):
                return place, True
    return likely_home(places, photos), False


def resolve_place(text: str, places: Places) -> tuple[AlbumPlace, ...]:
    """The places of the album that a name or coordinate means; InputError where there are none."""
    exact = tuple(place for place in places.places if place.label == text)
    if exact:
        return exact
    key = name_key(text)
    exact = tuple(place for place in places.places if name_key(place.label) == key)
    if exact and key:
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
    area = place.area
    if area is not None:  # given by the user: it is the wanted place, holds it, or lies in it
        if area == wanted:
            return True
        kind = "country" if "country" in (area.kind, wanted.kind) else "region"
        given, sought = (
            item if item.kind == kind else ground(item.lat, item.lon, kind)[0]
            for item in (area, wanted)
        )
        return given == sought
    lats, lons = np.array(place.positions).T
    if wanted.kind in {"region", "country"}:
        return wanted in ground(lats, lons, wanted.kind)
    return bool((between_km(lats, lons, wanted.lat, wanted.lon) <= NEAR_KM).any())


def cells_of(spec: str, about: ScorerInfo) -> Cells:
    """The cells that a scorer's columns stand for."""
    if about.globe is None:
        raise InputError(
            f"the scorer {spec} does not say which cells its columns stand for, so no place "
            "can be found among them: give it its cells, or use another scorer"
        )
    return about.globe


@lru_cache(maxsize=256)
def hidden_zone(cells: Cells, place: AlbumPlace, width: HideScope) -> Zone:
    """The zone of a place of the album; remembered, for every click in the app asks again."""
    lats, lons = np.array(place.positions).T
    if width.level == "city":
        town = chief_town(place.lat, place.lon)[0]
        lats, lons = np.append(lats, town.lat), np.append(lons, town.lon)
    around = zone(cells, lats, lons, width.km)
    parts = [zone_of_place(cells, area) for area in hidden_areas(place, width)]
    if not parts:
        return around
    return zone_of_cells(cells, np.unique(np.concatenate([z.cells for z in (around, *parts)])))


def hidden_positions(
    cells: Cells, place: AlbumPlace, width: HideScope
) -> tuple[tuple[float, float], ...]:
    """What is hidden of a place by circles: its photos, its city's middle, points of its areas."""
    found = [*place.positions]
    if width.level == "city":
        town = chief_town(place.lat, place.lon)[0]
        found.append((town.lat, town.lon))
    lats, lons = cells.points
    for area in hidden_areas(place, width):
        inside = zone_of_place(cells, area).cells.tolist()
        found += [(float(lats[cell]), float(lons[cell])) for cell in inside]
    return tuple(found)


def hidden_name(place: AlbumPlace, width: HideScope) -> str:
    """What is hidden by name: the place, or the regions or countries that its photos are of."""
    level = width.level
    if level not in {"region", "country"} or (place.area is not None and place.area.kind == level):
        return place.label
    if place.area is not None and place.area.kind == "country":
        return place.label  # its regions are all in it
    lats, lons = np.array(place.positions).T
    return listed([area_name(area) for area in dict.fromkeys(ground(lats, lons, level))])


def area_name(area: Place) -> str:
    """A region or country by name; the region around a town is often called as the town is."""
    return f"{area.name} region, {area.country}" if area.kind == "region" else area.label


def inside(place: AlbumPlace, width: HideScope, positions: Sequence[Position]) -> NDArray[np.bool_]:
    """Which positions lie in what is hidden of a place."""
    if not positions:
        return np.zeros(0, bool)
    lats, lons = np.array(positions).T
    own = np.unique(np.array(place.positions), axis=0)
    apart = between_km(lats[:, None], lons[:, None], *own.T)
    near = np.asarray((apart <= width.km).any(axis=1))
    areas = hidden_areas(place, width)
    for kind in {area.kind for area in areas}:
        near |= [area in areas for area in ground(lats, lons, kind)]
    return near


def hidden_areas(place: AlbumPlace, width: HideScope) -> tuple[Place, ...]:
    """The regions or countries that are hidden as a whole."""
    given = () if place.area is None else (place.area,)
    if width.level not in {"region", "country"}:
        return given
    lats, lons = np.array(place.positions).T
    return tuple(dict.fromkeys((*given, *ground(lats, lons, width.level))))


GUESSES = 5


@dataclass(frozen=True)
class ModelGuess:
    """One place that a model thinks of."""

    scorer: str
    place: str
    share: float
    """How probable the model finds it, for all photos together."""


class NowhereError(InputError):
    """No photo says where it was taken and neither did the user; `guesses` are the models'."""

    def __init__(self, guesses: tuple[ModelGuess, ...]) -> None:
        self.guesses = guesses
        super().__init__(
            "no photo says where it was taken, so there is nothing to hide yet: "
            "say it with --at (a town, a region, a country or coordinates)"
        )


def guesses(scored: ScoredAlbum, count: int = GUESSES) -> tuple[ModelGuess, ...]:
    """What each scorer thinks of the album as a whole, likeliest first."""
    found = []
    for model in scored.models:
        if model.about.globe is not None:
            row = combine_rows(model.scores.values, model.about.exponents)
            if model.about.points is not None:
                places = place_guesses(model.about.globe, CITY_KM)
                first = places.guesses(*places.first(np.exp(row), count))
                found += [ModelGuess(model.spec, g.name, g.probability) for g in first]
                continue
            names = cell_names(model.about.globe)
            best = np.argsort(-row, kind="stable")[:count].tolist()
            found += [
                ModelGuess(model.spec, names[cell], float(np.exp(row[cell]))) for cell in best
            ]
    return tuple(found)


BURST_SECONDS = 2.0
"""Photos of one place, each within this of the one before, are one burst."""
STARS = 5


_WILD = re.compile(r"[*?[]")
"""What makes a name a pattern, unless a photo is called so."""


def matching(
    patterns: Sequence[str], ids: Sequence[str], wish: str, skipped: Sequence[SkippedFile] = ()
) -> dict[int, str]:
    """The photos that the patterns name, by number, each with the first pattern that does.

    >>> matching(["b.*"], ["a.jpg", "x/b.jpg"], "keep")
    {1: 'b.*'}
    """
    found: dict[int, str] = {}
    for pattern in patterns:
        for number in _named(pattern, ids, wish, skipped):
            found.setdefault(number, pattern)
    return dict(sorted(found.items()))


def _named(
    pattern: str, ids: Sequence[str], wish: str, skipped: Sequence[SkippedFile]
) -> list[int]:
    """A name itself comes first: it may hold brackets that mean nothing."""
    for test in (
        lambda name: name == pattern,
        lambda name: name.rpartition("/")[2] == pattern,
        lambda name: fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern),
    ):
        numbers = [number for number, name in enumerate(ids) if test(name)]
        if numbers:
            return numbers
    for file in skipped:
        if pattern in (file.name, file.name.rpartition("/")[2]):
            if file.same_as in ids:
                return [ids.index(file.same_as)]
            raise InputError(f"{wish}: {file.name} is not in the album: {file.reason}")
    short = {name.rpartition("/")[2]: name for name in ids}
    close = difflib.get_close_matches(pattern, [*ids, *short], n=3, cutoff=0.5)
    near = list(dict.fromkeys(short.get(name, name) for name in close)) or list(ids[:3])
    names = ", ".join(near)
    hint = f"did you mean {names}?" if close else f"the first ones are {names}"
    raise InputError(f"{wish}: no photo is called {pattern!r}; {hint}")


def select_pinned(
    keep: Sequence[str],
    drop: Sequence[str],
    ids: Sequence[str],
    skipped: Sequence[SkippedFile] = (),
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The photos to keep and to drop, by number; nobody can ask for both."""
    kept, dropped = matching(keep, ids, "keep", skipped), matching(drop, ids, "drop", skipped)
    for number in kept.keys() & dropped.keys():
        raise InputError(
            f"{ids[number]} is to be kept (by {kept[number]!r}) and dropped (by "
            f"{dropped[number]!r}): take it out of one of them"
        )
    return tuple(kept), tuple(dropped)


def kept_by_name(
    keep: Sequence[str], ids: Sequence[str], skipped: Sequence[SkippedFile] = ()
) -> frozenset[int]:
    """The photos to keep that are called by their own names, and not only meant by a pattern.

    >>> kept_by_name(["*.jpg", "b.jpg"], ["a.jpg", "x/b.jpg"])
    frozenset({1})
    """
    return frozenset(
        number
        for name in keep
        for number in _named(name, ids, "keep", skipped)
        if name in (ids[number], ids[number].rpartition("/")[2]) or not _WILD.search(name)
    )


def select_edits(
    wishes: Wishes, ids: Sequence[str], skipped: Sequence[SkippedFile] = ()
) -> tuple[dict[int, tuple[Edit, ...]], tuple[int, ...]]:
    """By photo's number, the edits that the user drew; and the photos that are never edited."""
    drawn: dict[int, tuple[Edit, ...]] = {}
    for pattern, edit in wishes.rectangles.items():
        for number in matching([pattern], ids, "rectangles", skipped):
            drawn[number] = (*drawn.get(number, ()), edit)
    as_is = matching(wishes.as_is, ids, "as is", skipped)
    for number in drawn.keys() & as_is.keys():
        raise InputError(
            f"{ids[number]} is to be shared as it is and has rectangles: take it out of one of them"
        )
    return drawn, tuple(as_is)


def photo_values(
    photos: Sequence[Photo],
    values: Mapping[str, int | float | str | Fraction] | None,
    *,
    stars: bool,
    skipped: Sequence[SkippedFile] = (),
) -> dict[int, Fraction]:
    """What withholding each photo costs, where that is not 1: stars first, then what was said."""
    found: dict[int, Fraction] = {}
    if stars:
        rated = {n: photo.metadata.rating for n, photo in enumerate(photos)}
        found = {n: Fraction(1 + rating) for n, rating in rated.items() if rating}
    ids = [photo.id for photo in photos]
    for name, value in (values or {}).items():
        exact = read_value(value)
        if exact <= 0:
            raise InputError(f"the value of {name} must be above zero, not {value}")
        for number in matching([name], ids, "value", skipped):
            found[number] = exact
    return found


def bursts(photos: Sequence[Photo], places: Places) -> tuple[tuple[int, ...], ...]:
    """Photos taken within moments of each other at one place, by number; two or more each."""
    place_of = {n: label for label, place in enumerate(places.places) for n in place.photos}
    timed = [
        (place_of.get(number, -1), photo.metadata.moment, number)
        for number, photo in enumerate(photos)
        if photo.metadata.moment is not None and not has_date_only(photo.metadata)
    ]
    runs: list[list[int]] = []
    before: tuple[int, float] | None = None
    for place, moment, number in sorted(timed):
        if before is not None and place == before[0] and moment - before[1] <= BURST_SECONDS:
            runs[-1].append(number)
        else:
            runs.append([number])
        before = place, moment
    return tuple(sorted(tuple(sorted(run)) for run in runs if len(run) > 1))


def budget_of(given: int | str, photos: int) -> int:
    """At most so many photos, from a number or a percentage.

    >>> budget_of("10%", 33), budget_of("4", 33), budget_of(4, 33)
    (3, 4, 4)
    """
    text = str(given).strip()
    share = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text)
    if share and Fraction(share[1]) <= 100:
        return int(Fraction(share[1]) * photos / 100)
    if isinstance(given, bool) or not re.fullmatch(r"\d+", text):
        raise InputError(f"a budget is a number of photos or a share such as 10%, not {given!r}")
    return int(text)
