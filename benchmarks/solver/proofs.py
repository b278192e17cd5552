"""`python -m benchmarks.solver.proofs`: what proofs take, to write, to check and to keep.

    python -m benchmarks.solver.proofs                         R-128 top-5, 20 problems
    python -m benchmarks.solver.proofs --cells 'R-*' --count 5

Times are processor time, medians: solving is a whole call of `protect`, writing and checking that
of the proof alone. Sizes are of the file, as JSON and packed.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
import time
from fnmatch import fnmatch

from benchmarks.solver import calls, cells
from elsewhere.checker.optimality import prove_optimal
from elsewhere.formats.proof_file import proof_to_bytes
from elsewhere.solver.proof_writer import write_proof
from elsewhere.values.scores import Scores


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
    for cell in cells.grid().values():
        if any(fnmatch(cell.name, pattern) for pattern in asked.cells):
            rows = [measure(cell, each) for each in cells.seeds(seed, cell.name, asked.count)]
            written = [row for row in rows if row is not None]
            refused += sum(not row[0] for row in written)
            columns = list(zip(*written, strict=True))[1:]
            numbers = " | ".join(f"{statistics.median(column):.1f}" for column in columns)
            print(f"| {cell.name} | {len(written)} of {len(rows)} | {numbers} |")
    return int(refused > 0)


def measure(cell: cells.Cell, seed: int) -> tuple[float, ...] | None:
    """Whether the proof is accepted, times in ms, nodes, and sizes in kB; None without a proof."""
    problem = cell.make(seed)
    scores = [Scores(attacker.scores) for attacker in problem.attackers]
    started = time.process_time()
    plan = calls.protect(problem)
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
