"""What the system gives to this user: folders for what is kept and for what may be lost, cores."""

from __future__ import annotations

import os
import sys
from pathlib import Path

MAX_WORKERS = 8
"""More would cost memory for every photo under way and gain little on machines people own."""


def data_folder() -> Path:
    """Where this user's private files belong; ELSEWHERE_DATA_DIR says otherwise."""
    own = os.environ.get("ELSEWHERE_DATA_DIR")
    if own:
        return Path(own) / "elsewhere"
    if sys.platform == "win32":
        return _local() / "Data"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "elsewhere"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "elsewhere"


def cache_folder() -> Path:
    """Where this user's caches belong; ELSEWHERE_CACHE_DIR says otherwise.

    Always a folder of our own inside, because it is closed to others and cleared.
    """
    own = os.environ.get("ELSEWHERE_CACHE_DIR")
    if own:
        return Path(own) / "elsewhere"
    if sys.platform == "win32":
        return _local() / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "elsewhere"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "elsewhere"


def core_count() -> int:
    """How many cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return max(1, len(allowed(0)) if allowed else os.cpu_count() or 1)


def worker_count() -> int:
    """How many photos to work on at once: as many as there are cores, within reason."""
    return min(core_count(), MAX_WORKERS)


def _local() -> Path:
    """Windows' folder for what stays on this machine."""
    home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    return Path(home) / "elsewhere"
