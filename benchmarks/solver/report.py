"""The table for docs/benchmarks.md, written from the JSON of a run."""

from __future__ import annotations

from typing import Any

from benchmarks.solver import figures
from benchmarks.solver.claims import Verdict
from benchmarks.solver.figures import Figures

FAMILIES = {
    "paper": "The paper's sizes",
    "256": "256 photos",
    "zone": "Zones of 17 cells against two attackers",
    "margin": "With a margin",
    "large": "Thousands of photos",
    "versions": "Eight versions of each photo",
    "leaves": "A fine globe of 35,840 cells",
    "joint": "Several places in one album",
    "unlike": "Attackers that err in ways of their own",
    "hard": "Where it gets hard",
}

METHOD = """\
Machine: {machine}. Seed {seed}; simulated collections, half from each kind of world. Every solver
works in a process of its own, on one thread, to a feasibility tolerance of 1e-9, for at most
{limit:g} s a problem. A time-out counts as {limit:g} s; a refusal (licence, size) is an error and
not a time. *median*, *worst* and *processor* (the processor time of its one thread, a median) run
from the problem's arrays to the solver's answer, presolve and building the model included, without
any recount. *ratio* is the median, over the same problems, of the peer's time by ours: above 1 we
are faster. *call* is that of processor times of the whole call: reading, digest and reduction, then
the solver, then exact counts, the plan and its check; a peer stands in our solver's place in the
same call. *bare* is the processor time of the peer alone by that of our whole call. Peers called
*presolved* start from our presolve: rivals that cannot matter are gone, costs are bounded from both
sides, every big-M is as small as that allows.

Not every peer is in every row, so "the fastest peer" is the fastest of those in the row: the
paper's own model, plain big-M models, SCIP and CP-SAT run into the limit nearly everywhere and
take part only where a row shows them. Cells whose proofs are out of reach for everybody have fewer
problems. A peer that says "infeasible" where a plan was counted exactly is in error; such a row is
listed as a difference all the same."""


def markdown(run: dict[str, Any], verdicts: list[Verdict], plot: str | None) -> str:
    """The whole page."""
    limit = run["limit"]
    table = figures.by_cell(run["results"])
    lines = [
        "# The solver against its peers",
        "",
        "Written by `python -m benchmarks.solver`; do not edit by hand.",
        "",
        METHOD.format(machine=run["machine"], seed=run["seed"], limit=limit),
        "",
        "Versions: " + ", ".join(f"{name} {v}" for name, v in run["versions"].items()) + ".",
        "",
        "## What is claimed",
        "",
        "| claim | measured | holds |",
        "|---|---|---|",
    ]
    lines += [f"| {v.claim} | {v.measured} | {v.mark} |" for v in verdicts]
    lines.append("")
    if plot:
        lines += ["## Time against the number of photos", "", f"![time against N]({plot})", ""]
    for family, title in FAMILIES.items():
        chosen = {c: p for c, p in table.items() if run["families"].get(c) == family}
        if chosen:
            lines += [f"## {title}", "", *_table(chosen, limit), ""]
    if run.get("whole"):
        lines += ["## Whole calls, start and memory", "", "| what | measured |", "|---|---|"]
        lines += [f"| {name} | {_whole(entry)} |" for name, entry in run["whole"].items()]
        lines.append("")
    return "\n".join(lines)


def _table(cells: dict[str, dict[str, list[figures.Result]]], limit: float) -> list[str]:
    names = ["problems", "solver", "n", "median", "worst", "processor", "proved", "gap left"]
    names += ["ratio", "call", "bare"]
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    for cell, peers in cells.items():
        for row in figures.summarise(peers, limit):
            lines.append(f"| {cell if row.peer == 'ours' else ''} | {_row(row, limit)} |")
    return lines


def _row(row: Figures, limit: float) -> str:
    if not row.solved:
        return f"{row.peer} | {row.errors} | | | | | | {short(row.error)} | |"
    ratios = (row.ratio, row.call_ratio, row.bare_ratio)
    gap = "" if row.gap == 0 else "no plan" if row.gap == float("inf") else f"{row.gap:g}"
    cells = [
        row.peer,
        str(row.solved),
        spell(row.median, limit),
        spell(row.worst, limit),
        "" if row.processor is None else spell(row.processor, limit),
        f"{row.proved}/{row.solved}",
        gap,
        *("" if ratio is None else f"{ratio:.3g}" for ratio in ratios),
    ]
    return " | ".join(cells)


def spell(seconds: float, limit: float | None = None) -> str:
    """A time with a fitting unit; "> 20 s" at the limit."""
    if limit is not None and seconds >= limit:
        return f"> {limit:g} s"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def short(error: str) -> str:
    """An error in a few words, fit for a table."""
    if "1016" in error or "size-limited" in error or "too large" in error:
        return "refused: above the free edition's size"
    return error.replace("|", "/")[:80]


def _whole(entry: dict[str, Any]) -> str:
    if "megabytes" in entry:
        return f"{entry['megabytes']:.0f} MB"
    parts = [f"median {spell(entry['median'])}", f"worst {spell(entry['worst'])}"]
    if "proved" in entry:
        parts.append(f"{entry['proved']}/{entry['n']} proved")
    if "note" in entry:
        parts.append(entry["note"])
    return ", ".join(parts)
