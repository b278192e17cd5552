"""Scores that are none cost their photo, and are found wherever they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from elsewhere.batch.input_rows import score_matrix
from elsewhere.errors import InputError

GOOD = [-1.0, -2.0, float("-inf")]
NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("kind", "rows", "bad"),
    [
        ("list", [GOOD, None, GOOD], {1: "no scores"}),
        ("list", [GOOD, [], GOOD], {1: "no scores"}),
        ("list", [GOOD, [-1.0], GOOD], {1: "over 1 cells, and other photos over 3"}),
        ("list", [GOOD, [-1.0, NAN, -2.0], [-1.0, INF, 0.0]], {1: "NaN", 2: "NaN"}),
        ("list", [GOOD, [-1.0, None, -2.0], GOOD], {1: "NaN, null"}),
        ("fixed", [GOOD, None, GOOD], {1: "no scores"}),
        ("fixed", [GOOD, [-1.0, None, -2.0], GOOD], {1: "NaN, null"}),
        ("fixed", [GOOD, GOOD, GOOD], {}),
    ],
)
def test_what_is_no_row_of_scores(kind: str, rows: list[Any], bad: dict[int, str]) -> None:
    chosen = pa.list_(pa.float32(), 3) if kind == "fixed" else pa.list_(pa.float32())
    # the rows before and behind belong to other albums
    column = pa.chunked_array([pa.array([[9.0] * 3, *rows, [9.0] * 3], chosen)]).slice(1, 3)
    matrix, wrong = score_matrix(column)
    assert matrix.shape == (3, 3) and matrix.dtype == np.float32
    assert set(wrong) == set(bad)
    for number, why in bad.items():
        assert why in wrong[number] and not matrix[number].any()
    for number in {0, 1, 2} - set(bad):
        assert matrix[number].tolist() == GOOD


def test_whole_rows_are_not_copied() -> None:
    whole = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(12, np.float32)), 3)
    matrix, wrong = score_matrix(pa.chunked_array([whole]).slice(1, 2))
    assert not wrong and not matrix.flags.owndata


def test_no_scores_at_all() -> None:
    with pytest.raises(InputError, match="none of its photos has scores"):
        score_matrix(pa.chunked_array([pa.array([None, []], pa.list_(pa.float32()))]))
