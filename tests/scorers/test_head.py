"""The head: its rows are normalised, independent of each other, and refuse a wrong file."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from elsewhere.errors import FileError
from elsewhere.scorers.heads import LeafHead, LeafVectors, PaperHead

WIDTH, HIDDEN, MEMBERS, CELLS, LANDMARKS = 24, 16, 3, 40, 5


def arrays(seed: int = 0, **changes: Any) -> dict[str, npt.NDArray[Any]]:
    rng = np.random.default_rng(seed)
    space = rng.normal(size=(12, CELLS))
    made: dict[str, npt.NDArray[Any]] = {
        "format": np.array(PaperHead.FORMAT),
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


def leaf_vectors(seed: int = 3, count: int = CELLS) -> LeafVectors:
    """Vectors of very different lengths."""
    rng = np.random.default_rng(seed)
    values = rng.integers(-127, 128, size=(count, 12)) // rng.integers(1, 9, size=(count, 1))
    values[:, 0] = 5
    out = io.BytesIO()
    np.savez(out, embedding=values.astype(np.int8))
    return LeafVectors.read(out.getvalue())


def leaf_head(**changes: Any) -> LeafHead:
    made = arrays(format=np.array(LeafHead.FORMAT), **changes)
    del made["cells"], made["bias"]
    out = io.BytesIO()
    np.savez(out, **made)  # type: ignore[arg-type]
    return LeafHead.read(out.getvalue(), leaves=leaf_vectors())


def features(count: int, seed: int = 1) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)


def test_rows_are_normalised_and_finite() -> None:
    said = PaperHead.read(packed()).log_probabilities(features(50))
    assert said.shape == (50, CELLS) and said.dtype == np.float32
    assert np.isfinite(said).all()
    assert np.abs(np.exp(said.astype(np.float64)).sum(axis=1) - 1).max() < 1e-5


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(12)), st.integers(1, 12))
def test_a_row_does_not_depend_on_its_neighbours_bit_for_bit(order: list[int], count: int) -> None:
    head, x = PaperHead.read(packed()), features(12)
    alone = np.stack([head.log_probabilities(row) for row in x])
    chosen = order[:count]
    assert (head.log_probabilities(x[chosen]) == alone[chosen]).all()


def test_the_length_of_the_features_does_not_matter() -> None:
    head, x = PaperHead.read(packed()), features(4)
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
    said = PaperHead.read(packed()).log_probabilities(features(1))[0]
    assert np.allclose(said, expected, atol=1e-4)


def test_one_product_on_leaves_is_the_mean_of_the_members() -> None:
    """The same networks with the leaves' unit vectors as cells: the constants fall out."""
    vectors = leaf_vectors()
    unit = vectors.values / np.linalg.norm(vectors.values.astype(np.float64), axis=1)[:, None]
    each = PaperHead.read(packed(cells=unit.T, landmark_b=np.array([0, 0, 6.0, 0, 0, 3.0])))
    head = leaf_head(landmark_b=np.array([0, 0, 6.0, 0, 0, 3.0]))
    assert np.allclose(
        head.log_probabilities(features(20)), each.log_probabilities(features(20)), atol=1e-4
    )


def test_a_row_on_leaves_does_not_depend_on_its_neighbours_bit_for_bit() -> None:
    head, x = leaf_head(), features(6)
    alone = np.stack([head.log_probabilities(row) for row in x])
    assert (head.log_probabilities(x[[4, 1, 3]]) == alone[[4, 1, 3]]).all()


def test_a_leaf_does_not_depend_on_the_block_that_it_is_in() -> None:
    many = leaf_vectors(count=2_500)
    query = np.random.default_rng(4).normal(size=12).astype(np.float32)
    part = LeafVectors(many.values[700:1700], many.inverse_lengths[700:1700])
    assert (many.products(query)[700:1700] == part.products(query)).all()


@pytest.mark.parametrize("content", [b"", b"no zip", packed()])
def test_leaves_that_are_none_are_refused(content: bytes) -> None:
    with pytest.raises(FileError, match=r"leaves are not a file .* install elsewhere again"):
        LeafVectors.read(content)


def test_a_head_of_the_other_kind_is_refused() -> None:
    with pytest.raises(FileError, match="has format 1 and this version reads 2"):
        LeafHead.read(packed(), leaves=leaf_vectors())


def test_a_landmark_lifts_its_cell_only_when_it_is_likelier_than_none() -> None:
    silent = PaperHead.read(packed()).log_probabilities(features(1)[0])
    unsure = PaperHead.read(packed(landmark_b=np.array([0, 0, 2.9, 0, 0, 3.0])))
    assert (unsure.log_probabilities(features(1)[0]) == silent).all()
    sure = PaperHead.read(packed(landmark_b=np.array([0, 0, 6.0, 0, 0, 3.0])))
    lifted = sure.log_probabilities(features(1)[0])
    # cell 3 gains (6 - 3) / 1.5 nats against every other cell, which keep their distances
    gained = (lifted - silent) - (lifted - silent)[0]
    assert gained[3] == pytest.approx(2.0, abs=1e-4)
    assert np.abs(np.delete(gained, 3)).max() < 1e-4


@pytest.mark.parametrize(
    "content", [b"", b"not a zip", packed()[:300], packed(format=np.array(PaperHead.FORMAT + 1))]
)
def test_a_wrong_file_is_refused_in_one_sentence(content: bytes) -> None:
    with pytest.raises(FileError, match="install elsewhere again"):
        PaperHead.read(content)


def test_a_file_with_an_array_missing_is_refused() -> None:
    made = arrays()
    del made["gate"]
    out = io.BytesIO()
    np.savez(out, **made)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="install elsewhere again"):
        PaperHead.read(out.getvalue())
