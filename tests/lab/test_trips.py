"""Trips: what is kept of them, the circles an attacker guesses, and the table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elsewhere.errors import FileError
from elsewhere.globe import Cells
from elsewhere.globe.circles import cosine
from elsewhere.globe.coordinates import unit_vector
from elsewhere_lab import experiments
from elsewhere_lab.experiments import trip_sharing as sharing, trips as experiment
from elsewhere_lab.experiments.trip_attackers import (
    AVERAGED,
    CANDIDATES,
    FEATURES,
    HALVES,
    REPEATS_ONCE,
    TRAINED,
    write_candidates,
)
from elsewhere_lab.page import format_tables, markdown
from elsewhere_lab.sources import Simulator
from elsewhere_lab.trips import ATTACKERS, DINO, EMBEDDED, LIST, LOOK_UP, FirstCircles, Trips
from elsewhere_lab.values import SCALES, Number, Row

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
    trip = sharing.Trip(TRIPS, smallest)
    everything = np.ones(trip.photos, dtype=bool)
    hits = trip.attack(everything)
    assert set(hits) == set(sharing.ATTACKS)
    assert trip.attack(None) == dict.fromkeys(sharing.ATTACKS, 0.0)
    more = {*sharing.MORE_ATTACKS, CANDIDATES}
    assert set(trip.attack_more(everything)) == set(trip.attack_more(None)) == more
    kept, status = trip.plan(sharing.PLANS[sharing.FIRST])
    if kept is None:
        assert status in {"infeasible", "unknown"}
    else:
        after = trip.attack(kept)
        assert after[EMBEDDED] == after["exponent 1/n"] == after["exponent 1"] == 0
        assert after["any photo alone"] == 0


class MadeTrips:
    """One trip of six photos, as three models see it, each in a way of its own."""

    def __init__(self) -> None:
        points = Cells.leaves().points
        unit = unit_vector(*points)
        self.place = 20_000
        chosen: list[int] = []
        for leaf in range(0, 36_000, 97):
            near = unit[[self.place, *chosen]] @ unit[leaf]
            if (near < cosine(500.0)).all() and len(chosen) < 15:
                chosen.append(leaf)
        self.rivals = chosen
        self.where = np.array([[points[0][self.place], points[1][self.place]]])
        self.told: dict[str, dict[int, float]] = {EMBEDDED: {}, DINO: {}, LOOK_UP: {}}
        """By model and photo, what the place has; every rival has .03."""
        self.rival = {EMBEDDED: 0.03, DINO: 0.03, LOOK_UP: 0.03}

    def entries(self) -> list[tuple[str, list[int]]]:
        return [("mine", list(range(6)))]

    def positions(self, rows: list[int]) -> np.ndarray:
        return np.repeat(self.where, len(rows), axis=0)

    def exponent(self, photos: int) -> float:
        return 1 / float(np.sqrt(photos))

    def scores(self, model: str, rows: list[int]) -> np.ndarray:
        every = np.full((len(rows), 36_000), 1e-6)
        every[:, self.rivals] = self.rival[model]
        for number, row in enumerate(rows):
            every[number, self.place] = self.told[model].get(row, 1e-6)
        return np.asarray(np.log(every / every.sum(axis=1, keepdims=True)))

    def mean_elsewhere(self, source: str) -> np.ndarray:
        return np.full(36_000, 1 / 36_000)


def withheld(made: MadeTrips, way: sharing.Way) -> list[int]:
    kept, status = sharing.Trip(made, 0).plan(way)  # type: ignore[arg-type]
    assert kept is not None, status
    return np.flatnonzero(~kept).tolist()


def test_a_plan_is_about_the_models_that_it_asks() -> None:
    made = MadeTrips()
    made.told[EMBEDDED][0] = made.told[DINO][1] = made.told[LOOK_UP][2] = 0.5
    asked = {
        (EMBEDDED,): [0],
        (EMBEDDED, DINO): [0, 1],
        (EMBEDDED, LOOK_UP): [0, 2],
        (DINO, LOOK_UP): [1, 2],
        (EMBEDDED, DINO, LOOK_UP): [0, 1, 2],
    }
    for models, out in asked.items():
        assert withheld(made, sharing.Way(5, 5, asked=models)) == out
    named = {way.asked for way in sharing.PLANS.values()}
    assert named == set(asked)
    assert all(way.radius == 25.0 for way in sharing.PLANS.values() if way.asked != (EMBEDDED,))
    for model, pair in experiment.UNASKED.items():
        assert model not in sharing.PLANS[pair].asked


def test_doubt_lowers_rivals_where_the_models_differ_and_nothing_else() -> None:
    made = MadeTrips()
    made.told[EMBEDDED][0] = 0.025  # its rivals are ahead by a fifth
    assert withheld(made, sharing.Way(5, 5)) == []
    assert withheld(made, sharing.Way(5, 5, doubt=0.15)) == []  # DINOv2 agrees about rivals
    made.rival[DINO] = 0.0005
    assert withheld(made, sharing.Way(5, 5)) == []
    assert withheld(made, sharing.Way(5, 5, doubt=0.15)) == [0]
    trip = sharing.Trip(made, 0)  # type: ignore[arg-type]
    doubted, scores = trip.doubted(EMBEDDED, 0.15, 25.0), trip.views[EMBEDDED]
    assert (doubted[:, made.place] == scores[:, made.place]).all()
    assert (doubted[:, made.rivals] < scores[:, made.rivals] - 0.15).all()
    assert trip.doubted(EMBEDDED, 0.0, 25.0) is scores


def test_attackers_see_half_of_the_photos_or_repeats_once() -> None:
    made = MadeTrips()
    made.told[EMBEDDED] = {0: 1.0} | dict.fromkeys(range(1, 6), 0.01)
    trip = sharing.Trip(made, 0)  # type: ignore[arg-type]
    # the first photo tells the place and is unlike the five others, which are alike
    trip.views[EMBEDDED][0, made.rivals[6:]] = trip.views[EMBEDDED][0].min()
    everything = np.ones(6, bool)
    assert trip.attack(everything)[EMBEDDED] == 0
    found = trip.attack_more(everything)
    assert found[REPEATS_ONCE] == 1
    assert found[AVERAGED] == 1
    # the first half and every other photo have the first, the second half and the others do not
    assert found[HALVES] == 0.5
    hits = [line.split()[0] for line in str(found[CANDIDATES]).split(";")]
    assert hits.count("1") == 1
    without = trip.attack_more(np.arange(6) > 0)
    assert [without[name] for name in sharing.MORE_ATTACKS] == [0, 0, 0]


def test_the_cheapest_of_the_pairs_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {
        name: np.arange(6) < count for name, count in zip(sharing.PAIRS, (2, 4, 3), strict=True)
    }
    plans = {sharing.PLANS[name]: mask for name, mask in kept.items()}
    monkeypatch.setattr(sharing.Trip, "plan", lambda self, way: (plans.get(way), "optimal"))
    monkeypatch.setattr(sharing.Trip, "plan_cells", lambda self: None)
    monkeypatch.setattr(
        sharing.Trip, "attack", lambda self, *_, **__: dict.fromkeys(sharing.ATTACKS, 0.0)
    )
    monkeypatch.setattr(sharing.Trip, "attack_more", lambda self, kept: {})
    rows = {row["way"]: row for row in sharing.Trip(MadeTrips(), 0).rows()}  # type: ignore[arg-type]
    assert rows[sharing.TWO_OF_THREE]["kept"] == "kept 111100"
    assert rows[sharing.DEFAULT]["no plan"] == 1
    plans.clear()
    rows = {row["way"]: row for row in sharing.Trip(MadeTrips(), 0).rows()}  # type: ignore[arg-type]
    assert rows[sharing.TWO_OF_THREE]["no plan"] == 1
    assert set(rows) >= {*sharing.PLANS, *sharing.TRIED_MORE, sharing.NO_PHOTOS_LEAVES}


TWO_CANDIDATES = write_candidates(np.array([True, False]), np.zeros((2, len(FEATURES))))


def made_row(trip: int, kept: int | None, way: str = sharing.FIRST, **hits: float) -> Row:
    every = {**dict.fromkeys((*sharing.ATTACKS, *sharing.MORE_ATTACKS), 0.0), **hits}
    return {
        "trip": trip, "source": "mine", "photos": 10, "endangered": trip % 2, "way": way,
        "withheld": 10 if kept is None else 10 - kept, "no plan": int(kept is None), **every,
        CANDIDATES: "none" if kept is None else TWO_CANDIDATES,
    }  # fmt: skip


def test_a_trip_without_a_plan_counts_as_all_withheld() -> None:
    numbers = list(experiment.summarise_trips([made_row(0, 8), made_row(1, None)]))
    table = markdown(numbers, as_counts=True).splitlines()
    assert table[2].startswith(
        "| k = 5, each photo 5 | 0.60 ± 0.78 | 1 (9 to 91 %) | 0 (0 to 66 %)"
    )
    assert table[3].startswith("| endangered: k = 5, each photo 5 | 1.00 | 1 (21 to 100 %)")


def chances() -> list[Row]:
    """Without photos the places of trips 0 and 3 are guessed, on leaves that of 3 and 4."""
    lines = {sharing.NO_PHOTOS: (0, 3), sharing.NO_PHOTOS_LEAVES: (3, 4)}
    return [
        made_row(trip, None, way, embedded=float(trip in known))
        for way, known in lines.items()
        for trip in range(5)
    ]


def test_chance_is_of_the_same_trips_those_that_have_a_plan_and_lost_photos() -> None:
    plans = [
        made_row(0, 10, excluder=1.0),  # lost nothing
        made_row(1, None, excluder=1.0),  # no plan
        made_row(2, 5, excluder=1.0),
        made_row(3, 4),
        made_row(4, 9, excluder=1.0),
    ]
    numbers = experiment.summarise_trips([*plans, *chances()])
    found = {n.column: n for n in numbers if n.line == experiment.LOST + sharing.FIRST}
    assert {n.count for n in found.values()} == {3}
    assert found[sharing.EXCLUDER].ours == pytest.approx(2 / 3)
    assert found[sharing.NO_PHOTOS].ours == pytest.approx(1 / 3)
    assert found[sharing.NO_PHOTOS_LEAVES].ours == pytest.approx(2 / 3)
    assert found["withheld"].ours == pytest.approx((5 + 6 + 1) / 30)
    assert found[TRAINED].ours == 1.0  # both candidates are among his first five


@pytest.mark.parametrize(("times", "above"), [(2, []), (3, [sharing.EXCLUDER])])
def test_who_finds_more_than_twice_chance_is_named(times: int, above: list[str]) -> None:
    names = (sharing.EXCLUDER, TRAINED, *sharing.MORE_ATTACKS)
    chance = (sharing.NO_PHOTOS, sharing.NO_PHOTOS_LEAVES)
    plan = {name: Number("", name, 0.1, count=100) for name in (*names, *chance)}
    plan[sharing.EXCLUDER] = Number("", sharing.EXCLUDER, times * 0.1, count=100)
    assert experiment.above_chance(plan) == above


def test_the_tables_are_by_trips_and_attackers() -> None:
    ways = (sharing.SHARED, *sharing.PLANS, sharing.TWO_OF_THREE)
    rows = [made_row(trip, 5, way) for way in ways for trip in range(5)]
    numbers = list(experiment.summarise_trips([*rows, *chances()]))
    tables = dict(experiment.tables_trips(numbers))
    assert list(tables) == list(experiment.TABLES)
    lines = [{n.line for n in own} for own in tables.values()]
    assert not any(line.startswith(("endangered", "lost")) for own in lines for line in own)
    assert set().union(*lines) >= {*ways, sharing.NO_PHOTOS}
    columns = [len({n.column for n in own}) for own in tables.values()]
    assert max(columns) <= 9
    blocks = format_tables(experiments.find("trips"), numbers)
    assert blocks[0] == f"**{next(iter(tables))}**"
    assert len(blocks) == 2 * len(tables)
    sentences = list(experiment.findings_trips(rows, numbers))
    assert any("Where the default sits" in sentence for sentence in sentences)
    assert sum("where a plan was found" in sentence for sentence in sentences) == 4


def test_trips_are_run_on_trips_alone() -> None:
    found = experiments.find("trips")
    assert found.obstacle(TRIPS) is None
    assert found.obstacle(Simulator()) == "trips is only run on trips (--source benchmarks/trips)"
    assert "worst is only run on the simulator" in str(experiments.find("worst").obstacle(TRIPS))
    parts = found.parts(TRIPS, SCALES["small"])
    assert [len(part.settings["trips"]) for part in parts] == [4, 4]
