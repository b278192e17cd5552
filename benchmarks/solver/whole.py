"""What a user waits for: whole calls with the check, the command, the import, memory, frontier."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import elsewhere
from benchmarks.solver.processes import ROOT
from elsewhere.formats.score_files import write_scores
from elsewhere_lab import simulator

Entry = dict[str, Any]
PROBLEMS, STARTS, FRONTIERS = 20, 9, 10


def measure(seed: int) -> dict[str, Entry]:
    """Every entry that the claims ask for, each in a fresh process."""
    names = {
        "128 × 512 top-5, warm, check included": "warm",
        "128 × 512 top-5, zone of 17, two attackers": "zone",
        "128 × 512 top-5, whole command": "command",
        "import elsewhere": "start",
        "5,000 × 512 top-5, peak memory": "memory",
        "frontier R-64 to half the photos": "frontier-64",
        "frontier R-128 to half the photos": "frontier-128",
    }
    found = {}
    for title, part in names.items():
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.solver.whole", part, str(seed)],
            capture_output=True, text=True, cwd=ROOT, check=False,
        )  # fmt: skip
        if done.returncode:
            print(f"    {title}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            continue
        found[title] = json.loads(done.stdout)
        print(f"    {title}: {found[title]}", file=sys.stderr, flush=True)
    return found


def _times(calls: Iterable[Callable[[], Any]]) -> tuple[list[float], list[Any]]:
    times, values = [], []
    for call in calls:
        began = time.perf_counter()
        values.append(call())
        times.append(time.perf_counter() - began)
    return times, values


def _entry(times: list[float], **more: Any) -> Entry:
    return {"median": statistics.median(times), "worst": max(times), "n": len(times), **more}


def _kind(seed: int) -> str:
    return "w1" if seed % 2 else "w2"


def warm(seed: int) -> Entry:
    """`protect`, check included, in a process that has done it before."""
    made = [simulator.collection(seed + i, 128, _kind(i)) for i in range(PROBLEMS + 1)]
    times, plans = _times(
        lambda s=scores, t=truth: elsewhere.protect(s, t, top=5)  # type: ignore[misc]
        for scores, truth in made
    )
    return _entry(times[1:], proved=sum(plan.status == "optimal" for plan in plans[1:]))


def zone(seed: int) -> Entry:
    """The same with a zone of 17 cells and two attackers."""
    calls = []
    for i in range(PROBLEMS + 1):
        world, rng = simulator.world(_kind(i), seed + i), np.random.default_rng([seed, i])
        truth = int(rng.integers(simulator.CELLS))
        views, hidden = world.views(truth, 128, rng, attackers=2), world.zone(truth, 17)
        calls.append(lambda v=views, h=hidden: elsewhere.protect(list(v), set(h), top=5))
    times, plans = _times(calls)
    return _entry(times[1:], proved=sum(plan.status == "optimal" for plan in plans[1:]))


def command(seed: int) -> Entry:
    """`elsewhere plan` as a person would type it, the start of Python included."""
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(STARTS):
            scores, truth = simulator.collection(seed + i, 128, _kind(i))
            file = Path(folder) / f"{i}.npz"
            write_scores(file, scores)
            line = [sys.executable, "-m", "elsewhere.cli", "plan", str(file)]
            line += ["--truth", str(truth), "--top", "5"]
            began = time.perf_counter()
            subprocess.run(line, check=True, capture_output=True)
            times.append(time.perf_counter() - began)
    return _entry(times[1:])


def start(_: int) -> Entry:
    """`import elsewhere` in a fresh Python, as the interpreter itself times it."""
    code = "import time; t = time.perf_counter(); import elsewhere; print(time.perf_counter() - t)"
    line = [sys.executable, "-c", code]
    runs = [subprocess.run(line, check=True, capture_output=True, text=True).stdout
            for _ in range(STARTS + 1)]  # fmt: skip
    return _entry([float(run) for run in runs[1:]])


def memory(seed: int) -> Entry:
    """The most memory that a process has while it plans for 5,000 photos read from a file."""
    code = (
        "import sys, resource, elsewhere; from elsewhere.formats.score_files import read_scores; "
        "plan = elsewhere.protect(read_scores(sys.argv[1]), int(sys.argv[2]), top=5, "
        "time_limit=20); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, plan.status, "
        "plan.cost, plan.bound)"
    )
    with tempfile.TemporaryDirectory() as folder:
        scores, truth = simulator.collection(seed, 5000)
        file = Path(folder) / "large.npz"
        write_scores(file, scores)
        line = [sys.executable, "-c", code, str(file), str(truth)]
        began = time.perf_counter()
        run = subprocess.run(line, check=True, capture_output=True, text=True).stdout.split()
        seconds = time.perf_counter() - began
    return {"megabytes": float(run[0]), "seconds": seconds, "status": run[1],
            "cost": run[2], "bound": run[3]}  # fmt: skip


def frontier(seed: int, photos: int) -> Entry:
    """Every budget's best protected-k, proved up to half the photos; then each one by itself."""
    made = [simulator.collection(seed + i, photos, _kind(i)) for i in range(FRONTIERS + 1)]
    times, found = _times(
        lambda s=scores, t=truth: elsewhere.frontier(s, t)  # type: ignore[misc]
        for scores, truth in made
    )
    proved, different = 0, 0
    for (scores, truth), whole in zip(made[1:], found[1:], strict=True):
        half = [point for point in whole.points if point.budget <= photos // 2]
        proved += all(point.proved for point in half)
        for point in half:
            alone = elsewhere.protect(scores, truth, budget=point.budget)
            different += alone.protected_k != point.protected_k
    return _entry(times[1:], proved=proved, different=different)


PARTS: dict[str, Callable[[int], Entry]] = {
    "warm": warm,
    "zone": zone,
    "command": command,
    "start": start,
    "memory": memory,
    "frontier-64": lambda seed: frontier(seed, 64),
    "frontier-128": lambda seed: frontier(seed, 128),
}


def main() -> None:
    """`python -m benchmarks.solver.whole PART SEED` prints one entry."""
    part, seed = sys.argv[1], int(sys.argv[2])
    print(json.dumps(PARTS[part](seed)))


if __name__ == "__main__":
    main()
