"""Time against the number of photos, log-log: one picture of the whole run."""

from __future__ import annotations

import importlib
import json
import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks.solver import cells, figures

COLOURS = {
    "ours": "#0b6e4f", "highs": "#c1121f", "cplex": "#003f88", "gurobi": "#e07a00",
    "scip": "#6a4c93", "cp-sat": "#7f7f7f",
}  # fmt: skip
LINES = {"mccormick": ":", "big-m": "--", "presolved": "-"}


def draw(run: dict[str, Any], path: Path, top: int = 5) -> bool:
    """Draw the top-`top` cells to `path`; False where matplotlib is missing."""
    try:
        matplotlib: Any = importlib.import_module("matplotlib")
    except ImportError:
        return False
    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "elsewhere"  # the same run draws the same file
    plt: Any = importlib.import_module("matplotlib.pyplot")
    grid = cells.grid()
    lines: dict[str, list[tuple[int, float]]] = {}
    for name, peers in figures.by_cell(run["results"]).items():
        cell = grid.get(name)
        if cell is None or cell.top != top or cell.family not in ("paper", "large"):
            continue
        for peer, results in peers.items():
            times = [figures.seconds(result, run["limit"]) for result in results]
            known = [t for t in times if t is not None]
            if known:
                lines.setdefault(peer, []).append((cell.photos, statistics.median(known)))
    if not lines:
        return False
    figure, axes = plt.subplots(figsize=(7.5, 5), layout="constrained")
    for peer, points in sorted(lines.items()):
        solver, _, model = peer.partition("/")
        x, y = zip(*sorted(points), strict=True)
        style = {"color": COLOURS.get(solver), "linestyle": LINES.get(model, "-")}
        width = 2.4 if solver == "ours" else 1.3
        axes.plot(x, y, marker="o", markersize=4, linewidth=width, label=peer, **style)
    axes.axhline(run["limit"], color="#999999", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="photos", ylabel="seconds (median)")
    axes.set_title(f"Fewest photos to withhold, top {top}, 512 cells")
    ticks = sorted({x for points in lines.values() for x, _ in points})
    axes.set_xticks(ticks, [str(x) for x in ticks])
    axes.minorticks_off()
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small", ncols=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
    return True


def main() -> int:
    """`python -m benchmarks.solver.plot RUN.json PICTURE`; fails where matplotlib is missing."""
    source, target = map(Path, sys.argv[1:])
    return 0 if draw(json.loads(source.read_text()), target) else 1


if __name__ == "__main__":
    sys.exit(main())
