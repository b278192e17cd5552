"""How widely a place is hidden."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.album.places import AlbumPlace, places_of
from elsewhere.errors import InputError
from elsewhere.globe import Cells, place, zone, zone_of_place
from elsewhere.service.selection import (
    hidden_name,
    hidden_zone,
    inside,
)
from elsewhere.values.wishes import HideScope
from tests.service.makers import photo

CELLS = Cells.paper()
LISBON, PORTO, MADRID = (38.72, -9.14), (41.15, -8.61), (40.42, -3.70)


def lisbon() -> AlbumPlace:
    return places_of([photo("a", LISBON), photo("b", (38.697, -9.42))]).places[0]


def cells(width: HideScope, where: AlbumPlace | None = None) -> set[int]:
    return set(hidden_zone(CELLS, where or lisbon(), width).cells.tolist())


def test_a_radius_is_around_every_photo() -> None:
    lats, lons = np.array(lisbon().positions).T
    assert cells(HideScope(60)) == set(zone(CELLS, lats, lons, 60).cells.tolist())
    assert cells(HideScope(1)) <= cells(HideScope(25)) <= cells(HideScope(400))


def test_levels_are_nested() -> None:
    own, city = cells(HideScope(level="cell")), cells(HideScope(level="city"))
    region, country = cells(HideScope(level="region")), cells(HideScope(level="country"))
    assert {CELLS.locate(*LISBON)} <= own <= city
    assert own <= region <= country
    assert set(zone_of_place(CELLS, place("Portugal")).cells.tolist()) <= country


def test_a_country_said_is_hidden_whole_at_every_level() -> None:
    (all_of_it,) = places_of([photo("a")], at=[place("Portugal")]).places
    country = set(zone_of_place(CELLS, place("Portugal")).cells.tolist())
    assert country <= cells(HideScope(level="cell"), all_of_it)
    assert country <= cells(HideScope(), all_of_it)


def test_what_lies_inside() -> None:
    spots = [LISBON, (38.80, -9.38), PORTO, MADRID]
    assert inside(lisbon(), HideScope(), spots).tolist() == [True, True, False, False]
    assert inside(lisbon(), HideScope(300), spots).tolist() == [True, True, True, False]
    assert inside(lisbon(), HideScope(level="country"), spots).tolist() == [True, True, True, False]
    assert inside(lisbon(), HideScope(), []).tolist() == []


def test_what_is_hidden_has_the_name_of_its_level() -> None:
    for width in (HideScope(), HideScope(400), HideScope(level="cell"), HideScope(level="city")):
        assert hidden_name(lisbon(), width) == lisbon().label == "Cascais, Portugal"
    assert hidden_name(lisbon(), HideScope(level="region")) == "Lisbon region, Portugal"
    assert hidden_name(lisbon(), HideScope(level="country")) == "Portugal"


def test_two_towns_of_a_hidden_country_are_one_country() -> None:
    towns = places_of([photo("a", LISBON), photo("b", PORTO), photo("c", MADRID)]).places
    assert {hidden_name(town, HideScope(level="country")) for town in towns} == {
        "Portugal",
        "Spain",
    }
    border = AlbumPlace("Valença", 42.0, -8.6, (0,), ((42.02, -8.64), (42.1, -8.64)))
    assert hidden_name(border, HideScope(level="country")) == "Portugal and Spain"


def test_a_country_said_keeps_its_name() -> None:
    (all_of_it,) = places_of([photo("a", PORTO)], at=[place("Portugal")]).places
    for level in (None, "cell", "region", "country"):
        assert hidden_name(all_of_it, HideScope(level=level)) == "Portugal"


def test_nonsense_is_refused() -> None:
    for bad in ({"level": "street"}, {"level": "city", "radius_km": 40.0}, {"radius_km": -1.0}):
        with pytest.raises(InputError):
            HideScope(**bad)
