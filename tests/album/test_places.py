"""Where an album was taken."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings, strategies as st

from elsewhere import messages
from elsewhere.album.places import likely_home, places_of
from elsewhere.globe import place
from tests.service.makers import NOON, photo

LISBON, SINTRA, PARIS = (38.72, -9.14), (38.797, -9.390), (48.8566, 2.3522)

where = st.sampled_from([None, LISBON, SINTRA, PARIS, (-16.8, 179.95), (-16.8, -179.95)])
when = st.one_of(st.none(), st.integers(0, 200).map(lambda hours: NOON + timedelta(hours=hours)))
albums = st.lists(st.tuples(where, when), min_size=1, max_size=15).map(
    lambda told: [photo(f"{n}.jpg", *one) for n, one in enumerate(told)]
)


@given(albums)
def test_every_photo_is_at_one_place_or_nowhere(photos) -> None:  # type: ignore[no-untyped-def]
    found = places_of(photos)
    told = [n for one in found.places for n in one.photos] + list(found.unplaced)
    assert sorted(told) == list(range(len(photos)))
    assert len({one.label for one in found.places}) == len(found.places)
    for one in found.places:
        assert set(one.by_time) <= set(one.photos)
        assert all(photos[n].metadata.position is None for n in one.by_time)
        assert {photos[n].metadata.position for n in set(one.photos) - set(one.by_time)} == set(
            one.positions
        )
    sizes = [len(one.photos) for one in found.places]
    assert sizes == sorted(sizes, reverse=True)


@settings(max_examples=40)
@given(albums, st.randoms(use_true_random=False))
def test_the_order_of_the_photos_does_not_matter(photos, draw) -> None:  # type: ignore[no-untyped-def]
    order = list(range(len(photos)))
    draw.shuffle(order)
    told = places_of(photos)
    shuffled = places_of([photos[n] for n in order])
    assert {(one.label, one.lat, one.lon, frozenset(one.photos)) for one in told.places} == {
        (one.label, one.lat, one.lon, frozenset(order[n] for n in one.photos))
        for one in shuffled.places
    }


def test_two_visits_are_one_place_and_a_suburb_belongs_to_it() -> None:
    photos = [photo("a", LISBON, NOON), photo("b", PARIS), photo("c", SINTRA), photo("d", LISBON)]
    found = places_of(photos)
    assert [(one.label, one.photos) for one in found.places] == [
        ("Lisbon, Portugal", (0, 2, 3)),
        ("Paris, France", (1,)),
    ]


def test_a_place_has_the_name_that_people_know() -> None:
    """A quarter is called after its city, and a ride into the country does not rename the city."""
    found = places_of([photo("a", (25.19, 55.27)), photo("b", (25.08, 55.14))])
    assert [one.label for one in found.places] == ["Dubai, United Arab Emirates"]
    city, ride = (24.58, 73.68), (24.77, 73.90)
    found = places_of([photo(f"{n}", ride if n > 2 else city) for n in range(5)])
    assert [one.label for one in found.places] == ["Udaipur, Rajasthan, India"]


def test_places_called_alike_are_told_apart() -> None:
    one, other = (-32.15, -109.43), (-22.15, -109.43)  # at sea, as far from Easter Island
    found = places_of([photo("a", one), photo("b", other), photo("c", other)])
    assert [(place.label, place.photos) for place in found.places] == [
        ("a place 556 km from Hanga Roa, Chile", (1, 2)),
        ("a place 556 km from Hanga Roa, Chile (2)", (0,)),
    ]


def test_what_the_user_says_comes_first() -> None:
    photos = [photo("a", PARIS), photo("b"), photo("c", SINTRA)]
    found = places_of(photos, at=[place("Lisbon")])
    (lisbon,) = found.places
    assert (lisbon.label, lisbon.photos, found.unplaced) == ("Lisbon, Portugal", (0, 1, 2), ())
    assert SINTRA in lisbon.positions and PARIS not in lisbon.positions
    assert (place("Lisbon").lat, place("Lisbon").lon) in lisbon.positions
    assert tuple(map(messages.note, found.notes)) == (
        "1 photo says it was taken more than 50 km from Lisbon, Portugal: what you said counts, "
        "not the position in the file",
    )


def test_a_coordinate_is_called_after_its_town() -> None:
    (only,) = places_of([photo("a")], at=[place("38.72, -9.14")]).places
    assert (only.label, only.positions) == ("Lisbon, Portugal", ((38.72, -9.14),))


def test_a_country_given_as_the_place_is_all_of_it() -> None:
    (only,) = places_of([photo("a"), photo("b", LISBON)], at=[place("Portugal")]).places
    assert only.area == place("Portugal")
    assert (only.label, only.photos, only.positions) == ("Portugal", (0, 1), (LISBON,))


def test_of_several_places_given_the_nearest_counts() -> None:
    photos = [photo("a", PARIS), photo("b", SINTRA, NOON), photo("c"), photo("d", None, NOON)]
    found = places_of(photos, at=[place("Lisbon"), place("Paris"), place("Lisbon")])
    assert {one.label: one.photos for one in found.places} == {
        "Lisbon, Portugal": (1, 3),
        "Paris, France": (0,),
    }
    assert found.unplaced == (2,)
    assert not found.notes


def test_nothing_known_is_false() -> None:
    found = places_of([photo("a", None, NOON), photo("b")])
    assert not found
    assert found.unplaced == (0, 1)


def test_home_is_where_photos_were_taken_on_most_days() -> None:
    trip = [photo(f"p{n}", PARIS, NOON + timedelta(minutes=n)) for n in range(5)]
    week = [photo(f"h{n}", LISBON, NOON + timedelta(days=n)) for n in range(3)]
    assert likely_home(places_of(trip + week), trip + week).label == "Lisbon, Portugal"
    timeless = [photo(f"p{n}", PARIS) for n in range(2)] + [photo("h", LISBON)]
    assert likely_home(places_of(timeless), timeless).label == "Paris, France"
