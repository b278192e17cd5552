"""Settings travel as JSON, wishes are read with care, and the secret k is drawn alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elsewhere.batch.settings import Settings, merge_wishes
from elsewhere.errors import InputError
from elsewhere.values.wishes import Wishes

GIVEN = Settings("in", "out", ("a", "b"), {"top": 3, "keep": ["x"]}, key="k")


def test_settings_travel() -> None:
    assert Settings.from_json(GIVEN.to_json()) == GIVEN
    elsewhere = replace(GIVEN, input="x", output="y", key="z", run="r")
    assert GIVEN.options() == elsewhere.options()
    assert GIVEN.options() != replace(GIVEN, block=7).options()


def test_plans_depend_on_wishes_and_models_and_not_on_how_work_is_cut() -> None:
    basis = GIVEN.fingerprint({"a": "1"}, "")
    assert replace(GIVEN, block=7, carry=("x",), key="z").fingerprint({"a": "1"}, "") == basis
    others = [
        replace(GIVEN, wishes={"top": 4}).fingerprint({"a": "1"}, ""),
        replace(GIVEN, work_limit=1).fingerprint({"a": "1"}, ""),
        GIVEN.fingerprint({"a": "2"}, ""),
        GIVEN.fingerprint({"a": "1"}, "512 cells"),
    ]
    assert len({basis, *others}) == 5


def test_an_albums_own_wishes_come_first() -> None:
    assert merge_wishes() == Wishes()
    assert merge_wishes({"top": 3, "margin": "none"}, {"top": 7}).top == 7
    assert merge_wishes({"top": 3}, {"budget": "10%"}) == Wishes(top=None, budget="10%")
    assert merge_wishes({"budget": 4}, {"top": 2}) == Wishes(top=2)
    assert merge_wishes({"keep": "a"}).keep == ("a",)


@pytest.mark.parametrize(
    "wrong",
    [
        {"colour": 1},
        {"time_limit": 1.0},
        {"top": "five"},
        {"top": True},
        {"keep": [1]},
        {"strict": "yes"},
        {"values": [1]},
        {"margin": None},
        {"margin": 10**400},
        {"margin": float("nan")},
        {"radius_km": 10**400},
        {"radius_km": float("inf")},
        {"budget": 2**31},
        {"budget": -1},
        {"top": -1},
    ],
)
def test_wishes_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        merge_wishes(wrong)
    with pytest.raises(InputError):
        Settings("in", "out", wishes=wrong)


def test_each_album_draws_its_own_number_and_the_same_each_time() -> None:
    drawn = [[GIVEN.draw(album).randint(5, 15) for _ in range(2)] for album in map(str, range(30))]
    assert all(one == again for one, again in drawn)
    assert len({one for one, _ in drawn}) > 5
    other = replace(GIVEN, key="other")
    assert [other.draw(str(n)).randint(5, 15) for n in range(30)] != [one for one, _ in drawn]
