"""A tower's ONNX file as plain nodes and arrays, and its form for GPUs; needs numpy alone.

The towers in the package multiply bytes by bytes, which processors do fast and GPUs do not. In the
float form every such product becomes a product of floats with the same weights, widened:

    DynamicQuantizeLinear, MatMulInteger, Cast, Mul   →   MatMul by (q − zero) · scale

What differs is that activations are not rounded to 256 steps, and so a row no longer depends on the
range of its neighbours: photos can be run in batches.

An ONNX file is a protocol buffer: fields with a number, a kind and a value, some of which hold
fields themselves. Only what our towers use is read; callers have verified the bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import ScorerError

Array = NDArray[Any]
Attribute = int | tuple[int, ...] | Array

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
"""Kinds of fields."""
_TYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2", 11: "<f8"}
"""Element types of tensors, by their number in ONNX."""


@dataclass(frozen=True)
class Node:
    """One operator: what it takes and gives, by name."""

    kind: str
    inputs: tuple[str, ...]
    """Empty names stand for inputs that are left out."""
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)


@dataclass(frozen=True)
class Graph:
    """A model: its operators in the order in which they run, and its weights by name."""

    nodes: tuple[Node, ...]
    weights: Mapping[str, Array]
    input: str
    output: str


def read_graph(content: bytes) -> Graph:
    """The graph in the bytes of an ONNX file with one input and one output."""
    try:
        return _read_graph(memoryview(content))
    except (IndexError, KeyError, StopIteration, ValueError):
        raise ScorerError(
            "a built-in model is not an ONNX file of the kind this version reads: install "
            "elsewhere again"
        ) from None


def float_form(graph: Graph) -> Graph:
    """The same model with products of floats instead of bytes."""
    made_by = {name: node for node in graph.nodes for name in node.outputs}
    users: dict[str, list[Node]] = {}
    for node in graph.nodes:
        for name in node.inputs:
            users.setdefault(name, []).append(node)
    weights, gone, instead = dict(graph.weights), set[int](), dict[int, Node]()
    for node in graph.nodes:
        if node.kind != "MatMulInteger":
            continue
        values, bytewise, _, zero = node.inputs
        (cast,) = users[node.outputs[0]]
        (scaled,) = users[cast.outputs[0]]
        (scales,) = (name for name in scaled.inputs if name != cast.outputs[0])
        scale = graph.weights[made_by[scales].inputs[1]]
        wide = (weights[bytewise].astype(np.float32) - weights[zero]) * scale
        name = f"{bytewise}_float"
        weights[name] = wide.astype(np.float32)
        source = made_by[values].inputs[0]
        instead[id(node)] = Node("MatMul", (source, name), scaled.outputs)
        gone |= {id(each) for each in (node, cast, scaled, made_by[scales], made_by[values])}
    nodes = tuple(
        instead.get(id(node), node)
        for node in graph.nodes
        if id(node) in instead or id(node) not in gone
    )
    used = {name for node in nodes for name in node.inputs}
    kept = {name: values for name, values in weights.items() if name in used}
    return Graph(nodes, kept, graph.input, graph.output)


def _read_graph(content: memoryview) -> Graph:
    graph = next(value for number, value in _fields(content) if number == 7)
    nodes: list[Node] = []
    weights: dict[str, Array] = {}
    inputs: list[str] = []
    outputs: list[str] = []
    for number, value in _fields(graph):
        if number == 1:
            nodes.append(_read_node(value))
        elif number == 5:
            name, weights_of_name = _read_tensor(value)
            weights[name] = weights_of_name
        elif number in {11, 12}:
            names = inputs if number == 11 else outputs
            names.append(next(_text(each) for inner, each in _fields(value) if inner == 1))
    (source,), (result,) = (name for name in inputs if name not in weights), outputs
    return Graph(tuple(nodes), weights, source, result)


def _read_node(content: memoryview) -> Node:
    inputs: list[str] = []
    outputs: list[str] = []
    attributes: dict[str, Attribute] = {}
    kind = ""
    for number, value in _fields(content):
        if number in {1, 2}:
            (inputs if number == 1 else outputs).append(_text(value))
        elif number == 4:
            kind = _text(value)
        elif number == 5:
            name, attribute = _read_attribute(value)
            if attribute is not None:
                attributes[name] = attribute
    return Node(kind, tuple(inputs), tuple(outputs), attributes)


def _read_attribute(content: memoryview) -> tuple[str, Attribute | None]:
    """A name with a number, numbers or a tensor; None for kinds that our towers do not need."""
    name, several = "", list[int]()
    found: Attribute | None = None
    for number, value in _fields(content):
        if number == 1:
            name = _text(value)
        elif number == 3:
            found = _signed(value)
        elif number == 5:
            found = _read_tensor(value)[1]
        elif number == 8:
            several += _numbers(value)
    return name, tuple(several) if several else found


def _read_tensor(content: memoryview) -> tuple[str, Array]:
    shape: list[int] = []
    name, kind, raw = "", 0, b""
    listed: list[Array] = []
    for number, value in _fields(content):
        if number == 1:
            shape += _numbers(value)
        elif number == 2:
            kind = value
        elif number == 4:
            listed.append(np.frombuffer(value, "<f4"))
        elif number in {5, 7}:
            listed.append(np.array(_numbers(value)))
        elif number == 8:
            name = _text(value)
        elif number == 9:
            raw = bytes(value)
    flat = np.frombuffer(raw, _TYPES[kind])
    if listed:
        flat = np.concatenate(listed).astype(_TYPES[kind])
    return name, flat.reshape(shape)


def _fields(content: memoryview) -> Iterator[tuple[int, Any]]:
    """The number and the value of each field: a whole number, or bytes."""
    position = 0
    while position < len(content):
        tag, position = _varint(content, position)
        kind = tag & 7
        if kind == _VARINT:
            value, position = _varint(content, position)
            yield tag >> 3, value
            continue
        length = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(kind, 0)
        if kind == _BYTES:
            length, position = _varint(content, position)
        elif not length:
            raise ValueError(f"field of kind {kind}")
        if position + length > len(content):
            raise ValueError("cut short")
        yield tag >> 3, content[position : position + length]
        position += length


def _varint(content: memoryview, position: int) -> tuple[int, int]:
    """A whole number, seven bits a byte, and where the next field begins."""
    value = shift = 0
    while True:
        byte = content[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7


def _numbers(value: Any) -> list[int]:
    """One number, or several that are packed."""
    if isinstance(value, int):
        return [_signed(value)]
    found, position = [], 0
    while position < len(value):
        number, position = _varint(value, position)
        found.append(_signed(number))
    return found


def _signed(number: int) -> int:
    return number - (1 << 64) if number >= 1 << 63 else number


def _text(value: Any) -> str:
    return bytes(value).decode()
