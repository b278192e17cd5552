"""Tests of elsewhere.service.advice: a shared photo that looks like a withheld one is named."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elsewhere.album.places import places_of
from elsewhere.app.api import models
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import presenter
from elsewhere.app.sessions.photo_index import PhotoIndex
from elsewhere.app.sessions.planning import PlanningSession
from elsewhere.globe import Cells
from elsewhere.service.advice import SAME_VIEW
from elsewhere.service.planning import plan_album
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.values.wishes import Wishes
from tests.service.makers import attack, photo, seen, texts

LISBON = (38.72, -9.14)
WISHES = Wishes(top=1, exact_top=True, margin="none", each_photo=False, hide_level="cell")


def album(cosine: float, word: str = "embedded") -> ScoredAlbum:
    """Photo 0 tells, photo 1 looks like it as much as said, the others like nothing else."""
    cells = Cells.paper()
    rows = np.zeros((4, cells.count))
    rows[0, cells.locate(*LISBON)] = 9.0
    photos = [photo(f"{n}.jpg", LISBON) for n in range(4)]
    features = np.eye(4, 5, dtype=np.float32)
    features[1, :2] = cosine, (1 - cosine**2) ** 0.5
    features *= np.arange(1, 5, dtype=np.float32)[:, None]  # their length says nothing
    model = replace(attack(rows, [one.id for one in photos], word), features=features)
    return seen(photos, model)


def said(made_of: ScoredAlbum, **more: object) -> list[str]:
    plan = plan_album(made_of, places_of(made_of.photos), replace(WISHES, **more))  # type: ignore[arg-type]
    assert 0 in plan.plan.withheld
    return [note for note in texts(plan.notes) if "looks like" in note]


def test_it_is_named_with_the_one_that_it_looks_like() -> None:
    assert said(album(SAME_VIEW + 0.01)) == [
        "1.jpg is shared and looks like 0.jpg, which is withheld: compare them, and drop it if it "
        "shows the same (--drop 1.jpg)"
    ]


@pytest.mark.parametrize("made_of", [album(SAME_VIEW - 0.01), album(0.99, "another")])
def test_nothing_is_said_of_other_views_or_of_features_that_nobody_measured(
    made_of: ScoredAlbum,
) -> None:
    assert said(made_of) == []


def test_nothing_is_said_of_what_is_withheld_too() -> None:
    assert said(album(0.99), drop=("1.jpg",)) == []


def test_the_page_says_it_of_both_photos() -> None:
    session = PlanningSession(album(0.99), b"key")
    wishes = models.WishesModel(
        top=1, exact_top=True, margin="none", each_photo=False, hide_level="cell"
    )
    session.wish(wishes, 10.0)
    told = [
        presenter.photo_details_model(session, n, PhotoIndex(Keys(), 1)).changes for n in range(3)
    ]
    alike = "1.jpg is shared and looks like 0.jpg, which is withheld: compare them, and drop it if"
    assert [any(text.startswith(alike) for text in changes) for changes in told] == [
        True,
        True,
        False,
    ]
    assert not any("--" in text for changes in told for text in changes)
