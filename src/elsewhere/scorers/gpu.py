"""The embedded tower on a GPU: its float form in half precision, run by PyTorch in micro-batches.

Rows made so are not the processor's, whose tower rounds activations to bytes; they have a
fingerprint of their own, and no cache, run or certificate mixes the two.

Several threads score photos at once, as with every scorer. Whoever finds the tower idle runs all
photos that wait for it, as one batch. A batch always has the same size, filled up with blanks: the
library chooses its way to multiply by the size, and a photo's numbers must not depend on how many
others happened to wait.

PyTorch is large and no dependency of ours: it is imported where a tower is opened. Describing the
scorer and making rows of features need neither it nor a GPU.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import DeviceError
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.onnx_graph import Array, Attribute, Graph, float_form, read_graph
from elsewhere.scorers.protocol import Features, Photo, Scorer
from elsewhere.scorers.sessions import read_verified
from elsewhere.scorers.tower import SIDE, cached_features, preprocess, read_record
from elsewhere.values.wording import installed_by

BATCH = 16
"""Photos in a batch: on an H200 a batch of 32 takes little longer than one of a single photo."""
FORM = "torch float16 1"
"""Names the form in fingerprints; counts up when its numbers change on purpose."""


class Tower(Protocol):
    """What runs the network: (photos, 3, 224, 224) prepared pixels to (photos, 512) features."""

    def __call__(self, photos: NDArray[np.float32]) -> NDArray[np.float32]:
        """The features of each photo."""
        ...


def gpu_problem() -> str:
    """Why the embedded tower cannot run on a GPU here, as a clause; empty where it can."""
    if find_spec("torch") is None:
        return f"PyTorch is not installed: {installed_by('gpu')}"
    import torch

    if not torch.cuda.is_available():
        return "PyTorch finds no GPU here: see what nvidia-smi says"
    return ""


def gpu_form(scorer: Scorer) -> GpuScorer | None:
    """The form of a scorer for GPUs; None where it has none."""
    if not isinstance(scorer, EmbeddedScorer) or isinstance(scorer, GpuScorer):
        return None
    return GpuScorer(scorer.weights, scorer.head)


@dataclass(eq=False)
class GpuScorer(EmbeddedScorer):
    """CLIP with one of its heads, its tower on a GPU."""

    FORM = FORM

    def features(self, photo: Photo) -> Features:
        """Decode, one forward pass with others."""
        tower = self._session.sha256
        return cached_features(
            f"{FORM} {tower}",
            photo,
            lambda photo: shared_tower(self)(preprocess(photo.image((SIDE, SIDE)))),
        )


class MicroBatches:
    """One tower for several threads: each calls with one photo."""

    def __init__(self, tower: Tower, size: int = BATCH) -> None:
        self._tower, self._size = tower, size
        self._adding, self._running = threading.Lock(), threading.Lock()
        self._waiting: list[tuple[NDArray[np.float32], Future[Features]]] = []

    def __call__(self, photo: NDArray[np.float32]) -> Features:
        """The features of a prepared photo; DeviceError where the device fails."""
        future: Future[Features] = Future()
        with self._adding:
            self._waiting.append((photo, future))
        while not future.done():
            with self._running:
                if not future.done():
                    self._run_batch()
        return future.result()

    def _run_batch(self) -> None:
        """Run the photos that have waited longest."""
        with self._adding:
            batch = self._waiting[: self._size]
            del self._waiting[: self._size]
        photos = np.zeros((self._size, *batch[0][0].shape), np.float32)
        for place, (photo, _) in zip(photos, batch, strict=False):
            place[...] = photo
        try:
            found = self._tower(photos)
        except Exception as problem:  # the library raises many kinds of errors
            lines = str(problem).strip().splitlines() or [type(problem).__name__]
            error = DeviceError(
                f"the GPU failed on a batch of {self._size} photos ({lines[0][:200]}): see what "
                "nvidia-smi says, or use the device cpu"
            )
            for _, future in batch:
                future.set_exception(error)
            return
        for (_, future), features in zip(batch, found, strict=False):
            future.set_result(features.copy())


_opening = threading.Lock()


def shared_tower(scorer: EmbeddedScorer) -> MicroBatches:
    """The one tower of this process for all heads, opened when first needed."""
    with _opening:  # two threads must not both open it
        return _opened(scorer.weights)


@lru_cache(maxsize=1)
def _opened(weights: Path) -> MicroBatches:
    tower = read_record(weights, EmbeddedScorer.RECORD)["tower"]
    return MicroBatches(open_tower(read_verified(weights / tower["file"], tower["sha256"])))


def open_tower(content: bytes) -> Tower:
    """The tower in the bytes of its file, on the GPU; DeviceError where there is none."""
    problem = gpu_problem()
    if problem:
        raise DeviceError(f"embedded cannot run on a GPU, for {problem}, or use the device cpu")
    try:
        return TorchTower(float_form(read_graph(content)), "cuda", half=True)
    except RuntimeError as failure:
        lines = str(failure).strip().splitlines() or [type(failure).__name__]
        raise DeviceError(
            f"embedded cannot be opened on the GPU ({lines[0][:200]}): use the device cpu"
        ) from None


class TorchTower:
    """The float form run by PyTorch, operator by operator.

    Numbers that describe shapes stay on the processor as plain integers; everything else is on the
    device, in half precision where that is wanted (layer norms and what is passed from layer to
    layer in single precision).
    """

    def __init__(self, graph: Graph, device: str, *, half: bool) -> None:
        import torch

        self._torch, self._device = torch, device
        self._type = torch.float16 if half else torch.float32
        # sums of half-precision products are rounded once, at their end
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        self._input, self._output = graph.input, graph.output
        constants = [node for node in graph.nodes if node.kind == "Constant"]
        self._nodes = [node for node in graph.nodes if node.kind != "Constant"]
        self._stored = {name: self._place(values) for name, values in graph.weights.items()}
        for node in constants:
            self._stored[node.outputs[0]] = self._place(cast(Array, node.attributes["value"]))
        last = {name: n for n, node in enumerate(self._nodes) for name in node.inputs}
        self._over: list[list[str]] = [[] for _ in self._nodes]
        """What is not needed any more after each node."""
        for name, number in last.items():
            if name not in self._stored and name != self._output:
                self._over[number].append(name)

    def _place(self, values: Array) -> Any:
        """Floats on the device, whole numbers as an array here."""
        if values.dtype.kind != "f":
            return np.asarray(values)
        return self._torch.tensor(values).to(self._device, self._type)

    def __call__(self, photos: NDArray[np.float32]) -> NDArray[np.float32]:
        """The features of prepared photos, in single precision."""
        torch = self._torch
        with torch.inference_mode():
            given = torch.from_numpy(photos).to(self._device, non_blocking=True)
            known = {**self._stored, self._input: given.to(self._type)}
            for node, over in zip(self._nodes, self._over, strict=True):
                values = [known[name] if name else None for name in node.inputs]
                known[node.outputs[0]] = self._run(node.kind, values, node.attributes)
                del values
                for name in over:
                    known.pop(name, None)
            found: NDArray[np.float32] = known[self._output].float().cpu().numpy()
            return found

    def _run(self, kind: str, x: list[Any], about: Mapping[str, Attribute]) -> Any:
        torch = self._torch
        here = all(isinstance(each, np.ndarray) for each in x)  # shapes
        if kind in ("Add", "Sub", "Mul", "Div"):
            first, second = (self._same(each, here) for each in x)
            if kind == "Add":
                result = first + second
            elif kind == "Sub":
                result = first - second
            else:
                result = first * second if kind == "Mul" else first / second
            return np.asarray(result) if here else result
        if kind == "MatMul":
            return x[0].to(self._type) @ x[1].to(self._type)
        if kind == "Pow":
            return x[0].float() ** float(x[1])  # of layer norms: squares overflow in halves
        if kind == "Sqrt":
            return x[0].sqrt()
        if kind == "ReduceMean":
            return x[0].float().mean(dim=about["axes"], keepdim=True)
        if kind == "Softmax":
            return torch.softmax(x[0], dim=about["axis"])
        if kind == "Sigmoid":
            return torch.sigmoid(x[0])
        if kind == "Conv":
            return torch.nn.functional.conv2d(x[0], x[1], stride=about["strides"])
        if kind == "Transpose":
            return x[0].permute(about["perm"])
        if kind == "Reshape":
            return x[0].reshape([x[0].shape[i] if n == 0 else int(n) for i, n in enumerate(x[1])])
        if kind == "Shape":
            return np.array(x[0].shape, np.int64)
        if kind == "Gather":
            return self._gather(x[0], x[1], cast(int, about.get("axis", 0)))
        if kind == "Unsqueeze":
            axes = tuple(int(i) for i in np.ravel(x[1]))
            if here:
                return np.expand_dims(x[0], axes)
            value = x[0]
            for axis in sorted(axes):
                value = value.unsqueeze(axis)
            return value
        if kind == "Concat":
            axis = cast(int, about["axis"])
            if here:
                return np.concatenate(x, axis=axis)
            return torch.cat([self._same(each, here) for each in x], dim=axis)
        if kind == "Cast":
            return x[0]
        if kind == "Slice":
            return x[0][int(x[1][0]) : min(int(x[2][0]), len(x[0]))]
        if kind == "ConstantOfShape":
            filler = cast(Array, about.get("value", np.zeros(1)))
            return np.full(tuple(int(n) for n in x[0]), filler[0], np.int64)
        if kind == "Equal":
            return x[0] == x[1]
        if kind == "Where":
            return np.where(*x)
        if kind == "Expand":
            return x[0].expand(np.broadcast_shapes(tuple(x[0].shape), tuple(x[1].tolist())))
        raise NotImplementedError(kind)

    def _gather(self, values: Any, index: Array, axis: int) -> Any:
        if isinstance(values, np.ndarray):
            return np.asarray(np.take(values, index, axis=axis))
        if index.ndim == 0:
            return values.select(axis, int(index))
        flat = self._torch.tensor(index.reshape(-1), device=values.device)
        taken = self._torch.index_select(values, axis, flat)
        return taken.reshape(*values.shape[:axis], *index.shape, *values.shape[axis + 1 :])

    def _same(self, value: Any, here: bool) -> Any:
        """One operand: as it is, or on the device where it meets a tensor."""
        if isinstance(value, np.ndarray) and not here:
            return self._torch.tensor(value, device=self._device).to(self._type)
        return value
