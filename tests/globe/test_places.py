"""What people type: towns, regions and countries in many languages, coordinates, and mistakes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.errors import PlaceError
from elsewhere.globe import Place, place, places


@pytest.mark.parametrize(
    ("text", "label", "kind"),
    [
        ("Lisbon", "Lisbon, Portugal", "city"),
        ("Lisboa", "Lisbon, Portugal", "city"),
        ("  lisboa ", "Lisbon, Portugal", "city"),
        ("LISSABON", "Lisbon, Portugal", "city"),
        ("Лиссабон", "Lisbon, Portugal", "city"),
        ("里斯本", "Lisbon, Portugal", "city"),
        ("Lisbon, Portugal", "Lisbon, Portugal", "city"),
        ("Portugal", "Portugal", "country"),
        ("Deutschland", "Germany", "country"),
        ("España", "Spain", "country"),
        ("日本", "Japan", "country"),
        ("USA", "United States", "country"),
        ("UK", "United Kingdom", "country"),
        ("New York", "New York City, United States", "city"),
        ("Paris", "Paris, France", "city"),
        ("Paris, Texas", "Paris, Texas, United States", "city"),
        ("Springfield, IL", "Springfield, Illinois, United States", "city"),
        ("London, Ontario, Canada", "London, Canada", "city"),
        ("München", "Munich, Germany", "city"),
        ("Muenchen", "Munich, Germany", "city"),
        ("Tuscany", "Tuscany, Italy", "region"),
        ("Bayern", "Bavaria, Germany", "region"),
        ("Scotland", "Scotland, United Kingdom", "region"),
        ("California", "California, United States", "region"),
        ("Singapore", "Singapore", "country"),
        ("Mexico", "Mexico", "country"),
        ("Sintra", "Sintra, Portugal", "city"),
        ("Porto", "Porto, Portugal", "city"),  # some call a Chinese town so too
    ],
)
def test_names_that_are_clear(text: str, label: str, kind: str) -> None:
    found = place(text)
    assert (found.label, found.kind) == (label, kind)


@pytest.mark.parametrize(
    "text",
    [
        "38.72, -9.14",
        "38.72,-9.14",
        "38.72 -9.14",
        "38.72; −9.14",
        "geo:38.72,-9.14",
        "38.72N 9.14W",
        "9.14 W, 38.72 N",
        "38°43'12\"N 9°8'24\"W",
        "38° 43.2' N, 9° 8.4' W",
    ],
)
def test_coordinates(text: str) -> None:
    found = place(text)
    assert found.kind == "coordinate"
    assert [found.lat, found.lon] == pytest.approx([38.72, -9.14])
    assert places(text) == (found,)


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_any_coordinate_comes_back(lat: float, lon: float) -> None:
    found = place(f"{lat:.6f}, {lon:.6f}")
    assert [found.lat, found.lon] == pytest.approx([lat, lon], abs=1e-6)


@pytest.mark.parametrize("text", ["95, 10", "-90.5 0", "10N 20S", "10E 20E"])
def test_coordinates_that_are_none(text: str) -> None:
    with pytest.raises(PlaceError, match="latitude"):
        place(text)


def test_ambiguous_names_give_a_short_list_most_populous_first() -> None:
    with pytest.raises(PlaceError, match="'Springfield' could be Springfield, Missouri") as told:
        place("Springfield")
    assert "add its region or country after a comma" in str(told.value)
    people = [choice.population for choice in told.value.choices if isinstance(choice, Place)]
    assert len(people) == len(told.value.choices) >= 3
    assert people == sorted(people, reverse=True)
    assert len(places("Springfield")) <= 8
    assert len(places("Springfield", limit=2)) == 2


def test_a_name_at_home_counts_more_than_one_abroad() -> None:
    """Florence is larger than the Colombian Florencia, but only Spaniards call it so."""
    assert [str(found) for found in places("Florencia")][:2] == [
        "Florencia, Colombia",
        "Florence, Italy",
    ]


def test_a_country_and_a_state_of_one_name_are_told_apart() -> None:
    with pytest.raises(PlaceError, match=r"\(the region\); Georgia \(the country\)"):
        place("Georgia")


def test_a_region_comes_after_the_town_it_is_named_after() -> None:
    assert [found.kind for found in places("Lisbon")][:2] == ["city", "region"]


def test_every_choice_can_be_had_by_its_label() -> None:
    for choice in places("Springfield"):
        assert choice in places(choice.label)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Lisbonn", "Lisbon, Portugal"),
        ("Lissabonn", "Lisbon, Portugal"),
        ("Lsbon", "Lisbon, Portugal"),
        ("Wiein", "Vienna, Austria"),
        ("Portugl", "Portugal"),
    ],
)
def test_unknown_names_get_suggestions(text: str, meant: str) -> None:
    assert places(text) == ()
    with pytest.raises(PlaceError, match=f"no place is called '{text}': did you mean") as told:
        place(text)
    assert meant in [str(choice) for choice in told.value.choices]
    assert "\n" not in str(told.value)


def test_a_name_in_the_wrong_country_is_unknown() -> None:
    with pytest.raises(PlaceError, match=r"^europe is a continent.*give a country, a region or"):
        place("europe")
    with pytest.raises(PlaceError, match="no place is called 'Lisbon, Japan': did you mean Lisbon"):
        place("Lisbon, Japan")


@pytest.mark.parametrize("text", ["", "  ", ",", "---", "\x00"])
def test_nothing_is_no_place(text: str) -> None:
    with pytest.raises(PlaceError, match="give a town"):
        place(text)


@given(st.text(max_size=40))
@settings(max_examples=40)
def test_whatever_is_typed_gives_a_place_or_one_sentence(text: str) -> None:
    try:
        found = place(text)
    except PlaceError as told:
        assert "\n" not in str(told)
    else:
        assert found.label


@pytest.mark.parametrize("text", ["38,72, -9,14", "38,72;-9,14", " 38,72 -9,14 "])
def test_decimal_commas_are_known_for_what_they_are(text: str) -> None:
    with pytest.raises(PlaceError, match=r"has decimal commas: write 38\.72, -9\.14$"):
        place(text)
