"""From clues to probabilities, and why a planted sign never helps."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.globe import Cells, place, zone_of_place
from elsewhere.text.evidence import (
    MAX_RATIO,
    one_sided_row,
    telling_lines,
    text_row,
)
from elsewhere.text.understanding import clean, understand
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine

CELLS = Cells.default()
BOX = TextBox(0, 0, 100, 20)
LISBON = zone_of_place(CELLS, place("Lisbon"), 25).cells.tolist()


def said(*texts: str) -> PhotoText:
    lines = [
        TextLine(text, 0.99, TextBox(0, 100 * n, 90, 100 * n + 9)) for n, text in enumerate(texts)
    ]
    return understand("a.jpg", lines)


def cell(name: str) -> int:
    where = place(name)
    return int(CELLS.locate(where.lat, where.lon))


def test_a_name_lifts_its_cell_and_no_more_than_its_ratio() -> None:
    row = text_row(said("Avignon"), CELLS)
    assert int(row.argmax()) == cell("Avignon")
    assert np.exp(row).sum() == pytest.approx(1)
    assert np.exp(row.max() - row.min()) <= 120


def test_two_harmless_signs_together_say_lisbon() -> None:
    for text in ("+351 289 123 456", "Café Lisboa"):
        assert text_row(said(text), CELLS).max() < np.log(0.5)
    both = text_row(said("+351 289 123 456", "Café Lisboa"), CELLS)
    assert int(both.argmax()) in LISBON
    assert both.max() > max(text_row(said("Café Lisboa"), CELLS))


def test_a_photo_is_never_sharper_than_the_limit() -> None:
    row = text_row(said("Avignon", "Arles", "Nîmes", "Orange", "+33 4 90 12 34 56", "x.fr"), CELLS)
    assert np.exp(row.max() - row.min()) <= MAX_RATIO * (1 + 1e-9)


def test_the_same_name_twice_counts_once() -> None:
    assert (text_row(said("Avignon"), CELLS) == text_row(said("Avignon", "AVIGNON"), CELLS)).all()


def test_lines_that_were_not_read_say_nothing_of_countries() -> None:
    text = understand("a.jpg", [TextLine("ラーメン", 0.7, BOX), TextLine("", 0.1, BOX)])
    assert len(set(text_row(text, CELLS).tolist())) == 1
    assert text.unread == 2


TRUE = ("Lisboa", "Sintra", "+351 21 345 6789", "www.cml.pt", "Vila Nova de Gaia", "3,50 €")
PLANTED = (
    *("Tokyo", "東京", "Paris", "www.bbc.co.uk", "+81 3 1234 5678", "Москва", "OPEN", "xyzzy"),
    *("und nicht für das Tier", "Nova Lisboa", "Lisbon, Ohio", "Huambo", "100 zł"),
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from(TRUE), max_size=4, unique=True),
    st.lists(st.sampled_from(PLANTED), max_size=4, unique=True),
)
def test_a_planted_sign_never_lifts_a_rival(true: list[str], planted: list[str]) -> None:
    """With it, no rival is further ahead of a hidden cell, nor less far behind it, than without."""
    before = one_sided_row(said(*true), CELLS, LISBON)
    after = one_sided_row(said(*true, *planted), CELLS, LISBON)
    rivals = [n for n in range(CELLS.count) if n not in LISBON]
    for hidden in LISBON:
        gains_before = before[rivals] - before[hidden]
        gains_after = after[rivals] - after[hidden]
        assert (gains_before <= 1e-12).all()
        assert (gains_after <= gains_before + 1e-12).all()
    if not true:  # a sign that says nothing of the hidden place changes nothing
        wrong = {"Nova Lisboa", "Lisbon, Ohio"} & set(planted)
        assert wrong or np.ptp(after) <= 1e-9 + np.ptp(one_sided_row(said(), CELLS, LISBON))


def test_the_rule_is_about_any_name_within_100_km() -> None:
    where = place("Lisbon")
    for text in ("Lisboa", "SINTRA", "Setúbal 30 km", "Cascais Lda."):
        assert telling_lines(said(text), [where.lat], [where.lon]), text
    for text in ("Porto", "Tokyo", "+351 21 345 6789x", "OPEN", "Portugal"):
        assert "name" not in [
            clue.kind for _, clue in telling_lines(said(text), [where.lat], [where.lon])
        ], text


def test_the_rule_holds_whatever_else_is_written() -> None:
    where = place("Lisbon")
    crowd = [f"{planted} {n}" for n in range(30) for planted in PLANTED]
    assert telling_lines(said(*crowd[:100], "Sintra", *crowd[100:]), [where.lat], [where.lon])
    ((_, clue),) = telling_lines(said("Sintra"), [where.lat], [where.lon])
    assert clue.label == "Sintra, Portugal"


def test_the_rule_is_about_villages_too() -> None:
    naples = place("Naples")
    ((_, clue),) = telling_lines(said("Via Roma Positano"), [naples.lat], [naples.lon])
    assert clue.label == "Positano, Italy"
    lisbon = place("Lisbon")
    assert not telling_lines(said("Positano"), [lisbon.lat], [lisbon.lon])


def test_a_name_broken_over_two_lines_is_one_name() -> None:
    upper = TextLine("VILA NOVA", 0.99, TextBox(10, 10, 200, 40))
    lower = TextLine("DE GAIA", 0.99, TextBox(20, 44, 180, 74))
    beside = TextLine("DE GAIA", 0.99, TextBox(210, 12, 380, 42))
    far = TextLine("DE GAIA", 0.99, TextBox(10, 400, 180, 430))
    for second, expected in ((lower, True), (beside, True), (far, False)):
        clues = [c for line in understand("a", [upper, second]).lines for c in line.clues]
        assert ("VILA NOVA DE GAIA" in [clue.excerpt for clue in clues]) is expected


def test_lines_that_all_stand_beside_each_other_take_bounded_time() -> None:
    words = " ".join("abcdefgh"[n % 5 :] + "xyz" for n in range(40))
    lines = [TextLine(words, 0.9, TextBox(10, 10, 10, 20))] * 40
    start = time.process_time()
    assert understand("a.jpg", lines).more == len(lines), "what is not looked at is not no text"
    assert time.process_time() - start < 15  # it was 44 s, and ten minutes for 150 lines


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[2J\x1b]0;pwned\x07Avignon",
        "\u202eAvignon\u2066",
        "<script>alert('Avignon')</script>",
        "Avignon\x00\r\n\x85",
        "Avignon " + "\u0301" * 5_000,
        "{{7*7}} ${jndi:ldap://x} %n%s Avignon",
        "\ud800Avignon",
    ],
)
def test_hostile_text_is_cleaned_and_still_understood(hostile: str) -> None:
    line = understand("a.jpg", [TextLine(hostile, 0.99, BOX)]).lines[0]
    assert "Avignon, France" in [clue.label for clue in line.clues]
    assert line.text == clean(line.text)
    assert line.text.isprintable() and "\x1b" not in line.text
    line.text.encode("utf-8")
    for clue in line.clues:
        assert clue.excerpt.isprintable()
