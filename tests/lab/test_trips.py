"""Trips: what is kept of them, the circles an attacker guesses, and the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError
from elsewhere.globe.circles import cosine
from elsewhere.globe.coordinates import unit_vector
from elsewhere_lab import experiments
from elsewhere_lab.experiments import trips as experiment
from elsewhere_lab.page import markdown
from elsewhere_lab.sources import Simulator
from elsewhere_lab.trips import ATTACKERS, DINO, EMBEDDED, LIST, LOOK_UP, FirstCircles, Trips
from elsewhere_lab.values import SCALES, Row

FOLDER = Path(__file__).parents[2] / "benchmarks" / "trips"
TRIPS = Trips(FOLDER)


@pytest.fixture(scope="module")
def first() -> FirstCircles:
    return FirstCircles(25.0)


def test_the_kept_file_is_small_and_of_the_trips_in_the_list() -> None:
    assert (FOLDER / ATTACKERS).stat().st_size <= 6_000_000
    entries = TRIPS.entries()
    assert len(entries) >= 100
    sources = [source for source, _ in entries]
    assert max(map(sources.count, sources)) <= len(entries) / 3
    for _, rows in entries:
        assert 6 <= len(rows) <= 35
        unit = unit_vector(*TRIPS.positions(rows).T)
        assert (unit @ unit.T).min() >= cosine(52.0)  # positions are rounded


def test_a_file_of_other_photos_is_refused(tmp_path: Path) -> None:
    (tmp_path / LIST).write_text("trip,source,photo\n0,mine,a.jpg\n", "utf-8")
    (tmp_path / ATTACKERS).write_bytes((FOLDER / ATTACKERS).read_bytes())
    with pytest.raises(FileError, match=r"is not of the photos of trips\.csv"):
        Trips(tmp_path).entries()
    with pytest.raises(FileError, match="cannot be read"):
        _ = Trips(tmp_path / "nowhere").digests


@pytest.mark.parametrize("attacker", [EMBEDDED, DINO, LOOK_UP])
def test_every_attacker_has_probabilities_of_all_leaves(attacker: str) -> None:
    scores = TRIPS.scores(attacker, [0, 700])
    assert scores.shape == (2, 36_000)
    assert np.exp(scores).sum(axis=1) == pytest.approx(1)


def test_circles_anywhere_hold_at_least_what_circles_on_leaves_do(first: FirstCircles) -> None:
    probability = np.exp(TRIPS.scores(EMBEDDED, [0]))[0]
    anywhere = first.anywhere(probability, 5)
    held = [probability[first.circles.unit @ centre >= cosine(25.0)].sum() for centre in anywhere]
    assert held == sorted(held, reverse=True)
    on_leaves = first.on_leaves(probability, 5)
    assert held[0] >= first.circles.masses(probability)[on_leaves[0]] - 1e-9
    for centres in (anywhere, first.circles.unit[on_leaves]):
        apart = centres @ centres.T
        assert (apart[~np.eye(5, dtype=bool)] < cosine(50.0)).all()


def test_what_is_struck_out_is_not_guessed(first: FirstCircles) -> None:
    probability = np.exp(TRIPS.scores(EMBEDDED, [0]))[0]
    before = first.on_leaves(probability, 6)
    assert first.on_leaves(probability, 1, before[:5]) == before[5:]


def test_a_trip_is_planned_attacked_and_counted() -> None:
    smallest = min(range(20), key=lambda i: len(TRIPS.entries()[i][1]))
    trip = experiment._Trip(TRIPS, smallest)
    everything = np.ones(trip.photos, dtype=bool)
    hits = trip.attack(everything)
    assert set(hits) == set(experiment.ATTACKS)
    assert trip.attack(None) == dict.fromkeys(experiment.ATTACKS, 0.0)
    kept, status = trip.plan(*experiment.PLANS[experiment.FIRST])
    if kept is None:
        assert status in {"infeasible", "unknown"}
    else:
        after = trip.attack(kept)
        assert after[EMBEDDED] == after["exponent 1/n"] == after["exponent 1"] == 0
        assert after["any photo alone"] == 0


def test_a_trip_without_a_plan_counts_as_all_withheld() -> None:
    def row(trip: int, kept: int | None) -> Row:
        hits = dict.fromkeys(experiment.ATTACKS, 0.0)
        return {
            "trip": trip, "photos": 10, "endangered": trip, "way": experiment.FIRST,
            "withheld": 10 if kept is None else 10 - kept, "no plan": int(kept is None), **hits,
        }  # fmt: skip

    numbers = list(experiment.summarise_trips([row(0, 8), row(1, None)]))
    table = markdown(numbers, as_counts=True).splitlines()
    assert table[2].startswith(
        "| k = 5, each photo 5 | 0.60 ± 0.78 | 1 (9 to 91 %) | 0 (0 to 66 %)"
    )
    assert table[3].startswith("| endangered: k = 5, each photo 5 | 1.00 | 1 (21 to 100 %)")


def test_trips_are_run_on_trips_alone() -> None:
    found = experiments.find("trips")
    assert found.obstacle(TRIPS) is None
    assert found.obstacle(Simulator()) == "trips is only run on trips (--source benchmarks/trips)"
    assert "worst is only run on the simulator" in str(experiments.find("worst").obstacle(TRIPS))
    parts = found.parts(TRIPS, SCALES["small"])
    assert [len(part.settings["trips"]) for part in parts] == [4, 4]
