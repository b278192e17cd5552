"""Photos without a position, placed by the photos around them in time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from elsewhere.album.metadata import Metadata
from elsewhere.album.places import places_by_time

LISBON, TOKYO = (38.72, -9.14), (35.68, 139.76)
NOON = datetime(2024, 5, 1, 12)


def taken(hours: float, position: tuple[float, float] | None = None) -> Metadata:
    return Metadata(position, NOON + timedelta(hours=hours))


@pytest.mark.parametrize("hours", [-2.9, 0, 2.9])
def test_beside_a_photo_with_a_position(hours: float) -> None:
    assert places_by_time([taken(0, LISBON), taken(hours)], {0: 7}) == {1: 7}


@pytest.mark.parametrize("hours", [-3.1, 3.1, 1000])
def test_too_far_from_any(hours: float) -> None:
    assert places_by_time([taken(0, LISBON), taken(hours)], {0: 7}) == {}


def test_neighbours_that_disagree_place_nothing() -> None:
    photos = [taken(0, LISBON), taken(2, TOKYO), taken(0.1)]
    assert places_by_time(photos, {0: 0, 1: 1}) == {}
    assert places_by_time(photos, {0: 0, 1: 0}) == {2: 0}


def test_between_two_photos_of_one_place() -> None:
    photos = [taken(0, LISBON), taken(18, LISBON), taken(9)]
    assert places_by_time(photos, {0: 0, 1: 0}) == {2: 0}
    assert places_by_time(photos, {0: 0, 1: 1}) == {}
    assert places_by_time([taken(0, LISBON), taken(26, LISBON), taken(13)], {0: 0, 1: 0}) == {}


def test_a_clock_without_a_zone_is_compared_with_clocks() -> None:
    """Nine o'clock beside nine o'clock in Tokyo, though in Greenwich it is midnight."""
    photos = [taken(0, TOKYO), taken(-9, LISBON), taken(0.2)]
    assert places_by_time(photos, {0: 0, 1: 1}) == {2: 0}


def test_a_time_with_a_zone_is_compared_by_the_moment() -> None:
    japan = timezone(timedelta(hours=9))
    at_nine_in_tokyo = Metadata(None, NOON.replace(tzinfo=japan))
    photos = [taken(0, TOKYO), taken(0, LISBON), at_nine_in_tokyo]
    assert places_by_time(photos, {0: 0, 1: 1}) == {2: 0}


def test_google_tells_universal_time_whatever_the_place() -> None:
    google = Metadata(TOKYO, datetime(2024, 5, 1, 3, tzinfo=UTC))  # noon in Tokyo
    assert places_by_time([google, taken(0.5)], {0: 0}) == {1: 0}
    assert places_by_time([google, taken(-9)], {0: 0}) == {}


def test_a_date_without_an_hour_stands_for_its_day() -> None:
    day = Metadata(None, datetime(2024, 5, 1))
    assert places_by_time([taken(-5, LISBON), taken(5, LISBON), day], {0: 0, 1: 0}) == {2: 0}
    assert places_by_time([taken(-5, LISBON), taken(5, TOKYO), day], {0: 0, 1: 1}) == {}
    # and as a neighbour it says nothing about an hour
    midnight = Metadata(LISBON, datetime(2024, 5, 1))
    assert places_by_time([midnight, taken(-11)], {0: 0}) == {}


def test_without_any_time_there_is_nothing_to_go_by() -> None:
    assert places_by_time([Metadata(LISBON), taken(0)], {0: 0}) == {}
    assert places_by_time([taken(0, LISBON), Metadata()], {0: 0}) == {}
    assert places_by_time([], {}) == {}
