"""Which places of an album are hidden."""

from __future__ import annotations

from datetime import timedelta

import pytest

from elsewhere.album.places import Places, places_of
from elsewhere.errors import PlaceError
from elsewhere.globe import place
from elsewhere.service.selection import select_places
from tests.service.makers import NOON, photo, texts

LISBON, PORTO, PARIS, ILLINOIS = (38.72, -9.14), (41.15, -8.61), (48.8566, 2.3522), (39.80, -89.65)
PHOTOS = [
    photo("a", LISBON, NOON),
    photo("b", PORTO, NOON),
    photo("c", PARIS, NOON),
    photo("d", PARIS, NOON + timedelta(days=1)),
    photo("e", ILLINOIS),
]
PLACES = places_of(PHOTOS)


def hidden(*wanted: str, places: Places = PLACES) -> set[str]:
    found = select_places(places, PHOTOS, wanted)
    labels = {one.label for one in found.hidden}
    assert labels | {one.label for one in found.public} == {one.label for one in places.places}
    assert not labels & {one.label for one in found.public}
    return {label.split(",")[0] for label in labels}


@pytest.mark.parametrize(
    ("wanted", "towns"),
    [
        (("all",), {"Lisbon", "Porto", "Paris", "Springfield"}),
        (("home",), {"Paris"}),
        (("Lisboa",), {"Lisbon"}),
        (("Portugal",), {"Lisbon", "Porto"}),
        (("Lisbon", "Oporto"), {"Lisbon", "Porto"}),
        (("38.7, -9.2",), {"Lisbon"}),
        (("Île-de-France",), {"Paris"}),
        (("Versailles",), {"Paris"}),
        # the album says which of the world's Springfields
        (("Springfield",), {"Springfield"}),
        (("springfield, illinois, united states",), {"Springfield"}),
    ],
)
def test_what_a_wish_hides(wanted: tuple[str, ...], towns: set[str]) -> None:
    assert hidden(*wanted) == towns


def test_home_is_said_aloud() -> None:
    assert texts(select_places(PLACES, PHOTOS, ["home"]).notes) == (
        "home is taken to be Paris, France, the place with photos on the most days",
    )


def test_what_a_place_is_called_here_is_said_where_the_user_calls_it_otherwise() -> None:
    for word in ("Paris", "paris, france", "France", "all"):
        assert select_places(PLACES, PHOTOS, [word]).notes == ()
    assert texts(select_places(PLACES, PHOTOS, ["Versailles"]).notes) == (
        "Versailles stands for Paris, France in this album",
    )


def test_a_name_that_means_no_place_of_the_album_lists_those_there_are() -> None:
    with pytest.raises(PlaceError, match="'Rome' is not one of the album's places: those are Par"):
        hidden("Rome")
    with pytest.raises(PlaceError, match=r"'Xyzzyx' is not .* no place is called so, and those"):
        hidden("Xyzzyx")
    with pytest.raises(PlaceError) as told:
        hidden("Rome")
    assert told.value.choices == PLACES.places


def test_two_towns_of_one_name_in_one_album() -> None:
    photos = [photo("a", ILLINOIS), photo("b", (37.21, -93.29))]
    with pytest.raises(PlaceError, match=r"could be Springfield, Missouri.* or Springfield, Ill"):
        select_places(places_of(photos), photos, ["Springfield"])


def test_places_with_a_number_have_it_as_their_name() -> None:
    town = place("Hanga Roa")
    north, south = (town.lat + 5, town.lon), (town.lat - 5, town.lon)
    photos = [photo("a", north), photo("b", south), photo("c", south)]
    label = "a place 556 km from Hanga Roa, Chile (2)"
    (only,) = select_places(places_of(photos), photos, [label]).hidden
    assert only.photos == (0,)


def test_a_country_given_as_the_place_answers_to_its_towns() -> None:
    photos = [photo("a")]
    told = places_of(photos, at=[place("Portugal")])
    for name in ("Portugal", "Lisbon"):
        assert select_places(told, photos, [name]).hidden == told.places
    with pytest.raises(PlaceError):
        select_places(told, photos, ["Madrid"])
