"""A made-up album of 120 photos from four cities, one of them or all hidden, as described."""

from __future__ import annotations

import time

import numpy as np
import pytest

import elsewhere
from elsewhere.album.places import Places, places_of
from elsewhere.globe import Cells, distance_km
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, texts, trip

VISITS = [
    Stay("Lisbon", 25, 0),
    Stay("Paris", 29, 3),
    Stay("Berlin", 25, 5),
    Stay("Prague", 20, 6),
    Stay("Lisbon", 20, 200),
]


@pytest.fixture(scope="module")
def album() -> ScoredAlbum:
    return trip(VISITS, lost=1)


@pytest.fixture(scope="module")
def places(album: ScoredAlbum) -> Places:
    return places_of(album.photos)


@pytest.fixture(scope="module")
def planned(album: ScoredAlbum, places: Places) -> AlbumPlan:
    return plan_album(album, places, Wishes(hide=("Lisbon",)))


def test_two_visits_are_one_place_and_the_lost_photo_is_nowhere(
    album: ScoredAlbum, places: Places
) -> None:
    assert len(album.photos) == 120
    assert {place.label: len(place.photos) for place in places.places} == {
        "Lisbon, Portugal": 45,
        "Paris, France": 29,
        "Berlin, Germany": 25,
        "Prague, Czechia": 20,
    }
    assert places.places[0].photos == (*range(25), *range(99, 119))
    assert places.unplaced == (119,)


def test_only_the_hidden_city_is_watched_and_the_lost_photo_counts(planned: AlbumPlan) -> None:
    assert [place.label for place in planned.hidden] == ["Lisbon, Portugal"]
    assert len(planned.public) == 3
    own, whole = planned.threats
    assert own.sees == (*range(25), *range(99, 120))
    assert (whole.sees, whole.whole) == (None, True)
    assert any(
        "IMG_0119.jpg" in note and "every hidden place" in note for note in texts(planned.notes)
    )


def test_the_truth_is_every_cell_near_any_photo(planned: AlbumPlan) -> None:
    lats, lons = np.array(planned.hidden[0].positions).T
    near = (distance_km(Cells.paper(), lats, lons) <= 25).any(axis=0)
    assert planned.threats[0].zone.cells.tolist() == np.flatnonzero(near).tolist()


def test_the_promise_is_proved_optimal_and_holds(album: ScoredAlbum, planned: AlbumPlan) -> None:
    assert planned.plan.status == "optimal"
    assert planned.top is not None
    assert 5 <= planned.top <= 15
    rows = album.models[0].scores
    assert elsewhere.check(planned.plan, [rows for _ in planned.threats])
    assert planned.plan.withheld
    # the definition by hand: of what is kept, the own photos and the whole album
    zone = planned.threats[0].zone.cells
    kept = np.array(planned.plan.kept)
    for added in (kept[(kept < 25) | (kept >= 99)], kept):
        sums = rows.values[added].astype(float).sum(axis=0)
        assert (np.delete(sums, zone) > sums[zone].max()).sum() >= planned.top


@pytest.mark.parametrize("top", [5, 10, 15])
def test_within_five_seconds_of_processor_time(
    album: ScoredAlbum, places: Places, top: int
) -> None:
    """Other work may go on here, so that the clock on the wall would tell about that."""
    wishes = Wishes(hide=("Lisbon",), top=top, exact_top=True)
    began = time.process_time()
    planned = plan_album(album, places, wishes)
    assert time.process_time() - began < 5
    assert planned.plan.status == "optimal"


@pytest.mark.parametrize("top", [5, 10, 15])
def test_all_four_cities_are_hidden_as_it_is_asked_for_by_default(
    album: ScoredAlbum, places: Places, top: int
) -> None:
    wishes = Wishes(top=top, exact_top=True, work_limit=20_000)
    planned = plan_album(album, places, wishes)
    assert len(planned.threats) == 8
    assert planned.plan.status == "optimal"


def test_all_four_cities_together_are_proved_for_the_top_five(
    album: ScoredAlbum, places: Places
) -> None:
    """The cities' photos hide one another: each city by itself asks for 15 in all, the whole
    album for 1, and both together for 18. The tree alone took 51,000 to see that.
    """
    wishes = Wishes(top=5, exact_top=True, each_photo=False, work_limit=25_000)
    plan = plan_album(album, places, wishes).plan
    assert (plan.status, plan.cost) == ("optimal", 18)


def test_stopped_early_the_gap_of_the_top_ten_is_far_smaller(
    album: ScoredAlbum, places: Places
) -> None:
    """48 withheld against a bound of 25, before attackers were asked at prices."""
    wishes = Wishes(top=10, exact_top=True, each_photo=False, work_limit=25_000)
    plan = plan_album(album, places, wishes).plan
    assert plan.cost <= 39
    assert plan.bound >= 26
