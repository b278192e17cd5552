"""ONNX Runtime sessions: verified and shared.

A session runs one photo at a time on one thread. Measured on the embedded tower, as many
single-thread runs as there are cores are faster than one run over all cores or larger batches. And
a row then depends on its photo alone: dynamic quantisation takes its range from the whole batch.
"""

from __future__ import annotations

import hashlib
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, ScorerError
from elsewhere.platform import telemetry

if TYPE_CHECKING:
    import onnxruntime

Device = Literal["auto", "cpu", "cuda"]
"""Where scorers with a form for GPUs (`gpu.py`) run: cuda on a GPU, auto and cpu on the processor.
"""

_PROVIDERS = ("CPUExecutionProvider",)
"""A session always runs on the processor. On a GPU the same model has other rows: they need a
fingerprint of their own, and a proof on the processor's."""
_MAX_SESSIONS = 4
_loading = threading.Lock()
_sessions: dict[tuple[Path, str | None, tuple[int, int]], Session] = {}


def onnx_runtime() -> Any:
    """ONNX Runtime without telemetry; ScorerError where it was loaded with it."""
    if telemetry.ONNX_RUNTIME_REPORTS:
        raise ScorerError(
            "onnxruntime was imported before elsewhere and reports its use to its maker: import "
            "elsewhere first, or set ORT_DISABLE_TELEMETRY=1"
        )
    import onnxruntime

    onnxruntime.disable_telemetry_events()  # on Windows, where no variable is read
    return onnxruntime


def read_verified(path: Path, sha256: str | None) -> bytes:
    """The bytes of `path`, refused unless they have this SHA-256.

    The caller uses these bytes and not the file, so nothing can change between check and use.
    """
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise FileError(
            f"the weights {path.name} cannot be read ({problem.strerror or problem}): "
            "check the path, or install elsewhere again if the file is its own"
        ) from None
    if sha256 is not None and hashlib.sha256(content).hexdigest() != sha256.lower():
        raise ScorerError(
            f"the weights {path.name} are damaged (their SHA-256 is not the recorded one): "
            "install or download them again"
        )
    return content


def open_session(path: Path, sha256: str | None) -> Session:
    """The one session of this process for the file, made when first needed."""
    state = 0, 0
    with suppress(OSError):  # reading it fails with a message
        status = path.stat()
        state = status.st_mtime_ns, status.st_size
    key = path.resolve(), sha256, state
    with _loading:  # two threads must not both load it
        if key not in _sessions:
            session = Session(read_verified(path, sha256), path.name)
            if len(_sessions) == _MAX_SESSIONS:
                del _sessions[next(iter(_sessions))]
            _sessions[key] = session
        return _sessions[key]


class Session:
    """One model, ready to run; thread-safe."""

    def __init__(self, content: bytes, name: str) -> None:
        engine = onnx_runtime()
        options = engine.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        try:
            self._run: onnxruntime.InferenceSession = engine.InferenceSession(
                content, options, providers=list(_PROVIDERS)
            )
        except Exception as problem:  # ONNX Runtime has no public base class for its errors
            reason = f"is not an ONNX model that can be run ({_first_line(problem)})"
            raise ScorerError(
                f"{name} {reason}: check the file, and that there is enough memory"
            ) from None
        self.name = name
        self.sha256 = hashlib.sha256(content).hexdigest()
        self.inputs: dict[str, list[Any]] = {x.name: x.shape for x in self._run.get_inputs()}
        self.outputs: dict[str, list[Any]] = {x.name: x.shape for x in self._run.get_outputs()}
        self.types: dict[str, str] = {x.name: x.type for x in self._run.get_inputs()}

    def __call__(self, tensor: NDArray[np.float32], input: str, output: str) -> NDArray[Any]:
        """Run the model on one tensor."""
        try:
            return np.asarray(self._run.run([output], {input: tensor})[0])
        except Exception as problem:
            raise ScorerError(
                f"{self.name} failed on a tensor of shape {tensor.shape} "
                f"({_first_line(problem)}): check its stated input size, and that there is enough "
                "memory"
            ) from None


def _first_line(problem: Exception) -> str:
    """ONNX Runtime's message, short enough for a sentence."""
    lines = str(problem).strip().splitlines() or [type(problem).__name__]
    return lines[0].split(" : ")[-1].strip().rstrip(".")[:200]
