"""Small ONNX models and photos for the tests, made here so that nothing is committed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.globe import Cells
from elsewhere.scorers import Photo


def picture(seed: int, width: int = 64, height: int = 48) -> NDArray[np.uint8]:
    """A picture unlike that of any other seed: blocks of colour and a little grain."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 256, (4, 4, 3))
    tall, wide = -(-height // 4), -(-width // 4)
    large = np.kron(blocks, np.ones((tall, wide, 1)))[:height, :width]
    return np.clip(large + rng.normal(0, 4, large.shape), 0, 255).astype(np.uint8)


def save_picture(path: Path, seed: int, width: int = 64, height: int = 48, **options: Any) -> Path:
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture(seed, width, height)).save(path, **options)
    return path


def quarters() -> Cells:
    """The globe in four."""
    return Cells([(-90, -180, 0, 0), (-90, 0, 0, 180), (0, -180, 90, 0), (0, 0, 90, 180)])


def classifier(
    path: Path,
    outputs: int,
    *,
    side: int | None = 8,
    channels: int = 3,
    log_probabilities: bool = False,
    nan: bool = False,
) -> Path:
    """Mean colour → linear → `outputs` numbers, as an ONNX file."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(outputs)
    weights = rng.normal(0, 3, (channels, outputs)).astype(np.float32)
    bias = np.full(outputs, np.nan if nan else 0.25, np.float32)
    nodes = [
        helper.make_node("GlobalAveragePool", ["photo"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("Gemm", ["flat", "w", "b"], ["logits"]),
    ]
    if log_probabilities:
        nodes.append(helper.make_node("LogSoftmax", ["logits"], ["out"], axis=1))
    graph = helper.make_graph(
        nodes,
        "mean-colour",
        [
            helper.make_tensor_value_info(
                "photo", TensorProto.FLOAT, ["n", channels, side or "h", side or "w"]
            )
        ],
        [
            helper.make_tensor_value_info(
                "out" if log_probabilities else "logits", TensorProto.FLOAT, ["n", outputs]
            )
        ],
        [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(bias, "b")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(path))
    return path


def described(folder: Path, cells: Cells | None = None, **told: Any) -> Path:
    """A classifier with its description and cells beside it; the path of the model."""
    known = cells or quarters()
    known.save(folder / "tiny.cells.json")
    description = {"cells": "tiny.cells.json", "size": 8} | told
    (folder / "tiny.json").write_text(json.dumps(description))
    output = description.get("output") == "log-probabilities"
    return classifier(folder / "tiny.onnx", known.count, log_probabilities=output)


def photos_of(folder: Path) -> list[Photo]:
    """The plain files of a folder as scorers meet them, IMG_2 before IMG_10."""
    paths = sorted(folder.iterdir(), key=lambda path: (len(path.name), path.name))
    return [Photo(path.name, path) for path in paths]
