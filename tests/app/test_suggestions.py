"""The buttons that lead out of there being no plan: each does what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from elsewhere.app.api import models
from elsewhere.app.api.server import MAX_PLACE_NAMES
from elsewhere.app.sessions.planning import PlannedAnswer, PlanningSession
from elsewhere.app.sessions.presenter import MAX_ALTERNATIVES, alternative_models
from elsewhere.errors import PlaceError
from elsewhere.globe import place
from elsewhere.service import ScoredAlbum, similar_places
from elsewhere.values.outcome import Advice, Alternative, Change
from elsewhere.values.plan import Status
from tests.service.planning.test_verdict import LISBON, pointing


@pytest.fixture(scope="module")
def stuck() -> Callable[..., PlannedAnswer]:
    album: ScoredAlbum = pointing(LISBON, LISBON, None)

    def made(*ways: Alternative, **wishes: object) -> PlannedAnswer:
        asked = models.WishesModel.model_validate({"scorers": ["tiny"], **wishes})
        entry = PlanningSession(album, b"seed").wish(asked, 10.0)
        assert entry.plan is not None
        engine = replace(entry.plan.plan, status=Status.INFEASIBLE, kept=())
        return replace(entry, plan=replace(entry.plan, plan=engine, advice=Advice(ways)))

    return made


@pytest.mark.parametrize(
    ("way", "words", "change"),
    [
        (Alternative(Change.UNPIN, photos=(0,)), "Unpin 0.jpg", {"keep": ["2.jpg"]}),
        (Alternative(Change.UNPIN, photos=(0, 2)), "Unpin 2 photos", {"keep": []}),
        (Alternative(Change.TAKE_BACK, photos=(1,)), "Take 1.jpg back", {"drop": []}),
        (Alternative(Change.TOP, top=2), "Count only the first 2 guesses", {"top": 2}),
        (Alternative(Change.MARGIN), "No margin", {"margin": "none"}),
        (Alternative(Change.MARGIN, top=1), "No margin, the first guess",
         {"margin": "none", "top": 1}),
        (Alternative(Change.HIDE, name="Lisbon, Portugal"), "Hide Lisbon, Portugal only",
         {"hide": ["Lisbon, Portugal"]}),
        (Alternative(Change.LEVEL, name="region"), "Hide the region only",
         {"hide_level": "region"}),
        (Alternative(Change.RADIUS, amount=5.0), "Hide 5 km around it only", {"radius_km": 5.0}),
        (Alternative(Change.PRIOR), "Assume that the audience knows nothing", {"prior": None}),
        (Alternative(Change.BUDGET, amount=2), "Withhold up to 2", {"budget": 2}),
    ],
)  # fmt: skip
def test_each_way_is_a_wish(
    stuck: Callable[..., PlannedAnswer], way: Alternative, words: str, change: dict[str, object]
) -> None:
    entry = stuck(way, keep=["0.jpg", "2.jpg"], drop=["1.jpg"], each_photo=False, margin="careful")
    (made,) = alternative_models(entry)
    assert made.words == words
    assert made.wishes == entry.wishes.model_copy(update=change)
    models.WishesModel.model_validate(made.wishes.model_dump())


def test_what_takes_more_than_a_click_is_no_button(stuck: Callable[..., PlannedAnswer]) -> None:
    assert (
        alternative_models(stuck(Alternative(Change.RADIUS), Alternative(Change.EACH_PHOTO))) == []
    )
    assert len(alternative_models(stuck(*[Alternative(Change.TOP, top=2)] * 9))) == MAX_ALTERNATIVES


def test_there_is_no_way_out_of_a_plan(stuck: Callable[..., PlannedAnswer]) -> None:
    entry = stuck(Alternative(Change.TOP, top=2), keep=[])
    assert entry.plan is not None
    found = replace(entry.plan.plan, status=Status.OPTIMAL, kept=(2,))
    assert alternative_models(replace(entry, plan=replace(entry.plan, plan=found))) == []


@pytest.mark.parametrize(
    ("typed", "first"),
    [("Springfield", "Springfield, Missouri, United States"), ("Pariss", "Paris, France")],
)
def test_what_may_have_been_meant_is_understood(typed: str, first: str) -> None:
    with pytest.raises(PlaceError) as caught:
        place(typed)
    names = similar_places(caught.value, MAX_PLACE_NAMES)
    assert names[0] == first and len(names) == len(set(names)) <= MAX_PLACE_NAMES
    assert all(place(name) for name in names)


def test_a_name_that_would_be_refused_again_is_not_offered() -> None:
    with pytest.raises(PlaceError) as caught:
        place("Georgia")
    assert similar_places(caught.value, MAX_PLACE_NAMES) == ["Georgia, United States"]
