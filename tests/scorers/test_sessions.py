"""What a session must never do, talk to anybody; and where it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from elsewhere.errors import ScorerError
from elsewhere.scorers import sessions
from tests.scorers.models import classifier

RUN = """
import sys
from pathlib import Path
import numpy as np
from elsewhere.scorers.sessions import open_session
run = open_session(Path(sys.argv[1]), None)
name, output = next(iter(run.inputs)), next(iter(run.outputs))
shape = [size if isinstance(size, int) else 1 for size in run.inputs[name]]
run(np.zeros(shape, np.float32), name, output)
"""


def test_onnx_runtime_keeps_no_usage_data_and_sends_none(tmp_path: Path) -> None:
    model = classifier(tmp_path / "model.onnx", 4)
    home = tmp_path / "home"
    home.mkdir()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("ORT_", "XDG_"))}
    subprocess.run(
        [sys.executable, "-c", RUN, str(model)],
        env=clean | {"HOME": str(home)},
        check=True,
        timeout=60,
    )
    left = [str(path.relative_to(home)) for path in home.rglob("*")]
    assert not [name for name in left if "onnxruntime" in name or "Microsoft" in name]


CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


class Pretended:
    """An ONNX Runtime that says which providers it has, and notes which ones it is asked for."""

    SessionOptions = staticmethod(SimpleNamespace)

    def __init__(self, offered: list[str], working: list[str]) -> None:
        self.offered, self.working = offered, working
        self.asked: list[Any] = []

    def get_available_providers(self) -> list[str]:
        return self.offered

    def InferenceSession(self, content: bytes, options: Any, providers: list[Any]) -> Any:  # noqa: N802
        self.asked.append(providers)
        return SimpleNamespace(
            get_inputs=list, get_outputs=list, get_providers=lambda: self.working
        )


@pytest.fixture
def chosen() -> Iterator[None]:
    yield
    sessions.set_device("cpu")


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize(
    ("device", "anywhere", "offered", "asked"),
    [
        ("auto", True, [CUDA, CPU], [(CUDA, {"use_tf32": "0"}), CPU]),
        ("cuda", True, [CUDA, CPU], [(CUDA, {"use_tf32": "0"}), CPU]),
        ("cpu", True, [CUDA, CPU], [CPU]),
        ("auto", True, [CPU], [CPU]),
        ("cuda", False, [CUDA, CPU], [CPU]),  # quantised for processors
    ],
)
def test_a_gpu_is_used_where_one_is_offered_and_wanted(  # noqa: PLR0917
    device: sessions.Device,
    anywhere: bool,
    offered: list[str],
    asked: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Pretended(offered, offered)
    monkeypatch.setattr(sessions, "onnx_runtime", lambda: engine)
    model = tmp_path / "model.onnx"
    model.write_bytes(b"a model")
    sessions.set_device(device)
    sessions.open_session(model, None, anywhere=anywhere)
    assert engine.asked == [asked]
    assert sessions.has_cuda_build() == (CUDA in offered)


@pytest.mark.parametrize(("offered", "why"), [([CPU], "without CUDA"), ([CUDA, CPU], "nvidia-smi")])
def test_a_gpu_that_was_asked_for_and_is_not_there_is_told(
    offered: list[str], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "onnx_runtime", lambda: Pretended(offered, [CPU]))
    with pytest.raises(ScorerError, match=why):
        sessions.Session(b"a model", "model.onnx", "cuda")


def test_a_session_runs_on_the_processor_unless_told(tmp_path: Path) -> None:
    run = sessions.open_session(classifier(tmp_path / "model.onnx", 4), None, anywhere=True)
    assert run._run.get_providers() == [CPU]
