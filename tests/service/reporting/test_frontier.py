"""The staircase in the report: the engine's frontier, and greedy counted by hand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest

import elsewhere
from elsewhere.album.places import places_of
from elsewhere.errors import CheckError
from elsewhere.service import frontier as stairs_module
from elsewhere.service.frontier import (
    album_frontier,
    greedy_frontier,
    greedy_needs,
    greedy_withholds,
)
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import checked_points
from elsewhere.service.threats import threat_scores
from elsewhere.solver import greedy as baseline
from elsewhere.values.plan import Point
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, photo, trip


@pytest.fixture(scope="module")
def lisbon() -> ScoredAlbum:
    return trip([Stay("Lisbon", 9, 0)], seed=4)


def plan(seen: ScoredAlbum, **wishes: object) -> AlbumPlan:
    wish = replace(Wishes(top=4, margin="none", each_photo=False), **wishes)  # type: ignore[arg-type]
    return plan_album(seen, places_of(seen.photos), wish, draw=Random(1))


def test_a_plan_better_than_the_bound_is_no_picture_but_a_mistake(
    lisbon: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = plan(lisbon)

    def low(*given: object, **named: object) -> Iterator[Point]:
        for point in checked_points(*given, **named):  # type: ignore[arg-type]
            yield replace(point, bound=0)

    monkeypatch.setattr(stairs_module, "checked_points", low)
    with pytest.raises(CheckError, match="better than what was proved"):
        album_frontier(lisbon, made, patience=30.0)


def test_where_time_runs_out_a_point_is_no_worse_than_greedy(lisbon: ScoredAlbum) -> None:
    made = plan(lisbon)
    found = album_frontier(lisbon, made, patience=0.0)
    assert found is not None
    assert found.greedy
    for step in found.steps:
        reached = max(k for n, k in found.greedy if n <= step.withheld)
        assert reached <= step.protected <= step.bound


def test_every_step_is_the_engines(lisbon: ScoredAlbum) -> None:
    made = plan(lisbon, margin=0.1)
    found = album_frontier(lisbon, made, patience=60.0)
    assert found is not None
    wanted = elsewhere.frontier(
        lisbon.models[0].scores,
        made.threats[0].zone.cells.tolist(),
        rivals=made.threats[0].rivals,
        margin=0.1,
        prove_up_to=8,
    )
    assert [step.withheld for step in found.steps] == [point.budget for point in wanted]
    for step, point in zip(found.steps, wanted, strict=True):
        if step.proved and point.proved:
            assert step.protected == point.protected_k
        assert step.protected <= point.bound <= step.bound
    assert found.plan_point == (len(made.plan.withheld), made.plan.protected_k)
    assert (found.requested_top, found.used_top) == (4, made.top)


def test_greedy_is_the_papers(lisbon: ScoredAlbum) -> None:
    """Photos go in the order of what they give the zone; counted with plain sums."""
    made = plan(lisbon)
    values = lisbon.models[0].scores.values.astype(np.float64)
    zone, rivals = made.threats[0].zone.cells, np.array(made.threats[0].rivals)
    order = np.argsort(-np.log(np.exp(values[:, zone]).sum(axis=1)), kind="stable")
    wanted = []
    for gone in range(len(values)):
        sums = values[order[gone:]].sum(axis=0)
        wanted.append((gone, int((sums[rivals] >= sums[zone].max()).sum())))
    assert greedy_frontier(made.plan.promise, [lisbon.models[0].scores]) == tuple(wanted)


@pytest.mark.parametrize("wishes", [{}, {"margin": 0.2}, {"each_photo": True}, {"top": 1}], ids=str)
def test_what_greedy_needs_is_on_its_stairs(wishes: dict[str, object]) -> None:
    seen = trip([Stay("Lisbon", 7, 0), Stay("Berlin", 6, 1)], seed=4)
    made = plan(seen, **wishes)
    assert made.top is not None
    whole = greedy_withholds(seen, made)
    greedy = greedy_frontier(made.plan.promise, threat_scores(seen, made.threats, NOTHING_POSTED))
    assert greedy_needs(greedy, made.top) == (None if whole is None else len(whole))


def test_greedy_is_worked_out_once_for_a_frontier(
    lisbon: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its points, what stands beside them, and what it would need: all are read off one walk."""
    made, asked = plan(lisbon), Mock(side_effect=baseline.unit_order)
    monkeypatch.setattr(stairs_module, "unit_order", asked)
    again = Mock(side_effect=AssertionError("greedy is worked out again"))
    monkeypatch.setattr(baseline, "solve", again)
    found = album_frontier(lisbon, made, patience=0.0)
    assert found is not None and made.top is not None
    greedy_needs(found.greedy, made.top)
    assert asked.call_count == 1


def test_no_point_is_worse_than_greedy_or_the_plan(lisbon: ScoredAlbum) -> None:
    found = album_frontier(lisbon, plan(lisbon), patience=0.0)
    assert found is not None
    greedy = dict(found.greedy)
    assert any(not step.proved for step in found.steps), "nothing is proved without time"
    assert found.plan_point is not None
    for step in found.steps:
        assert greedy.get(step.withheld, 0) <= step.protected <= step.bound
        if step.withheld >= found.plan_point[0]:
            assert step.protected >= found.plan_point[1], "the plan itself is known too"


def test_pins_and_posted_photos_count(lisbon: ScoredAlbum) -> None:
    """What is public already stays in every point; what must go is gone in every point."""
    first = lisbon.photos[0].id
    made = plan(lisbon, drop=(first,))
    found = album_frontier(lisbon, made, patience=30.0)
    assert found is not None
    assert found.steps[0].withheld == found.greedy[0][0] == 1
    rows = Scores(
        lisbon.models[0].scores.values[:2], ["posted/a", "posted/b"], scorer="print of made-up 0"
    )
    posted = Posted(("posted/a", "posted/b"), (rows,), (photo("a").metadata, photo("b").metadata))
    wish = Wishes(top=1, margin="none", exact_top=True)
    made = plan_album(lisbon, places_of(lisbon.photos), wish, posted=posted)
    found = album_frontier(lisbon, made, patience=30.0)
    assert found is not None
    assert max(step.withheld for step in found.steps) == len(lisbon.photos)


def test_wishes_without_a_choice_have_no_staircase(lisbon: ScoredAlbum) -> None:
    made = plan(lisbon)
    everything = tuple(range(len(lisbon.photos)))
    gone = replace(made.plan.promise, drop=everything)
    none = replace(made, plan=replace(made.plan, promise=gone))
    assert album_frontier(lisbon, none, patience=1.0) is None
