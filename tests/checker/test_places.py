"""The check of places: it accepts what was planned, and nothing that an attacker finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.checker import circles as checker
from elsewhere.checker.attacks import (
    Target,
    attack_by_exclusion,
    attack_by_halves,
    attack_by_pooling,
    attack_by_population,
    attack_by_radius,
    attack_posterior,
    first_circles,
    population_prior,
    try_attacks,
)
from elsewhere.checker.circles import (
    EARTH_KM,
    MAX_SEARCHED,
    Floats,
    Hidden,
    Ints,
    Points,
    chord_of,
    directions,
    find_apart,
    heaviest_sets,
    neighbours,
)
from elsewhere.checker.places import ChosenRows, PlacePromise, prove_places
from elsewhere.globe import circles as circles_module
from elsewhere.globe.cells import Cells
from elsewhere.globe.circles import Circles, cosine
from elsewhere.globe.gazetteer import gazetteer
from elsewhere.solver import places as solver
from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.problem import IN, Mask
from elsewhere.values.problems import Attack, PlanProblem, ProblemKind
from tests.solver.small_globes import SmallAlbum, globe, scatter, small_album

SEEDS = st.integers(0, 2**32 - 1)


def prove(album: SmallAlbum, kept: Mask, *, quick: bool = False) -> tuple[PlanProblem, ...]:
    """What the check finds wrong when these photos are kept; those that must stay are exempt."""
    pinned = (album.fixed == IN)[album.unit_of][kept]
    promise = PlacePromise(
        album.circles.radius_km,
        album.need,
        album.alone,
        album.margin,
        tuple(np.flatnonzero(pinned).tolist()),
        quick,
    )
    points = Points(*album.circles.points)
    hidden = Hidden(points, directions(album.lat, album.lon), promise.radius_km)
    return prove_places(ChosenRows(album.scores[kept]), hidden, promise)


def on_sphere(lat: Floats, lon: Floats) -> Floats:
    lat, lon = np.radians(lat), np.radians(lon)
    return np.column_stack((np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)))


def straight(km: float) -> float:
    """The straight line between points so many km apart on the unit sphere."""
    return float(np.sqrt(2 - 2 * np.cos(km / 6371.0088)))


def equally_far(unit: Floats, others: Floats, km: float) -> Floats:
    """All centres so many km from a point and from one of the others, by their own formula: from
    the middle between the two, to both sides, at a right angle to their great circle.
    """
    found = [np.zeros((0, 3))]
    for first in unit:
        for second in others:
            middle, side = first + second, np.cross(first, second)
            lengths = np.linalg.norm(middle), np.linalg.norm(side)
            if min(lengths) < 1e-9:
                continue
            middle, side = middle / lengths[0], side / lengths[1]
            along = np.cos(km / 6371.0088) / (middle @ first)
            if abs(along) <= 1:
                across = np.sqrt(1 - along**2)
                found.append(
                    np.array([along * middle + across * side, along * middle - across * side])
                )
    return np.concatenate(found)


class Attacker:
    """An attacker by brute force: all centres where circles meet, and many more near photos.

    He shares no geometry with the check.
    """

    def __init__(self, album: SmallAlbum, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        radius = album.circles.radius_km
        self.album, self.unit = album, on_sphere(*album.circles.points)
        self.places = on_sphere(album.lat, album.lon)
        around = np.concatenate((self.unit, self.places))
        spread = [
            on_sphere(*scatter(rng, (lat, lon), radius * np.sqrt(rng.random(40))))
            for lat, lon in zip(album.lat, album.lon, strict=True)
        ]
        met = equally_far(self.unit, around, radius)
        self.centres = np.concatenate((around, met, *spread))
        reach = straight(radius) + 1e-12
        self.holds = self._chords(self.unit) <= reach
        self.hidden = (self._chords(self.places) <= straight(radius)).any(axis=1)

    def _chords(self, others: Floats) -> Floats:
        return np.array(
            [np.linalg.norm(self.centres - other, axis=1) for other in others]
        ).T.reshape(len(self.centres), len(others))

    def logs(self, values: Floats) -> Floats:
        """The logs of what all circles hold."""
        held = np.where(self.holds, values, -np.inf)
        peak = held.max(axis=1)
        peak = np.where(peak > -np.inf, peak, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(peak + np.log(np.exp(held - peak[:, None]).sum(axis=1)))

    def finds(self, logs: Floats, first: int) -> bool:
        """Whether one of the first circles is hidden. Ties are broken his way."""
        free = np.ones(len(logs), bool)
        double = straight(2 * self.album.circles.radius_km)
        for _ in range(first):
            best = logs[free].max(initial=-np.inf)
            tied = free & (logs >= best - 1e-13)
            if (tied & self.hidden).any():
                return True
            if not tied.any():
                return False
            centre = self.centres[int(np.flatnonzero(tied)[-1])]
            free &= np.linalg.norm(self.centres - centre, axis=1) > double
        return False

    def attacks(self, kept: Mask) -> Iterator[str]:
        """What is found in the kept photos although the promise says that it is not."""
        album = self.album
        rows = album.scores[kept].astype(np.float64)
        for tau in np.geomspace(1 / len(rows), 1.0, 7):
            if self.finds(self.logs(tau * rows.sum(axis=0)), album.need):
                yield f"the album, exponent {tau:.3f}"
        pinned = (album.fixed == IN)[album.unit_of][kept]
        own = [self.logs(row) for row in rows]
        for number, logs in enumerate(own):
            if not pinned[number] and self.finds(logs, album.alone):
                yield f"photo {number}"
        if self.finds(np.sum(own, axis=0), album.need):
            yield "the sum of circles"


def test_a_bar_between_two_numbers_of_a_row_is_not_rounded() -> None:
    """A hidden circle of two points holds less than half a step of float32 more than its rival."""
    points = Points(np.array([0.0, 0.01, 60.0]), np.array([0.0, 0.01, 90.0]))
    hidden = Hidden(points, directions([0.0], [0.0]), 25.0)
    rng = np.random.default_rng(0)
    for _ in range(100):
        near = rng.uniform(-12, -9, 2).astype(np.float32)
        held = float(np.logaddexp(*near.astype(np.float64)))
        row = np.array([[*near, held]], np.float32)
        problems = prove_places(ChosenRows(row), hidden, PlacePromise(25.0, 1, 1))
        ahead = float(row[0, 2]) > held + 1e-9
        assert ahead == (ProblemKind.CIRCLES_ALONE not in {each.kind for each in problems})


def powers(logs: Floats) -> Floats:
    peak = logs.max()
    return np.exp(logs - peak) if peak > -np.inf else np.zeros(len(logs))


def reprove(seed: int) -> str:
    """Plan, check and attack one album; what came of it."""
    album = small_album(seed)
    plan = album.plan()
    if plan.solution.kept is None:
        return plan.solution.status
    kept = album.kept(plan)
    problems = prove(album, kept)
    assert not problems, f"{seed}: {list(map(str, problems))}"
    found = list(Attacker(album, seed).attacks(kept))
    assert not found, f"{seed}: {found}"
    return plan.solution.status


@given(SEEDS)
def test_every_plan_is_accepted_and_no_attacker_finds_the_place(seed: int) -> None:
    reprove(seed)


def test_some_hundred_plans_are_proved_again() -> None:
    found = [reprove(seed) for seed in range(400)]
    assert found.count("optimal") + found.count("feasible") >= 150


@pytest.mark.parametrize("seed", [1033525, 1045591, 1058091, 1084383])
def test_sums_of_circles_that_differ_by_thousands(seed: int) -> None:
    """Each set of points is weighed by its own peak: none is lost below the smallest float."""
    assert reprove(seed) == "optimal"


def test_a_circle_may_be_possible_though_none_of_its_points_is() -> None:
    """Each photo rules out another point of a rival's circle: in their sum it is ahead."""
    assert reprove(100008570) == "optimal"


@pytest.mark.long
@pytest.mark.parametrize("part", range(100))
def test_a_hundred_thousand_plans_are_proved_again(part: int) -> None:
    """Albums until 1,000 of them have plans."""
    plans, seed = 0, 10**6 * (part + 1)
    while plans < 1_000:
        plans += reprove(seed) in ("optimal", "feasible")
        seed += 1


@given(SEEDS)
def test_whatever_the_check_accepts_no_attacker_finds(seed: int) -> None:
    """Any photos kept, planned or not."""
    album = small_album(seed)
    rng = np.random.default_rng(seed)
    attacker = Attacker(album, seed)
    for _ in range(4):
        kept = rng.random(len(album.scores)) < 0.6
        if kept.any() and not prove(album, kept):
            assert not list(attacker.attacks(kept))


@given(SEEDS)
def test_what_a_quick_check_accepts_the_whole_check_accepts(seed: int) -> None:
    """Only a bound rests on the quick one: it may refuse what holds, never the other way round."""
    album = small_album(seed)
    kept = np.random.default_rng(seed).random(len(album.scores)) < 0.6
    if prove(album, kept):
        assert prove(album, kept, quick=True)


def test_the_check_refuses_some_sets_and_says_why() -> None:
    kinds = set()
    for seed in range(60):
        album = small_album(seed)
        everything = np.ones(len(album.scores), bool)
        problems = prove(replace(album, fixed=0 * album.fixed), everything)
        assert all(str(problem) for problem in problems)
        kinds |= {problem.kind for problem in problems}
    assert kinds == {ProblemKind.CIRCLES, ProblemKind.CIRCLE_SUMS, ProblemKind.CIRCLES_ALONE}


def test_keeping_nothing_is_refused() -> None:
    album = small_album(1)
    problems = prove(album, np.zeros(len(album.scores), bool))
    assert [problem.kind for problem in problems] == [ProblemKind.NOTHING_KEPT]


@given(SEEDS)
def test_hidden_sets_bound_every_hidden_circle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    radius = float(rng.choice([1.0, 25.0, 400.0]))
    circles = globe(rng, 40, radius)
    lat, lon = np.array(circles.points)[:, rng.integers(40, size=3)]
    points = Points(*circles.points)
    sets = [set(cells.tolist()) for cells in heaviest_sets(points, directions(lat, lon), radius)]
    for photo in range(3):
        km = radius * np.sqrt(rng.random(300))
        for centre in directions(*scatter(rng, (lat[photo], lon[photo]), km)):
            held = set(points.near(centre, radius).tolist())
            assert not held or any(held <= cells for cells in sets)


@given(SEEDS, st.integers(1, 6))
def test_distinct_rivals_are_found_where_there_are_any(seed: int, need: int) -> None:
    rng = np.random.default_rng(seed)
    unit = globe(rng, 12, 25.0).unit
    limit = chord_of(100.0 + checker.TOLERANCE_KM)
    chords = np.linalg.norm(unit[:, None] - unit[None], axis=2)
    possible = any(
        all(chords[a, b] > limit for a, b in combinations(chosen, 2))
        for chosen in combinations(range(12), need)
    )
    found = find_apart(unit, 100.0, need)
    assert all(chords[a, b] > limit for a, b in combinations(found, 2))
    assert (len(found) >= need) == possible


# ── planted faults ──────────────────────────────────────────────────────────────────────────────


def wrong_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """The plan hides what is least likely."""
    original = solver.place_attacker

    def place_attacker(circles, scores, *args, **wishes):  # type: ignore[no-untyped-def]
        return original(circles, np.where(np.isfinite(scores), -scores, scores), *args, **wishes)

    monkeypatch.setattr("tests.solver.small_globes.place_attacker", place_attacker)


def forgotten_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only circles centred on the photo are hidden, not those that are moved."""

    def sets_near(
        circles: Circles, places: Floats, *, real: bool = False
    ) -> tuple[Floats, tuple[Ints, ...]]:
        reach = cosine(circles.radius_km)
        sets = [np.flatnonzero(circles.unit @ place >= reach) for place in places]
        return places, tuple(cells for cells in sets if len(cells)) or (np.array([0]),)

    monkeypatch.setattr(Circles, "sets_near", sets_near)


def rivals_two_radii_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rivals that one circle can strike out together."""
    original = circles_module._apart

    def apart(unit: Floats, order: Ints, km: float, count: int) -> Ints:
        return original(unit, order, km / 2, count)

    monkeypatch.setattr(circles_module, "_apart", apart)


def forgotten_exponents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only sums of the photos' own circles are looked at."""
    monkeypatch.setattr(solver.CirclePromise, "fails", lambda *_, **__: [])


def forgotten_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Photos that tell the place alone are kept."""
    original = SmallAlbum.attacker

    def attacker(self: SmallAlbum) -> tuple[CircleAttacker, Mask]:
        found, tells = original(self)
        return found, np.zeros_like(tells)

    monkeypatch.setattr(SmallAlbum, "attacker", attacker)


@pytest.mark.parametrize(
    "fault",
    [wrong_sign, forgotten_circle, forgotten_exponents, forgotten_photo],
)
def test_planted_faults_are_caught(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plans made with a fault are refused, every one that an attacker breaks among them."""
    fault(monkeypatch)
    refused = broken = 0
    for seed in range(400):
        album = small_album(seed)
        plan = album.plan()
        if plan.solution.kept is None:
            continue
        kept = album.kept(plan)
        problems = prove(album, kept)
        refused += bool(problems)
        if list(Attacker(album, seed).attacks(kept)):
            broken += 1
            assert problems
        if broken == 10:
            break
    assert refused >= broken >= 5


def test_rivals_two_radii_apart_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three rivals, 2.08 R apart, that one circle between them strikes out.

    Each holds its own point and one nearer the middle; the circle in the middle holds three of
    these. What it leaves of the rivals is lighter than the photo's place.
    """
    radius, bearings = 25.0, np.radians([90.0, 210.0, 330.0])
    degree = 360 / (2 * np.pi * EARTH_KM)  # of one km
    outer, inner = 1.2 * radius * degree, 0.9 * radius * degree
    lat = [*(outer * np.sin(bearings)), *(inner * np.sin(bearings)), 0.0]
    lon = [*(outer * np.cos(bearings)), *(inner * np.cos(bearings)), 30.0]
    scores = np.log([[0.05] * 3 + [0.2] * 3 + [0.2]])
    album = replace(
        small_album(0),
        circles=Circles((np.array(lat), np.array(lon)), radius),
        scores=scores,
        lat=np.array([0.0]),
        lon=np.array([30.0]),
        need=3,
        alone=3,
        margin=0.0,
        unit_of=np.zeros(1, np.intp),
        weights=np.ones(1, np.int64),
        fixed=np.zeros(1, np.int8),
    )
    everything = np.ones(1, bool)
    assert album.plan().solution.kept is None
    rivals_two_radii_apart(monkeypatch)
    plan = album.plan()
    assert plan.solution.kept is not None
    assert list(Attacker(album).attacks(everything))
    assert prove(album, everything)


# ── attacks ─────────────────────────────────────────────────────────────────────────────────────


@given(SEEDS)
def test_first_circles_are_the_heaviest_that_are_left(seed: int) -> None:
    album = small_album(seed)
    attacker = Attacker(album, seed)
    radius, points = album.circles.radius_km, Points(*album.circles.points)
    weights = powers(album.scores[0].astype(np.float64))
    masses, free = attacker.holds @ weights, np.ones(len(attacker.centres), bool)
    for centre in first_circles(points, weights, radius, 4):
        held = points.near(centre, radius + 2e-5)
        assert weights[held].sum() >= masses[free].max(initial=0.0) * (1 - 1e-9)
        free &= np.linalg.norm(attacker.centres - centre, axis=1) > chord_of(2 * radius)


@given(SEEDS)
def test_neighbours_are_all_points_within_a_distance(seed: int) -> None:
    album = small_album(seed)
    points = Points(*album.circles.points)
    apart = np.linalg.norm(points.unit[:, None] - points.unit, axis=2)
    for km in (80.0, 50.0, 900.0, 60.0):  # found anew, and among those of a longer distance
        members, starts = neighbours(points, km)
        for point in range(len(points.unit)):
            near = members[starts[point] : starts[point + 1]]
            assert set(near) >= set(np.flatnonzero(apart[point] < chord_of(km - 1e-4)))
            assert set(near) <= set(np.flatnonzero(apart[point] < chord_of(km + 1e-4)))


def line(count: int = 12) -> Points:
    """Points on the equator, 200 km apart."""
    return Points(np.zeros(count), np.arange(count) * 1.8)


def target(rows: Floats, **wishes: object) -> Target:
    """Photos at the first point, five circles of 25 km."""
    known = {"radius_km": 25.0, "exponent": lambda _: 1.0, "count": 2, **wishes}
    return Target(line(), np.log(rows), directions([0.0], [0.0]), **known)  # type: ignore[arg-type]


def rows_of(*heavy: dict[int, float]) -> Floats:
    """Rows with these probabilities; the rest is shared by all points."""
    rows = np.zeros((len(heavy), 12))
    for row, known in zip(rows, heavy, strict=True):
        row[:] = (1 - sum(known.values())) / 12
        for point, probability in known.items():
            row[point] += probability
    return rows


def test_each_attack_finds_what_it_is_made_for() -> None:
    hidden = rows_of({3: 0.3, 4: 0.3, 0: 0.2})
    assert not attack_posterior(target(hidden))
    assert attack_posterior(target(rows_of({0: 0.5})))[0].rank == 1
    # two photos whose logs cancel what their mean has
    pooled = rows_of({0: 0.9, 3: 0.09, 4: 0.009}, {3: 0.5, 4: 0.49})
    assert not attack_posterior(target(pooled))
    assert attack_by_pooling(target(pooled))[0].attack is Attack.LINEAR_POOLING
    assert attack_by_halves(target(pooled))[0].attack is Attack.HALVES
    prior = np.zeros(12)
    prior[0] = 3.0
    assert attack_by_population(target(hidden), prior)[0].attack is Attack.POPULATION
    excluded = attack_by_exclusion(target(hidden), 2)
    assert [hit.attack for hit in excluded] == [Attack.EXCLUDER]
    assert not attack_by_exclusion(target(rows_of({3: 0.3, 4: 0.3, 5: 0.2, 6: 0.1})), 2)


def test_circles_of_other_sizes() -> None:
    """Two points 56 km apart beside the photo: only the larger circle holds both."""
    points = Points([0.0, 0.0, 0.0], [0.0, 0.5, 20.0])
    rows = np.log([[0.3, 0.3, 0.4]])
    album = Target(points, rows, directions([0.0], [0.25]), 25.0, lambda _: 1.0, count=1)
    assert not attack_by_radius(album, 0.8)
    assert not attack_posterior(album)
    assert attack_by_radius(album, 1.2)[0].attack is Attack.LARGER_CIRCLES


def test_all_attacks_together() -> None:
    album = target(rows_of({0: 0.5}))
    found = {hit.attack for hit in try_attacks(album, 2, prior=np.zeros(12))}
    assert found == {*Attack} - {Attack.EXCLUDER}


def test_people_are_counted_by_cell() -> None:
    cells, towns = Cells.default(), gazetteer().towns
    where = cells.locate(gazetteer().lat[towns], gazetteer().lon[towns])
    prior = population_prior(where, gazetteer().population[towns], cells.count)
    assert np.exp(prior).sum() == pytest.approx(1)
    assert prior[cells.locate(31.2, 121.5)] > prior[cells.locate(-75.0, 0.0)]


def test_many_places_are_told_apart_by_those_that_rule_out_fewest() -> None:
    """More than are searched: the heaviest lie between the others and rule all of them out."""
    lon = np.repeat([0.0, -4.0, 4.0], 500) + np.tile(np.linspace(0, 0.01, 500), 3)
    unit = directions(np.zeros(1_500), lon)
    assert len(unit) > MAX_SEARCHED
    found = find_apart(unit, 600.0, 2)
    assert len(found) == 2 and abs(lon[found[0]] - lon[found[1]]) > 7
    assert len(find_apart(unit, 900.0, 2)) == 1
