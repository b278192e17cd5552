"""What the figures of a benchmark depend on beside what it measures."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

LIBRARIES = ("elsewhere", "onnxruntime", "pillow", "numpy")


def machine() -> dict[str, str]:
    """Cores, processor, versions, and how busy the machine is already."""
    allowed = getattr(os, "sched_getaffinity", None)
    return {
        "cores": str(len(allowed(0)) if allowed else os.cpu_count()),
        "processor": _processor(),
        "python": platform.python_version(),
        "libraries": " ".join(f"{name} {version(name)}" for name in LIBRARIES),
        "load before": f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown",
    }


def _processor() -> str:
    known = Path("/proc/cpuinfo")
    if known.exists():
        for line in known.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
