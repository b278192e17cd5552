"""The scorer `onnx`: anyone's ONNX classifier over cells of its own.

Beside `streets.onnx` lies `streets.json`, which says how the model wants its photos and what its
outputs mean (docs/scorers.md):

    {"cells": "streets.cells.json", "size": [224, 224], "mean": [0.485, 0.456, 0.406],
     "std": [0.229, 0.224, 0.225], "fit": "squash", "output": "logits", "sha256": "…"}

Everything about the model that can be checked is checked in `load`, on shapes and on one blank
picture, so that a wrong file is refused before the first photo and not after the thousandth.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError, ScorerError
from elsewhere.globe import Cells
from elsewhere.scorers.protocol import TOLERANCE, Photo, Row, ScorerInfo, log_softmax
from elsewhere.scorers.sessions import Session, open_session

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Description:
    """How a model wants its photos, and what it says."""

    cells: Path
    """The cells file; output i stands for cell i."""
    size: tuple[int, int]
    """(width, height) of the input."""
    mean: Triple = (0.0, 0.0, 0.0)
    std: Triple = (1.0, 1.0, 1.0)
    """Taken off and divided by, per channel, after pixels were brought to 0…1."""
    fit: Literal["squash", "crop"] = "squash"
    """Squash the whole photo into the input, or cut its middle out."""
    output: Literal["logits", "log-probabilities"] = "logits"
    sha256: str | None = None


def make(about: str) -> OnnxScorer:
    """The scorer behind the word `onnx:FILE`."""
    if not about:
        raise InputError("the scorer onnx needs a model: write onnx:MODEL.onnx")
    model = Path(about)
    return OnnxScorer(model, read_description(model.with_suffix(".json")))


class OnnxScorer:
    """One ONNX file and its description."""

    def __init__(self, model: Path, description: Description) -> None:
        self._path = model
        self._told = description
        self._session: Session | None = None
        self._about: ScorerInfo | None = None

    def load(self) -> ScorerInfo:
        """Read cells and model, and hold the one against the other."""
        if self._about is None:
            cells = Cells.load(self._told.cells)
            self._session = open_session(self._path, self._told.sha256, anywhere=True)
            self._cells = cells.count
            self._check_shapes(self._session, cells.count)
            self._row(self._tensor_of(np.full((*self._told.size[::-1], 3), 127, np.uint8)))
            self._about = ScorerInfo(
                name=f"onnx:{self._path.name}",
                fingerprint=self._fingerprint(cells, self._session.sha256),
                cells=cells.count,
                grid=cells.fingerprint,
                globe=cells,
            )
        return self._about

    def score(self, photo: Photo) -> Row:
        """Decode, prepare, run, normalise."""
        from PIL import ImageOps
        from PIL.Image import Resampling

        image = photo.image(self._told.size)
        if self._told.fit == "crop":
            ready = ImageOps.fit(image, self._told.size, Resampling.BICUBIC)
        else:
            ready = image.resize(self._told.size, Resampling.BICUBIC)
        return self._row(self._tensor_of(np.asarray(ready)))

    def _tensor_of(self, pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
        mean = np.array(self._told.mean, dtype=np.float32)
        std = np.array(self._told.std, dtype=np.float32)
        ready = (pixels.astype(np.float32) / np.float32(255) - mean) / std
        return np.ascontiguousarray(ready.transpose(2, 0, 1)[None])

    def _row(self, tensor: NDArray[np.float32]) -> Row:
        assert self._session is not None, "load comes first"
        made: NDArray[np.float32] = self._session(
            tensor, next(iter(self._session.inputs)), self._output(self._session)
        )
        if made.shape != (1, self._cells):
            raise ScorerError(
                f"{self._path.name} gives {_shape(made.shape)} for one photo, but its cells file "
                f"needs 1 × {self._cells}: use the cells that the model was trained on"
            )
        if not np.isfinite(made).all():
            raise ScorerError(
                f"{self._path.name} gives numbers that are not finite: use another model"
            )
        if self._told.output == "log-probabilities":
            total = float(np.exp(made[0].astype(np.float64)).sum())
            if abs(total - 1.0) > TOLERANCE:
                raise ScorerError(
                    f"{self._path.name} should give log-probabilities, but they sum to "
                    f'{total:.6g} instead of 1: write "output": "logits" if that is what it gives'
                )
            return np.asarray(made[0], dtype=np.float32)
        return log_softmax(made[0])

    def _check_shapes(self, model: Session, cells: int) -> None:
        """Refuse what can be seen to be wrong before anything is run."""
        if len(model.inputs) != 1:
            raise ScorerError(
                f"{self._path.name} has {len(model.inputs)} inputs: "
                "a scorer needs exactly one, the photo"
            )
        (name, shape), width, height = *model.inputs.items(), *self._told.size
        if model.types[name] != "tensor(float)":
            raise ScorerError(
                f"{self._path.name} wants {model.types[name]} as input: "
                "a scorer is given 32-bit floats"
            )
        if not _fits(shape, (1, 3, height, width)):
            raise ScorerError(
                f"{self._path.name} wants an input of {_shape(shape)}, but its description says "
                f"1 × 3 × {height} × {width} (photos × channels × height × width): correct one"
            )
        outcome = model.outputs[self._output(model)]
        if not _fits(outcome, (1, cells)):
            raise ScorerError(
                f"{self._path.name} gives {_shape(outcome)}, but its cells file needs "
                f"1 × {cells}: use the cells that the model was trained on"
            )

    @staticmethod
    def _output(model: Session) -> str:
        return next(iter(model.outputs))

    def _fingerprint(self, cells: Cells, model: str) -> str:
        """Over the model's bytes, how photos are prepared, and the cells."""
        told = (self._told.size, self._told.mean, self._told.std, self._told.fit, self._told.output)
        seal = f"onnx 1 {told!r} {cells.fingerprint} {model}"
        return hashlib.sha256(seal.encode()).hexdigest()


def read_description(path: Path) -> Description:
    """The description beside a model, or one sentence about what it lacks."""
    try:
        told = json.loads(path.read_text("utf-8"))
    except OSError:
        raise FileError(
            f"the model needs a description beside it, but {path} cannot be read: "
            "write one as docs/scorers.md shows"
        ) from None
    except (ValueError, RecursionError):
        raise FileError(f"{path} is not JSON: write it as docs/scorers.md shows") from None
    if not isinstance(told, dict):
        raise FileError(f"{path} must be one JSON object: write it as docs/scorers.md shows")
    unknown = set(told) - {"cells", "size", "mean", "std", "fit", "output", "sha256"}
    if unknown:
        raise FileError(f'{path} has an unknown entry "{min(unknown)}": remove or correct it')
    cells = told.get("cells")
    if not isinstance(cells, str):
        raise FileError(f'{path} must name the cells file: "cells": "FILE"')
    return Description(
        cells=path.parent / cells,
        size=_size(told.get("size"), path),
        mean=_triple(told, "mean", 0.0, path),
        std=_triple(told, "std", 1.0, path),
        fit=_choice(told, "fit", ("squash", "crop"), path),
        output=_choice(told, "output", ("logits", "log-probabilities"), path),
        sha256=_text(told, "sha256", path),
    )


def _text(told: dict[str, Any], key: str, path: Path) -> str | None:
    given = told.get(key)
    if given is not None and not isinstance(given, str):
        raise FileError(f'{path} must give "{key}" as text')
    return given


def _size(told: object, path: Path) -> tuple[int, int]:
    pair = [told, told] if isinstance(told, int) else told
    if (
        not isinstance(pair, list)
        or len(pair) != 2
        or not all(type(side) is int and 1 <= side <= 4096 for side in pair)
    ):
        raise FileError(f'{path} must give the input size: "size": 224 or [width, height]')
    return pair[0], pair[1]


def _triple(told: dict[str, Any], key: str, usual: float, path: Path) -> Triple:
    given = told.get(key, [usual] * 3)
    if (
        not isinstance(given, list)
        or len(given) != 3
        or not all(type(value) in (int, float) and np.isfinite(value) for value in given)
        or (key == "std" and 0 in given)
    ):
        raise FileError(f'{path} must give "{key}" as three numbers, one per channel')
    return float(given[0]), float(given[1]), float(given[2])


def _choice(told: dict[str, Any], key: str, choices: tuple[str, str], path: Path) -> Any:
    given = told.get(key, choices[0])
    if given not in choices:
        raise FileError(f'{path} must give "{key}" as "{choices[0]}" or "{choices[1]}"')
    return given


def _fits(shape: list[Any], wanted: tuple[int, ...]) -> bool:
    """Whether a declared shape, whose free dimensions are names or None, allows `wanted`."""
    return len(shape) == len(wanted) and all(
        not isinstance(side, int) or side == want for side, want in zip(shape, wanted, strict=True)
    )


def _shape(shape: Any) -> str:
    return " × ".join(str(side) if side is not None else "?" for side in shape) or "a single number"
