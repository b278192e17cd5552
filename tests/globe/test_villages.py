"""Villages are known by name, and name nothing by themselves."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from elsewhere.errors import PlaceError
from elsewhere.globe import place, places
from elsewhere.globe.areas import outlines
from elsewhere.globe.gazetteer import DATA, gazetteer, name_key
from elsewhere.globe.places import nearest_town
from elsewhere.globe.villages import _villages, villages_named

SHA256 = "86ca94cb115ab9d7957899894e40cc9a8b9795429c2a52033763c0043d5d3758"


def test_the_table_is_whole() -> None:
    assert hashlib.sha256((DATA / "villages.bin").read_bytes()).hexdigest() == SHA256
    table = _villages()
    assert table.keys == sorted(table.keys) and len(table.keys) == len(table.names) == 165_436
    assert np.abs(table.lat).max() <= 90 and np.abs(table.lon).max() <= 180
    known = gazetteer()
    assert set(table.codes) <= set(known.codes)
    inside = 0
    for at in range(0, len(table.names), 997):
        assert name_key(table.names[at]).encode() == table.keys[at]
        (village,) = [
            one
            for one in villages_named(table.names[at])
            if (one.lat, one.lon) == (table.lat[at], table.lon[at])
        ][:1]
        assert village.name == table.names[at]
        if village.part >= 0:
            assert known.codes[known.country_of_part[village.part]] == village.code
            inside += bool(outlines("regions")[village.part].contains(village.lat, village.lon))
    assert inside > 140  # of 166; the others lie on a border or off the coast


@pytest.mark.parametrize(
    ("text", "label", "lat", "lon"),
    [
        ("Positano", "Positano, Campania, Italy", 40.63, 14.48),
        ("hallstatt", "Hallstatt, Upper Austria, Austria", 47.56, 13.65),
        ("Tobermory, Scotland", "Tobermory, Scotland, United Kingdom", 56.62, -6.07),
        ("Tobermory, Canada", "Tobermory, Ontario, Canada", 45.25, -81.66),
    ],
)
def test_a_village_is_a_place(text: str, label: str, lat: float, lon: float) -> None:
    found = place(text)
    assert (found.label, found.kind) == (label, "city")
    assert found.lat == pytest.approx(lat, abs=0.02) and found.lon == pytest.approx(lon, abs=0.02)


def test_villages_of_one_name_must_be_told_apart() -> None:
    with pytest.raises(PlaceError, match="Tobermory, Ontario, Canada; Tobermory, Scotland"):
        place("Tobermory")
    with pytest.raises(PlaceError, match="no place is called"):
        place("Positano, France")


def test_a_town_comes_before_villages_of_its_name() -> None:
    assert villages_named("Lisbon")
    assert [found.row >= 0 for found in places("Lisbon")] == [True] * len(places("Lisbon"))


def test_a_village_names_no_coordinate() -> None:
    town, km = nearest_town(40.63, 14.48)
    assert town.name != "Positano" and km > 0
