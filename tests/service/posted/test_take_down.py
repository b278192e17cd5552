"""Half of an album is out already: plans count it, and where it breaks the promise that is said.

Everything against every subset of small albums, with the definition written out by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from elsewhere import messages
from elsewhere.album import Metadata
from elsewhere.album.places import places_of
from elsewhere.globe import Cells, distance_km
from elsewhere.service import advice
from elsewhere.service.advice import blocked_by_posted
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import protect
from elsewhere.values.outcome import Blocked, Outcome
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, attack, photo, seen, trip

LISBON = (38.72, -9.14)
CELLS = Cells.paper().coarsen(32)
ZONE = distance_km(CELLS, *LISBON) <= 25
EXACT = Wishes(exact_top=True, margin="none", each_photo=False)

Table = NDArray[np.float64]

halves = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32 - 1),
        "album": st.integers(1, 4),
        "posted": st.integers(1, 4),
        "already": st.booleans(),
        "top": st.integers(1, 12),
        "scorers": st.integers(1, 2),
        "tilt": st.sampled_from([0.0, 2.0, 5.0]),
    }
)


def problem(drawn: dict[str, Any]) -> tuple[ScoredAlbum, Posted, list[Table]]:
    """An album of Lisbon of which half is out; the rows of each scorer, the album's first."""
    rng = np.random.default_rng(drawn["seed"])
    many = drawn["album"] + drawn["posted"]
    banks = [
        rng.integers(-9, 1, (many, CELLS.count)).astype(float) for _ in range(drawn["scorers"])
    ]
    for bank in banks:
        bank[:, ZONE] += drawn["tilt"]  # the more, the harder to hide
    photos = [photo(f"{n}.jpg", LISBON) for n in range(drawn["album"])]
    names = [one.id for one in photos]
    views = [
        attack(bank[: drawn["album"]], names, f"s{n}", globe=CELLS) for n, bank in enumerate(banks)
    ]
    ids = tuple(f"posted/{n}.jpg" for n in range(drawn["posted"]))
    rows = tuple(
        Scores(bank[drawn["album"] :], ids, scorer=view.scores.scorer, grid=view.scores.grid)
        for bank, view in zip(banks, views, strict=True)
    )
    already = (0,) if drawn["already"] and drawn["album"] > 1 else ()
    posted = Posted(ids, rows, (Metadata(position=LISBON),) * len(ids), already)
    return seen(photos, *views), posted, banks


def keeps(banks: Sequence[Table], kept: Sequence[int], top: int) -> bool:
    """The promise by its definition; whole numbers, so the sums are exact."""
    for bank in banks:
        sums = bank[list(kept)].sum(axis=0)
        if (sums[~ZONE] >= sums[ZONE].max()).sum() < top:
            return False
    return bool(kept)


def subsets(numbers: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All of them, the smallest first."""
    for size in range(len(numbers) + 1):
        yield from combinations(numbers, size)


def planned(drawn: dict[str, Any]) -> tuple[AlbumPlan, ScoredAlbum, Posted, list[Table]]:
    album, posted, banks = problem(drawn)
    wishes = replace(EXACT, top=drawn["top"])
    return (
        plan_album(album, places_of(album.photos), wishes, posted=posted),
        album,
        posted,
        banks,
    )


@settings(max_examples=80, deadline=None)
@given(halves)
def test_plans_count_the_half_that_is_out(drawn: dict[str, Any]) -> None:
    found, album, posted, banks = planned(drawn)
    everything = range(len(album.photos) + len(posted.ids))
    out = set(posted.pinned(len(album.photos)))
    free = [n for n in everything if n not in out]
    fewest = next(
        (
            len(gone)
            for gone in subsets(free)
            if keeps(banks, [n for n in everything if n not in gone], drawn["top"])
        ),
        None,
    )
    if fewest is None:
        assert found.plan.status == Status.INFEASIBLE
        assert_said(drawn, found, posted, banks)
    else:
        assert found.plan.status == Status.OPTIMAL
        assert len(found.plan.withheld) == fewest
        assert out <= set(found.plan.kept)
        assert keeps(banks, found.plan.kept, drawn["top"])


def assert_said(
    drawn: dict[str, Any], found: AlbumPlan, posted: Posted, banks: list[Table]
) -> None:
    """Nothing is pinned but what is out, so it alone is the reason: said, and how to mend it."""
    assert messages.verdict(found).startswith("Withholding cannot help any more: with ")
    assert found.blocked is not None and found.blocked.by
    photos, top = found.plan.promise.photos, drawn["top"]
    out = posted.pinned(photos - len(posted.ids))
    free = [n for n in range(photos) if n not in out]
    tables = [Scores(bank) for bank in banks]
    blocked = blocked_by_posted(found.plan.promise, tables, out)
    assert blocked is not None

    def mended(down: tuple[int, ...]) -> bool:
        left = [n for n in out if n not in down]
        return any(keeps(banks, [*left, *kept], top) for kept in subsets(free))

    fewest = next((len(down) for down in subsets(out) if mended(down)), None)
    if fewest is None:
        assert blocked.down is None
        assert "taking photos down does not help either" in messages.verdict(found)
        return
    assert blocked.down is not None
    assert len(blocked.down) == fewest
    assert blocked.fewest
    assert mended(blocked.down)
    kept = [n for n in range(photos) if n not in blocked.down and n not in blocked.withheld]
    assert keeps(banks, kept, top)
    ids = [*(f"{n}.jpg" for n in range(photos - len(posted.ids))), *posted.ids]
    if fewest <= 5:
        assert all(ids[n] in messages.verdict(found) for n in blocked.down)

    # those named as in the way are, together: with them out nothing helps, without any it may
    def helped(pins: Sequence[int]) -> bool:
        rest = [n for n in range(photos) if n not in pins]
        return any(keeps(banks, [*pins, *kept], top) for kept in subsets(rest))

    assert not helped(blocked.by)
    assert all(helped([n for n in blocked.by if n != one]) for one in blocked.by)


def told(blocked: Blocked) -> str:
    """The verdict on three photos of Lisbon."""
    outcome = Outcome(
        plan=protect([[0.0, -9.0]] * 3, 0, top=1),
        wishes=EXACT,
        hidden_names=("Lisbon",),
        models=("the model",),
        ids=("a", "b", "c"),
        photos=3,
        newly_shared=0,
        blocked=blocked,
    )
    return messages.verdict(outcome)


ROWS = [[0.0, -9.0, -9.0], [-1.0, 0.0, -1.0], [0.0, -1.0, -1.0]]


def test_where_the_users_own_pins_are_the_reason_the_posted_photos_are_not_blamed() -> None:
    plan = protect(ROWS, 0, top=1, keep=[0, 1])
    assert plan.status == Status.INFEASIBLE
    assert blocked_by_posted(plan.promise, [Scores(ROWS)], [1]) is None
    assert blocked_by_posted(plan.promise, [Scores(ROWS)], []) is None


def test_the_users_pins_stay_where_taking_down_is_enough() -> None:
    plan = protect(ROWS, 0, top=1, keep=[0, 1])
    blocked = blocked_by_posted(plan.promise, [Scores(ROWS)], [0])
    assert blocked is not None
    assert (blocked.by, blocked.down, blocked.fewest) == ((0,), (0,), True)
    assert told(blocked) == (
        "Withholding cannot help any more: with a public already, Lisbon cannot be kept from the "
        "first 5 guesses of the model; taking down a would make it possible again."
    )


def test_whatever_is_to_be_taken_down_is_said_to_be_out() -> None:
    said = told(Blocked((0,), (0, 2), True))
    assert "with a and c public already" in said and "taking down a and c" in said


def test_what_to_take_down_may_not_be_found_out_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    real = advice._solve

    def solved(promise: Promise, scores: Sequence[Scores], deadline: float) -> Plan:
        found = real(promise, scores, deadline)
        unknown = replace(found, status=Status.UNKNOWN, withheld=(), kept=(), views=(), cost=0)
        return unknown if promise.values else found  # who looks for what to take down weighs

    monkeypatch.setattr(advice, "_solve", solved)
    plan = protect(ROWS, 0, top=1, keep=[0, 1])
    blocked = blocked_by_posted(plan.promise, [Scores(ROWS)], [0])
    assert blocked is not None and not blocked.sure
    assert told(blocked) == (
        "Withholding cannot help any more: with a public already, Lisbon cannot be kept from the "
        "first 5 guesses of the model; which photos to take down was not found out in time."
    )


def test_as_many_are_withheld_after_taking_down_as_were_said() -> None:
    """Each photo alone counts then, too; no longer only all of them together."""
    album, wishes = trip([Stay("Lisbon", 10, 0)], seed=3), Wishes(top=5, exact_top=True)
    places, bank = places_of(album.photos), album.models[0].scores
    telling = 6
    assert telling in plan_album(album, places, wishes).plan.withheld
    out = Scores(bank.values[[telling]], ["posted/x.jpg"], scorer=bank.scorer, grid=bank.grid)
    beyond = Posted(out.ids, (out,), (Metadata(position=LISBON),))
    for posted, down in ((Posted(already=(telling,)), telling), (beyond, 10)):
        said = plan_album(album, places, wishes, posted=posted).blocked
        assert said is not None and said.down == (down,)
        then = plan_album(album, places, wishes, posted=posted.without([down], 10))
        assert {*said.withheld} == {*then.plan.withheld} - {down}
        assert then.plan.promise.against[0].each_photo == 5
    assert not beyond.without([10], 10)


def test_a_budget_promises_nothing_that_could_be_blocked() -> None:
    plan = protect(ROWS, 0, budget=1)
    assert blocked_by_posted(plan.promise, [Scores(ROWS)], [0]) is None
