"""Cheaper forms of the tower in int8 for processors, and how fast they are.

    python -m training.faster_onnx time OUT.json [--variants NAME ...] [--settings NAME ...]
    python -m training.faster_onnx write NAME OUT.onnx

The graph is written anew for one photo a run. Nothing in it depends on shapes; queries, keys and
values are one product; attention and activation are ONNX Runtime's own operators; and the last
layer computes the class token alone, for nobody reads the others. Turns of all towers are
interleaved, so that whatever else the machine does falls on all alike.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from elsewhere.scorers.tower import WEIGHTS, read_record
from training.tower import HEADS, WIDTH, dequantised
from training.variants import (
    PATCH,
    VARIANTS,
    V,
    Variant,
    Weights,
    float_weights,
    position_embedding,
)

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]

EPSILON = 1e-5
DEEP = WIDTH // HEADS


class Graph:
    """An ONNX graph under construction, of one photo."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.stored: list[Any] = []
        self.shared: dict[tuple[Any, ...], str] = {}
        self.count = 0

    def constant(self, value: Array) -> str:
        """Store an array; small equal ones are stored once."""
        from onnx import numpy_helper

        key = (value.dtype.str, value.shape, value.tobytes()) if value.size < 16 else (id(value),)
        if key not in self.shared or value.size >= 16:
            self.shared[key] = f"c{len(self.stored)}"
            kept = np.ascontiguousarray(value).reshape(value.shape)
            self.stored.append(numpy_helper.from_array(kept, self.shared[key]))
        return self.shared[key]

    def integers(self, *values: int) -> str:
        """A vector of whole numbers."""
        return self.constant(np.array(values, dtype=np.int64))

    def __call__(
        self, kind: str, *inputs: str, outputs: int = 1, own: bool = False, **about: Any
    ) -> Any:
        """Add a node; ``own`` says that it is ONNX Runtime's own."""
        from onnx import helper

        names = [f"t{self.count + i}" for i in range(outputs)]
        self.count += outputs
        domain = "com.microsoft" if own else ""
        self.nodes.append(helper.make_node(kind, list(inputs), names, domain=domain, **about))
        return names[0] if outputs == 1 else names

    def part(self, x: str, start: int, stop: int, axis: int, step: int = 1) -> str:
        """A slice along one axis."""
        at = (self.integers(value) for value in (start, stop, axis, step))
        sliced: str = self("Slice", x, *at)
        return sliced


class Builder:
    """Writes one variant of the tower."""

    def __init__(self, weights: Weights, middles: Weights, variant: Variant) -> None:
        self.w = {name: value.float().cpu().numpy() for name, value in weights.items()}
        self.position = position_embedding(weights, variant.side).float().cpu().numpy()
        self.middles = {name: value.numpy() for name, value in middles.items()}
        self.variant, self.g = variant, Graph()

    def norm(self, name: str, x: str) -> str:
        g = self.g
        about = (g.constant(self.w[f"{name}.{part}"]) for part in ("weight", "bias"))
        made: str = g("LayerNormalization", x, *about, axis=-1, epsilon=EPSILON)
        return made

    def linear(self, x: str, *names: str) -> str:
        """A product in bytes; of several maps with the same input, side by side."""
        g = self.g
        weight = np.concatenate([self.w[f"{name}.weight"] for name in names])  # (out, in)
        middle = self.middles.get(f"{names[0]}.input_scale")
        if middle is not None:
            x = g("Mul", x, g.constant(middle))
            weight = weight / middle
        scale = np.abs(weight).max(axis=1, keepdims=True) / 127
        rounded = np.rint(weight / scale).astype(np.int8).T
        inputs = [
            x,
            g.constant(np.ascontiguousarray(rounded)),
            g.constant(scale[:, 0].astype("f4")),
        ]
        bias = [self.w[f"{name}.bias"] for name in names if f"{name}.bias" in self.w]
        zero = g.constant(np.zeros(len(scale), dtype=np.int8))
        inputs += [zero, g.constant(np.concatenate(bias))] if bias else [zero]
        made: str = g("DynamicQuantizeMatMul", *inputs, own=True)
        return made

    def build(self) -> Any:
        """The whole model, checked."""
        import onnx
        from onnx import TensorProto, helper

        g, side = self.g, self.variant.side
        patches = (side // PATCH) ** 2
        kernel = g.constant(self.w[f"{V}.embeddings.patch_embedding.weight"])
        seen = g(
            "Conv", "pixel_values", kernel, strides=[PATCH, PATCH], kernel_shape=[PATCH, PATCH]
        )
        rows = g("Transpose", g("Reshape", seen, g.integers(1, WIDTH, patches)), perm=[0, 2, 1])
        first = self.w[f"{V}.embeddings.class_embedding"] + self.position[0]
        placed = g("Add", rows, g.constant(self.position[None, 1:]))
        x = g("Concat", g.constant(first[None, None]), placed, axis=1)
        x, size = self.norm(f"{V}.pre_layrnorm", x), ""
        counts = self.variant.tokens()
        for layer, (count, _) in zip(self.variant.layers, counts, strict=True):
            x, size = self.block(layer, x, size, count)
        pooled = self.norm(f"{V}.post_layernorm", g("Reshape", x, g.integers(1, WIDTH)))
        g.nodes.append(
            helper.make_node(
                "Identity", [self.linear(pooled, "visual_projection")], ["image_embeds"]
            )
        )
        graph = helper.make_graph(
            g.nodes,
            "tower",
            [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, [1, 3, side, side])],
            [helper.make_tensor_value_info("image_embeds", TensorProto.FLOAT, [1, 512])],
            g.stored,
        )
        versions = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=versions, ir_version=9)
        model.producer_name = "elsewhere training/faster_onnx.py"
        onnx.checker.check_model(model)
        return model

    def block(self, layer: int, x: str, size: str, count: int) -> tuple[str, str]:
        """One layer, of the class token alone if it is the last."""
        block, last = f"{V}.encoder.layers.{layer - 1}", layer == self.variant.layers[-1]
        g, variant = self.g, self.variant
        h = self.norm(f"{block}.layer_norm1", x)
        names = [f"{block}.self_attn.{part}_proj" for part in "qkv"]
        if last:
            k, v = g("Split", self.linear(h, *names[1:]), outputs=2, axis=2, num_outputs=2)
            q = self.linear(g.part(h, 0, 1, 1), names[0])
            x = g.part(x, 0, 1, 1)
        else:
            q, k, v = g("Split", self.linear(h, *names), outputs=3, axis=2, num_outputs=3)
        bias = []
        if size:
            spread = g("Reshape", g("Log", size), g.integers(1, 1, 1, count))
            bias = ["", "", g("Expand", spread, g.integers(1, 1, 1 if last else count, count))]
        h = g("MultiHeadAttention", q, k, v, *bias, own=True, num_heads=HEADS)
        x = g("Add", x, self.linear(h, f"{block}.self_attn.out_proj"))
        if variant.merged and not last:
            x, size = self.merge(x, size, k, count)
        elif layer in variant.kept_after and not last:
            x = self.prune(x, q, k, count)
        h = self.linear(self.norm(f"{block}.layer_norm2", x), f"{block}.mlp.fc1")
        h = g("QuickGelu", h, own=True, alpha=1.702)
        return g("Add", x, self.linear(h, f"{block}.mlp.fc2")), size

    def merge(self, x: str, size: str, k: str, count: int) -> tuple[str, str]:
        """As ``training.variants.merge``."""
        g = self.g
        gone = min(self.variant.merged, (count - 1) // 2)
        if not gone:
            return x, size
        even = (count + 1) // 2
        if not size:
            size = g.constant(np.ones((count, 1), dtype=np.float32))
        keys = g("Reshape", k, g.integers(count, HEADS, DEEP))
        mean = g("ReduceMean", keys, g.integers(1), keepdims=0)
        unit = g("LpNormalization", mean, axis=1, p=2)
        other = g("Transpose", g.part(unit, 1, count, 0, 2), perm=[1, 0])
        alone = np.zeros((even, 1), dtype=np.float32)
        alone[0] = -9
        likeness = g("Add", g("MatMul", g.part(unit, 0, count, 0, 2), other), g.constant(alone))
        best = g("ReduceMax", likeness, g.integers(1), keepdims=0)
        partner = g("ArgMax", likeness, axis=1, keepdims=0)
        _, order = g("TopK", best, g.integers(even), outputs=2, axis=0)
        leaving = g.part(order, 0, gone, 0)
        stay, _ = g(
            "TopK",
            g.part(order, gone, even, 0),
            g.integers(even - gone),
            outputs=2,
            axis=0,
            largest=0,
        )
        where = g("Reshape", g("Gather", partner, leaving, axis=0), g.integers(gone, 1))

        def add(values: str) -> str:
            mine, theirs = g.part(values, 0, count, 0, 2), g.part(values, 1, count, 0, 2)
            more = g(
                "ScatterND", theirs, where, g("Gather", mine, leaving, axis=0), reduction="add"
            )
            joined: str = g("Concat", g("Gather", mine, stay, axis=0), more, axis=0)
            return joined

        total = add(size)
        flat = g("Mul", g("Reshape", x, g.integers(count, WIDTH)), size)
        merged = g("Div", add(flat), total)
        return g("Reshape", merged, g.integers(1, count - gone, WIDTH)), total

    def prune(self, x: str, q: str, k: str, count: int) -> str:
        """As ``training.variants.prune``; the patches' order does not count."""
        g, patches = self.g, count - 1
        kept = round(self.variant.kept * patches)
        keys = g("Transpose", g("Reshape", k, g.integers(count, HEADS, DEEP)), perm=[1, 2, 0])
        first = g("Reshape", g.part(q, 0, 1, 1), g.integers(HEADS, 1, DEEP))
        scaled = g("Mul", first, g.constant(np.array(DEEP**-0.5, dtype=np.float32)))
        seen = g("Softmax", g("MatMul", scaled, keys), axis=2)
        seen = g("ReduceMean", seen, g.integers(0), keepdims=0)  # (1, count)
        seen = g.part(seen, 1, count, 1)
        most, chosen = g("TopK", seen, g.integers(kept), outputs=2, axis=1)
        rows = g("Reshape", g.part(x, 1, count, 1), g.integers(patches, WIDTH))
        stay = g("Gather", rows, g("Reshape", chosen, g.integers(kept)), axis=0)
        others = g("Sub", g("MatMul", seen, rows), g("MatMul", most, stay))
        axis = g.integers(1)
        weight = g("Sub", g("ReduceSum", seen, axis), g("ReduceSum", most, axis))
        joined = g("Concat", stay, g("Div", others, weight), axis=0)
        back = g("Reshape", joined, g.integers(1, kept + 1, WIDTH))
        whole: str = g("Concat", g.part(x, 0, 1, 1), back, axis=1)
        return whole


def shipped() -> Path:
    """The tower in the package."""
    return WEIGHTS / str(read_record()["tower"]["file"])


def model(variant: Variant, weights: Weights | None = None) -> Any:
    """The variant in int8, with the shipped weights or those of a distilled tower."""
    raw = dequantised(shipped())
    middles = {name: value for name, value in raw.items() if name.endswith(".input_scale")}
    return Builder(weights or float_weights(shipped()), middles, variant).build()


class Tower:
    """A file and how it is run."""

    def __init__(
        self,
        path: Path,
        *,
        threads: int = 1,
        batch: int = 1,
        level: str = "ENABLE_ALL",
        settings: dict[str, str] | None = None,
    ) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{level}")
        for key, value in (settings or {}).items():
            options.add_session_config_entry(key, value)
        self.session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        side = self.session.get_inputs()[0].shape[2]
        noise = np.random.default_rng(5).normal(size=(batch, 3, side, side))
        self.pixels: Floats = noise.astype(np.float32)
        self.embeds()

    def embeds(self) -> Floats:
        """The features of what is given."""
        found: Floats = self.session.run(["image_embeds"], {"pixel_values": self.pixels})[0]
        return found

    def rate(self, runs: int, side_by_side: int) -> tuple[float, float]:
        """Photos a second with so many runs in each of so many threads, and CPU time of one."""

        def work() -> None:
            for _ in range(runs):
                self.embeds()

        hands = [threading.Thread(target=work) for _ in range(side_by_side)]
        photos = runs * side_by_side * len(self.pixels)
        start, busy = time.perf_counter(), time.process_time()
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        took, busy = time.perf_counter() - start, time.process_time() - busy
        return photos / took, 1000 * busy / photos


def interleaved(towers: dict[str, Tower], rounds: int, runs: int) -> dict[str, Any]:
    """Photos a second, their ratio to the first tower's in the same round, and CPU milliseconds.

    All are medians over rounds, on one thread and on two side by side.
    """
    found: dict[str, dict[int, list[tuple[float, float]]]] = {
        name: {1: [], 2: []} for name in towers
    }
    for _ in range(rounds):
        for hands in (1, 2):
            for name, tower in towers.items():
                found[name][hands].append(tower.rate(runs, hands))
    first = next(iter(towers))
    out: dict[str, Any] = {}
    for name, turns in found.items():
        row = out[name] = {}
        for hands, word in ((1, "one"), (2, "two")):
            pairs = zip(turns[hands], found[first][hands], strict=True)
            row[f"per_second_{word}"] = round(statistics.median(r for r, _ in turns[hands]), 2)
            row[f"times_{word}"] = round(statistics.median(a / b for (a, _), (b, _) in pairs), 3)
            row[f"cpu_ms_{word}"] = round(statistics.median(c for _, c in turns[hands]), 1)
        print(f"{name:28s}", *(f"{key} {value:g}" for key, value in row.items()), flush=True)
    return out


SETTINGS: dict[str, dict[str, Any]] = {
    "as it is run": {},
    "basic optimisations": {"level": "ENABLE_BASIC"},
    "extended optimisations": {"level": "ENABLE_EXTENDED"},
    "two threads a run": {"threads": 2},
    "batches of 4": {"batch": 4},
    "batches of 4, two threads a run": {"batch": 4, "threads": 2},
    "x64quantprecision": {"settings": {"session.x64quantprecision": "1"}},
    "denormals as zero": {"settings": {"session.set_denormal_as_zero": "1"}},
}
"""Ways to run today's file."""


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("time").add_argument
    add("out", type=Path)
    names = [each.name for each in VARIANTS.values() if not each.distilled]
    add("--variants", nargs="*", choices=names, metavar="NAME", default=names)
    add("--settings", nargs="*", choices=list(SETTINGS), metavar="NAME", default=list(SETTINGS))
    add("--rounds", type=int, default=15)
    add("--runs", type=int, default=3, help="of a tower in a round")
    add = commands.add_parser("write").add_argument
    add("name", choices=names)
    add("out", type=Path)
    args = parser.parse_args()
    if args.command == "write":
        onnx.save(model(VARIANTS[args.name]), str(args.out))
        return
    kept = json.loads(args.out.read_text("utf-8")) if args.out.exists() else {}
    if args.settings:
        ways = {name: Tower(shipped(), **SETTINGS[name]) for name in args.settings}
        kept.setdefault("settings", {}).update(interleaved(ways, args.rounds, args.runs))
    if args.variants:
        towers = {"shipped": Tower(shipped())}
        for name in args.variants:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "tower.onnx")
                onnx.save(model(VARIANTS[name]), str(path))
                towers[name] = Tower(path)
        kept.setdefault("times", {}).update(interleaved(towers, args.rounds, args.runs))
    args.out.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
