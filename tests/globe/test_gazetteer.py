"""The table of names is whole, and every row is found by each of its spellings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.globe.areas import outlines
from elsewhere.globe.gazetteer import KINDS, gazetteer, name_key


@given(st.text())
def test_a_key_is_its_own_key(text: str) -> None:
    assert name_key(name_key(text)) == name_key(text)
    assert "\t" not in name_key(text)
    assert "\n" not in name_key(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MÜNCHEN", "munchen"),
        ("Saint-Denis", "saint denis"),
        ("İstanbul", "Istanbul"),
        ("Łódź", "lodz"),
    ],
)
def test_spellings_that_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_columns_are_of_one_length_and_in_order() -> None:
    table = gazetteer()
    rows = len(table.names)
    for column in (table.kind, table.population, table.lat, table.lon, table.country, table.part):
        assert len(column) == rows
    assert (np.diff(table.population) <= 0).all()
    assert (np.abs(table.lat) <= 90).all()
    assert (np.abs(table.lon) <= 180).all()
    assert len(table.country_row) == len(table.codes) == 252
    assert all(table.names)
    assert len(table.country_of_part) == len(table.region_of_part) == len(outlines("regions"))


@given(st.data())
@settings(max_examples=40)
def test_every_row_is_found_by_all_its_spellings(data: st.DataObject) -> None:
    table = gazetteer()
    row = data.draw(st.integers(0, len(table.names) - 1))
    spellings = table.keys.split(b"\n")[row].decode().split("\t")[1:-1]
    assert name_key(table.names[row]) in spellings
    for spelling in spellings[:8]:
        assert row in table.rows_named(spelling)
        assert row in table.rows_named(spelling[:5], prefix=True)


def test_unknown_and_empty_spellings_find_nothing() -> None:
    assert gazetteer().rows_named("no such place at all") == []
    assert gazetteer().rows_named(" ,.- ") == []
    assert gazetteer().rows_named("", prefix=True) == []


def test_towns_lie_in_the_region_they_are_said_to() -> None:
    table, regions = gazetteer(), outlines("regions")
    towns = np.flatnonzero((table.kind == KINDS.index("city")) & (table.part >= 0))[:3000:20]
    wrong = [
        table.names[town]
        for town in towns
        if not regions[table.part[town]].contains(table.lat[town], table.lon[town])
    ]
    assert len(wrong) <= 12, wrong  # on a coast that was thinned
