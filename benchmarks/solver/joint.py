"""`python -m benchmarks.solver.joint`: how many joint problems are proved in a few seconds.

    python -m benchmarks.solver.joint                     38 joint problems, and six larger ones
    python -m benchmarks.solver.joint --seed 7 --kinds 'real *'

The limit is processor time of one thread; the clock stands beside it.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from fnmatch import fnmatch
from functools import partial

from benchmarks.solver.cells import seeds
from benchmarks.solver.joint_problems import kinds
from elsewhere.solver.exact import SearchLimits, solve

COUNT = 2
"""Problems of each kind."""


def _is_past(deadline: float) -> bool:
    return time.process_time() > deadline


def main() -> int:
    """Solve what was asked for, and say how much of it was proved."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver.joint",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kinds", nargs="+", default=["*"], metavar="PATTERN")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of processor time")
    parser.add_argument("--seed", type=int, help="the same problems again; fresh ones without")
    asked = parser.parse_args()
    seed = secrets.randbits(32) if asked.seed is None else asked.seed
    print(f"seed {seed}, {asked.limit:g} s of processor time")
    print("| problem | result | photos to withhold | processor s | clock s |")
    print("|---|---|---|---|---|")
    counted = proved = 0
    for kind in kinds():
        if not any(fnmatch(kind.name, pattern) for pattern in asked.kinds):
            continue
        for each in seeds(seed, kind.name, COUNT):
            problem = kind.make(each)
            clock, started = time.monotonic(), time.process_time()
            deadline = started + asked.limit
            solution = solve(problem, SearchLimits(stopped=partial(_is_past, deadline)))
            spent, clock = time.process_time() - started, time.monotonic() - clock
            found = "none" if solution.kept is None else str(solution.cost)
            bounds = found if solution.status == "optimal" else f"{solution.bound}..{found}"
            print(
                f"| {kind.name} | {solution.status} | {bounds} | {spent:.2f} | {clock:.2f} |",
                flush=True,
            )
            counted += kind.counted
            proved += kind.counted and solution.status in {"optimal", "infeasible"}
    print(f"\n{proved} of {counted} joint problems proved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
