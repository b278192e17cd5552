"""Starting peers in processes of their own, and giving up on one that does not answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.solver.peers import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
GRACE_SECONDS = 30.0  # seconds beyond its limit after which a peer is ended


@cache
def interpreter(peer: str) -> str | None:
    """The Python that can run a peer: this one, or that of .venv-peers; None where none can."""
    if peer == "ours":
        return sys.executable
    package = PACKAGES[peer.split("/", maxsplit=1)[0]]
    beside = ROOT / ".venv-peers"
    for python in (Path(sys.executable), beside / "bin/python", beside / "Scripts/python.exe"):
        probe = f"import importlib.util, sys; sys.exit(not importlib.util.find_spec({package!r}))"
        if python.exists() and subprocess.run([python, "-c", probe], check=False).returncode == 0:
            return str(python)
    return None


class Worker:
    """A peer's process, started when first asked, started anew after it had to be ended."""

    def __init__(self, peer: str) -> None:
        self.peer = peer
        self._process: subprocess.Popen[str] | None = None

    def ask(self, cell: str, seed: int, limit: float) -> dict[str, Any]:
        """One result; a peer that does not come back within its limit and some is ended."""
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        request = json.dumps({"cell": cell, "seed": seed, "limit": limit})
        self._process.stdin.write(request + "\n")
        self._process.stdin.flush()
        line = self._line(limit + GRACE_SECONDS)
        if line:
            result: dict[str, Any] = json.loads(line)
            return result
        ended = self._process.poll()
        self.close()
        if ended is None:
            return {"status": "unknown", "value": None, "bound": None, "seconds": limit,
                    "note": "ended: it ignored its time limit"}  # fmt: skip
        return {"status": "error", "error": f"its process ended with {ended}"}

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process = None

    def _start(self) -> None:
        python = interpreter(self.peer)
        assert python is not None
        threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
        single = dict.fromkeys(threads, "1")
        self._process = subprocess.Popen(
            [python, "-m", "benchmarks.solver.worker", self.peer],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, cwd=ROOT, env={**os.environ, **single},
        )  # fmt: skip
        if self._line(120.0).strip() != "ready":
            self.close()
            raise RuntimeError(
                f"{self.peer} does not start: see python -m benchmarks.solver.worker"
            )

    def _line(self, seconds: float) -> str:
        """The next line of the process, or "" if it ended or took too long."""
        assert self._process is not None
        stream = self._process.stdout
        assert stream is not None
        heard: list[str] = []
        listener = threading.Thread(target=lambda: heard.append(stream.readline()), daemon=True)
        listener.start()
        listener.join(seconds)
        return heard[0] if heard else ""
