"""From text that a person types to a place: a town, a region, a country or a coordinate.

Where one place is ten times as populous as any other of that name, it is the one that is meant.
Otherwise nothing is guessed, because hiding the wrong Portland protects nobody: the person gets a
short list to choose from. A name in another language or a nickname counts a tenth of the people. A
country comes before its towns, and a region after the town that it is named after: "Lisbon" is the
city, then the district.

Continents are those that a model's accuracy is measured for (training/): all of Russia is in
Europe, Turkey and the Caucasus in Asia, Central America and the Caribbean in North America.

The other way round, a cell is named after the most populous town in it. In a large city that town
is a quarter, so the city stands before it: "London (Islington), United Kingdom". A cell without a
town is named after the nearest one.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from elsewhere.errors import InputError, PlaceError
from elsewhere.globe.cells import Cells
from elsewhere.globe.coordinates import EARTH_KM, Floats, Ints, between_km, canonical, unit_vector
from elsewhere.globe.gazetteer import KINDS, gazetteer, name_key
from elsewhere.globe.villages import villages_named

_CODES = {
    "Africa": (
        "AO BF BI BJ BW CD CF CG CI CM CV DJ DZ EG EH ER ET GA GH GM GN GQ GW KE KM LR LS LY MA MG "
        "ML MR MU MW MZ NA NE NG RE RW SC SD SH SL SN SO SS ST SZ TD TG TN TZ UG YT ZA ZM ZW"
    ),
    "Antarctica": "AQ BV GS HM TF",
    "Asia": (
        "AE AF AM AZ BD BH BN BT CC CN CX GE HK ID IL IN IO IQ IR JO JP KG KH KP KR KW KZ LA LB LK "
        "MM MN MO MV MY NP OM PH PK PS QA SA SG SY TH TJ TM TR TW UZ VN YE"
    ),
    "Europe": (
        "AD AL AT AX BA BE BG BY CH CS CY CZ DE DK EE ES FI FO FR GB GG GI GR HR HU IE IM IS IT JE "
        "LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS RU SE SI SJ SK SM UA VA XK"
    ),
    "North America": (
        "AG AI AN AW BB BL BM BQ BS BZ CA CR CU CW DM DO GD GL GP GT HN HT JM KN KY LC MF MQ MS MX "
        "NI PA PM PR SV SX TC TT US VC VG VI"
    ),
    "Oceania": ("AS AU CK FJ FM GU KI MH MP NC NF NR NU NZ PF PG PN PW SB TK TL TO TV UM VU WF WS"),
    "South America": "AR BO BR CL CO EC FK GF GY PE PY SR UY VE",
}
CONTINENT_OF = {code: name for name, codes in _CODES.items() for code in codes.split()}
"""The continent of each country, by the country's two letters."""
CONTINENTS = frozenset(_CODES)
"""By name."""
_CLEAR = 10
"""How many times as populous as the next one a place must be to be chosen without asking."""
_SIMILAR_AMONG = 20_000
"""Among how many places a similar name is looked for."""
_EXAMPLE = "38.72, -9.14"

_NUMBER = r"""([-+−]?\d+(?:\.\d+)?)\s*(?:[°d]\s*)?(?:(\d+(?:\.\d+)?)\s*['′m]\s*)?"""
_ANGLE = _NUMBER + r"""(?:(\d+(?:\.\d+)?)\s*(?:["″s]|'')\s*)?([NSEW])?"""
_COMMAS = re.compile(r"\s*([-+−]?\d+),(\d+)\s*[,;/\s]\s*([-+−]?\d+),(\d+)\s*")
"""A coordinate with decimal commas."""
_PAIR = re.compile(rf"(?:geo:)?\s*{_ANGLE}\s*[,;/\s]\s*{_ANGLE}\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Place:
    """Somewhere on earth that has a name, or a coordinate that somebody gave.

    >>> lisbon = place("Lisboa")
    >>> str(lisbon), lisbon.kind, lisbon.code
    ('Lisbon, Portugal', 'city', 'PT')
    """

    name: str
    kind: str
    """"city", "region", "country" or "coordinate"."""
    lat: float
    """Of the town; of the largest town of a region or country."""
    lon: float
    population: int = 0
    region: str = ""
    country: str = ""
    code: str = ""
    """The country's two letters."""
    row: int = -1
    """Where it stands in the gazetteer; −1 for a village or coordinate."""
    label: str = ""
    """The name as shown to people, with as much around it as it needs."""

    def __str__(self) -> str:
        return self.label


def place(text: str) -> Place:
    """The one place that `text` means, or a `PlaceError` with the choices there are.

    >>> place("38.72, -9.14").kind
    'coordinate'
    >>> place("Springfield, Illinois").label
    'Springfield, Illinois, United States'
    >>> place("Springfield")
    Traceback (most recent call last):
    ...
    elsewhere.errors.PlaceError: 'Springfield' could be Springfield, Missouri, United States; \
Springfield, Massachusetts, United States; Springfield, Illinois, United States or another one: \
add its region or country after a comma
    """
    candidates = places(text)
    if not candidates:
        raise _unknown(text)
    first = candidates[0]
    # a place inside the first one, or around it, is not a different place
    rivals = [
        other
        for other in candidates[1:]
        if not _within(first.row, other.row) and not _within(other.row, first.row)
    ]
    name = text.split(",", maxsplit=1)[0]
    clear = 1 if first.kind == "country" and name_key(first.name) == name_key(name) else _CLEAR
    if any(_weight(first, name) < clear * _weight(rival, name) for rival in rivals):
        choices = [first, *rivals]
        names = "; ".join(
            choice.label if choice.kind == "city" else f"{choice.label} (the {choice.kind})"
            for choice in choices[:3]
        )
        more = " or another one" if len(choices) > 3 else ""
        raise PlaceError(
            f"{text.strip()!r} could be {names}{more}: add its region or country after a comma",
            choices,
        )
    return first


def places(text: str, limit: int = 8) -> tuple[Place, ...]:
    """The places that `text` may mean, most populous first; none when it is not known.

    A name may be followed by a region or country: "Paris, Texas". Coordinates are in degrees.

    >>> [str(p) for p in places("Georgia")]
    ['Georgia, United States', 'Georgia']
    """
    coordinate = _parse_coordinate(text)
    if coordinate is not None:
        return (coordinate,)
    rows = gazetteer().rows_named(text)
    name, *around = text.split(",")
    if not rows and around:
        rows = gazetteer().rows_named(name)
        for part in filter(name_key, around):
            areas = gazetteer().rows_named(part)
            rows = [row for row in rows if any(_within(row, area) for area in areas)]
    candidates = [place_of_row(row) for row in rows] or _villages(name, around)
    candidates.sort(key=lambda candidate: -_weight(candidate, name))
    return tuple(_order_nested(candidates)[:limit])


def _villages(name: str, around: list[str]) -> list[Place]:
    """The villages of this name, in all of the regions or countries `around`."""
    table, found = gazetteer(), []
    for village in villages_named(name):
        country = int(table.country_row[table.codes.index(village.code)])
        row = int(table.region_of_part[village.part]) if village.part >= 0 else -1
        areas = [table.rows_named(part) for part in filter(name_key, around)]
        inside = ({country, *_regions_with(village.part)} & {*rows} for rows in areas)
        if not all(inside):
            continue
        region = table.names[row] if row >= 0 else ""
        found.append(
            Place(
                village.name,
                "city",
                village.lat,
                village.lon,
                village.population,
                region,
                table.names[country],
                village.code,
                label=", ".join(filter(None, [village.name, region, table.names[country]])),
            )
        )
    return found


def _regions_with(part: int) -> list[int]:
    """The rows of the regions that a state or province belongs to."""
    return [row for row, parts in gazetteer().parts.items() if part in parts]


def place_of_row(row: int) -> Place:
    """The place in a row of the gazetteer."""
    table = gazetteer()
    country = int(table.country[row])
    return Place(
        name=table.names[row],
        kind=KINDS[table.kind[row]],
        lat=float(table.lat[row]),
        lon=float(table.lon[row]),
        population=int(table.population[row]),
        region=_region(row),
        country=table.names[int(table.country_row[country])],
        code=table.codes[country],
        row=row,
        label=_label(row),
    )


def _region(row: int) -> str:
    """The name of the region that a row lies in, or nothing."""
    table = gazetteer()
    part = table.part[row]
    region = table.region_of_part[part] if part >= 0 else -1
    return table.names[region] if region >= 0 else ""


def _label(row: int) -> str:
    """The name of a row as shown to people."""
    table = gazetteer()
    name, country = table.names[row], table.names[table.country_row[table.country[row]]]
    # another town of the country has this name
    region = _region(row) if table.namesake[row] else ""
    return ", ".join(filter(None, [name, region, country if country != name else ""]))


def _parse_coordinate(text: str) -> Place | None:
    """`text` read as latitude and longitude, if it looks like them."""
    match = _PAIR.fullmatch(text.strip())
    if match is None:
        return None
    first, second = _angle(*match.groups()[:4]), _angle(*match.groups()[4:])
    letters = [(match.group(4) or "N").upper(), (match.group(8) or "E").upper()]
    if letters[0] in "EW" and letters[1] in "NS":
        first, second = second, first
    elif letters[0] in "EW" or letters[1] in "NS":
        raise PlaceError(f"{text.strip()!r} is not a latitude and longitude: write {_EXAMPLE}")
    try:
        canonical(first, second)
    except InputError as error:
        raise PlaceError(f"{error}; write a latitude, then a longitude") from None
    name = f"{first:g}, {second:g}"
    return Place(name, "coordinate", first, second, label=name)


def _angle(degrees: str, minutes: str | None, seconds: str | None, side: str | None) -> float:
    size = abs(float(degrees.replace("−", "-")))
    size += float(minutes or 0) / 60 + float(seconds or 0) / 3600
    negative = degrees[0] in "-−" or (side or "").upper() in {"S", "W"}
    return -size if negative else size


def _within(row: int, area: int) -> bool:
    """Whether a row of the gazetteer lies in the country or region of another one."""
    table = gazetteer()
    if row < 0 or area < 0:
        return False
    if table.kind[area] == 0:
        return bool(table.country[area] == table.country[row]) and area != row
    return bool(table.kind[area] == 1 and table.part[row] in table.parts[area])


def _weight(candidate: Place, name: str) -> float:
    """The population that counts for this place being meant."""
    is_own_name = name_key(candidate.name) == name_key(name)
    return candidate.population * (1.0 if is_own_name else 1 / _CLEAR)


def _order_nested(candidates: list[Place]) -> list[Place]:
    """A country before its towns, a region after its largest town unless that is below a tenth."""
    ordered = list(candidates)
    for area in candidates:
        inside = [other for other in candidates if other.row >= 0 and _within(other.row, area.row)]
        if not inside:
            continue
        ordered.remove(area)
        if area.kind == "country":
            ordered.insert(min(map(ordered.index, inside)), area)
        elif inside[0].population * _CLEAR >= area.population:
            ordered.insert(ordered.index(inside[0]) + 1, area)
        else:
            ordered.insert(candidates.index(area), area)
    return ordered


def _unknown(text: str) -> PlaceError:
    """The error for an unknown name, with the most similar ones."""
    if not name_key(text):
        return PlaceError(f"give a town, a region, a country or coordinates such as {_EXAMPLE}")
    if commas := _COMMAS.fullmatch(text):
        corrected = "{}.{}, {}.{}".format(*commas.groups())
        return PlaceError(f"{text.strip()!r} has decimal commas: write {corrected}")
    if text.strip().title() in CONTINENTS:
        return PlaceError(
            f"{text.strip()} is a continent, which is no place here: give a country, a region or a "
            "town"
        )
    table = gazetteer()
    name = text.split(",", maxsplit=1)[0]
    near = table.rows_named(name) or table.rows_named(name, prefix=True) or _similar_rows(name)
    choices = [place_of_row(row) for row in near[:3]]
    labels = "; ".join(dict.fromkeys(choice.label for choice in choices))
    hint = f"did you mean {labels}?" if labels else "give a larger town nearby"
    return PlaceError(
        f"no place is called {text.strip()!r}: {hint} (coordinates such as {_EXAMPLE} work too)",
        choices,
    )


def _similar_rows(name: str) -> list[int]:
    """Rows with nearly this spelling: in any language, then in English by the most populous.

    In any language means but for an extra letter or two swapped ones: "Lissabonn" is as near to
    Lisbon as "Lisbonn" is.
    """
    import difflib

    table, key = gazetteer(), name_key(name)
    variants = [key[:at] + key[at + 1 :] for at in range(len(key))]
    variants += [key[:at] + key[at + 1] + key[at] + key[at + 2 :] for at in range(len(key) - 1)]
    misspelled = {row for text in variants if len(text) > 3 for row in table.rows_named(text)}
    row_by_key: dict[str, int] = {}
    for row, known_name in enumerate(table.names[:_SIMILAR_AMONG]):
        row_by_key.setdefault(name_key(known_name), row)
    near = [other for other in row_by_key if abs(len(other) - len(key)) <= 2]
    close = difflib.get_close_matches(key, near, n=3, cutoff=0.75)
    return list(dict.fromkeys([*sorted(misspelled)[:2], *(row_by_key[other] for other in close)]))


_CITY_POPULATION, _CITY_RATIO, _REACH_KM = 500_000, 3, 20.0
"""A town within reach of a city this large, and this many times its own size, is a quarter."""
_HALF_WEIGHT_KM = 3.0
"""At this distance half of a town's people count for naming a coordinate after it."""


@lru_cache(maxsize=8)
def cell_names(cells: Cells) -> tuple[str, ...]:
    """A name for every cell, each different.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.paper()
    >>> cell_names(cells)[cells.locate(38.72, -9.14)]
    'Lisbon, Portugal'
    """
    _, rows, without_town = towns_by_cell(cells)
    table, cities = gazetteer(), _cities_of(rows)
    # the label of each cell's town, a quarter behind its city
    names = []
    for row, city in zip(rows.tolist(), cities.tolist(), strict=True):
        if city >= 0:
            name = table.names[city]
            quarter = f"{name} ({table.names[row].removeprefix(name + ' ')})"
            names.append(_label(city).replace(name, quarter, 1))
        else:
            names.append(_label(row))
    for cell in without_town.tolist():
        names[cell] = f"near {names[cell]}"
    # cells with the same name are told apart by their direction from each other, or by a number
    lat, lon = cells.centres
    cells_named: dict[str, list[int]] = {}
    for cell, name in enumerate(names):
        cells_named.setdefault(name, []).append(cell)
    for name, same in cells_named.items():
        if len(same) == 1:
            continue
        height, width = np.ptp(lat[same]), np.ptp(lon[same]) * np.cos(np.radians(lat[same].mean()))
        marks, axis = (["south", "north"], lat) if height >= width else (["west", "east"], lon)
        if len(same) > 2:
            marks = [str(number) for number in range(1, len(same) + 1)]
        ordered = np.array(same)[np.argsort(axis[same], kind="stable")]
        for cell, mark in zip(ordered.tolist(), marks, strict=True):
            names[cell] = f"{name} ({mark})"
    return tuple(names)


def _cities_of(rows: Ints) -> Ints:
    """The row of the city that each of these towns is a quarter of, or −1.

    A quarter is near the city, in its country, and much smaller.
    """
    table = gazetteer()
    cities = np.flatnonzero((table.population >= _CITY_POPULATION) & (table.kind == 2))
    cities = cities[np.argsort(table.lat[cities], kind="stable")]
    # a quarter lies at nearly the latitude of its city, which spares measuring most pairs
    reach, lat = _REACH_KM / 100, table.lat[cities]
    first = np.searchsorted(lat, table.lat[rows] - reach, "right")
    counts = np.searchsorted(lat, table.lat[rows] + reach, "left") - first
    index = np.repeat(np.arange(len(rows)), counts)
    number = np.arange(len(index)) - np.repeat(np.cumsum(counts) - counts, counts)
    city, town = cities[np.repeat(first, counts) + number], rows[index]
    possible = table.country[town] == table.country[city]
    possible &= table.population[town] * _CITY_RATIO <= table.population[city]
    index, city, town = index[possible], city[possible], town[possible]
    km = between_km(table.lat[town], table.lon[town], table.lat[city], table.lon[city])
    largest = np.full(len(rows), len(table.names))
    np.minimum.at(largest, index[km <= _REACH_KM], city[km <= _REACH_KM])  # the most populous first
    return np.where(largest < len(table.names), largest, -1)


def cell_towns(cells: Cells) -> tuple[Floats, Floats]:
    """Latitude and longitude of the town that each cell is named after, to mark it on a map.

    The middle of a coastal cell may lie far out at sea.

    >>> from elsewhere.globe import Cells
    >>> cells = Cells.paper()
    >>> lat, lon = cell_towns(cells)
    >>> bool((cells.locate(lat, lon) == range(512)).mean() > 0.95)
    True
    """
    rows, table = towns_by_cell(cells).largest, gazetteer()
    return table.lat[rows], table.lon[rows]


class CellTowns(NamedTuple):
    """Which towns lie in which cells."""

    cell_of: Ints
    """The cell of each town, in the order of the gazetteer's `towns`."""
    largest: Ints
    """The row of each cell's most populous town, or of the nearest town where it has none."""
    without_town: Ints
    """The cells that have none."""


@lru_cache(maxsize=8)
def towns_by_cell(cells: Cells) -> CellTowns:
    """The towns of these cells."""
    table = gazetteer()
    largest = np.full(cells.count, -1)
    cell_of = cells.locate(table.lat[table.towns], table.lon[table.towns])
    inhabited, first = np.unique(cell_of, return_index=True)
    largest[inhabited] = table.towns[first]  # the most populous comes first
    without_town = np.flatnonzero(largest < 0)
    lat, lon = cells.centres
    largest[without_town] = _nearest_towns(lat[without_town], lon[without_town])
    return CellTowns(cell_of, largest, without_town)


def _nearest_towns(lats: Floats, lons: Floats) -> Ints:
    """The row of the town nearest to each coordinate.

    Towns are grouped by squares of ten degrees. A group whose circle is further away than all
    towns of another one is passed over.
    """
    table, places = gazetteer(), unit_vector(lats, lons)
    square = np.floor(table.lat[table.towns] / 10) * 36 + np.floor(table.lon[table.towns] / 10)
    order = np.argsort(square, kind="stable")
    directions = table.town_directions[order]
    first = np.flatnonzero(np.diff(square[order], prepend=np.nan))
    counts = np.diff(first, append=len(order))
    middles = np.add.reduceat(directions, first) / counts[:, np.newaxis]
    from_middle = ((directions - np.repeat(middles, counts, axis=0)) ** 2).sum(axis=1)
    radii = np.sqrt(np.maximum.reduceat(from_middle, first))
    cosines = np.einsum("pd,gd->pg", places, middles)
    chords = np.sqrt(np.maximum(1 + (middles**2).sum(axis=1) - 2 * cosines, 0))
    possible = chords - radii <= (chords + radii).min(axis=1, keepdims=True) + 1e-9
    best, nearest = np.full(len(places), -2.0), np.zeros(len(places), dtype=np.int64)
    for group in np.flatnonzero(possible.any(axis=0)).tolist():
        near, part = (
            np.flatnonzero(possible[:, group]),
            slice(first[group], first[group] + counts[group]),
        )
        cosines = np.einsum("pd,dt->pt", places[near], directions[part].T)
        index = cosines.argmax(axis=1)
        cosine, town = cosines[np.arange(len(near)), index], order[part][index]
        better = (cosine > best[near]) | ((cosine == best[near]) & (town < nearest[near]))
        best[near[better]], nearest[near[better]] = cosine[better], town[better]
    return table.towns[nearest]


def nearest_town(lat: float, lon: float) -> tuple[Place, float]:
    """The town nearest to a coordinate, and its distance in km.

    >>> town, km = nearest_town(38.72, -9.14)
    >>> town.country, km < 5
    ('Portugal', True)
    """
    table = gazetteer()
    nearest = np.argmax(table.town_directions @ unit_vector(lat, lon))
    town = place_of_row(int(table.towns[nearest]))
    return town, float(between_km(lat, lon, town.lat, town.lon))


def chief_town(
    lat: float, lon: float, reach_km: float = _REACH_KM, half_km: float = _HALF_WEIGHT_KM
) -> tuple[Place, float]:
    """The town that people would name for a coordinate, and its distance in km.

    The nearest may be a quarter of a city, so population counts too, less with distance: at
    `half_km` a half, at twice of it a fifth. Where no town is within reach, it is the nearest.

    >>> str(chief_town(38.72, -9.14)[0]), str(nearest_town(38.72, -9.14)[0])
    ('Lisbon, Portugal', 'Intendente, Portugal')
    """
    table = gazetteer()
    rows, lats = _towns_by_latitude()
    reach = math.degrees(reach_km / EARTH_KM) + 1e-6
    near = rows[np.searchsorted(lats, lat - reach) : np.searchsorted(lats, lat + reach)]
    km = between_km(lat, lon, table.lat[near], table.lon[near])
    near, km = near[km <= reach_km], km[km <= reach_km]
    if not len(near):
        return nearest_town(lat, lon)
    chief = int(np.argmax((table.population[near] + 1) / (1 + (km / half_km) ** 2)))
    return place_of_row(int(near[chief])), float(km[chief])


FAR_KM = 25.0
"""A coordinate that is farther from its town is not called after it."""


def place_label(lat: float, lon: float, radius_km: float | None = None) -> str:
    """What people would call a coordinate, or a circle of so many km around it.

    It is the chief town, in a circle the one that counts most in it. Where none is that near, it is
    how far away the nearest one is.

    >>> place_label(38.72, -9.14), place_label(23.4, 25.0)
    ('Lisbon, Portugal', 'a place 195 km from Al Jawf, Libya')
    """
    if radius_km is None:
        (town, km), far_km = chief_town(lat, lon), FAR_KM
    else:
        (town, km), far_km = chief_town(lat, lon, radius_km, radius_km / 2), radius_km
    return town.label if km <= far_km else f"a place {km:,.0f} km from {town.label}"


@cache
def _towns_by_latitude() -> tuple[Ints, Floats]:
    """The rows of all towns from south to north, and their latitudes."""
    table = gazetteer()
    rows = table.towns[np.argsort(table.lat[table.towns], kind="stable")]
    return rows, table.lat[rows]
