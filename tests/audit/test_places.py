"""Guesses as places: the first circles by hand, ranks, names, and what photos' circles hold."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.audit import Guess, Truth, audit
from elsewhere.audit.places import (
    MAX_RANK,
    PlaceGuesses,
    place_guesses,
    probabilities_of,
    total_of,
)
from elsewhere.checker.attacks import first_circles
from elsewhere.checker.circles import Points, chord_of, directions
from elsewhere.globe import Cells, between_km, place
from elsewhere.scorers.protocol import combine_rows
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores

LEAVES = Cells.leaves()
EXPONENTS = {1: 1.0, 4: 0.5}
LISBON, PORTO, PARIS = ((place(name).lat, place(name).lon) for name in ("Lisbon", "Porto", "Paris"))


def rows(*beliefs: dict[tuple[float, float], float]) -> np.ndarray:
    """A row for each photo: so much more than elsewhere around each place."""
    lats, lons = LEAVES.points
    made = np.zeros((len(beliefs), LEAVES.count), dtype=np.float32)
    for number, belief in enumerate(beliefs):
        for (lat, lon), height in belief.items():
            made[number] += height * np.exp(-((between_km(lats, lons, lat, lon) / 15) ** 2) / 2)
    return np.asarray(made - np.log(np.exp(made).sum(axis=1, keepdims=True)))


def away(guess: Guess, position: tuple[float, float]) -> float:
    assert guess.lat is not None and guess.lon is not None
    return float(between_km(guess.lat, guess.lon, *position))


def truth(*hidden: tuple[float, float], label: str = "Lisbon, Portugal") -> Truth:
    circles = HiddenCircles(tuple(sorted(hidden)), 25.0)
    return Truth((0,), label, *hidden[0], tuple(sorted(hidden)), circles=circles)


def test_the_first_places_are_what_striking_out_by_hand_gives() -> None:
    values = rows({LISBON: 9, PORTO: 8.5, PARIS: 8}, {LISBON: 8, PARIS: 9})
    probability = np.exp(combine_rows(values, EXPONENTS))
    places = PlaceGuesses(LEAVES, 25.0)
    masses = places.circles.masses(probability)
    centres, held = places.first(probability, 8)
    left, lats, lons = masses.copy(), *LEAVES.points
    for centre, mass in zip(centres.tolist(), held.tolist(), strict=True):
        assert left.argmax() == centre
        assert mass == masses[centre]
        left[between_km(lats, lons, lats[centre], lons[centre]) <= 50.0] = -1
    total = total_of(values, [0, 1])
    assert probabilities_of(total, 0.75) == pytest.approx(np.exp(0.75 * total - np.log(
        np.exp(0.75 * total).sum())))  # fmt: skip


@pytest.mark.parametrize("name", ["Gdańsk", "Lisbon", "Cairo", "Osaka", "Quito", "Suva"])
def test_no_rank_is_worse_than_that_of_circles_centred_anywhere(name: str) -> None:
    points, town = Points(*LEAVES.points), place(name)
    home = (town.lat + 0.15, town.lon - 0.2)
    places = place_guesses(LEAVES, 25.0, (home,))
    rng = np.random.default_rng(town.population)
    lats, lons = LEAVES.points
    for height in (2.0, 4.0, 6.0, 8.0):
        row = rng.normal(0, 1.5, LEAVES.count)
        row += height * np.exp(-((between_km(lats, lons, *home) / 40) ** 2) / 2)
        probability = probabilities_of(row, 1.0)
        (at,) = directions([home[0]], [home[1]])
        circles = first_circles(points, probability, 25.0, 10)
        near = [bool(np.linalg.norm(centre - at) <= chord_of(25.0)) for centre in circles]
        rank = places.rank(places.first(probability, MAX_RANK)[0])
        assert rank <= (near.index(True) + 1 if any(near) else MAX_RANK + 1)


def test_an_audit_of_places() -> None:
    scores = Scores(rows({LISBON: 9, PORTO: 7}, {LISBON: 4, PARIS: 9}, {PARIS: 7}),
                    grid=LEAVES.fingerprint)  # fmt: skip
    found = audit(scores, truth(LISBON), exponents=EXPONENTS)
    assert (found.radius_km, found.rank_limit) == (25.0, MAX_RANK)
    assert found.truth is not None
    names = [guess.name for guess in found.guesses[:3]]
    assert set(names[:2]) == {"Paris, France", "Lisbon, Portugal"}
    assert found.truth.rank == names.index("Lisbon, Portugal") + 1
    assert found.alone[0].rank == 1
    assert found.alone[0].guesses[0].name == "Lisbon, Portugal"
    lats, lons = LEAVES.points
    near = between_km(lats, lons, *LISBON) <= 25.0
    likely = np.exp(combine_rows(scores.values, EXPONENTS))
    assert found.truth.probability == pytest.approx(likely[near].sum())
    assert found.truth.within[0].km == 25.0
    assert found.truth.within[0].chance == pytest.approx(found.truth.probability)
    assert found.truth.within[0].at_most >= found.truth.within[0].chance
    for curve in (found.truth.album_order, found.truth.worst_order):
        assert curve.ranks[-1] == found.truth.rank
        assert curve.probabilities[-1] == pytest.approx(found.truth.probability)
    assert found.truth.worst_order.order[0] == 0
    shares = found.truth.shares
    assert shares.gains[0] < 0 < shares.gains[2]
    assert sum(shares.gains) == pytest.approx(shares.total)
    assert all(away(rival, LISBON) > 75 for rival in shares.rivals)
    assert not shares.from_plan


def test_a_photos_share_is_what_its_own_circles_hold() -> None:
    values = rows({LISBON: 9, PORTO: 7}, {LISBON: 4, PARIS: 9})
    places = place_guesses(LEAVES, 25.0, (LISBON,))
    centres = [int(LEAVES.locate(*spot)) for spot in (LISBON, PARIS)]
    table = places.table(values, [1, 0], centres)
    for photo, row in zip((1, 0), table.tolist(), strict=True):
        held = places.circles.masses(np.exp(values[photo].astype(np.float64)))
        assert row == pytest.approx(np.log(held[centres]), rel=1e-6)
    scores = Scores(values, grid=LEAVES.fingerprint)
    asked = audit(scores, truth(LISBON), rivals=[centres[1]], margin=0.1).truth
    assert asked is not None
    assert asked.shares.from_plan
    assert [rival.name for rival in asked.shares.rivals] == ["Paris, France"]


def test_beyond_the_limit_a_place_has_no_rank() -> None:
    scores = Scores(rows({PARIS: 12}), grid=LEAVES.fingerprint)
    lonely = (-52.0, -70.0)
    found = audit(scores, truth(lonely, label="far away"))
    assert found.truth is not None
    assert found.truth.rank == MAX_RANK + 1
    assert found.alone[0].rank == MAX_RANK + 1


@pytest.mark.parametrize("position", [(-0.5, -150.0), (72.0, 100.0), (20.0, 20.0)])
def test_where_no_point_is_near_the_nearest_cell_stands_for_the_place(
    position: tuple[float, float],
) -> None:
    lats, lons = LEAVES.points
    km = between_km(lats, lons, *position)
    assert km.min() > 25.0
    nearest = int(km.argmin())
    sure = np.full(LEAVES.count, 1e-9)
    sure[nearest] = 1.0
    places = PlaceGuesses(LEAVES, 25.0, (position,))
    assert places.rank(places.first(sure, MAX_RANK)[0]) == 1
    assert places.within(sure) == pytest.approx(1.0, abs=1e-3)


def test_a_centre_between_a_photo_and_the_only_point_in_reach() -> None:
    lats, lons = LEAVES.points
    inland = int(LEAVES.locate(20.0, 20.0))
    position = (float(lats[inland]) + 40 / 111.195, float(lons[inland]))
    km = between_km(lats, lons, *position)
    assert 25 < km.min() < 50
    places = PlaceGuesses(LEAVES, 25.0, (position,))
    sure = np.full(LEAVES.count, 1e-9)
    sure[inland] = 1.0
    centres, masses = places.first(sure, 3)
    assert masses[0] == pytest.approx(1.0)
    (first,) = places.guesses(centres[:1], masses[:1])
    assert away(first, position) <= 25.0
    assert places.rank(centres) == 1


def test_only_what_is_possible_counts() -> None:
    scores = Scores(rows({PARIS: 12, LISBON: 6}), grid=LEAVES.fingerprint)
    lats, lons = LEAVES.points
    iberia = np.flatnonzero(between_km(lats, lons, 40.0, -5.0) < 600).tolist()
    found = audit(scores, truth(LISBON), among=iberia)
    assert found.truth is not None
    assert found.truth.rank == 1
    assert found.guesses[0].name == "Lisbon, Portugal"


def test_a_large_city_is_called_by_its_own_name() -> None:
    dubai, paris = place("Dubai"), place("Paris")
    for town, north in ((dubai, 0.1), (dubai, -0.05), (paris, 0.12), (paris, -0.1)):
        row = rows({(town.lat + north, town.lon + 0.05): 12})
        found = audit(Scores(row, grid=LEAVES.fingerprint), radius_km=25.0)
        assert found.guesses[0].name == town.label
        assert found.truth is None and found.rank_limit is None


def test_coarse_cells_stay_cells() -> None:
    coarse = Cells.paper()
    scores = Scores(np.zeros((1, coarse.count)), grid=coarse.fingerprint)
    assert audit(scores, radius_km=25.0).radius_km is None
