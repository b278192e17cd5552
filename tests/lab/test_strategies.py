"""Plans made in several ways, tried on attackers that they promise nothing about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elsewhere_lab.attackers import ALONE, PLAIN, STRATEGIES, summarise_strategies, try_strategies
from elsewhere_lab.statistics import NO_PLAN, by_column
from elsewhere_lab.values import Collection

SURE, MILD = [0.0, -5.0, -9.0, -9.0, -9.0, -9.0], [-9.0, 0.0, -1.0, -1.0, -1.0, -1.0]
COLLECTION = Collection("R-16", 7, 0, (np.array([SURE, MILD, MILD, MILD]),))
CHOSEN = {name: STRATEGIES[name] for name in (PLAIN, ALONE)}


def first_stays(name: str, each: Collection, kept: Sequence[int]) -> bool:
    return 0 in kept


def test_an_attacker_who_did_not_have_the_place_has_an_empty_field() -> None:
    before = {"had it": False, "had it not": True}
    rows = list(try_strategies(COLLECTION, CHOSEN, before, first_stays))
    assert [row["way"] for row in rows] == [PLAIN, ALONE]
    # the sum of all four hides the place; alone the first photo gives it away
    assert [row["withheld"] for row in rows] == [0, 1]
    assert [row["had it"] for row in rows] == [1, 0]
    assert [row["had it not"] for row in rows] == [None, None]
    numbers = list(summarise_strategies(rows, ["had it", "had it not"]))
    assert by_column(numbers, f"R-16, {PLAIN}")["had it"].ours == 1.0
    assert by_column(numbers, f"R-16, {ALONE}")["had it"].ours == 0.0
    assert by_column(numbers, f"R-16, {ALONE}")["more than bare"].ours == 0.25
    assert "had it not" not in by_column(numbers, f"R-16, {PLAIN}")


def test_where_there_is_no_plan_nothing_is_told_of_how_it_holds() -> None:
    lost = Collection("R-16", 8, 0, (np.array([SURE, SURE]),))
    rows = list(try_strategies(lost, CHOSEN, {"had it": False}, first_stays))
    assert [row["withheld"] for row in rows] == [None, None]
    assert [row["had it"] for row in rows] == [None, None]
    numbers = list(summarise_strategies(rows, ["had it"]))
    assert by_column(numbers, f"R-16, {PLAIN}")[NO_PLAN].ours == 1.0
