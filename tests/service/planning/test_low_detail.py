"""Tests of elsewhere.service.advice: plain pictures that carry a promise are named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PIL import Image

from elsewhere.album.places import places_of
from elsewhere.globe import Cells
from elsewhere.service.advice import LEAST
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import attack, photo, seen, texts
from tests.service.pictures import drawn, noise

LISBON = (38.72, -9.14)
WISHES = Wishes(exact_top=True, margin="none", each_photo=False, hide_level="cell")


def album(decoy: Image.Image) -> ScoredAlbum:
    """Three photos that speak for Lisbon a little, and one that speaks for elsewhere loudly."""
    cells = Cells.paper()
    rows = np.full((4, cells.count), -5.0)
    rows[:3, cells.locate(*LISBON)] += 1.0
    rows[3, cells.locate(*LISBON)] -= 9.0
    photos = [photo(f"{n}.jpg", LISBON) for n in range(4)]
    photos = [
        replace(one, rendition=drawn(decoy if n == 3 else noise(128)))
        for n, one in enumerate(photos)
    ]
    return seen(photos, attack(rows, [one.id for one in photos], "model"))


def planned(album: ScoredAlbum, **wishes: object) -> AlbumPlan:
    asked = replace(WISHES, **wishes)  # type: ignore[arg-type]
    return plan_album(album, places_of(album.photos), asked)


def leans(plan: AlbumPlan) -> list[str]:
    return [note for note in texts(plan.notes) if "hardly anything" in note]


def test_a_grey_screen_that_carries_the_promise_is_named() -> None:
    plan = planned(album(Image.new("RGB", (1600, 1200), "grey")))
    assert 3 in plan.plan.kept
    assert leans(plan) == [
        "3.jpg shows hardly anything, yet the promise depends on it: an attacker may ignore it; "
        "consider dropping it (--drop 3.jpg)"
    ]


def test_a_photo_with_something_in_it_is_not() -> None:
    plan = planned(album(noise(128)))
    assert 3 in plan.plan.kept and not leans(plan)


def test_neither_is_a_plain_one_that_is_withheld_or_carries_nothing() -> None:
    grey = album(Image.new("RGB", (1600, 1200), "grey"))
    sizes = [
        one.rendition.size / (LEAST * one.rendition.width * one.rendition.height)
        for one in grey.photos
    ]
    assert sizes[3] < 1 <= sizes[0]
    assert not leans(planned(grey, drop=("3.jpg",)))
    flat = attack(np.full((4, Cells.paper().count), -5.0), [one.id for one in grey.photos])
    assert not leans(planned(replace(grey, models=(flat,)), top=1))
