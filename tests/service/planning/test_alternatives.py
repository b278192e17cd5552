"""What to ask for instead: only ways that were not just refuted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elsewhere.service.alternatives import Alternative, without_options
from elsewhere.solver.infeasibility import Inquiry
from tests.service.planning.test_verdict import EXACT, LISBON, PARIS, plan, pointing

WIDE = replace(EXACT, hide_level="country")
"""So wide that many cells are hidden."""


def test_where_everything_less_was_refuted_that_is_said() -> None:
    found = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=0.0))
    assert found.plan.status == "infeasible" and "Not even top 1" in found.plan.explanation
    assert found.ways == ()
    assert found.notes[-1] == (
        "asking for less does not help: the model tiny finds Lisbon, Portugal from any of these "
        "photos"
    )


def test_a_smaller_radius_is_no_way_where_one_cell_is_hidden() -> None:
    near = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=0.0))
    assert len(near.watches[0].zone) == 1
    far = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=200.0))
    assert len(far.watches[0].zone) > 1
    assert far.ways == (Alternative("radius", "a smaller radius (--radius)", amount=5.0),)
    level = plan(pointing(LISBON, LISBON), WIDE)
    assert level.ways == (Alternative("level", "a narrower level (--hide-level)", name="region"),)


def test_the_top_that_can_be_had_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Inquiry, "best_top", lambda self, promise=None: (2, True))
    found = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=0.0))
    assert found.ways == (Alternative("top", "a smaller top (such as --top 2)", top=2),)
    assert found.notes[-1] == "to share anything, ask for less: a smaller top (such as --top 2)"
    monkeypatch.setattr(Inquiry, "best_top", lambda self, promise=None: (None, False))
    unknown = plan(pointing(LISBON, LISBON), replace(EXACT, radius_km=0.0))
    assert unknown.ways == (Alternative("top", "a smaller top (such as --top 2)", top=2),)


def test_the_pin_is_the_way_where_a_pin_is_to_blame() -> None:
    found = plan(pointing(LISBON, None, None), replace(WIDE, keep=("0.jpg", "1.jpg")))
    assert found.ways == (Alternative("unpin", photos=(0,)),)
    assert not any("ask for less" in note for note in found.notes)
    freed = plan(pointing(LISBON, None, None), replace(WIDE, keep=("1.jpg",)))
    assert freed.plan.found


def test_a_margin_is_given_up_where_that_is_enough() -> None:
    # a photo that puts all places but one even: any margin at all is too much for it
    album = pointing(None)
    wishes = replace(EXACT, margin="careful", radius_km=0.0)
    found = plan(album, wishes)
    assert found.plan.status == "infeasible"
    assert found.ways == (Alternative("margin", "no margin (--margin none)"),)
    assert plan(album, replace(wishes, margin="none")).plan.found
    stuck = plan(pointing(LISBON), wishes)
    assert stuck.ways == () and "does not help" in stuck.notes[-1]


def test_only_a_place_that_could_be_hidden_alone_is_offered() -> None:
    album = pointing(LISBON, LISBON, PARIS, PARIS)
    wishes = replace(EXACT, radius_km=0.0)
    found = plan(album, wishes)
    assert found.plan.status == "infeasible"
    assert [way.name for way in found.ways] == ["Lisbon, Portugal", "Paris, France"]
    for way in found.ways:
        assert way.kind == "hide" and plan(album, replace(wishes, hide=(way.name,))).plan.found
    assert found.notes[-1].endswith('fewer hidden places (such as --hide "Lisbon, Portugal")')


def test_nearly_all_gone() -> None:
    few = plan(pointing(*[LISBON] * 5, None), replace(WIDE, top=1))
    assert few.plan.found and few.notes[-1] == (
        "nearly all photos go: to share more, ask for less: a narrower level (--hide-level)"
    )
    within = plan(pointing(*[LISBON] * 5, None), replace(EXACT, budget=5, radius_km=0.0))
    assert within.notes[-1].endswith("ask for less: a smaller budget (--budget)")
    assert not any("ask for less" in note for note in plan(pointing(LISBON, None), EXACT).notes)


def test_a_prior_that_leaves_too_few_places_is_named() -> None:
    found = plan(pointing(LISBON, LISBON), replace(EXACT, prior="Portugal", top=1))
    assert found.verdict.endswith("top 1 among the places of Portugal alone.")
    assert "that the audience knows less (a wider --prior, or none)" in found.notes[-1]


def test_options_are_for_those_who_type_them() -> None:
    said = plan(pointing(LISBON, LISBON), replace(WIDE, prior="Portugal", hide_level=None)).notes
    assert any("--" in note for note in said)
    assert not any("--" in without_options(note) for note in said)


def test_what_nobody_asked_about_is_no_advice() -> None:
    from elsewhere.album.places import places_of
    from elsewhere.service.planning import plan_album

    album = pointing(LISBON, LISBON)
    quick = plan_album(album, places_of(album.photos), WIDE, reasons=False)
    assert quick.ways == () and not any("less" in note for note in quick.notes)
