"""`python -m benchmarks.solver`: our solver against its peers, on the same problems.

    python -m benchmarks.solver --estimate                  how long the whole run would take
    python -m benchmarks.solver --check                     the whole run, and what is claimed
    python -m benchmarks.solver --cells 'R-16 *' --count 3  a part of it
    python -m benchmarks.solver --resume --check            on with a run that was stopped
    python -m benchmarks.solver --from build/benchmarks/solver.json --check --out docs

Peers are used where they are installed, in this environment or in .venv-peers
(`python -m venv .venv-peers && .venv-peers/bin/pip install -e '.[peers]' -e lab`).
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

from benchmarks.solver import cells, claims, report, running, whole
from benchmarks.solver.processes import ROOT, interpreter


def main() -> int:
    """Run what was asked for."""
    asked = _arguments().parse_args()
    out = asked.out if asked.out.is_absolute() else ROOT / asked.out
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "solver.json"
    if asked.read:
        document = running.joined([json.loads(path.read_text()) for path in asked.read])
    else:
        before = json.loads(kept.read_text()) if kept.exists() else None
        resumed = before if asked.resume else None
        if resumed is not None:
            asked.seed, asked.limit = resumed["seed"], resumed["limit"]
        plan = running.Plan(
            seed=secrets.randbits(32) if asked.seed is None else asked.seed,
            limit=asked.limit,
            ours=asked.count,
            slow=asked.slow,
            hard=asked.hard,
            peers=lambda name: any(fnmatch(name, each) for each in asked.peers),
        )
        grid = [c for c in cells.grid().values() if any(fnmatch(c.name, x) for x in asked.cells)]
        minutes = running.estimate(grid, plan, before) / 60
        print(f"{len(grid)} cells, seed {plan.seed}: about {minutes:.0f} min", file=sys.stderr)
        if asked.estimate:
            return 0
        document = running.run(grid, plan, kept, resumed)
        if asked.whole:
            document["whole"] = whole.measure(plan.seed)
    kept.write_text(json.dumps(document))
    verdicts = claims.verdicts(document)
    plot = _draw(kept, out / "solver.svg")
    (out / "benchmarks.md").write_text(report.markdown(document, verdicts, plot))
    if not asked.check:
        return 0
    for verdict in verdicts:
        mark = {True: "pass", False: "FAIL", None: "----"}[verdict.holds]
        print(f"{mark}  {verdict.claim}: {verdict.measured or 'not measured'}")
    return int(any(verdict.holds is False for verdict in verdicts))


def _draw(kept: Path, path: Path) -> str | None:
    """Draw with whichever Python has matplotlib; None where none has."""
    for python in (sys.executable, interpreter("scip/presolved")):
        if python is None:
            continue
        done = subprocess.run(
            [python, "-m", "benchmarks.solver.plot", str(kept), str(path)], cwd=ROOT, check=False
        )
        if done.returncode == 0:
            return path.name
    return None


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.solver",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--cells", nargs="+", default=["*"], metavar="PATTERN", help="which cells, as 'R-128 *'")
    add("--peers", nargs="*", default=["*"], metavar="PATTERN", help="which peers, as 'highs/*'")
    add("--count", type=int, default=20, help="problems a cell for ours and for quick peers")
    add("--slow", type=int, default=5, help="problems a cell for slow peers")
    add("--hard", type=int, default=3, help="problems a cell on hard cells, for everybody")
    add("--limit", type=float, default=20.0, help="seconds a problem")
    add("--seed", type=int, help="the same problems again; fresh ones without")
    add("--resume", action="store_true", help="go on with the run in --out, cell by cell")
    add("--out", type=Path, default=Path("build/benchmarks"), help="where the results go")
    add("--from", dest="read", type=Path, nargs="+", metavar="JSON",
        help="only report on an earlier run, or on several parts of one")  # fmt: skip
    add("--whole", action=argparse.BooleanOptionalAction, default=True,
        help="also whole calls, start, memory and frontier")  # fmt: skip
    add("--check", action="store_true", help="print every claim; fail if one does not hold")
    add("--estimate", action="store_true", help="only say how long it would take")
    return parser


if __name__ == "__main__":
    sys.exit(main())
