"""The user's folders for lasting files and for caches, the cores, and worker processes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

_FOLDERS = {
    "data": (".local/share", "Library/Application Support", "Data"),
    "cache": (".cache", "Library/Caches", "Cache"),
}
"""On Linux, macOS and Windows."""
MAX_WORKERS = 8
"""More cost memory for every photo in progress and gain little on the machines people own."""


def user_folder(kind: Literal["data", "cache"]) -> Path:
    """This user's folder for private files or caches; ELSEWHERE_DATA_DIR and _CACHE_DIR override.

    A folder of our own, because it is closed to others and cleared. Not by platformdirs: it names
    other folders on Windows, and on macOS where XDG variables are set, so that a ledger kept there
    would be lost.
    """
    linux, mac, windows = _FOLDERS[kind]
    if override := os.environ.get(f"ELSEWHERE_{kind.upper()}_DIR"):
        return Path(override) / "elsewhere"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "elsewhere" / windows
    if sys.platform == "darwin":
        return Path.home() / mac / "elsewhere"
    base = os.environ.get(f"XDG_{kind.upper()}_HOME") or Path.home() / linux
    return Path(base) / "elsewhere"


def worker_count(limit: int | None = MAX_WORKERS) -> int:
    """How many tasks to do at once: one for each core that this process may use, up to `limit`."""
    allowed = getattr(os, "sched_getaffinity", None)
    cores = max(1, len(allowed(0)) if allowed else os.cpu_count() or 1)
    return cores if limit is None else min(cores, limit)


_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def single_threaded() -> Iterator[None]:
    """Processes started within use one thread each: there is one process for each core."""
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Processes started within ignore Ctrl-C, even while they start: their parent ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_KEPT = {"PATH", "SYSTEMROOT", "TEMP", "TMP", "TZ", "LANG", "LD_LIBRARY_PATH", "TESSDATA_PREFIX"}
_KEPT_PREFIXES = ("LC_", "OMP_", "OPENBLAS_", "MKL_", "ORT_")


def bare_environment() -> dict[str, str]:
    """The variables that programs need to run; keys and passwords of others are not among them."""
    kept = (name for name in os.environ if name in _KEPT or name.startswith(_KEPT_PREFIXES))
    return {name: os.environ[name] for name in kept}
