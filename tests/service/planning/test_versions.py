"""Plans for albums whose photos may be edited: what is chosen among versions that were scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import elsewhere
from elsewhere.album import Metadata
from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.globe import Cells
from elsewhere.messages import page, verdict
from elsewhere.messages.report import plan_state
from elsewhere.messages.verification import condition_text
from elsewhere.service import planning
from elsewhere.service.album_versions import AlbumVersions, album_versions
from elsewhere.service.copy_claims import find_conditions
from elsewhere.service.frontier import album_frontier, greedy_withholds
from elsewhere.service.planning import (
    AlbumPlan,
    evaluate_alternatives,
    plan_album,
    plan_versions,
    price_wishes,
    shared_by_telling,
)
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import threat_scores
from elsewhere.solver.requests import Request
from elsewhere.values.photo_text import Clue, PhotoText, Position, TextBox, TextLine
from elsewhere.values.plan import Status
from elsewhere.values.problems import Attack
from elsewhere.values.scores import Scores
from elsewhere.values.verification import Condition, ConditionKind
from elsewhere.values.versions import Edit, Rectangle, ScoredVersion
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, attack, on_leaves, photo, seen, trip

LISBON, TOKYO = (38.72, -9.14), (35.68, 139.76)
ELSEWHERE = [(48.86, 2.35), (40.71, -74.0), (-33.87, 151.21), (55.75, 37.62), (19.43, -99.13)]
EXACT = Wishes(exact_top=True, margin="none", top=2)
SKY = Edit(covers=(Rectangle(0, 0, 1000, 200),))
SIGN = Edit(covers=(Rectangle(400, 400, 600, 500),))
Candidates = Mapping[int, Sequence[ScoredVersion]]


def fine_album(telling: int = 3, others: int = 3) -> ScoredAlbum:
    """Photos of Lisbon on fine cells: some tell it, all look like other towns too."""
    decoys = dict.fromkeys(ELSEWHERE, 6.0)
    return on_leaves(
        *[(LISBON, {**decoys, LISBON: 9.0})] * telling,
        *[(LISBON, {**decoys, LISBON: 3.0})] * others,
    )


def edited_row(row: np.ndarray[Any, Any], fall: float) -> np.ndarray[Any, Any]:
    """The row of a version in which Lisbon is less likely."""
    lats, lons = Cells.leaves().points
    near = np.hypot(lats - LISBON[0], lons - LISBON[1]) < 1
    changed = row - fall * near
    return np.asarray(changed - np.logaddexp.reduce(changed), np.float32)


def versions_of(
    album: ScoredAlbum, photo: int, falls: Mapping[Fraction, float]
) -> tuple[ScoredVersion, ...]:
    """The photo as it is, and a version for each cost."""
    rows = [model.scores.values[photo] for model in album.models]
    edited = [
        ScoredVersion((SKY, SIGN)[n % 2], cost, tuple(edited_row(row, fall) for row in rows))
        for n, (cost, fall) in enumerate(falls.items())
    ]
    return (ScoredVersion(None, Fraction(0), tuple(rows)), *edited)


def plan(album: ScoredAlbum, wishes: Wishes = EXACT, **more: Any) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes, **more)


def holds(album: ScoredAlbum, planned: AlbumPlan, posted: Posted = NOTHING_POSTED) -> bool:
    tables = threat_scores(album, planned.threats, posted, planned.versions)
    return bool(elsewhere.check(planned.plan, list(tables)))


def candidates_for(album: ScoredAlbum, planned: AlbumPlan) -> Candidates:
    falls = {Fraction(1, 10): 2.0, Fraction(3, 10): 5.0}
    return {number: versions_of(album, number, falls) for number in planned.editable}


def test_an_edit_saves_photos_that_were_withheld() -> None:
    album = fine_album()
    withheld = plan(album)
    assert withheld.plan.withheld == withheld.editable == (0, 1, 2)
    assert withheld.edits == {} and withheld.versions is None
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    assert better.plan.withheld == ()
    assert better.plan.cost < withheld.plan.cost
    assert better.edits == {f"{n}.jpg": SIGN for n in range(3)}
    assert better.newly_shared == 6
    assert better.ids == withheld.ids
    assert better.top == withheld.top
    assert holds(album, better)
    said = verdict(better)
    assert said.startswith("With 6 of 6 photos shared, 3 of them covered (")
    assert " % of their picture), and none withheld, none of" in said
    assert "the least loss among the 12 versions tried, another edit may lose less" in said
    assert better.plan.explanation == said


def test_versions_that_do_not_help_change_nothing() -> None:
    album = fine_album()
    withheld = plan(album)
    useless = {n: versions_of(album, n, {Fraction(1, 10): 0.0}) for n in withheld.editable}
    assert plan_versions(album, withheld, useless) is withheld
    assert plan_versions(album, withheld, {}) is withheld


def test_an_album_without_a_plan_gets_one() -> None:
    album = fine_album(telling=2, others=0)
    nothing = plan(album, replace(EXACT, each_photo=True))
    assert not nothing.plan.found
    assert nothing.editable == (0, 1)
    better = plan_versions(album, nothing, candidates_for(album, nothing))
    assert better.plan.found and better.plan.withheld == ()
    assert holds(album, better)


def test_shared_photos_come_in_the_order_of_what_they_tell() -> None:
    decoys = dict.fromkeys(ELSEWHERE, 6.0)
    heights = (2.0, 4.0, 12.0, 3.0, 1.0)
    album = on_leaves(*((LISBON, {**decoys, LISBON: height}) for height in heights))
    planned = plan(album)
    assert planned.plan.withheld == (2,)
    assert shared_by_telling(album, planned) == (1, 3, 0, 4)
    candidates = {1: versions_of(album, 1, {Fraction(1, 10): 9.0})[1:]}
    edited = plan(album, candidates=candidates)
    assert shared_by_telling(album, edited) == (3, 0, 4)


def test_the_secret_top_stays_and_is_not_told() -> None:
    album = fine_album()
    wishes = replace(EXACT, exact_top=False)
    withheld = plan(album, wishes, draw=Random(3))
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    assert better is not withheld and better.top == withheld.top
    assert "for 2 guesses or more (how many, up to 4, stays secret)" in verdict(better)


def test_what_is_posted_stays_as_it_is() -> None:
    album = fine_album()
    rows = album.models[0].scores
    names = ("posted/x.jpg",)
    out = Scores(rows.values[5:], names, scorer=rows.scorer, grid=rows.grid, points=rows.points)
    posted = Posted(names, (out,), (Metadata(LISBON),), already=(3,))
    withheld = plan(album, posted=posted)
    candidates = {
        **candidates_for(album, withheld),
        3: versions_of(album, 3, {Fraction(1, 10): 5.0}),
    }
    better = plan_versions(album, withheld, candidates)
    assert better.versions is not None and 3 not in better.versions.candidates
    assert {3, 6} <= {*better.plan.kept}
    assert better.plan.promise.photos == 7
    assert better.plan.withheld == () and "3.jpg" not in better.edits
    assert holds(album, better, posted)


def test_attacks_are_tried_on_the_versions_that_are_shared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    album = fine_album()
    attacked: list[Any] = []

    def no_hits(about: object, rows: Any, *_: object) -> tuple[()]:
        attacked.append(rows)
        return ()

    monkeypatch.setattr(planning, "find_hits", no_hits)
    withheld = plan(album, attacked=True)
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    assert better.attacked
    table = threat_scores(album, better.threats, NOTHING_POSTED, better.versions)[0]
    assert np.array_equal(attacked[-1], table.values[list(better.plan.choices)])


def test_values_and_budgets_are_in_photos_of_average_value() -> None:
    album = fine_album()
    withheld = plan(album, replace(EXACT, values={"0.jpg": 4}))
    better = plan_versions(album, withheld, candidates_for(album, withheld))
    values = better.plan.promise.values
    assert values is not None and values[0] == 4
    assert better.plan.cost == 6 * Fraction(3, 10)
    bought = plan(album, replace(EXACT, top=None, budget=1, each_photo=False))
    asked = replace(bought.wishes, values={"5.jpg": 7})
    everything = {n: versions_of(album, n, {Fraction(1, 10): 5.0}) for n in range(6)}
    edited = plan(album, asked, candidates=everything)
    assert edited.plan.promise.budget == 2
    assert edited.plan.cost <= 2
    assert edited.plan.protected_k >= bought.plan.protected_k
    assert holds(album, edited)


def test_a_budget_over_versions_is_a_cost_and_proved_only_over_those_tried() -> None:
    album = fine_album()
    asked = replace(EXACT, top=None, budget=1, each_photo=False, values={"5.jpg": 7})
    everything = {n: versions_of(album, n, {Fraction(1, 10): 5.0}) for n in range(6)}
    made = plan(album, asked, candidates=everything)
    made = replace(made, plan=replace(made.plan, status=Status.OPTIMAL))
    tried = "among the 12 versions tried"
    assert f"No plan within the budget does better {tried}, another edit may do" in verdict(made)
    assert page.proof(made, proved=True).endswith("best for this budget, among the versions tried")
    state = "The best found within a budget, a value of 2, among the versions tried"
    assert plan_state(made.plan) == state
    assert made.plan.promise.values is not None
    parts = replace(made.plan.promise, values=None, budget=Fraction(26, 9))
    assert "a loss of 2.88, among" in plan_state(replace(made.plan, promise=parts))
    certified = SimpleNamespace(plan=SimpleNamespace(plan=made.plan), posted=(), files=())
    (cost, *_) = find_conditions(certified, (), (), own=True)  # type: ignore[arg-type]
    assert cost == Condition(ConditionKind.COST, detail="2")
    said = condition_text(cost)
    assert said == "what edits lose and photos withheld are worth, at most 2"


def test_pins_and_drops_hold_with_versions() -> None:
    album = fine_album()
    wishes = replace(EXACT, keep=("0.jpg",), drop=("1.jpg",))
    withheld = plan(album, wishes)
    assert 1 not in withheld.editable
    better = plan_versions(album, withheld, candidates_for(album, plan(album)))
    assert 0 in better.plan.kept and 1 in better.plan.withheld
    assert holds(album, better)


def test_covered_text_need_not_be_withheld() -> None:
    near = Clue("name", "Lisboa", "Lisbon, Portugal", 900.0, (Position(*LISBON),), ("PT",))
    sign = TextLine("Lisboa", 0.99, TextBox(1, 1, 3, 2), (near,))
    album = replace(fine_album(), texts={"5.jpg": PhotoText("5.jpg", (sign,))})
    withheld = plan(album)
    assert 5 in withheld.plan.withheld and 5 in withheld.editable
    as_it_is, covered = versions_of(album, 5, {Fraction(1, 10): 0.0})
    cover = Edit(covers=(Rectangle(0, 300, 1000, 700),))
    covered = replace(covered, edit=cover)
    assert 5 in plan(album, candidates={5: (as_it_is,)}).plan.withheld
    for candidates in ((covered,), (as_it_is, covered)):
        shared = plan(album, candidates={5: candidates})
        assert 5 in shared.plan.kept and shared.edits == {"5.jpg": cover}
    unknown = replace(album, texts={"5.jpg": PhotoText("5.jpg", failed="time")})
    assert 5 in plan(unknown, candidates={5: (covered,)}).plan.withheld
    assert "5.jpg" not in shared.telling_photos


def test_alternatives_prices_and_the_frontier_know_the_versions() -> None:
    album = fine_album(telling=5, others=1)
    withheld = plan(album)
    some = {n: versions_of(album, n, {Fraction(3, 10): 5.0}) for n in withheld.editable[:3]}
    better = plan_versions(album, withheld, some)
    assert 0 < len(better.plan.withheld) < len(withheld.plan.withheld)
    assert evaluate_alternatives(album, better).plan == better.plan
    prices = price_wishes(album, better).prices
    assert all(line.shared is None or line.shared >= better.newly_shared for line in prices)
    frontier = album_frontier(album, better, patience=20)
    assert frontier is not None
    losses = [step.loss for step in frontier.steps]
    assert losses == sorted(set(losses)) and all(step.lost is not None for step in frontier.steps)
    assert frontier.plan_point == (float(better.plan.cost), better.plan.protected_k)
    greedy = greedy_withholds(album, better)
    assert greedy is None or len(greedy) >= len(better.plan.withheld)


@pytest.mark.parametrize("seed", range(4))
def test_coarse_cells_against_every_choice(seed: int) -> None:
    """The definition written out for a model of few cells."""
    globe = Cells.paper().coarsen(32)
    rng = np.random.default_rng(seed)
    rows = rng.integers(-9, 1, (5, globe.count)).astype(np.float32)
    edits = rng.integers(-9, 1, (5, 2, globe.count)).astype(np.float32)
    photos = [photo(f"{n}.jpg", LISBON) for n in range(5)]
    album = seen(photos, attack(rows, [one.id for one in photos], globe=globe))
    costs = (Fraction(1, 10), Fraction(1, 4))
    candidates = {
        n: (
            ScoredVersion(None, Fraction(0), (rows[n],)),
            *(ScoredVersion(SKY, cost, (row,)) for cost, row in zip(costs, edits[n], strict=True)),
        )
        for n in range(5)
    }
    wishes = Wishes(exact_top=True, margin="none", each_photo=False, top=8)
    planned = plan(album, wishes, candidates=candidates)
    (threat,) = planned.threats
    rivals = list(threat.rivals or ())
    least = None
    for chosen in product(range(4), repeat=5):
        shared = [(rows[n], *edits[n])[way] for n, way in enumerate(chosen) if way < 3]
        if not shared:
            continue
        sums = np.array(shared, np.float64).sum(axis=0)
        if (sums[rivals] >= sums[threat.zone.cells].max()).sum() >= 8:
            cost = sum(((Fraction(0), *costs, Fraction(1))[way] for way in chosen), Fraction(0))
            least = cost if least is None else min(least, cost)
    assert least is not None
    assert (planned.plan.status, planned.plan.cost) == (Status.OPTIMAL, least)
    assert holds(album, planned)


def test_two_scorers_see_each_version() -> None:
    album = trip([Stay("Lisbon", 10, 0), Stay("Tokyo", 4, 3)], scorers=2, seed=2)
    wishes = replace(EXACT, hide=("Lisbon",), top=4)
    withheld = plan(album, wishes)
    assert withheld.plan.withheld
    kept = withheld.plan.kept[0]
    harmless = tuple(model.scores.values[kept] for model in album.models)
    candidates = {
        n: (
            ScoredVersion(None, Fraction(0), tuple(m.scores.values[n] for m in album.models)),
            ScoredVersion(SKY, Fraction(1, 5), harmless),
        )
        for n in withheld.editable
    }
    better = plan_versions(album, withheld, candidates)
    assert better.plan.cost <= withheld.plan.cost
    assert holds(album, better)


def test_versions_need_a_row_for_each_scorer() -> None:
    album = fine_album()
    for wrong in ({9: versions_of(album, 0, {})}, {0: (ScoredVersion(None, Fraction(0), ()),)}):
        with pytest.raises(InputError, match="a row for each of"):
            plan(album, candidates=wrong)


def test_names_of_versions_differ_from_those_of_photos() -> None:
    photos = [photo(name, LISBON) for name in ("a", "a (2)")]
    rows = np.zeros((2, Cells.paper().count), np.float32)
    album = seen(photos, rows)
    version = ScoredVersion(SKY, Fraction(1), (rows[0],))
    as_it_is = ScoredVersion(None, Fraction(0), (rows[0],))
    versions = album_versions(album, {0: (as_it_is, version, version)}, NOTHING_POSTED)
    assert isinstance(versions, AlbumVersions)
    assert versions.expand(album.models[0].scores, 0).ids[0] == "a"
    assert len({*versions.expand(album.models[0].scores, 0).ids}) == 4
    assert versions.costs([Fraction(2), Fraction(1)])[1] == (0, Fraction(1998, 1000))
    assert versions.edits((1, 3)) == {0: SKY}


def test_a_cheaper_plan_that_attacks_find_is_not_better(monkeypatch: pytest.MonkeyPatch) -> None:
    album = fine_album()
    withheld = plan(album, attacked=True)
    candidates = {n: versions_of(album, n, {Fraction(1, 10): 5.0}) for n in range(3)}
    assert plan_versions(album, withheld, candidates).edits
    found = (Attack.EXCLUDER,)

    def hits(scored: object, threats: object, request: Request, plan: object) -> Any:
        return {0: found} if request.promise.versions is not None else {}

    monkeypatch.setattr(planning, "_find_hits", hits)
    assert plan_versions(album, withheld, candidates).edits, "the excluder does not count"
    found = (next(attack for attack in Attack if attack is not Attack.EXCLUDER),)
    assert plan_versions(album, withheld, candidates) is withheld
