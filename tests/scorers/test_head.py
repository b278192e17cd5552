"""The head: its rows are normalised, independent of each other, and refuse a wrong file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.errors import FileError
from elsewhere.scorers.embedded import HEAD_FORMAT, Head

WIDTH, HIDDEN, MEMBERS, CELLS, LANDMARKS = 24, 16, 3, 40, 5


def arrays(seed: int = 0, **changes: Any) -> dict[str, npt.NDArray[Any]]:
    rng = np.random.default_rng(seed)
    space = rng.normal(size=(12, CELLS))
    made: dict[str, npt.NDArray[Any]] = {
        "format": np.array(HEAD_FORMAT),
        "mean": rng.normal(size=WIDTH),
        "std": rng.uniform(0.5, 2, size=WIDTH),
        "w1": rng.normal(size=(MEMBERS, WIDTH, HIDDEN)).astype(np.float16),
        "b1": rng.normal(size=(MEMBERS, HIDDEN)),
        "w2": rng.normal(size=(MEMBERS, HIDDEN, 12)).astype(np.float16),
        "b2": rng.normal(size=(MEMBERS, 12)),
        "cells": space / np.linalg.norm(space, axis=0),
        "scale": np.array([15.0, 20.0, 25.0]),
        "bias": np.zeros((MEMBERS, CELLS)),
        "landmark_w": np.zeros((WIDTH, LANDMARKS + 1)),
        "landmark_b": np.array([0.0] * LANDMARKS + [3.0]),
        "landmark_cell": np.array([1, 3, 3, 7, 9]),
        "gate": np.array([1.0, 0.0]),
        "temperature": np.array(1.5),
    }
    return made | changes


def packed(**changes: Any) -> bytes:
    out = io.BytesIO()
    np.savez(out, **arrays(**changes))  # type: ignore[arg-type]
    return out.getvalue()


def features(count: int, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)


def test_rows_are_normalised_and_finite() -> None:
    said = Head.read(packed()).log_probabilities(features(50))
    assert said.shape == (50, CELLS) and said.dtype == np.float32
    assert np.isfinite(said).all()
    assert np.abs(np.exp(said.astype(np.float64)).sum(axis=1) - 1).max() < 1e-5


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(12)), st.integers(1, 12))
def test_a_row_does_not_depend_on_its_neighbours_bit_for_bit(order: list[int], count: int) -> None:
    head, x = Head.read(packed()), features(12)
    alone = np.stack([head.log_probabilities(row) for row in x])
    chosen = order[:count]
    assert (head.log_probabilities(x[chosen]) == alone[chosen]).all()


def test_the_length_of_the_features_does_not_matter() -> None:
    head, x = Head.read(packed()), features(4)
    assert np.allclose(head.log_probabilities(x), head.log_probabilities(7 * x), atol=1e-4)


def test_the_score_is_the_mean_of_the_members_over_the_temperature() -> None:
    made = arrays()
    x = features(1)[0].astype(np.float64)
    x = x / np.linalg.norm(x) * WIDTH**0.5
    x = (x - made["mean"]) / made["std"]
    total = np.zeros(CELLS)
    for i in range(MEMBERS):
        h = x @ made["w1"][i].astype(np.float64) + made["b1"][i]
        h = 0.5 * h * (1 + np.tanh((2 / np.pi) ** 0.5 * (h + 0.044715 * h**3)))
        z = h @ made["w2"][i].astype(np.float64) + made["b2"][i]
        logits = made["scale"][i] * (z / np.linalg.norm(z)) @ made["cells"]
        total += logits - np.log(np.exp(logits).sum())
    expected = total / MEMBERS / 1.5
    expected -= np.log(np.exp(expected).sum())
    said = Head.read(packed()).log_probabilities(features(1))[0]
    assert np.allclose(said, expected, atol=1e-4)


def test_a_landmark_lifts_its_cell_only_when_it_is_likelier_than_none() -> None:
    silent = Head.read(packed()).log_probabilities(features(1)[0])
    unsure = Head.read(packed(landmark_b=np.array([0, 0, 2.9, 0, 0, 3.0])))
    assert (unsure.log_probabilities(features(1)[0]) == silent).all()
    sure = Head.read(packed(landmark_b=np.array([0, 0, 6.0, 0, 0, 3.0])))
    lifted = sure.log_probabilities(features(1)[0])
    # cell 3 gains (6 - 3) / 1.5 nats against every other cell, which keep their distances
    gained = (lifted - silent) - (lifted - silent)[0]
    assert gained[3] == pytest.approx(2.0, abs=1e-4)
    assert np.abs(np.delete(gained, 3)).max() < 1e-4


@pytest.mark.parametrize(
    "content", [b"", b"not a zip", packed()[:300], packed(format=np.array(HEAD_FORMAT + 1))]
)
def test_a_wrong_file_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(FileError, match="install elsewhere again"):
        Head.read(content)


def test_a_file_with_an_array_missing_is_refused() -> None:
    made = arrays()
    del made["gate"]
    out = io.BytesIO()
    np.savez(out, **made)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="install elsewhere again"):
        Head.read(out.getvalue())
