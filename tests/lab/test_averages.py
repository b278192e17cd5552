"""Errors of means when collections share photos."""

from __future__ import annotations

import math

import numpy as np
import pytest

from elsewhere_lab.collections import _number
from elsewhere_lab.statistics import mean, mean_by_cell, share
from elsewhere_lab.values import Row


def rows_of(cells: int, each: int) -> list[Row]:
    return [
        {"kind": "R-16", "number": _number(turn, cell, 0)}
        for cell in range(cells)
        for turn in range(each)
    ]


def test_one_collection_of_a_cell_has_the_usual_error() -> None:
    values = np.random.default_rng(1).normal(size=30).tolist()
    found, error, count = mean_by_cell(rows_of(30, 1), values)
    assert (found, error, count) == pytest.approx(mean(values))


def test_repeating_every_collection_ten_times_makes_nothing_surer() -> None:
    values = np.random.default_rng(2).normal(size=30)
    once = mean_by_cell(rows_of(30, 1), values.tolist())
    often = mean_by_cell(rows_of(30, 10), np.repeat(values, 10).tolist())
    assert often[:2] == pytest.approx(once[:2])
    assert often[2] == 300
    # as if they were independent, the error would be a third of that
    assert mean(np.repeat(values, 10))[1] < 0.4 * often[1]


def test_the_error_is_that_of_repeated_draws_of_cells() -> None:
    rng = np.random.default_rng(3)
    found, told = [], []
    for _ in range(400):
        lift = rng.normal(size=20)
        values = (np.repeat(lift, 5) + 0.3 * rng.normal(size=100)).tolist()
        result = mean_by_cell(rows_of(20, 5), values)
        found.append(result[0])
        told.append(result[1])
    assert np.mean(told) == pytest.approx(np.std(found), rel=0.15)


def test_rows_without_a_value_do_not_count_and_nothing_is_no_number() -> None:
    rows = rows_of(3, 1)
    assert mean_by_cell(rows, [1.0, None, 3.0])[::2] == (2.0, 2)
    empty = mean_by_cell(rows, [None, None, None])
    assert math.isnan(empty[0])
    assert empty[2] == 0
    assert math.isnan(mean_by_cell(rows[:1], [1.0])[1])  # of one cell nobody knows how sure


def test_a_share_is_pooled_and_not_a_mean_of_shares() -> None:
    found, _, count = share([1, 0], [1, 3], [1, 2])
    assert found == 0.25
    assert count == 2
    assert math.isnan(share([0], [0], [1])[0])
