"""The check's numbers: exact against fractions, wherever in the range of floats."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from elsewhere.checker import arithmetic
from elsewhere.checker.arithmetic import (
    ONE,
    Contest,
    column_sums,
    counts_alone,
    least_float,
    nearest,
    units,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
scores = st.one_of(
    finite,
    st.integers(-3, 3).map(float),
    st.floats(-60, 0),
    st.sampled_from([0.0, 5e-324, -5e-324, 1e300, -1e300, 1.7e308, 1e-300, -0.1, 0.1]),
)
with_zero = st.one_of(scores, st.just(-math.inf))


def tables(elements: st.SearchStrategy[float]) -> st.SearchStrategy[NDArray[np.float64]]:
    shapes = st.tuples(st.integers(1, 12), st.integers(2, 6))
    return shapes.flatmap(lambda shape: npst.arrays(np.float64, shape, elements=elements))


def fraction(number: int) -> Fraction:
    return Fraction(number, ONE)


@given(finite)
def test_units_are_exact_and_come_back(number: float) -> None:
    assert fraction(units(number)) == Fraction(number)
    assert nearest(units(number)) == number


@given(finite, finite)
def test_nearest_rounds_as_fractions_do(one: float, other: float) -> None:
    exact = Fraction(one) + Fraction(other) / 3 * 3
    try:
        rounded = float(exact)
    except OverflowError:
        rounded = math.inf if exact > 0 else -math.inf
    assert nearest(units(one) + units(other)) == rounded


@given(finite, finite)
def test_least_float_is_the_least(one: float, other: float) -> None:
    number = units(one) + units(other)
    found = least_float(number)
    if found == math.inf:
        assert fraction(number) > sys.float_info.max
        return
    assert Fraction(found) >= fraction(number)
    below = math.nextafter(found, -math.inf)
    assert below == -math.inf or Fraction(below) < fraction(number)


@given(tables(with_zero), st.sets(st.integers(0, 11)), st.integers(1, 5))
def test_column_sums_are_exact(table: NDArray[np.float64], chosen: set[int], side: int) -> None:
    photos = sorted(i for i in chosen if i < len(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arithmetic, "SIDE", side)
        sums, impossible = column_sums(table, photos)
    for cell in range(table.shape[1]):
        column = [float(table[photo, cell]) for photo in photos]
        assert impossible[cell] == (-math.inf in column)
        if not impossible[cell]:
            assert fraction(sums[cell]) == sum(map(Fraction, column), Fraction(0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("photos", [1, 7, 511, 1300])
def test_column_sums_of_many_photos_are_exact(photos: int, dtype: Any) -> None:
    rng = np.random.default_rng(photos)
    scale = np.exp(2 * rng.standard_normal((photos, 1)))
    table = (rng.standard_normal((photos, 5)) * scale).astype(dtype)
    sums, impossible = column_sums(table, range(photos))
    assert not impossible.any()
    for cell in range(5):
        assert fraction(sums[cell]) == sum(map(Fraction, table[:, cell].tolist()), Fraction(0))


def test_column_sums_of_long_numbers_of_one_sign_are_exact() -> None:
    # here the sum of the first pieces needs every bit of a float
    table = np.nextafter(np.random.default_rng(3).uniform(0.5, 1.0, (512, 3)), 0.0)
    sums, _ = column_sums(table, range(512))
    for cell in range(3):
        assert fraction(sums[cell]) == sum(map(Fraction, table[:, cell].tolist()), Fraction(0))


def test_column_sums_of_every_size_are_exact() -> None:
    column = [sign * 10.0**power / 3 for power in range(-320, 280, 7) for sign in (1, -1, 1)]
    sums, _ = column_sums(np.array([[x, -x, 1.0] for x in column]), range(len(column)))
    exact = sum(map(Fraction, column), Fraction(0))
    assert [fraction(total) for total in sums] == [exact, -exact, len(column)]


@given(tables(with_zero), st.data())
def test_counts_alone_are_exact(table: NDArray[np.float64], data: st.DataObject) -> None:
    cells = table.shape[1]
    truth = data.draw(st.sets(st.integers(0, cells - 1), min_size=1, max_size=cells - 1))
    rivals = [cell for cell in range(cells) if cell not in truth]
    size = {"min_size": cells, "max_size": cells}
    prior = data.draw(st.none() | st.lists(with_zero, **size))
    handicap = data.draw(st.just(0.0) | scores)
    strict = data.draw(st.booleans())
    contest = Contest(sorted(truth), rivals, prior, units(handicap), strict)
    photos = range(len(table))
    counts = counts_alone(table, photos, contest)
    for photo in photos:
        totals = [
            None if -math.inf in (score, known) else Fraction(score) + Fraction(known)
            for score, known in zip(table[photo].tolist(), prior or [0.0] * cells, strict=True)
        ]
        holding = 0
        for rival in rivals:
            mine = totals[rival]
            holds = True
            for z in truth:
                its = totals[z]
                if its is None:
                    holds &= not (strict and mine is None)
                elif mine is None:
                    holds = False
                else:
                    ahead = mine - its - Fraction(handicap)
                    holds &= ahead > 0 if strict else ahead >= 0
            holding += holds
        assert counts[photo] == holding


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("swapped", [False, True])
def test_counts_alone_see_what_rounding_hides(swapped: bool, strict: bool) -> None:
    # all totals round to 1: which rival is ahead of the first cell is in what was rounded away
    large, small = np.ones(5), np.ldexp([1.0, 0.25, 0.5, 1.0, 2.0], -60)
    score, known = (small, large) if swapped else (large, small)
    assert (score + known == 1.0).all()
    contest = Contest([0], [1, 2, 3, 4], known.tolist(), 0, strict)
    assert counts_alone(score[None, :], [0], contest) == [1 if strict else 2]
