"""The command itself, as a user starts it: how soon it is done, and how much memory it takes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any


def started(folder: Path, output: Path) -> subprocess.Popen[bytes]:
    arguments = ["score", str(folder), "-o", str(output), "--no-cache"]
    return subprocess.Popen(
        [sys.executable, "-m", "elsewhere.cli", *arguments], stdout=subprocess.DEVNULL
    )


def first_score(photo: Path, weights: Path, times: int) -> dict[str, Any]:
    """Seconds from starting `elsewhere score` on one photo to its end, score file and all.

    Before the first time the weights are dropped from the system's memory where it lets us.
    """
    seconds = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "one")
        folder.mkdir()
        (folder / photo.name).symlink_to(photo.resolve())
        for number in range(times):
            if number == 0:
                _drop(weights)
            start = time.perf_counter()
            assert started(folder, Path(place, "s.npz")).wait() == 0
            seconds.append(time.perf_counter() - start)
    return {
        "cold": round(seconds[0], 2),
        "warm": round(statistics.median(seconds[1:]), 2),
        "all": [round(second, 2) for second in seconds],
    }


def memory(paths: list[Path], photos: int) -> dict[str, Any]:
    """What `elsewhere score` holds in memory while it scores so many photos.

    The folder holds links to the few files there are, again and again; the cache is off.
    """
    held: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "many")
        folder.mkdir()
        for number in range(photos):
            (folder / f"{number}.jpg").symlink_to(paths[number % len(paths)].resolve())
        start = time.perf_counter()
        run = started(folder, Path(place, "s.npz"))
        peak = 0.0
        while run.poll() is None:
            peak = max(peak, _mebibytes(run.pid, "VmHWM"))
            held.append((time.perf_counter() - start, _mebibytes(run.pid, "VmRSS")))
            time.sleep(0.5)
        took = time.perf_counter() - start
        assert run.returncode == 0
    resident = [size for _, size in held if size > 0]
    quarter = max(1, len(resident) // 4)
    settled = resident[min(10, len(resident) - 1) :] or resident
    return {
        "photos": photos,
        "seconds": round(took, 1),
        "photos per second": round(photos / took, 2),
        "peak MiB": round(peak, 1),
        "second quarter MiB": round(statistics.mean(settled[quarter : 2 * quarter] or settled), 1),
        "last quarter MiB": round(statistics.mean(settled[-quarter:]), 1),
    }


def _mebibytes(process: int, what: str) -> float:
    """A figure of /proc; 0 once the process is gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(what)), 0.0)


def _drop(path: Path) -> None:
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
