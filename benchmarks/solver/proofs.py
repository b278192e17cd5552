"""`python -m benchmarks.solver.proofs`: what proofs take, to write, to check and to keep.

    python -m benchmarks.solver.proofs                         R-128 top-5, 20 problems
    python -m benchmarks.solver.proofs --cells 'R-*' --count 5
    python -m benchmarks.solver.proofs --cells 'places *' --count 5

"places" are drawn albums over the 36,000 leaves that hide one place of 25 km, top 5, with a margin
and "each photo".

Times are processor time, medians: solving is a whole call of `protect`, writing and checking that
of the proof alone. Sizes are of the file, as JSON and packed.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial

import numpy as np

import elsewhere
from benchmarks.solver import calls, cells
from elsewhere.checker.optimality import prove_optimal
from elsewhere.formats.proof_file import proof_to_bytes
from elsewhere.globe.cells import Cells
from elsewhere.solver.proof_writer import write_proof
from elsewhere.values.plan import Plan
from elsewhere.values.promise import HiddenCircles
from elsewhere.values.scores import Scores

PHOTOS = (20, 64, 128)
"""Photos of the albums that hide a place."""
Task = tuple[Callable[[], Plan], list[Scores]]
"""What solves a problem, and its scores."""


def main() -> int:
    """Measure what was asked for; fail where a proof is refused."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver.proofs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cells", nargs="+", default=["R-128 top-5"], metavar="PATTERN")
    parser.add_argument("--count", type=int, default=20, help="problems a cell")
    parser.add_argument("--seed", type=int, help="the same problems again; fresh ones without")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    print(f"seed {seed}")
    print("| cell | proofs | solve ms | write ms | check ms | nodes | kB | kB packed |")
    print("|---|---|---|---|---|---|---|---|")
    refused = 0
    makers: dict[str, Callable[[int], Task]] = {
        cell.name: partial(cell_task, cell) for cell in cells.grid().values()
    }
    makers |= {f"places {photos}": partial(place_task, photos) for photos in PHOTOS}
    for name, make in makers.items():
        if any(fnmatch(name, pattern) for pattern in asked.cells):
            rows = [measure(*make(each)) for each in cells.seeds(seed, name, asked.count)]
            written = [row for row in rows if row is not None]
            refused += sum(not row[0] for row in written)
            columns = list(zip(*written, strict=True))[1:]
            numbers = " | ".join(f"{statistics.median(column):.1f}" for column in columns)
            print(f"| {name} | {len(written)} of {len(rows)} | {numbers} |", flush=True)
    return int(refused > 0)


def cell_task(cell: cells.Cell, seed: int) -> Task:
    """A problem in cells."""
    problem = cell.make(seed)
    scores = [Scores(attacker.scores) for attacker in problem.attackers]
    return partial(calls.protect, problem), scores


def place_task(photos: int, seed: int) -> Task:
    """A place to hide in an album over the leaves."""
    rng, points = np.random.default_rng(seed), Cells.leaves().points
    lat, lon = points
    home = int(rng.integers(len(lat)))
    near = np.hypot(lat - lat[home], (lon - lon[home]) * np.cos(np.radians(lat[home]))) < 0.2
    table = rng.normal(0, 1, (photos, len(lat))) + rng.normal(0, 1, len(lat))
    table[:, near] += rng.uniform(0, 6, (photos, 1))
    scores = Scores(table.astype(np.float32), points=points)
    hidden = HiddenCircles(((float(lat[home]), float(lon[home])),), 25.0, 0.5)
    return partial(elsewhere.protect, scores, hidden, top=5, margin=0.1, each_photo=3), [scores]


def measure(protect: Callable[[], Plan], scores: list[Scores]) -> tuple[float, ...] | None:
    """Whether the proof is accepted, times in ms, nodes, and sizes in kB; None without a proof."""
    started = time.process_time()
    plan = protect()
    solved = time.process_time()
    proof = write_proof(plan, scores)
    written = time.process_time()
    if proof is None:
        return None
    problems = prove_optimal(plan, proof, scores)
    checked = time.process_time()
    sizes = [len(proof_to_bytes(proof, packed=packed)) / 1000 for packed in (False, True)]
    times = [1000 * (b - a) for a, b in ((started, solved), (solved, written), (written, checked))]
    return float(not problems), *times, float(sum(map(len, proof.trees))), *sizes


if __name__ == "__main__":
    sys.exit(main())
