"""No advice is given that does not help, and each says how much it does."""

from __future__ import annotations

import time
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from elsewhere.album.places import likely_home, places_of
from elsewhere.globe import Cells
from elsewhere.messages import advice, place_prices, prices, verdict
from elsewhere.service import planning
from elsewhere.service.advice import refuted_choices
from elsewhere.service.album_audit import Beliefs
from elsewhere.service.planning import (
    AlbumPlan,
    evaluate_alternatives,
    plan_album,
    price_wishes,
)
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.outcome import Change
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, attack, on_leaves, photo, seen, trip

LISBON, VIENNA, OSLO = (38.72, -9.14), (48.21, 16.37), (59.91, 10.75)
EXACT = Wishes(top=4, exact_top=True, margin="none", each_photo=False)


def album(*rows: dict[tuple[float, float], float]) -> ScoredAlbum:
    """One photo of Lisbon for each row, which says how much it speaks for which place."""
    cells = Cells.paper()
    values = np.zeros((len(rows), cells.count))
    for n, row in enumerate(rows):
        for town, much in row.items():
            values[n, cells.locate(*town)] = much
    photos = [photo(f"{n}.jpg", LISBON) for n in range(len(rows))]
    return seen(photos, attack(values, [one.id for one in photos], "tiny"))


def tried(made_of: ScoredAlbum, wishes: Wishes) -> tuple[AlbumPlan, AlbumPlan]:
    places = places_of(made_of.photos)
    made = plan_album(made_of, places, wishes)
    return made, evaluate_alternatives(made_of, made)


def test_a_way_that_helps_says_how_much() -> None:
    """Two other places come before Lisbon, and no more: a top of 2 can be had, 4 cannot."""
    made_of = album(*[{LISBON: 2.0, VIENNA: 3.0, OSLO: 4.0}] * 5)
    before, after = tried(made_of, EXACT)
    assert not before.plan.found and advice(before).startswith("to share anything, ask for less")
    assert advice(after) == "to share anything, ask for less: --top 2 shares 5 of 5 photos"
    assert after.plan is before.plan and verdict(after) == verdict(before)


def test_no_smaller_radius_is_advised_where_it_does_not_help() -> None:
    """Each photo points at Lisbon's own cell, and nowhere else."""
    made_of = album(*[{LISBON: 9.0}] * 4)
    before, after = tried(made_of, EXACT)
    assert "a smaller radius" in advice(before), "it was not refuted, only untried"
    assert advice(after).startswith("asking for less does not help: the model tiny finds Lisbon")


def test_what_is_advised_is_what_comes_out() -> None:
    """With a secret top, too: one draw for the plan, for what is tried and for the next run."""
    made_of = trip([Stay("Lisbon", 9, 0)], seed=5)
    places = places_of(made_of.photos)
    made = plan_album(made_of, places, Wishes(top=6))
    priced = price_wishes(made_of, evaluate_alternatives(made_of, made))
    assert made.plan.found and len(priced.prices) > 1
    for price in priced.prices:
        asked = price.applied(made.wishes)
        assert asked is not None
        for _ in range(2):
            assert price.shared == plan_album(made_of, places, asked).newly_shared


def test_a_busy_machine_advises_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Alternatives are tried for so much work, not for so many seconds."""
    made_of = album(*[{LISBON: 2.0, VIENNA: 3.0, OSLO: 4.0}] * 5)
    before, quiet = tried(made_of, EXACT)
    clock = count(time.monotonic(), 3600)
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    busy = evaluate_alternatives(made_of, before)
    assert busy.advice == quiet.advice and busy.advice is not None
    assert all(way.tried for way in busy.advice.helpful or ())


def test_a_plan_that_is_well_is_left_alone() -> None:
    made_of = album({LISBON: 2.0}, *[{}] * 9)
    before, after = tried(made_of, replace(EXACT, top=1))
    assert before.plan.found and after is before


def test_prices_say_what_each_wish_costs() -> None:
    """Photo 0 tells alone, the others are about even: a margin and the top cost photos too."""
    made_of = album({LISBON: 3.0}, *[{LISBON: 0.05, VIENNA: 0.06}] * 5, *[{}] * 2)
    wishes = Wishes(top=2, exact_top=True, margin="careful", each_photo=True)
    places = places_of(made_of.photos)
    made = plan_album(made_of, places, wishes)
    priced = price_wishes(made_of, made)
    assert priced.plan is made.plan
    changes = [price.change for price in priced.prices]
    assert changes[:2] == [Change.TOP, Change.MARGIN] and Change.EACH_PHOTO in changes
    for price in priced.prices:
        asked = price.applied(wishes)
        assert price.tried and asked is not None
        again = plan_album(made_of, places, asked)
        assert price.shared == again.newly_shared
    assert len(prices(priced)) == len(priced.prices)


def test_each_hidden_place_has_its_price_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Home first, then the most easily found; the price is what comes out, with a secret top."""
    made_of = trip([Stay("Lisbon", 8, 0), Stay("Tokyo", 8, 3), Stay("Oslo", 9, 6)], seed=2)
    places = places_of(made_of.photos)
    made = plan_album(made_of, places, Wishes())
    assert made.plan.found and made.plan.withheld
    by_ease = Beliefs(made_of, made.threats, made.posted).key_numbers(made).by_ease
    assert len(by_ease) == 3
    priced = price_wishes(made_of, made, by_ease)
    alone = [price for price in priced.prices if price.change is Change.HIDE]
    home = likely_home(places, made_of.photos).label
    assert [price.home for price in alone] == [home, "", ""]
    assert [price.name for price in alone[1:]] == [name for name in by_ease if name != home]
    for price in alone:
        asked = price.applied(made.wishes)
        assert price.tried and asked is not None
        assert asked.hide == (("home",) if price.home else (price.name,))
        plan = plan_album(made_of, places, asked).plan
        assert price.withheld == (len(plan.withheld) if plan.found else None)
    lines = place_prices(priced)
    assert lines[0].startswith(f"home only, {home} (--hide home): {alone[0].withheld} of 25 photos")
    assert lines[-1] == f"all 3 places, as above: {len(made.plan.withheld)} photos withheld"
    assert place_prices(priced, 1)[1] == "2 other places alone: see -v"
    monkeypatch.setattr(planning, "MAX_PRICED_PHOTOS", 3)
    untried = price_wishes(made_of, made).prices
    assert untried and not any(price.tried for price in untried)
    assert all(line.endswith("not tried") for line in prices(replace(made, prices=untried)))


def test_prices_end_with_their_time_and_what_was_not_tried_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made_of = trip([Stay("Lisbon", 8, 0), Stay("Tokyo", 8, 3), Stay("Oslo", 9, 6)], seed=2)
    made = plan_album(made_of, places_of(made_of.photos), Wishes())
    monkeypatch.setattr(planning, "PRICE_SECONDS", -1.0)
    priced = price_wishes(made_of, made)
    assert priced.prices and not any(price.tried for price in priced.prices)
    (untried, everything) = place_prices(priced)
    assert untried.endswith("alone: not tried, for that would take too long")
    assert all(town in untried for town in ("Lisbon", "Tokyo", "Oslo"))
    assert everything.startswith("all 3 places")


def test_choices_are_refuted_only_where_each_of_them_tells() -> None:
    def refuted(*heights: float) -> int:
        made_of = on_leaves(*((LISBON, {LISBON: height, VIENNA: 9.0}) for height in heights))
        wishes = Wishes(top=1, exact_top=True)
        made = plan_album(made_of, places_of(made_of.photos), wishes)
        return refuted_choices(made_of, made.threats, made.plan.promise, made.posted, 1)

    assert refuted(20.0, 30.0) == 3
    assert refuted(20.0, 1.0) == 0
    assert refuted(*[20.0] * 9) == 0, "too many to try"
