"""The user's folders for lasting files and for caches, the cores, and worker processes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MAX_WORKERS = 8
"""More cost memory for every photo in progress and gain little on the machines people own."""


def data_folder() -> Path:
    """The folder of this user's private files; ELSEWHERE_DATA_DIR overrides it."""
    return _user_folder("DATA", ".local/share", "Library/Application Support", "Data")


def cache_folder() -> Path:
    """The folder of this user's caches; ELSEWHERE_CACHE_DIR overrides it."""
    return _user_folder("CACHE", ".cache", "Library/Caches", "Cache")


def _user_folder(kind: str, linux: str, mac: str, windows: str) -> Path:
    """A folder of our own, because it is closed to others and cleared.

    Not by platformdirs: it names other folders on Windows, and on macOS where XDG variables are
    set, so that a ledger kept there would be lost.
    """
    if override := os.environ.get(f"ELSEWHERE_{kind}_DIR"):
        return Path(override) / "elsewhere"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "elsewhere" / windows
    if sys.platform == "darwin":
        return Path.home() / mac / "elsewhere"
    return Path(os.environ.get(f"XDG_{kind}_HOME") or Path.home() / linux) / "elsewhere"


def core_count() -> int:
    """The number of cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return max(1, len(allowed(0)) if allowed else os.cpu_count() or 1)


def worker_count() -> int:
    """How many photos to process at once: one for each core, up to MAX_WORKERS."""
    return min(core_count(), MAX_WORKERS)


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
