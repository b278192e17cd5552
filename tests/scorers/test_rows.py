"""Rows: normalised and checked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from elsewhere.errors import ScorerError
from elsewhere.scorers.protocol import check_row, normalise_row

logits = hnp.arrays(
    np.float32,
    st.integers(2, 600),
    elements=st.floats(-1e4, 1e4, width=32),
)


@given(logits)
def test_any_logits_become_a_row_that_passes(raw: np.ndarray) -> None:
    row = normalise_row(raw)
    assert row.dtype == np.float32
    assert check_row(row, len(raw), "s", "p") is row
    assert (row <= 1e-6).all()


@given(logits, st.floats(-100, 100))
def test_a_constant_changes_nothing_to_speak_of(raw: np.ndarray, shift: float) -> None:
    wide = raw.astype(np.float64)
    assert np.allclose(normalise_row(wide), normalise_row(wide + shift), atol=1e-3)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (np.log(np.full(3, 1 / 3)), r"a row of shape \(3,\) instead of \(4,\)"),
        (np.array([0, -np.inf, -np.inf, -np.inf]), "not finite"),
        (np.array([np.nan, 0, 0, 0]), "not finite"),
        (np.log(np.full(4, 0.2501)), "sum to 1.0004 instead of 1"),
    ],
)
def test_what_is_no_row_is_refused(row: np.ndarray, sentence: str) -> None:
    with pytest.raises(ScorerError, match=f"the scorer s gave p .*{sentence}"):
        check_row(row.astype(np.float32), 4, "s", "p")
