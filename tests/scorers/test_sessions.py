"""What a session must never do: talk to anybody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.scorers.models import classifier

RUN = """
import sys
from pathlib import Path
import numpy as np
from elsewhere.scorers.sessions import session
run = session(Path(sys.argv[1]), None)
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
