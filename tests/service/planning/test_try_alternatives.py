"""No advice is given that does not help, and each says how much it does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.album.places import places_of
from elsewhere.globe import Cells
from elsewhere.messages import advice, verdict
from elsewhere.service.planning import AlbumPlan, evaluate_alternatives, plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import attack, photo, seen

LISBON, VIENNA, OSLO = (38.72, -9.14), (48.21, 16.37), (59.91, 10.75)
EXACT = Wishes(top=4, exact_top=True, margin="none", each_photo=False)


def album(*rows: dict[tuple[float, float], float]) -> ScoredAlbum:
    """One photo of Lisbon for each row, which says how much it speaks for which place."""
    cells = Cells.default()
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


def test_a_plan_that_is_well_is_left_alone() -> None:
    made_of = album({LISBON: 2.0}, *[{}] * 9)
    before, after = tried(made_of, replace(EXACT, top=1))
    assert before.plan.found and after is before
