"""The embedded model's head: a photo's features to log-probabilities over cells, in NumPy.

A few small networks map the features into GeoCLIP's location space, where each cell has a vector;
the cosines decide, and the networks' scores are averaged. A linear recogniser of the
trained landmarks then lifts a landmark's cell, and only when it is sure. One row at a time:
a batched product may round a row differently next to other rows, and a photo's scores must not
depend on its neighbours.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from elsewhere.errors import FileError

Floats = npt.NDArray[np.float32]

FORMAT = 1
_GELU = np.float32(0.7978845608028654)  # the square root of 2 / pi


@dataclass(frozen=True)
class Head:
    """Plain arrays: E networks with H hidden units, D features, C cells, L landmarks."""

    mean: Floats  # (D,) of the features, once they have length √D
    std: Floats  # (D,)
    w1: Floats  # (E, D, H)
    b1: Floats  # (E, H)
    w2: Floats  # (E, H, 512)
    b2: Floats  # (E, 512)
    cells: Floats  # (512, C) unit vectors, as columns
    scale: Floats  # (E,)
    bias: Floats  # (E, C)
    landmark_w: Floats  # (D, L + 1), "none of them" last
    landmark_b: Floats  # (L + 1,)
    landmark_cell: npt.NDArray[np.int64]  # (L,)
    gate: Floats  # (slope, threshold) of the lift, in nats
    temperature: Floats  # () single photos are calibrated by it

    @classmethod
    def read(cls, content: bytes) -> Head:
        """The head in the bytes of an ``.npz`` file; half-precision weights are widened once."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as stored:
                version = int(stored["format"])
                arrays = {
                    name: stored[name].astype(np.int64 if name == "landmark_cell" else np.float32)
                    for name in cls.__dataclass_fields__
                }
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            raise FileError(
                "the embedded model's head is not a file of the kind this version reads: "
                "install elsewhere again"
            ) from None
        if version != FORMAT:
            raise FileError(
                f"the embedded model's head has format {version} and this version reads "
                f"{FORMAT}: install elsewhere again"
            )
        return cls(**arrays)

    def log_probabilities(self, features: npt.ArrayLike) -> Floats:
        """Natural-log probabilities (N, C) of features (N, D), or (C,) of one row (D,)."""
        given = np.asarray(features, dtype=np.float32)
        if given.ndim == 1:
            return self._row(given)
        return np.stack([self._row(row) for row in given])

    def _row(self, features: Floats) -> Floats:
        length = max(float(np.linalg.norm(features)), 1e-12)
        x = features * np.float32(len(features) ** 0.5 / length)
        standard = (x - self.mean) / self.std
        total = np.zeros(self.cells.shape[1], dtype=np.float64)
        for w1, b1, w2, b2, scale, bias in zip(
            self.w1, self.b1, self.w2, self.b2, self.scale, self.bias, strict=True
        ):
            h = _times(standard, w1) + b1
            h = np.float32(0.5) * h * (1 + np.tanh(_GELU * (h + np.float32(0.044715) * h * h * h)))
            z = _times(h, w2) + b2
            z = z / max(float(np.linalg.norm(z)), 1e-12)
            total += _normalised(_times(z, self.cells) * scale + bias)
        scores = total / len(self.w1)
        known = _normalised(_times(standard, self.landmark_w) + self.landmark_b)
        odds = known[:-1] - known[-1]
        lift = np.zeros_like(scores)
        np.maximum.at(lift, self.landmark_cell, self.gate[0] * odds - self.gate[1])
        return _normalised((scores + lift) / float(self.temperature)).astype(np.float32)


def _times(row: Floats, matrix: Floats) -> Floats:
    """`row @ matrix` without the BLAS: photos are scored side by side, and for so small a product
    its threads cost ten times what they bring (measured 4 ms against 0.1 ms on two busy cores).
    """
    return np.asarray(np.einsum("d,dh->h", row, matrix))


def _normalised(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Log-softmax of one row, in double precision."""
    wide = logits.astype(np.float64)
    wide -= wide.max()
    return np.asarray(wide - np.log(np.exp(wide).sum()))
