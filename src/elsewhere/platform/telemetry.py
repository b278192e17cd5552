"""Libraries that report their use to their makers, and how they are told not to.

Each reads its variable when it is loaded, so all are set when `elsewhere` is imported. ONNX Runtime
decides once for a process: where it was imported before, it cannot be silenced any more.
"""

from __future__ import annotations

import os
import sys

_VARIABLES = {
    "ORT_DISABLE_TELEMETRY": "1",
    "RAY_USAGE_STATS_ENABLED": "0",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def _onnx_runtime_reports() -> bool:
    # on Windows it can be told later, too
    is_loaded = "onnxruntime" in sys.modules and sys.platform != "win32"
    return is_loaded and os.environ.get("ORT_DISABLE_TELEMETRY", "") in ("", "0")


ONNX_RUNTIME_REPORTS = _onnx_runtime_reports()
"""Whether ONNX Runtime was imported before `elsewhere`, and not told to be silent."""
os.environ.update(_VARIABLES)
