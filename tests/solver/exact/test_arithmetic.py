"""The sign of a row, and the row itself, from the scores as they were given."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elsewhere.solver.problem import Attacker, Mask, holds, row_slack
from tests.solver.oracle import rounded

INF = math.inf
finite = st.floats(allow_nan=False, allow_infinity=False)
close = st.sampled_from([0.0, 0.1, 0.2, 0.3, -0.3, 1.0, 2.0**-53, -(2.0**-53), 5e-324, 1e300])


@st.composite
def rows(draw: st.DrawFn) -> tuple[Attacker, Mask]:
    """Two columns, rival 0 against cell 1, and which photos are kept."""
    photos = draw(st.integers(1, 6))
    number = draw(st.sampled_from([finite, close]))
    table = draw(st.lists(st.tuples(number, number), min_size=photos, max_size=photos))
    masks = st.lists(st.booleans(), min_size=photos, max_size=photos).map(np.array)
    attacker = Attacker(
        scores=np.array(table, np.float64),
        zone=np.array([1]),
        rivals=np.array([0]),
        shift=draw(st.sampled_from([0.0, 0.1, 1e-300, 1e200])),
        lead=draw(st.sampled_from([0.0, 0.3, 5e-324])),
        offset=draw(st.none() | st.tuples(number, number).map(np.array)),
        sees=draw(st.none() | masks),
    )
    return attacker, draw(masks)


def exactly(attacker: Attacker, photos: Mask) -> Fraction:
    seen = photos if attacker.sees is None else photos & attacker.sees
    total = -Fraction(attacker.lead)
    for ahead, behind in attacker.scores[seen].tolist():
        total += Fraction(ahead) - Fraction(behind) - Fraction(attacker.shift)
    if attacker.offset is not None:
        total += Fraction(float(attacker.offset[0])) - Fraction(float(attacker.offset[1]))
    return total


@given(rows())
def test_a_row_is_the_exact_sum_rounded_once(made: tuple[Attacker, Mask]) -> None:
    attacker, photos = made
    assert row_slack(attacker, photos, 0, 1) == rounded(exactly(attacker, photos))


@given(rows(), st.booleans())
def test_holding_is_the_sign_of_the_exact_sum(made: tuple[Attacker, Mask], strict: bool) -> None:
    attacker, photos = made
    row = exactly(attacker, photos)
    assert holds(attacker, photos, 0, strict=strict) == (row > 0 if strict else row >= 0)


def attacker_of(rival: float, *truth: float) -> Attacker:
    """One photo that gives the rival and the zone's cells these scores."""
    zone = np.arange(1, len(truth) + 1)
    return Attacker(scores=np.array([[rival, *truth]]), zone=zone, rivals=np.array([0]))


ONE = np.ones(1, bool)


@pytest.mark.parametrize(
    ("rival", "truth", "lead", "plainly", "strictly"),
    [
        (0.0, -INF, INF, True, True),  # the truth is impossible: any rival that is not holds
        (-INF, 0.0, -INF, False, False),  # the rival is impossible: it never holds
        (-INF, -INF, math.nan, True, False),  # both are: a tie
        (1.0, 1.0, 0.0, True, False),  # an ordinary tie
        (1.0, 0.0, 1.0, True, True),
        (0.0, 1.0, -1.0, False, False),
        (1.7e308, -1.7e308, INF, True, True),  # further ahead than a float can say
        (-1.7e308, 1.7e308, -INF, False, False),
    ],
)
def test_the_table_of_zero_probabilities_and_ties(
    rival: float, truth: float, lead: float, plainly: bool, strictly: bool
) -> None:
    attacker = attacker_of(rival, truth)
    np.testing.assert_equal(row_slack(attacker, ONE, 0, 1), lead)
    assert holds(attacker, ONE, 0, strict=False) == plainly
    assert holds(attacker, ONE, 0, strict=True) == strictly


def test_every_cell_of_the_zone_must_be_outranked() -> None:
    assert holds(attacker_of(0.0, -1.0, -INF), ONE, 0, strict=True)
    assert not holds(attacker_of(0.0, -INF, 1.0), ONE, 0, strict=False)


def test_zeros_in_photos_that_go_or_are_not_seen_do_not_count() -> None:
    bank = np.array([[-INF, 0.0], [1.0, 0.0]])
    attacker = Attacker(bank, zone=np.array([1]), rivals=np.array([0]))
    assert row_slack(attacker, np.array([False, True]), 0, 1) == 1.0
    blind = Attacker(bank, zone=np.array([1]), rivals=np.array([0]), sees=np.array([False, True]))
    assert row_slack(blind, np.ones(2, bool), 0, 1) == 1.0


def test_a_prior_of_zero_probability_decides_by_itself() -> None:
    attacker = Attacker(
        np.array([[0.0, 5.0]]), np.array([1]), np.array([0]), offset=np.array([0.0, -INF])
    )
    assert row_slack(attacker, ONE, 0, 1) == INF
