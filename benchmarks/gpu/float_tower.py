"""The embedded tower without the quantisation of its activations: the form for GPUs.

The tower in the package multiplies bytes by bytes, which processors do fast and GPUs do not. Here
every such product becomes a product of floats with the same weights, widened:

    DynamicQuantizeLinear, MatMulInteger, Cast, Mul   →   MatMul by (q − zero) · scale

What differs is that activations are not rounded to 256 steps, and so a row no longer depends on the
range of its neighbours: photos can be run in batches.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def float_form(path: Path) -> Any:
    """The tower's ONNX model with float products."""
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(str(path))
    graph = model.graph
    stored = {each.name: each for each in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    users: dict[str, list[Any]] = {}
    for node in graph.node:
        for name in node.input:
            users.setdefault(name, []).append(node)

    def array(name: str) -> Any:
        return numpy_helper.to_array(stored[name])

    gone: set[int] = set()
    instead: dict[int, Any] = {}
    for node in graph.node:
        if node.op_type != "MatMulInteger":
            continue
        values, weights, _, zero = node.input
        (cast,) = users[node.output[0]]
        (scaled,) = users[cast.output[0]]
        (scales,) = (name for name in scaled.input if name != cast.output[0])
        scale = made_by[scales].input[1]
        wide = (array(weights).astype(np.float32) - array(zero)) * array(scale)
        name = f"{weights}_float"
        graph.initializer.append(numpy_helper.from_array(wide.astype(np.float32), name))
        source = made_by[values].input[0]
        instead[id(node)] = helper.make_node("MatMul", [source, name], list(scaled.output))
        gone |= {id(each) for each in (node, cast, scaled, made_by[scales], made_by[values])}
    nodes = [instead.get(id(n), n) for n in graph.node if id(n) in instead or id(n) not in gone]
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    kept = [each for each in graph.initializer if each.name in used]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return model
