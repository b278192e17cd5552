"""Store the text reader's models with half-precision weights: half the size, the same reading.

    python -m training.text_models FOLDER

FOLDER holds the two models as distributed in the Python package rapidocr 3.10.0
(rapidocr/models). Each float32 weight becomes a float16 one with a cast to float32 behind it, which
ONNX Runtime computes once, when it loads the model. The arithmetic stays in float32. Of the 10 bits
of a mantissa six are kept, so that a wheel packs the rest to nothing.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from training.ship import coarse

TARGET = Path(__file__).parent.parent / "src" / "elsewhere" / "text" / "models"
SOURCES = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
}
BITS = 6
"""Of the weights' mantissas."""
_MIN_SIZE = 256
"""Smaller weights stay as they are: biases and scales cost nothing."""


def halve(content: bytes) -> bytes:
    """The model with its large weights in half precision."""
    model = onnx.load_from_string(content)
    graph = model.graph
    casts = []
    for weight in graph.initializer:
        values = numpy_helper.to_array(weight)
        if values.dtype != np.float32 or values.size < _MIN_SIZE:
            continue
        if np.abs(values).max() > np.finfo(np.float16).max:
            raise SystemExit(f"{weight.name} has weights that half precision cannot hold")
        name = weight.name
        half = coarse(values.astype(np.float16), BITS)
        weight.CopyFrom(numpy_helper.from_array(half, f"{name}_half"))
        casts.append(
            onnx.helper.make_node("Cast", [f"{name}_half"], [name], to=onnx.TensorProto.FLOAT)
        )
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model)
    result: bytes = model.SerializeToString(deterministic=True)
    return result


def main(folder: Path) -> None:
    for name, digest in SOURCES.items():
        content = (folder / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise SystemExit(f"{name} is not the file of rapidocr 3.10.0")
        half = halve(content)
        (TARGET / name.replace(".onnx", ".half.onnx")).write_bytes(half)
        print(f"{hashlib.sha256(half).hexdigest()}  {name} ({len(half):,} bytes)")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
