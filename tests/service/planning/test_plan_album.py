"""Plans for whole albums: against every subset of small ones, and re-proved on all."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import elsewhere
from elsewhere.album import Metadata
from elsewhere.album.places import places_of
from elsewhere.errors import InputError
from elsewhere.globe import Cells, distance_km, place
from elsewhere.messages import notes, verdict
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.scores import Scores
from elsewhere.values.wishes import Wishes
from tests.service.makers import NOON, Stay, attack, photo, seen, trip

LISBON, PORTO, TOKYO = (38.72, -9.14), (41.15, -8.61), (35.68, 139.76)
EXACT = Wishes(exact_top=True, margin="none", each_photo=False)
COARSE = Cells.paper().coarsen(32)


def proved(album: ScoredAlbum, planned: AlbumPlan, posted: Posted | None = None) -> bool:
    """The engine's promise checked anew on the rows that each watch is about."""
    tables = [one.scores for one in album.models]
    if posted:
        tables = [posted.append_to(table, n) for n, table in enumerate(tables)]
    return bool(elsewhere.check(planned.plan, [tables[watch.model] for watch in planned.threats]))


small: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "where": st.lists(st.sampled_from([LISBON, TOKYO, None]), max_size=4).map(
            lambda more: [LISBON, TOKYO, *more]
        ),
        "seed": st.integers(0, 2**32 - 1),
        "top": st.integers(1, 6),
        "theta": st.sampled_from([0.0, 0.25, 1.0]),
        "hide": st.sampled_from([("all",), ("Lisbon",), ("Tokyo",)]),
        "scorers": st.integers(1, 2),
    }
)


@settings(max_examples=60, deadline=None)
@given(small)
def test_two_places_are_hidden_with_as_few_photos_as_by_trying_all(told: dict[str, Any]) -> None:
    """The definition written out: zones by distance, sums by hand, every subset tried."""
    where = told["where"]
    rng = np.random.default_rng(told["seed"])
    rows = rng.integers(-12, 1, (told["scorers"], len(where), COARSE.count)).astype(float)
    photos = [photo(f"{n}.jpg", spot) for n, spot in enumerate(where)]
    names = [one.id for one in photos]
    album = seen(
        photos, *(attack(bank, names, f"s{n}", globe=COARSE) for n, bank in enumerate(rows))
    )
    wishes = replace(EXACT, top=told["top"], margin=told["theta"], hide=told["hide"])
    planned = plan_album(album, places_of(photos), wishes)

    towns = {"Lisbon": LISBON, "Tokyo": TOKYO}
    spots = [towns[name] for name in (towns if told["hide"] == ("all",) else told["hide"])]
    zones = [distance_km(COARSE, *spot) <= 25 for spot in spots]
    rivals = ~np.logical_or.reduce(zones)
    least: int | None = None
    for kept in product([False, True], repeat=len(where)):
        fine = any(kept)
        for bank, (spot, zone) in product(rows, zip(spots, zones, strict=True)):
            own = [keep and one in (spot, None) for keep, one in zip(kept, where, strict=True)]
            for added in (own, kept):
                sums = bank[list(added)].sum(axis=0)
                ahead = sums[rivals] - told["theta"] * sum(added) >= sums[zone].max()
                fine = fine and int(ahead.sum()) >= told["top"]
        if fine:
            least = min(len(where) - sum(kept), len(where) if least is None else least)
    if least is None:
        assert planned.plan.status == "infeasible"
    else:
        assert (planned.plan.status, len(planned.plan.withheld)) == ("optimal", least)
        assert proved(album, planned)


def two_towns(seed: int = 0, **more: Any) -> ScoredAlbum:
    return trip([Stay("Lisbon", 14, 0), Stay("Porto", 12, 3)], seed=seed, **more)


def plan(album: ScoredAlbum, wishes: Wishes, **more: Any) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes, **more)


def test_each_hidden_place_is_watched_twice_by_each_scorer() -> None:
    album = two_towns(scorers=2)
    planned = plan(album, replace(EXACT, hide=("Lisbon",)))
    assert [(w.model, w.place.label, w.whole, w.own) for w in planned.threats] == [
        (0, "Lisbon, Portugal", False, True),
        (0, "Lisbon, Portugal", True, False),
        (1, "Lisbon, Portugal", False, True),
        (1, "Lisbon, Portugal", True, False),
    ]
    assert planned.threats[0].sees == tuple(range(14))
    assert [place.label for place in planned.public] == ["Porto, Portugal"]
    assert proved(album, planned)
    assert all(view.protected_k >= 5 for view in planned.plan.views)


def test_one_place_alone_is_watched_once() -> None:
    planned = plan(trip([Stay("Lisbon", 8, 0), Stay("Lisbon", 8, 30)]), EXACT)
    assert [(watch.whole, watch.own, watch.sees) for watch in planned.threats] == [
        (True, True, None)
    ]


def test_a_hidden_place_is_nobody_s_decoy() -> None:
    """Of the two best cells for Lisbon's photos one is Porto's: hidden too, it does not count."""
    cells = Cells.paper()
    rows = np.full((2, cells.count), -9.0)
    lisbon, porto = cells.locate(*LISBON), cells.locate(*PORTO)
    rows[0, [porto, lisbon]] = -1.0, -2.0
    rows[1, [lisbon, porto]] = -1.0, -2.0
    photos = [photo("a", LISBON), photo("b", PORTO), photo("c", (48.8566, 2.3522))]
    album = seen(photos, np.vstack([rows, np.zeros(cells.count)]))
    wishes = replace(EXACT, top=1, hide_level="cell")
    # with Lisbon hidden alone, Porto's cell is ahead of it in its own photo
    assert 0 in plan(album, replace(wishes, hide=("Lisbon",))).plan.kept
    assert plan(album, replace(wishes, hide=("Lisbon", "Porto"))).plan.kept == (2,)


def test_the_k_is_drawn_and_not_told() -> None:
    album = trip([Stay("Lisbon", 14, 0), Stay("Tokyo", 12, 3)], seed=1)
    wishes = Wishes(hide=("Lisbon",), top=4)
    ks = {seed: plan(album, wishes, draw=Random(seed)).top for seed in range(8)}
    assert all(k is not None and 4 <= k <= 9 for k in ks.values())
    assert len(set(ks.values())) > 2
    planned = plan(album, wishes, top=9)
    assert planned.top == 9
    assert all(view.protected_k >= 9 for view in planned.plan.views)
    for said in (
        verdict(planned),
        planned.plan.explanation,
        *notes(planned),
    ):
        assert "top 9" not in said and "first 9" not in said
    assert "its first 4 guesses" in verdict(planned)
    # a k that is out of bounds now is drawn anew
    assert plan(album, replace(wishes, top=2), top=9).top in range(2, 5)


def test_keep_drop_values_and_bursts() -> None:
    album = two_towns(2)
    wishes = replace(EXACT, hide=("Lisbon",))
    free = plan(album, wishes).plan
    assert free.withheld
    first = album.photos[free.withheld[0]].id
    kept = plan(album, replace(wishes, keep=(first,))).plan
    assert free.withheld[0] in kept.kept
    assert kept.cost >= free.cost
    dropped = plan(album, replace(wishes, drop=("IMG_001*.jpg",))).plan
    assert set(range(10, 20)) <= set(dropped.withheld)
    dear = plan(album, replace(wishes, values={first: 100}))
    assert free.withheld[0] in dear.plan.kept
    assert "No cheaper set" in verdict(dear)
    photos = [
        photo(one.id, one.metadata.position, NOON + timedelta(seconds=n // 2 * 60 + n % 2))
        for n, one in enumerate(album.photos)
    ]
    twins = seen(photos, album.models[0].scores.values)
    together = plan(twins, replace(wishes, bursts=True))
    assert all((n ^ 1) in together.plan.withheld for n in together.plan.withheld)
    assert "26 photos are 13 bursts, each kept or withheld whole" in notes(together)


def test_stars_are_worth_something() -> None:
    album = two_towns(2)
    wishes = replace(EXACT, hide=("Lisbon",))
    gone = plan(album, wishes).plan.withheld
    photos = [
        replace(one, metadata=replace(one.metadata, rating=5 if n in gone else None))
        for n, one in enumerate(album.photos)
    ]
    rated = plan(seen(photos, album.models[0].scores.values), replace(wishes, stars=True)).plan
    assert rated.promise.values is not None
    assert rated.promise.values[gone[0]] == 6
    assert set(rated.withheld) != set(gone)


def test_a_budget_pushes_as_far_as_it_reaches() -> None:
    album = two_towns(2)
    planned = plan(album, replace(EXACT, hide=("Lisbon",), budget="10%"))
    assert planned.top is None
    assert len(planned.plan.withheld) <= 2
    assert planned.plan.promise.budget == 2
    assert planned.empty and "at most 2 of 26 photos cannot hide" in verdict(planned)
    more = plan(album, replace(EXACT, hide=("Lisbon",), budget="60%"))
    assert not more.empty and "of 26 photos withheld" in verdict(more)
    assert proved(album, planned)


def test_each_photo_of_a_hidden_place_alone() -> None:
    album = two_towns(2)
    wishes = replace(EXACT, hide=("Lisbon",), each_photo=True)
    planned = plan(album, wishes)
    rows, zone = album.models[0].scores.values, planned.threats[0].zone.cells
    before = (np.delete(rows, zone, axis=1) >= rows[:, zone].max(axis=1, keepdims=True)).sum(axis=1)
    telling = set(np.flatnonzero(before < 5).tolist())
    assert telling & set(range(14)), "otherwise nothing is tested"
    assert telling & set(range(14)) <= set(planned.plan.withheld)
    # Porto is public: a photo taken there may look like whatever it likes
    assert telling & set(planned.plan.kept) <= set(range(14, 26))


def test_each_photo_alone_is_wished_for_where_it_can_be_had() -> None:
    album = two_towns(2)
    by_itself = replace(EXACT, hide=("Lisbon",), each_photo=None)
    insisted = plan(album, replace(by_itself, each_photo=True))
    assert plan(album, by_itself).plan == insisted.plan
    assert plan(album, by_itself).plan.promise.against[0].each_photo == 5
    telling = next(n for n in insisted.plan.withheld if n < 14)
    pinned = replace(by_itself, keep=(album.photos[telling].id,))
    planned = plan(album, pinned)
    assert telling in planned.plan.kept
    # it alone is exempt: the others are held to it, and the notes name it
    assert planned.plan.promise.against[0].each_photo == 5
    others = [n for n in insisted.plan.withheld if n != telling and n < 14]
    assert {*others} <= {*planned.plan.withheld}
    exempt = Note(NoteKind.TELLS_ALONE, photos=(album.photos[telling].id,))
    assert exempt in planned.notes
    assert exempt not in plan(album, by_itself).notes
    assert plan(album, replace(pinned, each_photo=True)).plan == planned.plan
    budget = plan(album, replace(by_itself, top=None, budget=3))
    assert {one.each_photo for one in budget.plan.promise.against} == {None}


def test_what_the_audience_knows_makes_the_world_smaller() -> None:
    album = two_towns(2)
    wishes = replace(EXACT, hide=("Lisbon",), prior="Spain", top=2)
    with pytest.raises(InputError, match="Lisbon, Portugal does not lie in Spain"):
        plan(album, wishes)
    planned = plan(album, replace(wishes, prior="Portugal"))
    cells = Cells.paper()
    country = set(elsewhere_in("Portugal", cells))
    for watch in planned.threats:
        assert set(watch.rivals or ()) <= country
        assert set(watch.zone.cells.tolist()) <= country
    assert "the audience is assumed to know Portugal already: only guesses there count" in notes(
        planned
    )
    with pytest.raises(InputError, match="top 500 is out of reach: outside what is hidden"):
        plan(album, replace(wishes, prior="Portugal", top=500))


def elsewhere_in(country: str, cells: Cells) -> list[int]:
    from elsewhere.globe import zone_of_place

    found: list[int] = zone_of_place(cells, place(country)).cells.tolist()
    return found


def test_what_is_posted_already_counts_and_stays() -> None:
    album = two_towns(2)
    rows = album.models[0].scores
    names = ("posted/x.jpg", "posted/y.jpg")
    revealing = Scores(rows.values[:2], names, scorer=rows.scorer, grid=rows.grid)
    posted = Posted(names, (revealing,), (Metadata(LISBON), Metadata()), already=(3,))
    planned = plan(album, replace(EXACT, hide=("Lisbon",)), posted=posted)
    assert planned.plan.promise.photos == 28
    assert {3, 26, 27} <= set(planned.plan.kept)
    assert planned.threats[0].sees == (*range(14), 26, 27)
    assert proved(album, planned, posted)
    elsewhere_posted = replace(posted, metadata=(Metadata(TOKYO), Metadata()))
    assert plan(album, replace(EXACT, hide=("Lisbon",)), posted=elsewhere_posted).threats[
        0
    ].sees == (
        *range(14),
        27,
    )
    with pytest.raises(InputError, match="is posted already and cannot be dropped"):
        plan(album, replace(EXACT, drop=("IMG_0003.jpg",)), posted=posted)


def test_near_keeps_the_plan_where_it_can() -> None:
    album = two_towns(4)
    wishes = replace(EXACT, hide=("Lisbon",))
    first = plan(album, wishes)
    second = plan(album, wishes, near=first.plan)
    assert second.plan.withheld == first.plan.withheld
    with pytest.raises(InputError, match="near is a plan for 26 photos"):
        plan(trip([Stay("Lisbon", 5, 0)]), EXACT, near=first.plan)


def test_wishes_that_cannot_be() -> None:
    album = two_towns()
    with pytest.raises(InputError, match="ask for a top"):
        plan(album, replace(EXACT, top=None))
    with pytest.raises(InputError, match="covers every cell"):
        plan(album, replace(EXACT, radius_km=30_000))
    names = [one.id for one in album.photos]
    rows = album.models[0].scores.values
    blind = seen(album.photos, attack(rows, names, "table", globe=None))
    with pytest.raises(InputError, match="scorer table does not say which cells"):
        plan(blind, EXACT)


def test_coarse_cells_of_several_places_are_one_line() -> None:
    album = trip([Stay("Lisbon", 3, 0), Stay("Vienna, Austria", 3, 5)])
    made = plan_album(album, places_of(album.photos), replace(EXACT, radius_km=1.0))
    wide = [note for note in notes(made) if "km across" in note]
    assert len(wide) == 1
    assert wide[0].startswith("Lisbon, Portugal and Vienna, Austria: the cells here are up to ")
    assert wide[0].endswith(" km across, more than 1 km, so whole cells are hidden")
    alone = plan_album(
        album, places_of(album.photos), replace(EXACT, radius_km=1.0, hide=("Lisbon",))
    )
    assert any(note.startswith("Lisbon, Portugal: the cell here is ") for note in notes(alone))
