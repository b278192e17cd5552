"""The explained photo: every number in the words is the audit's."""

from __future__ import annotations

import re

import numpy as np
import pytest

from elsewhere.album.places import places_of
from elsewhere.globe import Cells, cell_names
from elsewhere.messages.phrases import ordinal
from elsewhere.service.album_audit import audit_threat
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.report import explain_photo
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, photo, seen, trip


def planned(album: ScoredAlbum, **wishes: object) -> AlbumPlan:
    wish = Wishes(**{"top": 3, "margin": "none", "exact_top": True, **wishes})  # type: ignore[arg-type]
    return plan_album(album, places_of(album.photos), wish)


def rank(album: ScoredAlbum, plan: AlbumPlan, number: int, kept: list[int]) -> int:
    found = audit_threat(album, plan.threats, number, kept=kept)
    assert found is not None
    assert found.truth is not None
    return found.truth.rank


@pytest.mark.parametrize("seed", [2, 4, 5])
def test_the_numbers_are_the_audits(seed: int) -> None:
    album = trip([Stay("Lisbon", 6, 0), Stay("Kyoto", 4, 3)], seed=seed)
    plan = planned(album)
    told = explain_photo(album, plan, range(len(plan.threats)))
    assert plan.plan.withheld
    assert told is not None
    photo = next(n for n, one in enumerate(album.photos) if one.id == told.name)
    assert photo in plan.plan.withheld
    kept = list(plan.plan.kept)
    lifts = {
        (n, w): (rank(album, plan, w, kept), rank(album, plan, w, [*kept, n]))
        for n in plan.plan.withheld
        for w, watch in enumerate(plan.threats)
        if n in (watch.sees or range(len(album.photos)))
        and set(kept) & set(watch.sees or range(len(album.photos)))
    }
    found = re.match(r"It alone lifts (.*) from (\d+)\w\w to (\d+)\w\w: ", told.sentences[0])
    assert found, told.sentences
    mine = [
        pair
        for (n, w), pair in lifts.items()
        if n == photo and plan.threats[w].place.label == found[1]
    ]
    assert (int(found[2]), int(found[3])) in mine
    assert int(found[2]) / int(found[3]) == max(before / after for before, after in lifts.values())
    alone = {
        rank(album, plan, w, [photo])
        for w, watch in enumerate(plan.threats)
        if watch.place.label == found[1]
    }
    assert told.sentences[1] in {f"By itself it puts {found[1]} {ordinal(n)}." for n in alone}


def test_how_much_more_it_looks_like_the_place_than_like_a_decoy() -> None:
    album = trip([Stay("Lisbon", 6, 0), Stay("Kyoto", 4, 3)], seed=5)
    plan = planned(album)
    told = explain_photo(album, plan, range(len(plan.threats)))
    assert told is not None
    found = re.search(
        r"looks (?:more than )?([\d.,]+|a million) times as much like (.*) as like (.*), one of",
        told.sentences[-1],
    )
    assert found, told.sentences
    row = album.models[0].scores.values[album.models[0].scores.index(told.name)]
    names = cell_names(Cells.paper())
    wanted = set()
    for watch, view in zip(plan.threats, plan.plan.views, strict=True):
        decoys = list(view.rivals[:3])
        if watch.place.label == found[2] and found[3] in {names[cell] for cell in decoys}:
            worst = min(decoys, key=lambda cell: float(row[cell]))
            assert names[worst] == found[3]
            wanted.add(float(np.exp(float(row[watch.zone.cells].max()) - float(row[worst]))))
    shown = 1e6 if found[1] == "a million" else float(found[1].replace(",", ""))
    assert any(shown == pytest.approx(min(ratio, 1e6), rel=0.05) for ratio in wanted)


def test_nothing_withheld_needs_no_reason() -> None:
    photos = [photo(f"{n}.jpg", (38.72, -9.14)) for n in range(3)]
    album = seen(photos, np.zeros((3, 512)))
    plan = planned(album)
    assert not plan.plan.withheld
    assert explain_photo(album, plan, [0]) is None


def test_the_last_photo_of_a_place() -> None:
    """Where nothing of a place is shared there is no rank to start from, and none is made up."""
    rows = np.zeros((2, 512))
    photos = [photo("a.jpg", (38.72, -9.14)), photo("b.jpg", (35.68, 139.76))]
    album = seen(photos, rows)
    zone = planned(album, hide=("Lisbon",)).threats[0].zone.cells
    rows[0, zone] += 9
    album = seen(photos, rows)
    plan = planned(album, hide=("Lisbon",))
    assert plan.plan.withheld == (0,)
    told = explain_photo(album, plan, [0])
    assert told is not None
    label = plan.hidden[0].label
    assert told.sentences == (
        f"No other photo of {label} is shared; this one alone would put it 1st.",
    )
