"""On whose ground a coordinate lies."""

from __future__ import annotations

import pytest

from elsewhere.errors import InputError
from elsewhere.globe import chief_town, ground, nearest_town, place
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.globe.places import CONTINENT_OF


@pytest.mark.parametrize(
    ("lat", "lon", "country"),
    [
        (38.72, -9.14, "Portugal"),
        (46.20, 6.06, "Switzerland"),  # Meyrin, with France on three sides
        (43.74, 7.42, "Monaco"),
        (-17.8, 178.0, "Fiji"),
        (64.15, -51.7, "Greenland"),
    ],
)
def test_the_country_of_a_coordinate(lat: float, lon: float, country: str) -> None:
    assert ground(lat, lon, "country")[0] == place(country)


def test_a_border_decides_and_not_the_nearest_town() -> None:
    lat, lon = 37.61, -7.26  # the hills of Huelva
    assert nearest_town(lat, lon)[0].label == "Mértola, Portugal"
    assert ground(lat, lon, "country")[0].name == "Spain"


def test_many_at_once_and_at_sea() -> None:
    found = ground([38.72, 0.0, 40.4], [-9.14, -30.0, -3.7], "region")
    assert [one.kind for one in found] == ["region"] * 3
    assert [one.country for one in found] == ["Portugal", "Brazil", "Spain"]


def test_other_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="not to a planet"):
        ground(0, 0, "planet")


def test_a_city_gives_its_name_to_its_quarters_but_not_to_the_next_town() -> None:
    assert str(chief_town(51.55, -0.25)[0]) == "London, United Kingdom"
    assert str(chief_town(38.70, -9.42)[0]) == "Cascais, Portugal"
    assert chief_town(0.0, -30.0) == nearest_town(0.0, -30.0)


def test_every_country_has_a_continent() -> None:
    assert [code for code in gazetteer().codes if code not in CONTINENT_OF] == []
