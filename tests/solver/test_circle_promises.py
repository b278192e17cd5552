"""Promises about circles, from what a person passes to plans that the check proves again.

Held against trying every set of photos: the solver's own rivals by plain sums, and the checker.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.checker.facts import AlbumFacts
from elsewhere.checker.proof import prove
from elsewhere.errors import InputError
from elsewhere.solver.circle_plans import greedy_steps
from elsewhere.solver.problem import IN
from elsewhere.solver.reductions import reduce
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.problems import ProblemKind
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores
from tests.solver.examples import examples
from tests.solver.small_globes import SmallAlbum, small_album

SEEDS = st.integers(0, 2**32 - 1)


def scores_of(album: SmallAlbum) -> Scores:
    return Scores(album.scores, points=album.circles.points)


def hidden_in(album: SmallAlbum) -> HiddenCircles:
    positions = sorted({*zip(album.lat.tolist(), album.lon.tolist(), strict=True)})
    return HiddenCircles(tuple(positions), album.circles.radius_km, 0.5)


def wishes_of(album: SmallAlbum) -> dict[str, Any]:
    """What a person would pass: the album's units as groups, its weights as values, its pins."""
    photos = len(album.scores)
    units = [np.flatnonzero(album.unit_of == unit).tolist() for unit in range(len(album.weights))]
    values = [Fraction(int(album.weights[u]), len(units[u])) for u in album.unit_of.tolist()]
    return {
        "keep": [n for n in range(photos) if album.fixed[album.unit_of[n]] == IN],
        "groups": [unit for unit in units if len(unit) > 1],
        "values": values,
        "margin": album.margin,
        "each_photo": album.alone,
    }


def request_of(album: SmallAlbum, **changes: Any) -> Request:
    wishes = wishes_of(album) | {"top": album.need} | changes
    return read_request(scores_of(album), hidden_in(album), **wishes)


def solved(album: SmallAlbum, **changes: Any) -> Plan:
    wishes = wishes_of(album) | {"top": album.need} | changes
    return elsewhere.protect(scores_of(album), hidden_in(album), **wishes)


def sets_that_keep(request: Request) -> list[tuple[int, ...]]:
    """Every set of photos that the check accepts, by its own words."""
    photos = range(request.promise.photos)
    sets = (kept for size in photos for kept in combinations(photos, size + 1))
    return [kept for kept in sets if is_kept(request, kept)]


def is_kept(request: Request, kept: tuple[int, ...]) -> bool:
    """Whether the check accepts that these photos are kept, by its own words."""
    promise = request.promise
    facts = AlbumFacts(promise, request.scores, shared=range(promise.photos))
    if any(0 < len({*group} & {*kept}) < len(group) for group in promise.groups):
        return False
    if not facts.pinned.issubset(kept) or not facts.forced.isdisjoint(kept):
        return False
    pairs = zip(facts.views(kept), promise.against, strict=True)
    return all(view.count >= (against.top or 0) for view, against in pairs)


def telling_in(request: Request) -> set[int]:
    """The photos that tell a place alone and are not exempt."""
    photos = range(request.promise.photos)
    return {*AlbumFacts(request.promise, request.scores, shared=photos).revealing}


def cost_of(request: Request, kept: tuple[int, ...]) -> Fraction:
    values = request.promise.values or [Fraction(1)] * request.promise.photos
    return sum((v for n, v in enumerate(values) if n not in kept), Fraction(0))


@given(SEEDS)
@examples(60)
def test_plans_for_a_top_are_proved_and_respect_every_wish(seed: int) -> None:
    album = small_album(seed, max_photos=6, max_cells=30)
    plan, request = solved(album), request_of(album)
    assert prove(plan, request.promise, request.scores).holds
    if not plan.found:
        assert plan.status in (Status.INFEASIBLE, Status.UNKNOWN)
        return
    assert plan.kept in sets_that_keep(request)
    assert plan.bound <= plan.cost == cost_of(request, plan.kept)
    assert (plan.status == Status.OPTIMAL) == (plan.bound == plan.cost)
    assert {*request.promise.keep} <= {*plan.kept}
    assert plan.views[0].protected_k == album.need == len(plan.views[0].rivals)


def test_plans_cost_about_what_the_best_set_by_the_check_costs() -> None:
    """The solver's rivals are some of the check's: it never does better, and seldom worse."""
    compared = worse = 0
    for seed in range(60):
        album = small_album(seed, max_photos=6, max_cells=30)
        request = request_of(album)
        plan = solved(album)
        allowed = sets_that_keep(request)
        assert plan.found <= bool(allowed)
        best = min((cost_of(request, kept) for kept in allowed), default=None)
        if best is not None:  # whatever is claimed holds for every set that the check accepts
            assert plan.status != Status.INFEASIBLE
            assert plan.bound <= best
        if plan.found:
            assert best is not None and best <= plan.cost
            compared, worse = compared + 1, worse + (best < plan.cost)
    assert compared > 20
    assert worse <= compared // 5


@given(SEEDS, st.integers(0, 3))
@examples(30)
def test_a_budget_buys_what_the_check_counts(seed: int, budget: int) -> None:
    album = small_album(seed, max_photos=5, max_cells=24)
    request = request_of(album, top=None, budget=budget)
    plan = solved(album, top=None, budget=budget)
    assert prove(plan, request.promise, request.scores).holds
    if not plan.found:
        return
    assert len(plan.withheld) <= budget
    assert plan.bound >= plan.protected_k
    if plan.protected_k:  # and the same photos keep a promise for that top
        again = request_of(album, top=plan.protected_k)
        assert is_kept(again, plan.kept)


@given(SEEDS)
@examples(20)
def test_a_plan_is_found_again_without_any_time(seed: int) -> None:
    """As where a person pins a photo that is shared anyway: the plan stays as good."""
    album = small_album(seed, max_photos=5, max_cells=24)
    plan = solved(album)
    if plan.found:
        keep = {*wishes_of(album)["keep"], plan.kept[0]}
        after = solved(album, keep=sorted(keep), near=plan, time_limit=0)
        assert after.found and after.cost <= plan.cost


@given(SEEDS)
@examples(20)
def test_after_a_plan_a_budget_buys_no_less_without_any_time(seed: int) -> None:
    """As where a person moves a slider by one photo: the first answer is no step back."""
    album = small_album(seed, max_photos=5, max_cells=24)
    plan = solved(album, top=min(album.need, 4))
    if plan.found:
        budget = len(plan.withheld)
        after = solved(album, top=None, budget=budget, near=plan, time_limit=0)
        assert after.found and after.protected_k >= plan.protected_k


@given(SEEDS)
@examples(20)
def test_a_frontier_rises_and_is_proved(seed: int) -> None:
    album = small_album(seed, max_photos=5, max_cells=24)
    wishes = wishes_of(album)
    try:
        points = elsewhere.frontier(scores_of(album), hidden_in(album), **wishes).points
    except InputError:
        return
    reached = [point.protected_k for point in points]
    assert reached == sorted(reached)
    assert all(point.protected_k <= point.bound for point in points)
    assert all(len(point.plan.withheld) <= point.budget for point in points)


def test_a_photo_that_must_stay_is_exempt_and_no_other() -> None:
    seen = 0
    for seed in range(80):
        album = small_album(seed, max_photos=5, max_cells=24)
        free = request_of(album, keep=())
        telling = telling_in(free)
        if len(telling) < 2 or free.promise.groups:
            continue
        pinned, other = sorted(telling)[:2]
        left = telling_in(replace(free, promise=replace(free.promise, keep=(pinned,))))
        assert pinned not in left
        assert other in left
        plan = solved(album, keep=[pinned])
        if plan.found:
            seen += 1
            assert pinned in plan.kept
            assert other in plan.withheld
    assert seen


def test_several_attackers_of_circles_and_of_cells_share_one_plan() -> None:
    found = 0
    for seed in range(40):
        album = small_album(seed, max_photos=5, max_cells=24)
        table, cells = scores_of(album), Scores(album.scores[:, :6])
        photos = len(album.scores)
        truths = [hidden_in(album), hidden_in(album), 0]
        sees = [None, [photos - 1], None]
        asked: dict[str, Any] = {"top": [album.need, 1, 1], "sees": sees}
        plan = elsewhere.protect([table, table, cells], truths, **asked)
        if plan.found:
            found += 1
            assert [len(view.rivals) for view in plan.views[:1]] == [album.need]
            assert elsewhere.check(plan, [table, table, cells], truths, **asked)
    assert found > 5


def test_cells_that_the_audience_rules_out_are_no_rivals() -> None:
    for seed in range(40):
        album = small_album(seed, max_photos=4, max_cells=30)
        possible = range(0, len(album.circles.points[0]), 2)
        plan = solved(album, rivals=possible)
        request = request_of(album, rivals=possible)
        assert prove(plan, request.promise, request.scores).holds
        if plan.found:
            # a circle may be centred on an impossible cell; it holds only what is possible
            assert plan.kept in sets_that_keep(request)


@cache
def a_plan() -> tuple[Plan, Request]:
    """A plan with a photo that must stay although it tells the place, and one withheld."""
    for seed in range(400):
        album = small_album(seed, max_photos=6, max_cells=30)
        free = request_of(album, keep=())
        telling = telling_in(free)
        if not telling or free.promise.groups or album.margin == 0:
            continue
        request = request_of(album, keep=[min(telling)])
        plan = solved(album, keep=[min(telling)])
        if plan.found and plan.withheld and album.need > 1 and not plan.rests_on_zero:
            assert prove(plan, request.promise, request.scores).holds
            return plan, request
    raise AssertionError("no such album")


def refusals(plan: Plan, request: Request) -> set[ProblemKind]:
    problems = prove(plan, plan.promise, request.scores).problems
    return {problem.kind for problem in problems}


def changed(plan: Plan, **changes: Any) -> Plan:
    return replace(plan, views=(replace(plan.views[0], **changes), *plan.views[1:]))


def test_a_moved_rival_is_refused() -> None:
    plan, request = a_plan()
    view = plan.views[0]
    cells = request.scores[0].cells
    taken = {*view.rivals}
    others = [cell for cell in range(cells) if cell not in taken]
    lat, lon = request.scores[0].points or ((), ())
    hidden = request.promise.against[0].circles
    assert hidden is not None
    home = min(others, key=lambda c: abs(lat[c] - hidden.positions[0][0]) + abs(lon[c]))
    assert refusals(changed(plan, rivals=(home, *view.rivals[1:])), request)
    assert refusals(changed(plan, rivals=(view.rivals[0],) * len(view.rivals)), request)
    assert refusals(changed(plan, rivals=(cells, *view.rivals[1:])), request)
    refused = [refusals(changed(plan, rivals=(*view.rivals[:-1], c)), request) for c in others]
    assert sum(map(bool, refused)) >= len(others) - 2


def test_a_wrong_slack_is_refused() -> None:
    plan, request = a_plan()
    assert refusals(changed(plan, slack=-0.01), request) == {ProblemKind.SLACK}
    problem = prove(changed(plan, slack=float("inf")), plan.promise, request.scores).problems[0]
    assert problem.kind == ProblemKind.SLACK
    # hidden circles of the plan's grid hold a little more, so its slack is a little less
    true = float(str(problem.wanted))
    assert plan.views[0].slack <= true + 1e-6
    assert not refusals(changed(plan, slack=true), request)
    assert refusals(changed(plan, slack=1.001 * true + 1e-3), request) == {ProblemKind.SLACK}


def test_a_wrong_k_is_refused() -> None:
    plan, request = a_plan()
    k = plan.views[0].protected_k
    assert refusals(changed(plan, protected_k=k + 1), request)
    assert refusals(changed(plan, protected_k=k - 1), request)
    against = replace(plan.promise.against[0], top=40)
    larger = replace(plan, promise=replace(plan.promise, against=(against,)))
    assert refusals(changed(larger, protected_k=40), request)


def test_a_dropped_exemption_is_refused() -> None:
    plan, request = a_plan()
    promise = replace(plan.promise, keep=())
    assert ProblemKind.CIRCLES_ALONE in refusals(replace(plan, promise=promise), request)


def test_more_kept_photos_than_the_plan_has_are_refused() -> None:
    plan, request = a_plan()
    for photo in plan.withheld:
        kept = tuple(sorted({*plan.kept, photo}))
        rest = tuple(n for n in plan.withheld if n != photo)
        costs = cost_of(request, kept)
        more = replace(plan, kept=kept, withheld=rest, cost=costs, bound=min(plan.bound, costs))
        if kept not in sets_that_keep(request):
            assert refusals(more, request)


@pytest.mark.parametrize("radius", [0.5, 0.0, 501.0])
def test_circles_are_of_one_to_five_hundred_km(radius: float) -> None:
    album = small_album(3)
    hidden = replace(hidden_in(album), radius_km=radius)
    with pytest.raises(InputError, match="circles of 1 to 500 km"):
        read_request(scores_of(album), hidden, top=1)


def test_places_need_points_and_take_no_prior() -> None:
    album = small_album(3)
    with pytest.raises(InputError, match="give points"):
        read_request(Scores(album.scores), hidden_in(album), top=1)
    with pytest.raises(InputError, match="neither a lead nor a prior"):
        read_request(scores_of(album), hidden_in(album), top=1, lead=0.5)
    with pytest.raises(InputError, match="at least one position"):
        read_request(scores_of(album), replace(hidden_in(album), positions=()), top=1)


def test_what_greedy_counts_the_check_counts_too() -> None:
    compared = 0
    for seed in range(20):
        album = small_album(seed, max_photos=5, max_cells=24)
        wide = request_of(album, top=None, budget=len(album.scores))
        reduction = reduce(wide.promise, wide.scores)
        for units, _, top in greedy_steps(reduction):
            kept = tuple(np.flatnonzero(units[reduction.problem.unit_of]).tolist())
            if top:
                compared += 1
                assert is_kept(request_of(album, top=top), kept)
    assert compared > 10
