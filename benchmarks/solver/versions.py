"""`python -m benchmarks.solver.versions`: plans over eight versions of each photo, beside HiGHS.

    python -m benchmarks.solver.versions                  R-128 top-5, 20 problems
    python -m benchmarks.solver.versions --count 5 --limit 10 --cells 'versions *'

HiGHS gets what our presolve leaves, as a program with the tightest big-M, on one thread. Times are
processor time, from the problem's arrays to the answer. Our limit is one of processor time, that of
HiGHS is on the clock. A solver that reaches it counts with the time that it had.
"""

from __future__ import annotations

import argparse
import secrets
import statistics
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatch

from benchmarks.machine import machine
from benchmarks.solver import cells, milp, worker
from elsewhere.solver import exact
from elsewhere.solver.exact import SearchLimits

CELLS = ("versions R-128 top-5", "edited R-128 top-5")
PEER = "highs/presolved"


def main() -> int:
    """Measure what was asked for; fail where the optima of a problem differ."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver.versions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--cells", nargs="+", default=CELLS, metavar="PATTERN")
    parser.add_argument("--count", type=int, default=20, help="problems a cell")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds a problem")
    parser.add_argument("--seed", type=int, help="the same problems again; fresh ones without")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    print(f"{machine()}\nseed {seed}, at most {asked.limit:g} s a problem")
    print("| cell | problems | ours ms: median | worst | proved | HiGHS ms: median | proved "
          "| times slower: median | different |")  # fmt: skip
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|", flush=True)
    different = 0
    for cell in cells.grid().values():
        if any(fnmatch(cell.name, pattern) for pattern in asked.cells):
            pairs = [
                measure(cell, each, asked.limit)
                for each in cells.seeds(seed, cell.name, asked.count)
            ]
            different += _show(cell, pairs)
    return int(different > 0)


Measured = tuple[worker.Result, float]
"""What a solver answered, and its processor time in ms."""


def measure(cell: cells.Cell, seed: int, limit: float) -> tuple[Measured, Measured]:
    """Our answer and that of HiGHS."""
    problem = cell.make(seed)
    end = time.process_time() + limit

    def ours() -> worker.Result:
        limits = SearchLimits(stopped=lambda: time.process_time() >= end)
        answer = exact.solve(problem, limits)
        value = None if answer.kept is None else milp.value(problem, answer)
        return {"status": answer.status, "value": value}

    return _timed(ours), _timed(lambda: worker.peer(PEER, problem, limit))


def _timed(solve: Callable[[], worker.Result]) -> Measured:
    start = time.process_time()
    result = solve()
    return result, 1000 * (time.process_time() - start)


def _show(cell: cells.Cell, pairs: list[tuple[Measured, Measured]]) -> int:
    """Print the line of a cell; how many optima differ."""
    ours, theirs = zip(*pairs, strict=True)
    proved = [[result["status"] == "optimal" for result, _ in who] for who in (ours, theirs)]
    both = [a and b for a, b in zip(*proved, strict=True)]
    different = sum(
        bool(mine[0]["value"] != other[0]["value"])
        for (mine, other), comparable in zip(pairs, both, strict=True)
        if comparable
    )
    ratio = statistics.median(other[1] / mine[1] for mine, other in pairs)
    fields = [
        cell.name,
        str(len(pairs)),
        f"{statistics.median(ms for _, ms in ours):.0f}",
        f"{max(ms for _, ms in ours):.0f}",
        str(sum(proved[0])),
        f"{statistics.median(ms for _, ms in theirs):.0f}",
        str(sum(proved[1])),
        f"{ratio:.0f}",
        f"{different} of {sum(both)}",
    ]
    print(f"| {' | '.join(fields)} |", flush=True)
    return different


if __name__ == "__main__":
    sys.exit(main())
