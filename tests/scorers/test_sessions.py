"""What a session must never do, talk to anybody; and where it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

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


def test_a_session_runs_on_the_processor_though_a_gpu_is_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of a GPU would go out under the fingerprint of the processor's."""
    asked: list[Any] = []

    class Offering:
        """An ONNX Runtime for GPUs, which notes what it is asked for."""

        SessionOptions = staticmethod(SimpleNamespace)

        def get_available_providers(self) -> list[str]:
            return [CUDA, CPU]

        def InferenceSession(self, content: bytes, options: Any, providers: list[Any]) -> Any:  # noqa: N802
            asked.append(providers)
            return SimpleNamespace(get_inputs=list, get_outputs=list)

    monkeypatch.setattr(sessions, "onnx_runtime", Offering)
    model = tmp_path / "model.onnx"
    model.write_bytes(b"a model")
    sessions.open_session(model, None)
    assert asked == [[CPU]]


def test_a_real_session_runs_on_the_processor(tmp_path: Path) -> None:
    run = sessions.open_session(classifier(tmp_path / "model.onnx", 4), None)
    assert run._run.get_providers() == [CPU]
