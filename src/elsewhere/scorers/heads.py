"""What turns features into a row: small networks, and a vector for each cell.

The networks map the features into GeoCLIP's location space, where each cell has a vector; the
cosines decide, and the networks' scores are averaged. A linear recogniser of the trained landmarks
then lifts a landmark's cell, and only when it is sure. One row at a time, because a batched product
may round a row differently next to other rows. The 36,000 leaves need one product for all networks,
because what normalises each network's scores falls out at the end.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from elsewhere.errors import FileError
from elsewhere.scorers.protocol import log_softmax

Floats = npt.NDArray[np.float32]

_GELU = np.float32(0.7978845608028654)  # the square root of 2 / pi
_PRODUCT = "d,dh->h"
"""Row times matrix by einsum, without the BLAS: photos are scored in parallel, and for so small a
product its threads cost ten times what they save (measured 4 ms against 0.1 ms on two cores)."""
_BLOCK = 1000
"""Leaves whose vectors are widened at once: 2 MB, which stay in the processor's cache."""


@dataclass(frozen=True)
class Head:
    """Plain arrays: E networks with H hidden units, D features, L landmarks."""

    FORMAT: ClassVar[int]

    mean: Floats  # (D,) of the features, once they have length √D
    std: Floats  # (D,)
    w1: Floats  # (E, D, H)
    b1: Floats  # (E, H)
    w2: Floats  # (E, H, 512)
    b2: Floats  # (E, 512)
    scale: Floats  # (E,)
    landmark_w: Floats  # (D, L + 1), "none of them" last
    landmark_b: Floats  # (L + 1,)
    landmark_cell: npt.NDArray[np.int64]  # (L,)
    gate: Floats  # (slope, threshold) of the lift, in nats
    temperature: Floats  # () calibrates single photos

    @classmethod
    def read(cls, content: bytes, **given: Any) -> Self:
        """The head in the bytes of an ``.npz`` file; half-precision weights are widened once.

        `given` are the fields that the file does not have.
        """
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                version = int(stored["format"])
                names = [each.name for each in fields(cls) if each.name not in given]
                arrays = {
                    name: stored[name].astype(np.int64 if name == "landmark_cell" else np.float32)
                    for name in (names if version == cls.FORMAT else ())
                }
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise FileError(
                "a built-in model's head is not a file of the kind this version reads: "
                "install elsewhere again"
            ) from None
        if version != cls.FORMAT:
            raise FileError(
                f"a built-in model's head has format {version} and this version reads "
                f"{cls.FORMAT}: install elsewhere again"
            )
        return cls(**arrays, **given)

    def log_probabilities(self, features: npt.ArrayLike) -> Floats:
        """Natural-log probabilities (N, C) of features (N, D), or (C,) of one row (D,)."""
        row = np.asarray(features, dtype=np.float32)
        if row.ndim > 1:
            return np.stack([self.log_probabilities(each) for each in row])
        length = max(float(np.linalg.norm(row)), 1e-12)
        x = row * np.float32(len(row) ** 0.5 / length)
        standard = (x - self.mean) / self.std
        directions = []
        for w1, b1, w2, b2 in zip(self.w1, self.b1, self.w2, self.b2, strict=True):
            h = np.einsum(_PRODUCT, standard, w1) + b1
            h = np.float32(0.5) * h * (1 + np.tanh(_GELU * (h + np.float32(0.044715) * h * h * h)))
            z = np.einsum(_PRODUCT, h, w2) + b2
            directions.append(z / max(float(np.linalg.norm(z)), 1e-12))
        scores = self.cell_scores(directions)
        landmarks = log_softmax(np.einsum(_PRODUCT, standard, self.landmark_w) + self.landmark_b)
        odds = landmarks[:-1] - landmarks[-1]
        lift = np.zeros_like(scores)
        np.maximum.at(lift, self.landmark_cell, self.gate[0] * odds - self.gate[1])
        return log_softmax((scores + lift) / float(self.temperature)).astype(np.float32)

    def cell_scores(self, directions: list[Floats]) -> npt.NDArray[np.float64]:
        """The score of each cell, up to a constant, from each network's unit vector."""
        raise NotImplementedError


@dataclass(frozen=True)
class PaperHead(Head):
    """The head on the paper's cells, which has their vectors with it."""

    FORMAT = 1

    cells: Floats  # (512, C) unit vectors, as columns
    bias: Floats  # (E, C)

    def cell_scores(self, directions: list[Floats]) -> npt.NDArray[np.float64]:
        """The mean of the networks' log-probabilities."""
        total = np.zeros(self.cells.shape[1], dtype=np.float64)
        for z, scale, bias in zip(directions, self.scale, self.bias, strict=True):
            total += log_softmax(np.einsum(_PRODUCT, z, self.cells) * scale + bias)
        return total / len(directions)


@dataclass(frozen=True)
class LeafVectors:
    """Where each leaf lies in the location space.

    Kept in bytes, as in the file, and widened in blocks: 3.2 ms a photo, against 2.5 ms with 74 MB
    of floats in memory, and 35 ms with half precision. The tower takes 125 ms.
    """

    values: npt.NDArray[np.int8]  # (C, 512), of any length
    inverse_lengths: Floats  # (C,)

    @classmethod
    def read(cls, content: bytes) -> LeafVectors:
        """The vectors in the bytes of an ``.npz`` file."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                values = stored["embedding"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            values = np.zeros(0)
        if values.dtype != np.int8 or values.ndim != 2:
            raise FileError(
                "a built-in model's leaves are not a file of the kind this version reads: "
                "install elsewhere again"
            )
        squares = np.einsum("cd,cd->c", values, values, dtype=np.int32)
        return cls(values, (1 / np.sqrt(squares)).astype(np.float32))

    def products(self, query: Floats) -> Floats:
        """The unit vector of each leaf times the query, each by itself."""
        out = np.empty(len(self.values), dtype=np.float32)
        block = np.empty((_BLOCK, self.values.shape[1]), dtype=np.float32)
        for start in range(0, len(out), _BLOCK):
            part = self.values[start : start + _BLOCK]
            wide = block[: len(part)]
            wide[...] = part
            np.vecdot(wide, query, out=out[start : start + _BLOCK])
        out *= self.inverse_lengths
        return out


@dataclass(frozen=True)
class LeafHead(Head):
    """A head on the leaves, whose vectors are in a file of their own."""

    FORMAT = 2

    leaves: LeafVectors

    def cell_scores(self, directions: list[Floats]) -> npt.NDArray[np.float64]:
        """One product with the networks' mean, each as long as its scale."""
        lengths = self.scale / np.float32(len(directions))
        query = np.einsum("e,ed->d", lengths, np.stack(directions))
        return self.leaves.products(query).astype(np.float64)
