"""Mutated files of every kind through the real commands: each ends in an exit code and a sentence.

No command crashes, hangs, takes more memory than it may, or writes where it should not. A short
run is part of every test run; `--long` gives the commands 100,000 files. `ELSEWHERE_SEED` repeats
a run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.journeys.mutants import KINDS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="counts memory by getrusage")

MAX_BYTES = 1 << 30
"""A command may take this much more than it does at its start."""
MAX_WORKER_BYTES = 2 << 30
"""A process that decodes photos may take this much."""
SHORT = 20
LONG = {
    "images": 20_000,
    "scores": 20_000,
    "plans": 20_000,
    "certificates": 10_000,
    "ledgers": 15_000,
    "datasets": 15_000,
}
AT_ONCE = 2_500
"""Files for one process."""


def try_mutants(kind: str, count: int, seed: int, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.journeys.mutants", kind, str(count), str(seed), str(folder)],
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (
        f"{kind}, seed {seed}: status {done.returncode}, see {folder}/current\n"
        f"{done.stdout[-1000:]}{done.stderr[-3000:]}"
    )
    report = json.loads(done.stdout.splitlines()[-1])
    print(kind, count, "seed", seed, json.dumps(report))
    assert report["peak"] - report["start"] < MAX_BYTES, report
    assert report["workers"] < MAX_WORKER_BYTES, report


def test_every_kind_is_tried_a_hundred_thousand_times_in_all() -> None:
    assert set(LONG) == set(KINDS) and sum(LONG.values()) == 100_000


@pytest.mark.parametrize("kind", KINDS)
def test_some_mutants(kind: str, tmp_path: Path) -> None:
    try_mutants(kind, SHORT, 1, tmp_path / "home")


@pytest.mark.long
@pytest.mark.timeout(6 * 3600)
@pytest.mark.parametrize("kind", KINDS)
def test_a_hundred_thousand_mutants(kind: str, tmp_path: Path) -> None:
    seed = int(os.environ.get("ELSEWHERE_SEED") or time.time_ns() % 10**9)
    for number in range(0, LONG[kind], AT_ONCE):
        folder = tmp_path / str(number)
        try_mutants(kind, min(AT_ONCE, LONG[kind] - number), seed + number, folder)
