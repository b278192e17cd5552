"""The command itself, as a user starts it: how soon it is done, and how much memory it takes."""

from __future__ import annotations

import io
import os
import shutil
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
        shutil.copy(photo, folder)  # links in a folder are not followed
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
    """What `elsewhere score` and its workers hold while it scores so many photos, cache off.

    The few photos there are come again and again, each time a little different, for what is there
    twice would be scored once. They are a quarter as wide, so that they fit on a disk: the program
    itself meets only renditions, and the workers' memory does not add up.
    """
    held: list[float] = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "many")
        folder.mkdir()
        small = [_quartered(path) for path in paths[:photos]]
        for number in range(photos):
            turn, which = divmod(number, len(small))
            (folder / f"{number}.jpg").write_bytes(_varied(small[which], turn))
        start = time.perf_counter()
        run = started(folder, Path(place, "s.npz"))
        peak = 0.0
        while run.poll() is None:
            family = [run.pid, *_children(run.pid)]
            held.append(sum(_mebibytes(process, "VmRSS") for process in family))
            peak = max(peak, sum(_mebibytes(process, "VmHWM") for process in family))
            time.sleep(0.5)
        took = time.perf_counter() - start
        assert run.returncode == 0
    resident = [size for size in held if size > 0]
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


def _quartered(path: Path) -> bytes:
    """A photo decoded at a quarter of its width and height."""
    from PIL import Image

    content = io.BytesIO()
    with Image.open(path) as image:
        image.draft("RGB", (image.width // 4, image.height // 4))
        image.save(content, "JPEG", quality=90)
    return content.getvalue()


def _varied(content: bytes, number: int) -> bytes:
    """Another JPEG of much the same picture: some of its quantisation steps are one larger."""
    table = content.index(b"\xff\xdb") + 5
    changed = bytearray(content)
    for bit in range(16):
        changed[table + 1 + bit] += number >> bit & 1
    return bytes(changed)


def _children(process: int) -> list[int]:
    try:
        told = Path(f"/proc/{process}/task/{process}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in told.split()]


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
