"""Plans for places: never broken by words, never beaten where they are called optimal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import fsum, inf

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.globe.circles import Circles, cosine, grid_around
from elsewhere.globe.coordinates import Floats, Ints, unit_vector
from elsewhere.solver import places
from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.places import place_attacker, plan_places
from elsewhere.solver.problem import FREE, IN, OUT, Mask, Problem
from tests.solver.small_globes import MIDDLES, SmallAlbum, globe, scatter, small_album

SEEDS = st.integers(0, 2**32 - 1)


def masses(values: Floats, circles: Sequence[Ints]) -> Floats:
    """The logs of what circles hold, the plain way."""
    with np.errstate(divide="ignore"):
        return np.array([np.logaddexp.reduce(values[cells]) for cells in circles])


def lead_of(attacker: CircleAttacker, values: Floats, shift: float) -> float:
    """By how much the k-th rival is ahead of every hidden circle."""
    rivals = np.sort(masses(values, attacker.rivals))[::-1]
    if len(rivals) < attacker.need or rivals[attacker.need - 1] == -np.inf:
        return -np.inf
    return float(rivals[attacker.need - 1] - masses(values, attacker.hidden).max() - shift)


def least_lead(attacker: CircleAttacker, kept: Mask, exponents: Floats) -> float:
    """The least lead over many exponents and for the sums of the photos' own circles."""
    rows = attacker.scores[kept].astype(np.float64)
    shift, total = attacker.margin * len(rows), rows.sum(axis=0)
    leads = [lead_of(attacker, tau * total, tau * shift) for tau in exponents]
    own = np.sum([masses(row, attacker.rivals) for row in rows], axis=0)
    hidden = np.sum([masses(row, attacker.hidden) for row in rows], axis=0)
    own = np.sort(own)[::-1]
    if len(own) < attacker.need or own[attacker.need - 1] == -np.inf:
        return -np.inf
    return min(*leads, float(own[attacker.need - 1] - hidden.max() - shift))


def exponents_for(photos: int, count: int = 40) -> Floats:
    return np.geomspace(1 / photos, 1.0, count)


def enumerate_costs(album: SmallAlbum, attacker: CircleAttacker, alone: Mask) -> tuple[float, bool]:
    """The least cost of all sets that keep the promise beyond doubt; and whether any does."""
    telling = np.zeros(len(album.weights), bool)
    telling[album.unit_of[alone]] = True
    fixed = np.where(telling & (album.fixed != IN), OUT, album.fixed)
    least = np.inf
    for bits in product((False, True), repeat=len(album.weights)):
        units = np.array(bits)
        if not units.any() or (units & (fixed == OUT)).any() or (~units & (fixed == IN)).any():
            continue
        cost = album.weights[~units].sum()
        kept = units[album.unit_of]
        if cost < least and least_lead(attacker, kept, exponents_for(kept.sum())) > 1e-6:
            least = cost
    return least, least < np.inf


def examine(album: SmallAlbum) -> str:
    """Hold a plan against all sets; its status."""
    attacker, alone = album.attacker()
    if not attacker.rivals:
        assert album.plan().solution.kept is None
        return "none"
    plan = plan_places(album.problem, [(attacker, alone)], [0.5])
    solution = plan.solution
    least, any_plan = enumerate_costs(album, attacker, alone)
    if solution.kept is None:
        assert solution.status in ("infeasible", "unknown")
        assert not (solution.status == "infeasible" and any_plan)
        assert solution.bound <= least
        return solution.status
    kept = album.kept(plan)
    assert least_lead(attacker, kept, exponents_for(kept.sum(), 200)) > 0
    assert solution.kept[album.fixed == IN].all()
    assert not (kept & alone & (album.fixed != IN)[album.unit_of]).any()
    assert solution.cost == album.weights[~solution.kept].sum()
    assert solution.bound <= solution.cost
    assert solution.bound <= least
    assert (solution.status == "optimal") == (solution.bound == solution.cost)
    return solution.status


@given(SEEDS)
def test_no_plan_that_is_called_optimal_is_beaten(seed: int) -> None:
    examine(small_album(seed))


@given(SEEDS, st.booleans())
def test_a_first_plan_by_places_holds_for_everybody(seed: int, in_time: bool) -> None:
    """Each place is planned alone at first; with no time left, that plan is the answer."""
    album = small_album(seed)
    attacker, alone = album.attacker()
    halves = np.arange(len(album.scores)) % 2 == 0
    watching = [(replace(attacker, sees=sees), alone) for sees in (halves, ~halves)]
    watching.append((attacker, alone))
    calm = plan_places(album.problem, watching, [0.5]).solution
    limits = SearchLimits(deadline=inf if in_time else 0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(places, "MAX_AT_ONCE", 1)
        found = plan_places(album.problem, watching, [0.5], limits).solution
    if found.shared is None or calm.shared is None:
        assert {found.status, calm.status} <= {"infeasible", "unknown"} or not in_time
        return
    promise = places.CirclePromise(album.problem, [one for one, _ in watching], [0.5])
    assert promise.holds(found.shared)
    assert found.bound <= calm.cost and calm.bound <= found.cost


def test_plans_on_small_albums_are_found_and_proved() -> None:
    found = [examine(small_album(seed, max_photos=6)) for seed in range(150)]
    assert found.count("optimal") >= 60
    assert not {"unknown", "feasible"} & {*found}


@given(SEEDS)
def test_every_hidden_circle_lies_in_one_of_the_grid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    radius = float(rng.choice([1.0, 25.0, 400.0]))
    circles = globe(rng, 40, radius)
    at = rng.integers(40, size=3)
    lat, lon = (axis[at] for axis in circles.points)
    _, found = circles.sets_near(circles.hidden_places(lat, lon))
    sets = [set(cells.tolist()) for cells in found]
    for photo in range(3):
        km = radius * np.sqrt(rng.random(200))
        centres = unit_vector(*scatter(rng, (lat[photo], lon[photo]), km))
        inside = circles.unit @ centres.T >= cosine(radius)
        for column in np.unique(inside, axis=1).T:
            held = set(np.flatnonzero(column).tolist())
            assert not held or any(held <= cells for cells in sets)


@pytest.mark.parametrize("middle", MIDDLES)
@pytest.mark.parametrize("radius", [1.0, 25.0, 2000.0])
def test_a_grid_leaves_no_centre_farther_than_its_step(
    middle: tuple[float, float], radius: float
) -> None:
    rng = np.random.default_rng(1)
    places = scatter(rng, middle, rng.uniform(0, 3 * radius, 4))
    grid = grid_around(unit_vector(*places), radius, radius / 5)
    for lat, lon in zip(*places, strict=True):
        centres = unit_vector(*scatter(rng, (lat, lon), radius * np.sqrt(rng.random(500))))
        nearest = (centres @ grid.T).max(axis=1)
        assert (nearest >= cosine(radius / 5 + 1e-5)).all()


@given(SEEDS)
def test_rivals_are_distinct_places(seed: int) -> None:
    album = small_album(seed)
    attacker, _ = album.attacker()
    unit, radius = album.circles.unit, album.circles.radius_km
    own = unit[list(attacker.centres)]
    along = own @ own.T
    np.fill_diagonal(along, -1)
    assert (along < cosine(4 * radius)).all()
    assert (own @ unit_vector(album.lat, album.lon).T < cosine(3 * radius)).all()


def test_circles_of_distinct_points_are_counted_where_the_heaviest_rules_out_two() -> None:
    """The heaviest circle lies between two others: these two are distinct, it is not."""
    lon = np.array([0.0, 0.6, -0.6, 40.0])  # 67 km apart; the photo is far away
    circles = Circles((np.zeros(4), lon), 25.0)
    scores = np.log([[0.4, 0.3, 0.28, 0.02]])
    _, tells = place_attacker(circles, scores, np.array([0.0]), np.array([40.0]), need=2, alone=2)
    assert not tells.any()


def test_a_photo_that_must_stay_is_exempt_and_no_other() -> None:
    album = next(
        album
        for album in map(small_album, range(500))
        if album.attacker()[1].sum() >= 2
        and len(album.weights) == len(album.unit_of) >= 4
        and not album.attacker()[1].all()
    )
    attacker, alone = album.attacker()
    first, second = np.flatnonzero(alone)[:2]
    fixed = np.full(len(album.weights), FREE, np.int8)
    fixed[first] = IN
    plan = plan_places(replace(album.problem, fixed=fixed), [(attacker, alone)], [])
    assert plan.alone[first] and plan.alone[second]
    if plan.solution.kept is not None:
        assert plan.solution.kept[first] and not plan.solution.kept[second]


def test_scores_far_below_zero_are_compared_and_not_cut_off() -> None:
    """Unnormalised rows: −2,000 is nothing special, and the photo's own place is ahead."""
    rng = np.random.default_rng(0)
    circles = globe(rng, 30, 25.0)
    lat, lon = circles.points
    scores = np.full((1, 30), -3000.0)
    scores[0, 0] = -2000.0
    _, tells = place_attacker(circles, scores, lat[:1], lon[:1], need=1, alone=1)
    assert tells.all()


def test_the_nearest_cell_stands_for_a_photo_with_none_near() -> None:
    rng = np.random.default_rng(3)
    circles = globe(rng, 30, 25.0)
    places = circles.hidden_places(np.array([-60.0]), np.array([100.0]))
    _, found = circles.sets_near(places)
    nearest = int(np.argmax(circles.unit @ unit_vector(-60.0, 100.0).ravel()))
    assert any(nearest in cells for cells in found)


def test_rounding_of_many_large_scores_stays_below_the_lead() -> None:
    """Five thousand photos of scores near −10⁴: rounding is more than 10⁻⁹."""
    rng = np.random.default_rng(4)
    scores = -1e4 * rng.random((5000, 3))
    attacker = CircleAttacker(scores, (np.array([0]),), (np.array([1]), np.array([2])), 1)
    kept = np.ones(5000, bool)
    worst = max(abs(scores[:, c].sum() - fsum(scores[:, c])) for c in range(3))
    assert attacker.lead(kept, 1.0) > 2 * worst
    assert attacker.lead(kept, 1.0) < 1e-3


def test_nothing_left_to_keep_is_infeasible() -> None:
    circles = globe(np.random.default_rng(5), 20, 25.0)
    lat, lon = circles.points
    scores = np.zeros((2, 20))
    scores[:, 0] = 9.0
    at = place_attacker(circles, scores, lat[[0, 0]], lon[[0, 0]], need=1, alone=1)
    problem = Problem((), np.arange(2), np.ones(2, np.int64), np.zeros(2, np.int8))
    plan = plan_places(problem, [at], [])
    assert at[1].all()
    assert plan.solution.status == "infeasible"


def test_two_exponents_that_hold_do_not_prove_those_between() -> None:
    """A rival of one cell leads at 1, one of many at 1/n, and neither in the middle."""
    total = np.array([10.0, 9.7, 9.7, 9.7, *([5.0] * 40), 11.5])
    attacker = CircleAttacker(
        total[None],
        (np.arange(4),),
        (np.arange(4, 44), np.array([44])),
        1,
    )
    kept = np.ones(1, bool)
    leads = [attacker.count_ahead(kept, tau) for tau in np.linspace(0.05, 1, 50)]
    assert leads[0] == leads[-1] == 1
    assert min(leads) == 0
    failing = attacker.failing_exponent(kept, 0.05, 1.0)
    assert failing is not None
    assert attacker.count_ahead(kept, failing) == 0


@settings(max_examples=30)
@given(SEEDS)
def test_an_interval_without_a_failing_exponent_has_none(seed: int) -> None:
    album = small_album(seed)
    attacker, _ = album.attacker()
    kept = np.ones(len(album.scores), bool)
    if not attacker.rivals:
        return
    low = 1 / len(kept)
    if attacker.failing_exponent(kept, low, 1.0) is None:
        ahead = [attacker.count_ahead(kept, tau) for tau in exponents_for(len(kept), 300)]
        assert min(ahead) >= attacker.need


def test_words_repair_what_rows_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any rows that lead to a plan, photos are left out by words alone."""
    monkeypatch.setattr(places, "_plan_by_rows", lambda *_: (None, 1))
    found = [examine(small_album(seed, max_photos=6)) for seed in range(60)]
    assert "unknown" not in found
