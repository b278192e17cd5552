"""Several photos as one: the exponent by number of photos, and what is shown for all together."""

from __future__ import annotations

import numpy as np
import pytest

from elsewhere.scorers.protocol import combine_rows, exponent, log_softmax


def test_the_exponent_is_linear_in_the_log_of_the_size() -> None:
    fitted = {2: 0.9, 8: 0.5}
    assert exponent({}, 7) == 1.0
    assert exponent(fitted, 1) == exponent(fitted, 2) == 0.9
    assert exponent(fitted, 4) == pytest.approx(0.7)
    assert exponent(fitted, 8) == 0.5


def test_beyond_what_was_fitted_more_photos_are_no_more_evidence() -> None:
    fitted = {2: 0.9, 8: 0.5}
    assert exponent(fitted, 16) == 0.25
    assert exponent(fitted, 8000) == pytest.approx(0.0005)
    row = np.log([[0.6, 0.3, 0.1]])
    eight, many = (combine_rows(np.repeat(row, n, axis=0), fitted) for n in (8, 8000))
    assert np.allclose(eight, many)


def test_photos_together_are_the_tempered_product() -> None:
    rows = np.log(np.array([[0.5, 0.3, 0.2], [0.6, 0.1, 0.3]], dtype=np.float32))
    expected = np.sqrt([0.30, 0.03, 0.06])
    assert np.exp(combine_rows(rows, {2: 0.5})) == pytest.approx(
        expected / expected.sum(), abs=1e-6
    )
    assert np.exp(combine_rows(rows[:1], {})) == pytest.approx([0.5, 0.3, 0.2], abs=1e-6)


def test_what_is_impossible_everywhere_says_nothing() -> None:
    rows = log_softmax(np.array([[-np.inf, 0.0, -np.inf], [-np.inf] * 3]))
    assert np.exp(rows).tolist() == [[0, 1, 0], pytest.approx([1 / 3] * 3)]
