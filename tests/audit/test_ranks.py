"""Where the truth stands: as the engine counts it, ties and zeros included."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

import elsewhere
from elsewhere.audit.inference import curve, own_ranks, rank


@st.composite
def albums(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    photos, cells = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    # few different numbers, some of which do not add up exactly: ties, near-ties and zeros
    number = st.sampled_from([-0.1, -0.2, -0.3, -0.7, -1e-17, 0.0, -3.0, -1e9, -np.inf])
    rows = draw(
        st.lists(st.lists(number, min_size=cells, max_size=cells), min_size=photos, max_size=photos)
    )
    zone = draw(st.sets(st.integers(0, cells - 1), min_size=1, max_size=cells - 1))
    return np.array(rows), np.array(sorted(zone))


@given(albums())
def test_the_rank_is_one_more_than_the_protected_k_of_sharing_everything(
    album: tuple[np.ndarray, np.ndarray],
) -> None:
    rows, zone = album
    plan = elsewhere.protect(rows, zone.tolist(), budget=0)
    assert rank(rows, zone) == plan.protected_k + 1


@given(albums(), st.integers(0, 9))
def test_every_prefix_is_ranked_like_an_album_of_its_own(
    album: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    rows, zone = album
    order = np.random.default_rng(seed).permutation(len(rows))
    ranks = curve(rows, order, zone, {}).ranks
    assert list(ranks) == [rank(rows[order[: n + 1]], zone) for n in range(len(rows))]
    assert own_ranks(rows, zone).tolist() == [rank(row[None], zone) for row in rows]


def test_a_near_tie_is_decided_exactly() -> None:
    """Ten times 0.1 is more than 1 in exact arithmetic, and less when it is cumulated."""
    rows = np.zeros((11, 2))
    rows[:10, 0] = -0.1
    rows[10, 1] = -1.0
    assert np.cumsum(rows[:, 0])[-1] > np.cumsum(rows[:, 1])[-1]
    assert sum(map(Fraction, rows[:, 0])) < sum(map(Fraction, rows[:, 1]))
    assert rank(rows, np.array([0])) == 2
    assert rank(rows, np.array([1])) == 1


@pytest.mark.parametrize("zone", [[0], [0, 3]])
def test_a_rival_must_stand_before_every_cell_of_the_zone(zone: list[int]) -> None:
    rows = np.array([[-2.0, -1.0, -3.0, -1.5]])
    assert rank(rows, np.array(zone)) == {1: 3, 2: 2}[len(zone)]
