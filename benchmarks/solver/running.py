"""The run: every solver on the same problems, one after the other, results kept as they come."""

from __future__ import annotations

import importlib.metadata
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.solver import figures
from benchmarks.solver.cells import Cell, seeds
from benchmarks.solver.entrants import entrants
from benchmarks.solver.peers import PACKAGES
from benchmarks.solver.processes import Worker, interpreter


@dataclass(frozen=True)
class Plan:
    """How much is measured."""

    seed: int
    limit: float = 20.0
    ours: int = 20
    """Problems a cell for our solver, and for peers that are quick."""
    slow: int = 5
    """Problems a cell at the least for every peer."""
    hard: int = 3
    """Problems a cell where nearly everybody runs into the limit."""
    patience: float = 4.0
    """Seconds in a cell after which a peer gets no more problems than `slow`."""
    peers: Callable[[str], bool] = field(default=lambda name: True)

    def problems(self, cell: Cell) -> int:
        """How many problems a cell has."""
        return self.hard if cell.family == "hard" else self.ours


def run(
    grid: list[Cell], plan: Plan, keep: Path, before: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Measure; `keep` always holds what there is so far. Cells that `before` has are not run."""
    document: dict[str, Any] = before or {
        "seed": plan.seed,
        "limit": plan.limit,
        "machine": machine(),
        "versions": versions(),
        "families": {},
        "results": [],
    }
    document["families"] |= {cell.name: cell.family for cell in grid}
    done = {result["cell"] for result in document["results"]}
    workers: dict[str, Worker] = {}
    began = time.monotonic()
    try:
        for at, cell in enumerate(grid, start=1):
            if cell.name in done:
                continue
            names = [name for name in entrants(cell) if _takes_part(name, plan)]
            for name in names:
                workers.setdefault(name, Worker(name))
            document["results"] += _cell(cell, names, workers, plan)
            keep.write_text(json.dumps(document))
            _say(document, cell, plan, f"[{at}/{len(grid)}, {time.monotonic() - began:.0f} s]")
    finally:
        for worker in workers.values():
            worker.close()
    return document


def joined(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Parts of a run that were measured apart (one for each core, say) as one run."""
    whole = dict(parts[0], families={}, results=[])
    for part in parts:
        if (part["seed"], part["limit"]) != (whole["seed"], whole["limit"]):
            raise SystemExit("these are not parts of one run: their seeds or limits differ")
        whole["families"] |= part["families"]
        whole["results"] += part["results"]
        if "whole" in part:
            whole["whole"] = part["whole"]
    return whole


def _takes_part(name: str, plan: Plan) -> bool:
    return interpreter(name) is not None and (name == "ours" or plan.peers(name))


def _cell(
    cell: Cell, names: list[str], workers: dict[str, Worker], plan: Plan
) -> list[dict[str, Any]]:
    spent = dict.fromkeys(names, 0.0)
    results = []
    refused: set[str] = set()
    for i, seed in enumerate(seeds(plan.seed, cell.name, plan.problems(cell))):
        for name in names:
            tired = i >= plan.slow and spent[name] > plan.patience
            if name != "ours" and (tired or name in refused):
                continue
            answer = workers[name].ask(cell.name, seed, plan.limit)
            if answer["status"] == "error" and i >= plan.slow - 1:
                refused.add(name)  # a licence does not change its mind
            spent[name] += float(answer.get("seconds", 0.0))
            results.append({"cell": cell.name, "seed": seed, "peer": name, **answer})
    return results


def _say(document: dict[str, Any], cell: Cell, plan: Plan, where: str) -> None:
    peers = figures.by_cell(document["results"])[cell.name]
    print(f"{where} {cell.name}", file=sys.stderr)
    for row in figures.summarise(peers, plan.limit):
        ratio = "" if row.ratio is None else f"  {row.ratio:8.1f} ×"
        print(
            f"    {row.peer:16} n={row.solved:<3} median {row.median:8.4f} s  worst "
            f"{row.worst:8.4f} s  proved {row.proved:>3}  gap {row.gap:g}{ratio} {row.error[:60]}",
            file=sys.stderr, flush=True,
        )  # fmt: skip


def estimate(grid: list[Cell], plan: Plan, before: dict[str, Any] | None) -> float:
    """Seconds that a run will take: from an earlier run where there is one, else a rough guess."""
    known: dict[tuple[str, str], float] = {}
    if before is not None:
        for measured, peers in figures.by_cell(before["results"]).items():
            for row in figures.summarise(peers, plan.limit):
                known[measured, row.peer] = row.median if row.solved else 0.0
    total = 0.0
    for cell in grid:
        for name in entrants(cell):
            if _takes_part(name, plan):
                each = known.get((cell.name, name), guess(cell, name, plan.limit))
                n = plan.problems(cell)
                if name != "ours":
                    n = max(min(n, plan.slow), min(n, int(plan.patience / max(each, 1e-3))))
                total += n * each
    return total


def guess(cell: Cell, name: str, limit: float) -> float:
    """A rough idea of one problem's time, from the sizes alone."""
    if cell.family == "hard":
        return limit
    weight = (cell.photos / 128) * math.pow((cell.top or (cell.share or 0) / 8) / 5, 1.5)
    slowness = {"ours": 0.03, "cplex": 0.3, "gurobi": 0.5, "highs": 1.0, "scip": 5.0, "cp-sat": 9.0}
    each = slowness[name.split("/", maxsplit=1)[0]] * weight
    if name.endswith(("big-m", "mccormick")):
        each *= 20
    return min(limit, each)


def machine() -> str:
    """What this ran on, in a few words."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [x for x in info.read_text().splitlines() if x.startswith("model name")]
        name = models[0].split(":", 1)[1].strip() if models else name
    return f"{name}, {platform.system()}, Python {platform.python_version()}"


def versions() -> dict[str, str]:
    """The versions of everything that was measured, asked of the interpreters that run it."""
    found = {"elsewhere": importlib.metadata.version("elsewhere")}
    found["numpy"] = importlib.metadata.version("numpy")
    for peer, package in PACKAGES.items():
        python = interpreter(f"{peer}/presolved")
        if python is not None:
            found[peer] = _version(python, package)
    return found


def _version(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "?"
