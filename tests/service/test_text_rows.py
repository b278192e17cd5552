"""What texts say counts in plans beside the models, and only ever against sharing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.album.places import places_of
from elsewhere.globe import Cells, place
from elsewhere.service.album_audit import audit_album, second_opinions
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.text_rows import rectangle_around, visible_text
from elsewhere.service.threats import threat_scores
from elsewhere.text.understanding import understand
from elsewhere.values.notes import NoteKind
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine
from elsewhere.values.versions import Edit, Rectangle
from elsewhere.values.wishes import Wishes
from tests.service.makers import Stay, on_leaves, photo, seen, trip

EXACT = Wishes(top=2, exact_top=True, margin="none", each_photo=False)
LISBON, RIO, NAPLES = ((place(n).lat, place(n).lon) for n in ("Lisbon", "Rio de Janeiro", "Naples"))
SIGNS = ("+351 289 123 456", "www.azulejos.pt")
"""Neither names Lisbon; each says Portugal."""
EXPONENTS = {1: 1.0, 2: 0.6, 4: 0.4}


def said(*texts: str) -> PhotoText:
    lines = [
        TextLine(text, 0.99, TextBox(0, 90 * n, 90, 90 * n + 9)) for n, text in enumerate(texts)
    ]
    return understand("a.jpg", lines)


def with_texts(album: ScoredAlbum, texts: Mapping[int, PhotoText]) -> ScoredAlbum:
    return replace(album, texts={album.photos[n].id: text for n, text in texts.items()})


def southern() -> ScoredAlbum:
    """Photos of Lisbon that look a little more like Rio and Naples."""
    return on_leaves(
        *((LISBON, {RIO: 8.0, NAPLES: 7.8, LISBON: 5.0}) for _ in range(3)), exponents=EXPONENTS
    )


def plan(album: ScoredAlbum, wishes: Wishes = EXACT) -> AlbumPlan:
    return plan_album(album, places_of(album.photos), wishes)


def counted(planned: AlbumPlan) -> tuple[str, ...]:
    found = [note.photos for note in planned.notes if note.kind == NoteKind.TEXT_COUNTED]
    return found[0] if found else ()


def test_two_harmless_signs_together_say_lisbon_and_the_plan_knows() -> None:
    album = southern()
    assert plan(album).newly_shared == 3
    for number, sign in enumerate(SIGNS):
        alone = plan(with_texts(album, {number: said(sign)}))
        assert alone.telling_photos == () and alone.newly_shared == 3
        assert counted(alone) == (f"{number}.jpg",)
    one = with_texts(album, {0: said(SIGNS[0])})
    assert counted(plan(one, replace(EXACT, drop=("0.jpg",)))) == ()  # it is not shared anyway
    both = plan(with_texts(album, {n: said(sign) for n, sign in enumerate(SIGNS)}))
    assert both.telling_photos == () and counted(both) == ("0.jpg", "1.jpg")
    assert both.newly_shared == 2
    assert {0, 1} & set(both.plan.withheld)


def test_a_plan_with_texts_keeps_the_promise_for_the_model_alone_too() -> None:
    album = with_texts(southern(), {n: said(sign) for n, sign in enumerate(SIGNS)})
    planned = plan(album)
    tables = threat_scores(album, planned.threats, NOTHING_POSTED)
    plain = threat_scores(replace(album, texts={}), planned.threats, NOTHING_POSTED)
    assert all((a.values <= b.values).all() for a, b in zip(tables, plain, strict=True))
    hidden = Cells.leaves().locate(*LISBON)
    assert (tables[0].values[:, hidden] == plain[0].values[:, hidden]).all()
    assert (tables[0].values[:2] < plain[0].values[:2]).any()
    assert (tables[0].values[2:] == plain[0].values[2:]).all()


def test_texts_that_say_nothing_of_what_is_hidden_change_nothing() -> None:
    album = southern()
    wrong = with_texts(album, {0: said("www.bbc.co.uk", "OPEN"), 1: said("Napoli"), 2: said("Рим")})
    planned = plan(wrong)
    assert counted(planned) == ()
    tables = threat_scores(wrong, planned.threats, NOTHING_POSTED)
    assert tables[0] is album.models[0].scores, "nothing is copied"
    assert planned.plan == plan(album).plan


def test_an_audit_says_what_somebody_believes_who_reads_as_well() -> None:
    album, words = southern(), ["tiny"]
    album = replace(album, models=(replace(album.models[0], spec="tiny"),))
    assert second_opinions(album, words)[1] == {}
    assert second_opinions(with_texts(album, {0: said("OPEN")}), words)[1] == {}
    read, told = second_opinions(with_texts(album, {0: said("Lisboa", "+351 21 3456789")}), words)
    audited = audit_album(read, places_of(read.photos), EXACT, opinions=told).audits[0]
    (opinion,) = audited.opinions
    assert opinion.reads and audited.truth is not None and opinion.rank is not None
    assert opinion.rank == 1 < audited.truth.rank
    assert opinion.guess.name == "Lisbon, Portugal"


def test_the_tables_are_made_once() -> None:
    album = with_texts(southern(), {0: said(SIGNS[0])})
    threats = plan(album).threats
    first, again = (threat_scores(album, threats, NOTHING_POSTED) for _ in range(2))
    assert first[0] is again[0]
    other = with_texts(album, {1: said(SIGNS[0])})
    assert threat_scores(other, threats, NOTHING_POSTED)[0] is not first[0]


WRONG = ("Tokyo", "Lisboa", "www.bbc.co.uk", "OPEN", "www.gare.fr", "Brest", "Avignon", "100 zł")
WISHES = (
    Wishes(top=3, exact_top=True, margin="none", each_photo=False),
    Wishes(top=3, margin="none"),
    Wishes(top=2),
)
Texts = dict[int, list[str]]
_TEXTS = st.dictionaries(
    st.integers(0, 7), st.lists(st.sampled_from(WRONG), max_size=3), max_size=4
)


@settings(max_examples=30, deadline=None)
@given(_TEXTS, _TEXTS, st.sampled_from(WISHES), st.integers(0, 3))
def test_no_planted_sign_makes_a_plan_share_more(
    true: Texts, planted: Texts, wishes: Wishes, seed: int
) -> None:
    """Whatever falls back on what: a smaller k, or all photos together only."""
    album = trip((Stay("Avignon", 5, 0), Stay("Tokyo", 3, 9)), seed=seed)
    places = places_of(album.photos)
    both = {n: said(*true.get(n, ()), *planted.get(n, ())) for n in {*true, *planted}}
    shared = [
        plan_album(with_texts(album, texts), places, wishes, draw=Random(seed)).newly_shared
        for texts in ({}, {n: said(*lines) for n, lines in true.items()}, both)
    ]
    assert shared == sorted(shared, reverse=True)


def test_a_cover_or_crop_takes_a_line_away_only_as_a_whole() -> None:
    text, size = said("+351 289 123 456"), (900, 600)
    box = rectangle_around(text.lines[0].box, size)
    assert box == Rectangle(0, 0, 100, 15)
    for edit, left in (
        (Edit(covers=(box,)), 0),
        (Edit(covers=(Rectangle(0, 0, 99, 15),)), 1),
        (Edit(covers=(Rectangle(0, 0, 50, 15), Rectangle(50, 0, 100, 15))), 1),
        (Edit(crop=Rectangle(100, 15, 1000, 1000)), 0),
        (Edit(crop=Rectangle(99, 14, 1000, 1000)), 1),
    ):
        assert len(visible_text(text, edit, size).lines) == left, edit


@pytest.mark.parametrize("cell", [0, 17, 35_999])
def test_hidden_cells_stay_where_the_model_puts_them(cell: int) -> None:
    from elsewhere.text.evidence import one_sided_row

    row = one_sided_row(said(*SIGNS, "Lisboa", "Tokyo"), Cells.leaves(), [cell])
    assert row[cell] == 0.0 and (row <= 0).all() and np.isfinite(row).all()


def test_no_plan_falls_back_to_share_more_because_of_a_sign() -> None:
    """Signs that make every photo tell alone do not set free one that did so before."""
    cells = Cells.paper()
    lisbon, rio, naples = (int(cells.locate(*where)) for where in (LISBON, RIO, NAPLES))
    rows = np.full((3, cells.count), -20.0)
    rows[:, lisbon] = 4.0
    rows[0, [rio, naples]] = 14.0, 4.5
    rows[1, [rio, naples]] = 4.5, 14.0
    rows[2, [rio, naples]] = 3.9, 3.9  # tells alone
    album = seen([photo(f"{n}.jpg", LISBON) for n in range(3)], rows)
    wishes = Wishes(top=2, exact_top=True, margin="none")
    before = plan(album, wishes)
    assert before.plan.withheld == (2,)
    signs = with_texts(album, {n: said(SIGNS[n]) for n in (0, 1)})
    together = plan(signs, replace(wishes, each_photo=False))
    assert together.plan.withheld == (), "all together, nothing would have to go"
    after = plan(signs, wishes)
    assert after.plan.withheld == (2,)
    assert after.wishes == wishes
