"""DINOv2-S of a wheel to the shipped tower: int8, with the features as its only output.

    python -m training.dino_tower dinov2_vits14_patch_8x8.onnx PHOTOS CLIP.onnx OUT.onnx OUT.json

The features are the class token and the mean of the patch tokens after the last layer norm. The
input is that of the CLIP tower: the change from CLIP's normalisation to ImageNet's goes into the
first layer, so both towers see one tensor. As in ``training.smooth``, each channel is divided by a
constant of its own and the next weight multiplied by it, which changes nothing but the rounding.
Everything else is ONNX Runtime's own dynamic quantisation: weights a channel, activations a layer
and photo. OUT.json compares it with float, with int8 without the constants, and with the time of
the CLIP tower.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from elsewhere.scorers.tower import MEAN, STD
from training.compare import measured, views
from training.smooth import constants, look_at

Floats = npt.NDArray[np.float32]

INPUT, FEATURES = "pixel_values", "image_embeds"
PATCHES = "model.patch_embed.proj"
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
TOKENS = "/norm/Add_1_output_0"
"""In the wheel's graph: all tokens after the last layer norm."""
LAYERS, TOKEN_COUNT = 12, 257
STRENGTH = 0.4
"""As in ``training.smooth``: of .3 to .8, the nearest to float on 60 other photos."""


def folded(source: Path) -> Any:
    """The wheel's graph for one photo, constants folded, ending in the features."""
    import onnx
    import onnxruntime as ort
    from onnx import TensorProto, helper, numpy_helper

    model = onnx.load(str(source))
    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}

    def put(name: str, value: npt.NDArray[Any]) -> None:
        if name not in stored:
            stored[name] = graph.initializer.add()
        stored[name].CopyFrom(numpy_helper.from_array(value, name))

    kernel, bias = (
        numpy_helper.to_array(stored[f"{PATCHES}.{part}"]).astype(np.float64)
        for part in ("weight", "bias")
    )
    factor, offset = np.divide(STD, IMAGENET_STD), np.subtract(MEAN, IMAGENET_MEAN) / IMAGENET_STD
    put(f"{PATCHES}.bias", (bias + np.einsum("ocyx,c->o", kernel, offset)).astype(np.float32))
    put(f"{PATCHES}.weight", (kernel * factor[:, None, None]).astype(np.float32))
    for number in (0, 1, TOKEN_COUNT):
        put(f"at.{number}", np.array([number]))
    last = f"at.{TOKEN_COUNT}"
    graph.node.extend([
        helper.make_node("Slice", [TOKENS, "at.0", "at.1", "at.1"], ["class"]),
        helper.make_node("Slice", [TOKENS, "at.1", last, "at.1"], ["patches"]),
        helper.make_node("ReduceMean", ["class"], ["class.mean"], axes=[1], keepdims=0),
        helper.make_node("ReduceMean", ["patches"], ["patches.mean"], axes=[1], keepdims=0),
        helper.make_node("Concat", ["class.mean", "patches.mean"], [FEATURES], axis=1),
    ])  # fmt: skip
    del graph.output[:]
    graph.output.append(helper.make_tensor_value_info(FEATURES, TensorProto.FLOAT, [1, 768]))
    for node in graph.node:
        node.input[:] = [INPUT if name == "input" else name for name in node.input]
    graph.input[0].name = INPUT
    graph.input[0].type.tensor_type.shape.dim[0].dim_value = 1
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "folded.onnx")
        options = ort.SessionOptions()
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.optimized_model_filepath = str(out)
        ort.InferenceSession(
            model.SerializeToString(), options, ["CPUExecutionProvider"],
            disabled_optimizers=["MatMulAddFusion"],
        )  # fmt: skip
        return onnx.load(str(out))


def largest_inputs(model: Any, names: list[str], views: Floats) -> dict[str, torch.Tensor]:
    """The largest value seen in each channel of some tensors."""
    import onnx
    import onnxruntime as ort

    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    session = ort.InferenceSession(watched.SerializeToString(), providers=["CPUExecutionProvider"])
    peak = dict.fromkeys(names, torch.zeros(1))
    for view in views:
        for name, value in zip(names, session.run(names, {INPUT: view[None]}), strict=True):
            largest = torch.from_numpy(np.abs(value).max(axis=(0, 1)))
            peak[name] = torch.maximum(peak[name], largest)
    return peak


def smoothed(model: Any, views: Floats) -> Any:
    """The graph with uneven channels moved into the weights."""
    from onnx import helper, numpy_helper

    graph = model.graph
    stored = {tensor.name: tensor for tensor in graph.initializer}
    makers = {name: node for node in graph.node for name in node.output}
    products = {
        node.name: node for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in stored
    }  # fmt: skip
    names = {
        (i, part): f"/blocks.{i}/{part}/MatMul"
        for i in range(LAYERS) for part in ("attn/qkv", "mlp/fc1", "mlp/fc2")
    }  # fmt: skip
    peaks = largest_inputs(model, [products[name].input[0] for name in names.values()], views)

    def weight(name: str) -> Floats:
        return np.array(numpy_helper.to_array(stored[name]))

    def put(name: str, value: Floats) -> None:
        stored[name].CopyFrom(numpy_helper.from_array(value.astype(np.float32), name))

    for (i, part), name in names.items():
        node = products[name]
        matrix = weight(node.input[1])  # (in, out)
        by = constants(peaks[node.input[0]], [torch.from_numpy(matrix.T)], STRENGTH).numpy()
        put(node.input[1], matrix * by[:, None])
        if part == "mlp/fc2":
            inverse, divided = f"blocks.{i}.divisor", f"/blocks.{i}/mlp/fc2/divided"
            graph.initializer.append(numpy_helper.from_array(1 / by, inverse))
            at = list(graph.node).index(node)
            graph.node.insert(
                at, helper.make_node("Mul", [node.input[0], inverse], [divided], divided)
            )
            graph.node[at + 1].input[0] = divided
        else:
            shift = makers[node.input[0]]
            scale = makers[next(x for x in shift.input if x in makers)]
            for parameter in (*shift.input, *scale.input):
                if parameter in stored:
                    put(parameter, weight(parameter) / by)
    return model


def quantised(model: Any, out: Path) -> None:
    """Write the graph with its products in int8."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "plain.onnx")
        onnx.save(model, str(plain))
        quantize_dynamic(
            plain, out, op_types_to_quantize=["MatMul"], per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"MatMulConstBOnly": True, "WeightSymmetric": True},
        )  # fmt: skip


def main() -> None:
    import onnx

    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "photos", "clip", "out", "figures"):
        parser.add_argument(name, type=Path)
    args = parser.parse_args()
    quantised(smoothed(folded(args.source), look_at(args.photos).numpy()), args.out)
    with tempfile.TemporaryDirectory() as folder:
        plain, uneven = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        onnx.save(folded(args.source), str(plain))
        quantised(folded(args.source), uneven)
        paths = {"float": plain, "int8": uneven, "smoothed int8 (shipped)": args.out}
        result = measured(paths | {"CLIP ViT-B/16, int8": args.clip}, views(args.photos))
    args.figures.write_text(json.dumps(result, indent=1) + "\n", "utf-8")
    for name, row in result.items():
        print(f"{name:26s}", {k: round(v, 4) for k, v in row.items()})


if __name__ == "__main__":
    main()
