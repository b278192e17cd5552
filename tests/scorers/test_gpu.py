"""The embedded tower's form for GPUs: the same network, and each row from its photo alone.

PyTorch is no dependency of the tests. What runs it is tried in the environment of `make geoclip`,
which has it; here ONNX Runtime runs the same graph.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from elsewhere.errors import DeviceError, ScorerError
from elsewhere.platform.threads import ThreadPool
from elsewhere.scorers import find, gpu
from elsewhere.scorers.cached_scorer import CachedScorer, RowCache
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.gpu import GpuScorer, MicroBatches, gpu_form
from elsewhere.scorers.onnx_graph import Graph, float_form, read_graph
from elsewhere.scorers.protocol import Photo
from elsewhere.scorers.sessions import onnx_runtime
from elsewhere.scorers.tower import (
    WEIGHTS,
    forget_features,
    preprocess_file,
    read_record,
    tower_view,
)

ROOT = Path(__file__).parents[2]
ALBUM = ROOT / "src" / "elsewhere" / "example" / "album"
PYTHON = ".venv-geoclip/bin/python"
TOWERS = (read_record()["tower"]["file"], read_record(file="dino.json")["tower"]["file"])


@pytest.mark.parametrize("file", TOWERS)
def test_the_reader_finds_what_onnx_finds(file: str) -> None:
    onnx = pytest.importorskip("onnx")
    from onnx import numpy_helper

    content = (WEIGHTS / file).read_bytes()
    graph, model = read_graph(content), onnx.load_from_string(content)
    assert (graph.input, graph.output) == (model.graph.input[0].name, model.graph.output[0].name)
    for tensor in model.graph.initializer:
        found, expected = graph.weights[tensor.name], numpy_helper.to_array(tensor)
        assert found.dtype == expected.dtype and np.array_equal(found, expected), tensor.name
    assert len(graph.weights) == len(model.graph.initializer)
    for node, expected in zip(graph.nodes, model.graph.node, strict=True):
        assert node.kind == expected.op_type
        assert (node.inputs, node.outputs) == (tuple(expected.input), tuple(expected.output))
        for attribute in expected.attribute:
            value = onnx.helper.get_attribute_value(attribute)
            if isinstance(value, bytes):  # text, which no tower needs
                continue
            if isinstance(value, onnx.TensorProto):
                value = numpy_helper.to_array(value)
            assert np.array_equal(node.attributes[attribute.name], value), attribute.name


@pytest.mark.parametrize("cut", [0, 1, 1000, 40_000_000])
def test_what_is_no_model_is_told(cut: int) -> None:
    content = (WEIGHTS / TOWERS[0]).read_bytes()[:cut]
    with pytest.raises(ScorerError, match="install elsewhere again"):
        read_graph(content)


def as_model(graph: Graph) -> bytes:
    """A graph as an ONNX file again, so that ONNX Runtime can run it."""
    onnx = pytest.importorskip("onnx")
    from onnx import helper, numpy_helper

    def attribute(value: Any) -> Any:
        return numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value

    nodes = [
        helper.make_node(
            node.kind,
            node.inputs,
            node.outputs,
            **{name: attribute(value) for name, value in node.attributes.items()},
        )
        for node in graph.nodes
    ]
    weights = [numpy_helper.from_array(values, name) for name, values in graph.weights.items()]
    float_type = onnx.TensorProto.FLOAT
    made = helper.make_graph(
        nodes,
        "tower",
        [helper.make_tensor_value_info(graph.input, float_type, ["n", 3, 224, 224])],
        [helper.make_tensor_value_info(graph.output, float_type, ["n", 512])],
        weights,
    )
    original = onnx.load(WEIGHTS / TOWERS[0], load_external_data=False)
    model = helper.make_model(made, opset_imports=original.opset_import)
    model.ir_version = original.ir_version
    content: bytes = model.SerializeToString()
    return content


def test_it_is_the_packaged_tower_without_rounding() -> None:
    graph = float_form(read_graph((WEIGHTS / TOWERS[0]).read_bytes()))
    kinds = {node.kind for node in graph.nodes}
    assert not kinds & {"MatMulInteger", "DynamicQuantizeLinear"}
    session = onnx_runtime().InferenceSession(as_model(graph), providers=["CPUExecutionProvider"])
    scorer = EmbeddedScorer()
    scorer.load()
    photos = np.stack([preprocess_file(path) for path in sorted(ALBUM.glob("*.jpg"))[:2]])
    together = session.run(None, {graph.input: photos})[0]
    for photo, features in zip(photos, together, strict=True):
        alone = session.run(None, {graph.input: photo[None]})[0][0]
        assert np.allclose(alone, features, atol=1e-4)
        packaged = scorer._session(photo[None], *scorer._ends)[0]
        lengths = np.linalg.norm(packaged) * np.linalg.norm(features)
        assert packaged @ features > 0.97 * lengths


@pytest.mark.needs(PYTHON)
@pytest.mark.timeout(600)
def test_pytorch_runs_the_same_graph() -> None:
    """In single precision on the processor; half precision is for GPUs."""
    script = Path(__file__).with_name("torch_run.py")
    photos = sorted(ALBUM.glob("*.jpg"))[:2]
    done = subprocess.run(
        [str(ROOT / PYTHON), str(script), *map(str, photos)],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = np.array(json.loads(done.stdout), np.float32)
    graph = float_form(read_graph((WEIGHTS / TOWERS[0]).read_bytes()))
    session = onnx_runtime().InferenceSession(as_model(graph), providers=["CPUExecutionProvider"])
    tensors = np.stack([preprocess_file(path) for path in photos])
    assert np.abs(found - session.run(None, {graph.input: tensors})[0]).max() < 1e-4


def test_a_view_is_what_the_tower_sees_of_a_photo() -> None:
    """Bit by bit, also of one that is larger, smaller or of another shape than the tower's."""
    scorer = EmbeddedScorer()
    scorer.load()
    path = ALBUM / "hills.jpg"
    photo = Photo(path.name, path).read()
    view = Photo(path.name, path, tower_view(photo))
    forget_features()
    assert np.array_equal(scorer.features(photo), scorer.features(view))
    assert view.held is not None and view.held != photo.held and len(view.held) < 160_000


class Counting:
    """A tower that knows a photo by its first number, and waits until it may go on."""

    def __init__(self) -> None:
        self.batches: list[list[float]] = []
        self.started, self.go_on = threading.Event(), threading.Event()

    def __call__(self, photos: NDArray[np.float32]) -> NDArray[np.float32]:
        self.batches.append(photos[:, 0].tolist())
        self.started.set()
        assert self.go_on.wait(60)
        return photos * 2


def photo_of(number: float) -> NDArray[np.float32]:
    return np.full(2, number, np.float32)


def test_photos_that_wait_are_run_together() -> None:
    tower = Counting()
    batches, threads = MicroBatches(tower, size=4), ThreadPool(8)
    try:
        first = threads.submit(batches, photo_of(1))
        assert tower.started.wait(60)
        others = [threads.submit(batches, photo_of(n)) for n in range(2, 8)]
        while len(batches._waiting) < 6:
            pass
        tower.go_on.set()
        for number, future in enumerate([first, *others], 1):
            assert future.result(60).tolist() == [2 * number] * 2
    finally:
        threads.shutdown()
    assert tower.batches[0] == [1, 0, 0, 0], "a batch is filled up with blanks"
    assert [len(batch) for batch in tower.batches] == [4, 4, 4]
    assert sorted(n for batch in tower.batches[1:] for n in batch) == [0, 0, *range(2, 8)]


def test_a_device_that_fails_is_told_to_all_that_wait() -> None:
    def failing(photos: Any) -> Any:
        raise RuntimeError("CUDA error: it is gone\nmore")

    batches = MicroBatches(failing, size=4)
    for _ in range(2):
        with pytest.raises(DeviceError, match=r"\(CUDA error: it is gone\): see what nvidia-smi"):
            batches(photo_of(1))


def test_rows_of_a_gpu_have_fingerprints_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And so does what is cached of them: the processor never reads it, nor the other way."""
    plain, on_gpu = find("embedded"), gpu_form(find("embedded"))
    assert isinstance(on_gpu, GpuScorer) and gpu_form(on_gpu) is None
    about, other = plain.load(), on_gpu.load()
    assert about.features is not None and other.features is not None
    assert about.fingerprint != other.fingerprint
    assert about.features.fingerprint != other.features.fingerprint
    assert (about.name, about.grid, about.cells) == (other.name, other.grid, other.cells)
    half = gpu_form(find("embedded:half_a"))
    assert half is not None and half.load().features == other.features
    assert half.load().fingerprint != other.fingerprint
    assert gpu_form(find("dino")) is None

    zeros = np.zeros((gpu.BATCH, 512), np.float32)
    monkeypatch.setattr(gpu, "open_tower", lambda content: lambda photos: zeros + photos.mean())
    gpu._opened.cache_clear()
    forget_features()
    path = ALBUM / "hills.jpg"
    cache = RowCache(tmp_path)
    try:
        first = CachedScorer(on_gpu, cache)(Photo(path.name, path))
        assert not CachedScorer(plain, cache)(Photo(path.name, path)).cached
        again = CachedScorer(on_gpu, cache)(Photo(path.name, path))
    finally:
        gpu._opened.cache_clear()
        forget_features()
    assert first.features is not None and again.features is not None
    assert again.cached and np.array_equal(first.features, again.features)


@pytest.mark.parametrize(
    ("installed", "problem"), [(False, "PyTorch is not installed"), (True, "finds no GPU here")]
)
def test_a_machine_without_a_gpu_is_told_why(
    installed: bool, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(gpu, "find_spec", lambda name: object() if installed else None)
    assert problem in gpu.gpu_problem()
    with pytest.raises(DeviceError, match="embedded cannot run on a GPU, for PyTorch"):
        gpu.open_tower(b"")
