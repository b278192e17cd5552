"""Numbers in sentences, each with how sure it is."""

from __future__ import annotations

import math

from elsewhere_lab.statistics import by_column, differ
from elsewhere_lab.values import Number, wilson


def test_an_interval_of_none_or_all_is_not_a_point() -> None:
    assert wilson(0.0, 20)[0] == 0
    assert 0.1 < wilson(0.0, 20)[1] < 0.2
    assert wilson(1.0, 20)[0] < 0.9
    low, high = wilson(0.5, 10_000)
    assert 0.48 < low < 0.5 < high < 0.52
    assert wilson(math.nan, 0) == (0.0, 1.0)


def test_every_share_is_told_with_its_count_and_none_is_not_a_number() -> None:
    assert format(Number("a", "b", 0.25, 0.1, 8), "percent") == "25 % (7 to 59 %, n = 8)"
    assert "n = 0" in format(Number("a", "b", math.nan, math.nan, 0), "percent")
    assert format(Number("a", "b", 0.5, math.nan, 1), "amount") == "0.50"
    assert format(Number("a", "b", 0.1, 0.02, 9), "+amount") == "+0.10 ± 0.04"


def test_shares_of_few_are_not_apart() -> None:
    few, many = (
        (Number("a", "b", 0.4, 0, count), Number("a", "c", 0.6, 0, count)) for count in (10, 1000)
    )
    assert not differ(*few)
    assert differ(*many)
    assert differ(*reversed(many))


def test_a_number_of_nothing_is_not_found() -> None:
    numbers = [Number("a", "b", math.nan, math.nan, 0), Number("a", "c", 1.0, 0.0, 2)]
    assert list(by_column(numbers, "a")) == ["c"]
