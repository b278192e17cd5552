"""Shares add up to the album's total, and say who gives the place away."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.audit.inference import RIVALS, basis, gains, shares
from elsewhere.audit.values import Guess
from elsewhere_lab import simulator


def named(cell: int) -> Guess:
    return Guess(cell, str(cell), None, None, 0.0)


@given(st.integers(1, 40), st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.3]))
def test_shares_add_up_to_the_sum_of_the_rivals_leads(
    photos: int, seed: int, margin: float
) -> None:
    rng = np.random.default_rng(seed)
    rows = np.log(rng.dirichlet(np.full(12, 0.3), size=photos)).clip(-300)
    zone = np.array([2, 5])
    found = shares(rows, zone, rivals=[1, 7, 9], margin=margin, named=named)
    total = sum(
        (Fraction(row[rival]) - Fraction(row[found.against]) - Fraction(margin))
        for row in rows.tolist()
        for rival in (1, 7, 9)
    )
    assert found.total == pytest.approx(float(total), rel=1e-13, abs=1e-13)
    assert math.fsum(found.gains) == pytest.approx(found.total, rel=1e-12, abs=1e-12)
    sums = rows.sum(axis=0)
    assert found.against in (2, 5)
    assert sums[found.against] == max(sums[zone])


def test_a_plans_rivals_are_ahead_by_what_the_kept_photos_shares_add_up_to() -> None:
    """The total over the kept photos is the sum of the leads that the plan proves."""
    scores, truth = simulator.collection(8, photos=24)
    plan = elsewhere.protect(scores, truth, top=3)
    kept = scores.values[list(plan.kept)].astype(np.float64)
    rivals = plan.views[0].rivals[:3]
    found = shares(kept, np.array([truth]), rivals=rivals, margin=0.0, named=named)
    leads = [kept[:, rival].sum() - kept[:, truth].sum() for rival in rivals]
    assert min(leads) == pytest.approx(plan.views[0].slack)
    assert found.total == pytest.approx(sum(leads))
    assert found.from_plan


def test_who_speaks_for_the_truth_has_a_negative_gain() -> None:
    rows = np.log([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]])
    found = shares(rows, np.array([0]), rivals=None, margin=0.0, named=named)
    assert found.gains[0] < 0 < found.gains[1]
    assert not found.from_plan
    assert [rival.cell for rival in found.rivals] == [1, 2]


def test_without_a_plan_the_likeliest_rivals_are_taken() -> None:
    scores, truth = simulator.collection(9, photos=5)
    sums = scores.values.sum(axis=0, dtype=np.float64)
    found = shares(
        scores.values.astype(np.float64), np.array([truth]), rivals=None, margin=0.0, named=named
    )
    best = [cell for cell in np.argsort(-sums).tolist() if cell != truth][:RIVALS]
    assert [rival.cell for rival in found.rivals] == best


def test_probabilities_of_zero_still_give_numbers() -> None:
    rows = np.array([[-np.inf, 0.0], [0.0, -np.inf]])
    found = shares(rows, np.array([0]), rivals=[1], margin=0.0, named=named)
    assert found.gains == (745.0, -745.0)
    assert found.total == 0.0


@given(
    st.integers(1, 40),
    st.integers(0, 10_000),
    st.sampled_from([0.0, 0.05]),
    st.sampled_from([None, [1, 7, 9], list(range(6, 12))]),
)
def test_the_quick_sums_are_the_exact_ones_but_for_their_rounding(
    photos: int, seed: int, margin: float, rivals: list[int] | None
) -> None:
    rng = np.random.default_rng(seed)
    with np.errstate(divide="ignore"):  # probabilities of zero are among them
        rows = np.log(rng.dirichlet(np.full(12, 0.01), size=photos))
    zone = np.array([2, 5])
    found = shares(rows, zone, rivals=rivals, margin=margin, named=named)
    quick = basis(rows, zone, rivals)
    assert (quick.against, quick.rivals) == (found.against, tuple(r.cell for r in found.rivals))
    assert gains(quick, margin).tolist() == pytest.approx(list(found.gains), rel=1e-12, abs=1e-9)
