"""Promises about circles whose photos have versions, against trying every choice of versions."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import given, note, strategies as st

import elsewhere
from elsewhere.checker.facts import AlbumFacts
from elsewhere.checker.proof import prove
from elsewhere.errors import InputError
from elsewhere.formats.plan_file import plan_from_json, plan_to_json
from elsewhere.globe.circles import Circles, cosine
from elsewhere.globe.coordinates import unit_vector
from elsewhere.solver import places as solver, reductions
from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.circle_plans import greedy_steps
from elsewhere.solver.problem import Mask
from elsewhere.solver.reductions import reduce
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import FloatMatrix, Scores
from tests.solver.examples import examples
from tests.solver.small_globes import small_album
from tests.solver.test_circle_promises import hidden_in, wishes_of
from tests.solver.test_version_promises import spoil
from tests.solver.version_oracle import COSTS

SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class VersionAlbum:
    """A small album with versions, as a person would pass it."""

    table: Scores
    hidden: HiddenCircles
    wishes: dict[str, Any]

    def request(self, **changes: Any) -> Request:
        return read_request(self.table, self.hidden, **(self.wishes | changes))

    def solved(self, **changes: Any) -> Plan:
        return elsewhere.protect(self.table, self.hidden, **(self.wishes | changes))

    def frontier(self) -> tuple[elsewhere.Point, ...]:
        wishes = {name: wish for name, wish in self.wishes.items() if name != "top"}
        return elsewhere.frontier(self.table, self.hidden, **wishes).points


def version_album(seed: int, *, photos: int = 4, cells: int = 24) -> VersionAlbum:
    """A small album of which photos have one to three versions: other scores, at a cost."""
    album = small_album(seed, max_photos=photos, max_cells=cells)
    rng = np.random.default_rng(seed)
    copies = rng.choice([1, 2, 2, 3], len(album.scores))
    photo_of = np.repeat(np.arange(len(album.scores)), copies)
    wishes = wishes_of(album) | {"top": album.need}
    edited = np.append(False, photo_of[1:] == photo_of[:-1])
    rows = album.scores[photo_of].copy()
    places = unit_vector(album.lat, album.lon)
    near = (album.circles.unit @ places.T).max(axis=1) >= cosine(2 * album.circles.radius_km)
    changes = rng.normal(0, rng.choice([0.1, 1.0]), rows.shape)
    changes -= rng.uniform(0, 4, (len(rows), 1)) * near
    spread = float(np.std(np.where(np.isfinite(rows), rows, 0.0))) + 0.1
    rows = (rows + spread * np.where(edited[:, None], changes, 0.0)).astype(rows.dtype)
    costs = [Fraction(0)] * len(rows)
    for row in np.flatnonzero(edited).tolist():
        costs[row] = COSTS[rng.integers(len(COSTS))] * wishes["values"][photo_of[row]]
    wishes["versions"] = list(zip(photo_of.tolist(), costs, strict=True))
    return VersionAlbum(Scores(rows, points=album.circles.points), hidden_in(album), wishes)


class Choices:
    """Every choice of versions, and which of them the check accepts."""

    def __init__(self, request: Request) -> None:
        self.promise = request.promise
        assert self.promise.versions is not None
        self.versions = self.promise.versions
        rows = range(self.promise.rows)
        self.facts = AlbumFacts(self.promise, request.scores, shared=rows)

    def cost(self, rows: tuple[int, ...]) -> Fraction:
        values = self.promise.values or (Fraction(1),) * self.promise.photos
        kept = {self.versions[row].photo for row in rows}
        lost = sum((v for n, v in enumerate(values) if n not in kept), Fraction(0))
        return lost + sum((self.versions[row].cost for row in rows), Fraction(0))

    def accepts(self, rows: tuple[int, ...], tops: list[int] | None = None) -> bool:
        kept = {self.versions[row].photo for row in rows}
        if not kept or any(0 < len({*g} & kept) < len(g) for g in self.promise.groups):
            return False
        if not {*self.promise.keep} <= kept or {*self.promise.drop} & kept:
            return False
        if self.facts.revealing.keys() & {*rows}:
            return False
        needs = tops or [against.top or 0 for against in self.promise.against]
        pairs = zip(self.facts.views(rows), needs, strict=True)
        return all(view.count >= need for view, need in pairs)

    def everything(self) -> Iterator[tuple[int, ...]]:
        rows_of: list[list[int | None]] = [[None] for _ in range(self.promise.photos)]
        for row, version in enumerate(self.versions):
            rows_of[version.photo].append(row)
        for chosen in itertools.product(*rows_of):
            yield tuple(row for row in chosen if row is not None)

    @cached_property
    def accepted(self) -> set[tuple[int, ...]]:
        return {rows for rows in self.everything() if self.accepts(rows)}

    @property
    def least(self) -> Fraction | None:
        return min((self.cost(rows) for rows in self.accepted), default=None)


@given(SEEDS)
@examples(60)
def test_plans_for_a_top_are_proved_and_none_is_ruled_out_wrongly(seed: int) -> None:
    album = version_album(seed)
    plan, request = album.solved(), album.request()
    note(repr(plan))
    assert prove(plan, request.promise, request.scores).holds
    assert plan_from_json(plan_to_json(plan)) == plan
    choices = Choices(request)
    least = choices.least
    if least is not None:  # whatever is claimed holds for every choice that the check accepts
        assert plan.status != Status.INFEASIBLE
        assert plan.bound <= least
    if plan.found:
        assert plan.choices in choices.accepted
        assert plan.cost == choices.cost(plan.choices)
        assert (plan.status == Status.OPTIMAL) == (plan.bound == plan.cost)
        again = album.solved(near=plan)
        assert again.cost == plan.cost
    else:
        assert plan.choices == ()


def test_plans_cost_about_what_the_best_choice_by_the_check_costs() -> None:
    """The solver's rivals are some of the check's: it never does better, and seldom worse."""
    compared = worse = unknown = proved = edited = 0
    for seed in range(120):
        album = version_album(seed)
        plan, choices = album.solved(), Choices(album.request())
        assert plan.found <= bool(choices.accepted)
        if not plan.found:
            unknown += bool(choices.accepted)
            continue
        least = choices.least
        assert least is not None and least <= plan.cost
        compared, worse = compared + 1, worse + (least < plan.cost)
        proved += plan.status == Status.OPTIMAL
        edited += any(choices.versions[row].cost for row in plan.choices)
    assert compared > 80
    assert worse <= compared // 20
    assert unknown <= compared // 8  # where too few distinct rivals are found
    assert proved >= compared * 9 // 10
    assert edited > 30


@given(SEEDS, st.sampled_from(COSTS), st.integers(0, 2))
@examples(30)
def test_a_budget_buys_what_the_check_counts(seed: int, part: Fraction, whole: int) -> None:
    album = version_album(seed, photos=4, cells=20)
    budget = whole + part
    plan = album.solved(top=None, budget=budget)
    request = album.request(top=None, budget=budget)
    assert prove(plan, request.promise, request.scores).holds
    choices = Choices(request)
    within = [rows for rows in choices.everything() if rows and choices.cost(rows) <= budget]
    if not plan.found:
        if plan.status == Status.INFEASIBLE:
            assert not any(choices.accepts(rows) for rows in within)
        return
    assert plan.cost == choices.cost(plan.choices) <= budget
    assert plan.bound >= plan.protected_k
    if plan.protected_k:
        assert Choices(album.request(top=plan.protected_k)).accepts(plan.choices)
    if plan.bound < 6:  # no choice within the budget keeps a larger top
        larger = Choices(album.request(top=int(plan.bound) + 1))
        assert not any(larger.accepts(rows) for rows in within)


@given(SEEDS)
@examples(20)
def test_a_frontier_has_a_point_for_each_step_of_cost(seed: int) -> None:
    album = version_album(seed, photos=4, cells=20)
    try:
        points = album.frontier()
    except InputError:
        return
    reached = [point.protected_k for point in points]
    budgets = [point.budget for point in points]
    assert reached == sorted(set(reached))
    assert budgets == sorted(set(budgets))
    for point in points:
        assert point.plan.cost <= point.budget
        assert point.protected_k <= point.bound
        if point.protected_k:
            assert Choices(album.request(top=point.protected_k)).accepts(point.plan.choices)


def test_an_edit_is_shared_where_the_photo_as_it_is_tells_the_place() -> None:
    seen = 0
    for seed in range(200):
        album = version_album(seed)
        request = album.request()
        choices = Choices(request)
        plan = album.solved()
        telling = {*choices.facts.revealing}
        for row in plan.choices:
            photo = choices.versions[row].photo
            first = next(n for n, v in enumerate(choices.versions) if v.photo == photo)
            seen += first in telling and row != first
        assert not telling & {*plan.choices}
    assert seen > 5


def test_pinned_photos_are_exempt_in_every_version() -> None:
    seen = 0
    for seed in range(100):
        album = version_album(seed)
        telling = Choices(album.request(keep=(), groups=())).facts.revealing
        if not telling:
            continue
        pinned = min(problem.photo or 0 for problem in telling.values())
        choices = Choices(album.request(keep=[pinned], groups=()))
        left = {problem.photo for problem in choices.facts.revealing.values()}
        assert pinned not in left
        plan = album.solved(keep=[pinned], groups=())
        assert plan.choices in choices.accepted or not plan.found
        seen += plan.found and pinned in plan.kept
    assert seen > 3


def test_several_attackers_of_circles_and_of_cells_share_one_plan() -> None:
    found = 0
    for seed in range(40):
        album = version_album(seed)
        cells = Scores(album.table.values[:, :6])
        tables, truths = [album.table, album.table, cells], [album.hidden, album.hidden, 0]
        versions = album.wishes["versions"]
        asked: dict[str, Any] = {
            "top": [album.wishes["top"], 1, 1],
            "sees": [None, [versions[-1][0]], None],
            "values": album.wishes["values"],
            "versions": versions,
        }
        plan = elsewhere.protect(tables, truths, **asked)
        request = read_request(tables, truths, **asked)
        choices = Choices(request)
        assert elsewhere.check(plan, tables, truths, **asked)
        least = choices.least
        assert least is None or plan.bound <= least
        assert plan.found <= (least is not None)
        found += plan.found
    assert found > 10


def test_drops_values_and_groups() -> None:
    found = 0
    for seed in range(60):
        album = version_album(seed, photos=5)
        photos = album.wishes["versions"][-1][0] + 1
        if photos < 4:
            continue
        costs = [min(cost, Fraction(2, 5)) for _, cost in album.wishes["versions"]]
        numbers = [photo for photo, _ in album.wishes["versions"]]
        changes: dict[str, Any] = {
            "keep": (),
            "drop": [0],
            "groups": [[1, 2]],
            "values": [1, 2, Fraction(1, 2), *([3] * (photos - 3))],
            "versions": list(zip(numbers, costs, strict=True)),
        }
        plan, choices = album.solved(**changes), Choices(album.request(**changes))
        least = choices.least
        assert least is None or plan.bound <= least
        if plan.found:
            found += 1
            assert plan.choices in choices.accepted
            assert 0 not in plan.kept
    assert found > 10


def test_what_greedy_counts_the_check_counts_too() -> None:
    compared = 0
    for seed in range(20):
        album = version_album(seed)
        wide = album.request(top=None, budget=100)
        reduction = reduce(wide.promise, wide.scores)
        costs = []
        for units, shared, top in greedy_steps(reduction):
            costs.append(reduction.problem.cost(units, shared))
            if top:
                compared += 1
                rows = tuple(np.flatnonzero(shared).tolist())
                assert Choices(album.request(top=top)).accepts(rows)
        assert costs == sorted(costs)
    assert compared > 10


@given(SEEDS, st.randoms(use_true_random=False))
@examples(60)
def test_spoilt_plans_are_refused(seed: int, rng: random.Random) -> None:
    album = version_album(seed)
    plan = album.solved()
    if not plan.found:
        return
    spoilt = spoil(plan, rng)
    note(repr(spoilt))
    verdict = elsewhere.check(spoilt, album.table, album.hidden, **album.wishes)
    if verdict.holds:  # only where another version is true in every number
        choices = Choices(album.request())
        assert spoilt.choices in choices.accepted
        assert spoilt.cost == choices.cost(spoilt.choices)


def test_another_version_than_the_plan_has_is_refused_where_it_breaks_the_promise() -> None:
    refused = 0
    for seed in range(80):
        album = version_album(seed)
        plan, choices = album.solved(), Choices(album.request())
        for at, row in enumerate(plan.choices):
            photo = choices.versions[row].photo
            for other, version in enumerate(choices.versions):
                rows = (*plan.choices[:at], other, *plan.choices[at + 1 :])
                if version.photo != photo or rows in choices.accepted:
                    continue
                cost = choices.cost(rows)
                bound = min(plan.bound, cost)
                status = Status.OPTIMAL if bound == cost else Status.FEASIBLE
                false = replace(plan, choices=rows, cost=cost, bound=bound, status=status)
                assert not prove(false, false.promise, album.request().scores).holds
                refused += 1
    assert refused > 30


def forgotten_exponents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only sums of the photos' own circles are looked at."""
    monkeypatch.setattr(solver.CirclePromise, "fails", lambda *_: [])


def forgotten_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions that tell the place alone may be shared."""
    original = solver.place_attacker

    def attacker(*given: Any, **wishes: Any) -> tuple[CircleAttacker, Mask]:
        found, tells = original(*given, **wishes)
        return found, np.zeros_like(tells)

    monkeypatch.setattr(reductions, "place_attacker", attacker)


def versions_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A photo counts as its last version, whichever is shared."""
    original = solver.place_attacker

    def attacker(
        circles: Circles, scores: FloatMatrix, *given: Any, **wishes: Any
    ) -> tuple[CircleAttacker, Mask]:
        photo_of = wishes["photo_of"]
        last = np.searchsorted(photo_of, photo_of, side="right") - 1
        return original(circles, scores[last], *given, **wishes)

    monkeypatch.setattr(reductions, "place_attacker", attacker)


@pytest.mark.parametrize("fault", [forgotten_exponents, forgotten_rows, versions_mixed_up])
def test_planted_faults_are_caught(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every plan that the check's own words do not accept is refused."""
    reductions.forget()
    fault(monkeypatch)
    refused = 0
    for seed in range(600):
        album = version_album(seed, photos=6, cells=40)
        try:
            album.solved()
        except elsewhere.CheckError:
            refused += 1
        if refused == 5:
            break
    reductions.forget()
    assert refused >= 3
