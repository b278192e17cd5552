"""The scorer `onnx`: anyone's ONNX classifier over cells of its own.

Beside `streets.onnx` lies `streets.json`, which says how photos are prepared and what the outputs
mean (docs/scorers.md):

    {"cells": "streets.cells.json", "size": [224, 224], "mean": [0.485, 0.456, 0.406],
     "std": [0.229, 0.224, 0.225], "fit": "squash", "output": "logits", "sha256": "…"}

The model is checked in `load`, by its shapes and on one blank picture, so that a wrong file is
refused before the first photo.
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
from elsewhere.scorers.protocol import TOLERANCE, Photo, Row, ScorerInfo, normalise_row
from elsewhere.scorers.sessions import Session, open_session

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Description:
    """How photos are prepared for a model, and what its outputs mean."""

    cells: Path
    """The cells file; output i is cell i."""
    size: tuple[int, int]
    """(width, height) of the input."""
    mean: Triple = (0.0, 0.0, 0.0)
    std: Triple = (1.0, 1.0, 1.0)
    """Subtracted and divided by, per channel, after pixels were scaled to 0…1."""
    fit: Literal["squash", "crop"] = "squash"
    """Squash the whole photo into the input, or crop its middle."""
    output: Literal["logits", "log-probabilities"] = "logits"
    sha256: str | None = None


def make(argument: str) -> OnnxScorer:
    """The scorer `onnx:FILE`."""
    if not argument:
        raise InputError("the scorer onnx needs a model: write onnx:MODEL.onnx")
    model = Path(argument)
    return OnnxScorer(model, read_description(model.with_suffix(".json")))


class OnnxScorer:
    """One ONNX file and its description."""

    def __init__(self, model: Path, description: Description) -> None:
        self._path, self._description = model, description
        self._session: Session | None = None
        self._about: ScorerInfo | None = None

    def load(self) -> ScorerInfo:
        """Read cells and model, and compare them."""
        if self._about is None:
            description = self._description
            cells = Cells.load(description.cells)
            self._session = open_session(self._path, description.sha256)
            self._cells = cells.count
            self._check_shapes(self._session)
            self._score_pixels(np.full((*description.size[::-1], 3), 127, np.uint8))
            preparation = (
                description.size,
                description.mean,
                description.std,
                description.fit,
                description.output,
            )
            seal = f"onnx 1 {preparation!r} {cells.fingerprint} {self._session.sha256}"
            self._about = ScorerInfo(
                name=f"onnx:{self._path.name}",
                fingerprint=hashlib.sha256(seal.encode()).hexdigest(),
                cells=cells.count,
                grid=cells.fingerprint,
                globe=cells,
            )
        return self._about

    def score(self, photo: Photo) -> Row:
        """Decode, prepare, run, normalise."""
        from PIL import ImageOps
        from PIL.Image import Resampling

        size = self._description.size
        image = photo.image(size)
        if self._description.fit == "crop":
            image = ImageOps.fit(image, size, Resampling.BICUBIC)
        else:
            image = image.resize(size, Resampling.BICUBIC)
        return self._score_pixels(np.asarray(image))

    def _score_pixels(self, pixels: NDArray[np.uint8]) -> Row:
        assert self._session is not None, "load comes first"
        mean = np.array(self._description.mean, dtype=np.float32)
        std = np.array(self._description.std, dtype=np.float32)
        ready = (pixels.astype(np.float32) / np.float32(255) - mean) / std
        tensor = np.ascontiguousarray(ready.transpose(2, 0, 1)[None])
        names = next(iter(self._session.inputs)), next(iter(self._session.outputs))
        output: NDArray[np.float32] = self._session(tensor, *names)
        if output.shape != (1, self._cells):
            raise ScorerError(
                f"{self._path.name} gives {_shape(output.shape)} for one photo, but its cells file "
                f"needs 1 × {self._cells}: use the cells that the model was trained on"
            )
        if not np.isfinite(output).all():
            raise ScorerError(
                f"{self._path.name} gives numbers that are not finite: use another model"
            )
        if self._description.output == "log-probabilities":
            total = float(np.exp(output[0].astype(np.float64)).sum())
            if abs(total - 1.0) > TOLERANCE:
                raise ScorerError(
                    f"{self._path.name} should give log-probabilities, but they sum to "
                    f'{total:.6g} instead of 1: write "output": "logits" if that is what it gives'
                )
            return np.asarray(output[0], dtype=np.float32)
        return normalise_row(output[0])

    def _check_shapes(self, model: Session) -> None:
        """Refuse what is visibly wrong before anything is run."""
        if len(model.inputs) != 1:
            raise ScorerError(
                f"{self._path.name} has {len(model.inputs)} inputs: "
                "a scorer needs exactly one, the photo"
            )
        (name, shape), width, height = *model.inputs.items(), *self._description.size
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
        output = next(iter(model.outputs.values()))
        if not _fits(output, (1, self._cells)):
            raise ScorerError(
                f"{self._path.name} gives {_shape(output)}, but its cells file needs "
                f"1 × {self._cells}: use the cells that the model was trained on"
            )


def read_description(path: Path) -> Description:
    """The description beside a model; FileError names what is wrong with it."""
    try:
        values = json.loads(path.read_text("utf-8"))
    except OSError:
        raise FileError(
            f"the model needs a description beside it, but {path} cannot be read: "
            "write one as docs/scorers.md shows"
        ) from None
    except (ValueError, RecursionError):
        raise FileError(f"{path} is not JSON: write it as docs/scorers.md shows") from None
    if not isinstance(values, dict):
        raise FileError(f"{path} must be one JSON object: write it as docs/scorers.md shows")
    unknown = set(values) - {"cells", "size", "mean", "std", "fit", "output", "sha256"}
    if unknown:
        raise FileError(f'{path} has an unknown entry "{min(unknown)}": remove or correct it')
    if not isinstance(values.get("cells"), str):
        raise FileError(f'{path} must name the cells file: "cells": "FILE"')
    size = values.get("size")
    size = [size, size] if isinstance(size, int) else size
    sides = size if isinstance(size, list) else []
    if len(sides) != 2 or not all(type(side) is int and 1 <= side <= 4096 for side in sides):
        raise FileError(f'{path} must give the input size: "size": 224 or [width, height]')
    for key, default in (("mean", 0.0), ("std", 1.0)):
        triple = values.setdefault(key, [default] * 3)
        if (
            not isinstance(triple, list)
            or len(triple) != 3
            or not all(type(value) in (int, float) and np.isfinite(value) for value in triple)
            or (key == "std" and 0 in triple)
        ):
            raise FileError(f'{path} must give "{key}" as three numbers, one per channel')
    for key, choices in (("fit", ("squash", "crop")), ("output", ("logits", "log-probabilities"))):
        if values.setdefault(key, choices[0]) not in choices:
            raise FileError(f'{path} must give "{key}" as "{choices[0]}" or "{choices[1]}"')
    if not isinstance(values.get("sha256"), str | None):
        raise FileError(f'{path} must give "sha256" as text')
    return Description(
        cells=path.parent / values["cells"],
        size=(sides[0], sides[1]),
        mean=(float(values["mean"][0]), float(values["mean"][1]), float(values["mean"][2])),
        std=(float(values["std"][0]), float(values["std"][1]), float(values["std"][2])),
        fit=values["fit"],
        output=values["output"],
        sha256=values.get("sha256"),
    )


def _fits(shape: list[Any], wanted: tuple[int, ...]) -> bool:
    """Whether a declared shape, whose free dimensions are names or None, allows `wanted`."""
    return len(shape) == len(wanted) and all(
        not isinstance(side, int) or side == want for side, want in zip(shape, wanted, strict=True)
    )


def _shape(shape: Any) -> str:
    return " × ".join(str(side) if side is not None else "?" for side in shape) or "a single number"
