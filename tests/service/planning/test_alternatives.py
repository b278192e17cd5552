"""What to ask for instead: only ways that were not just refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elsewhere.messages import Surface, advice, notes, verdict
from elsewhere.service.planning import AlbumPlan
from elsewhere.solver.infeasibility import Inquiry
from elsewhere.values.outcome import Alternative, Change
from tests.service.planning.test_verdict import EXACT, LISBON, PARIS, plan, pointing

WIDE = replace(EXACT, hide_level="country")
"""So wide that many cells are hidden."""


def ways(found: AlbumPlan) -> tuple[Alternative, ...]:
    assert found.advice is not None
    return found.advice.alternatives


def test_where_everything_less_was_refuted_that_is_said() -> None:
    found = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=1.0))
    assert (
        found.plan.status == "infeasible"
        and "even be kept from being the first" in found.plan.explanation
    )
    assert ways(found) == ()
    assert advice(found) == (
        "asking for less does not help: the model tiny finds Lisbon, Portugal from any of these "
        "photos"
    )


def test_a_smaller_radius_is_no_way_where_one_cell_is_hidden() -> None:
    near = plan(pointing(LISBON, LISBON), replace(EXACT, hide_level="cell"))
    assert len(near.threats[0].zone) == 1 and ways(near) == ()
    far = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=200.0))
    assert len(far.threats[0].zone) > 1
    assert ways(far) == (Alternative(Change.RADIUS, amount=5.0),)
    level = plan(pointing(LISBON, LISBON), WIDE)
    assert ways(level) == (
        Alternative(Change.LEVEL, name="region"),
        Alternative(Change.LEVEL, name="city", mentioned=False),
    )


def test_the_top_that_can_be_had_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inquiry, "best_top", lambda self, promise=None: (2, True))
    found = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=1.0))
    assert ways(found) == (Alternative(Change.TOP, top=2),)
    assert (
        advice(found)
        == "to share anything, ask for less: counting only the first 2 guesses (--top 2)"
    )
    monkeypatch.setattr(Inquiry, "best_top", lambda self, promise=None: (None, False))
    unknown = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=1.0))
    lower = Alternative(Change.TOP, top=1, mentioned=False)
    assert ways(unknown) == (Alternative(Change.TOP, top=2), lower)


def test_the_pin_is_the_way_where_a_pin_is_to_blame() -> None:
    found = plan(pointing(LISBON, None, None), replace(WIDE, keep=("0.jpg", "1.jpg")))
    assert ways(found) == (Alternative(Change.UNPIN, photos=(0,), mentioned=False),)
    assert advice(found) == ""
    freed = plan(pointing(LISBON, None, None), replace(WIDE, keep=("1.jpg",)))
    assert freed.plan.found


def test_a_margin_is_given_up_where_that_is_enough() -> None:
    # a photo that puts all places but one even: any margin at all is too much for it
    album = pointing(None)
    wishes = replace(EXACT, margin="careful", radius_km=1.0)
    found = plan(album, wishes)
    assert found.plan.status == "infeasible"
    assert ways(found) == (Alternative(Change.MARGIN),)
    assert plan(album, replace(wishes, margin="none")).plan.found
    stuck = plan(pointing(LISBON), wishes)
    assert ways(stuck) == () and "does not help" in advice(stuck)


def test_only_a_place_that_could_be_hidden_alone_is_offered() -> None:
    album = pointing(LISBON, LISBON, PARIS, PARIS)
    wishes = replace(EXACT, radius_km=1.0)
    found = plan(album, wishes)
    assert found.plan.status == "infeasible"
    assert [way.name for way in ways(found)] == ["Lisbon, Portugal", "Paris, France"]
    for way in ways(found):
        assert (
            way.change == Change.HIDE and plan(album, replace(wishes, hide=(way.name,))).plan.found
        )
    assert advice(found).endswith('fewer hidden places (--hide "Lisbon, Portugal")')


def test_nearly_all_gone() -> None:
    few = plan(pointing(*[LISBON] * 5, None), replace(WIDE, top=1))
    assert few.plan.found and advice(few) == (
        "nearly all photos are withheld; to share more, ask for less: "
        "a narrower level (--hide-level region)"
    )
    within = plan(pointing(*[LISBON] * 5, None), replace(EXACT, budget=5, radius_km=1.0))
    assert advice(within).endswith("ask for less: a smaller budget")
    assert advice(plan(pointing(LISBON, None), EXACT)) == ""


def test_a_prior_that_leaves_too_few_places_is_named() -> None:
    found = plan(pointing(LISBON, LISBON), replace(EXACT, prior="Portugal", top=1))
    assert verdict(found).endswith(
        "cannot be kept from the first guess of the model tiny among the places of Portugal alone."
    )
    assert "an audience that knows less (no --prior)" in advice(found)


def test_options_are_for_those_who_type_them() -> None:
    wishes = replace(WIDE, prior="Portugal", hide_level=None)
    found = plan(pointing(LISBON, LISBON), wishes)
    assert any("--" in text for text in notes(found))
    assert not any("--" in text for text in notes(found, Surface.PAGE))


def test_what_nobody_asked_about_is_no_advice() -> None:
    from elsewhere.album.places import places_of
    from elsewhere.service.planning import plan_album

    album = pointing(LISBON, LISBON)
    quick = plan_album(album, places_of(album.photos), WIDE, reasons=False)
    assert quick.advice is None
