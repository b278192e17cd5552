"""What is claimed of the solver, each with what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks.solver import figures
from benchmarks.solver.figures import Figures, Result

OURS, SLOW = 20, 5  # problems a cell, at the least


@dataclass(frozen=True)
class Verdict:
    """One claim."""

    claim: str
    measured: str
    holds: bool | None
    """None where the run did not measure it."""

    @property
    def mark(self) -> str:
        """For people."""
        return {True: "yes", False: "**NO**", None: "not measured"}[self.holds]


def verdicts(run: dict[str, Any]) -> list[Verdict]:
    """Every claim, in order."""
    limit, table = run["limit"], figures.by_cell(run["results"])
    summary = {cell: figures.summarise(peers, limit) for cell, peers in table.items()}
    return [
        _counts(run, table),
        _agreement(run["results"]),
        _unbeaten(run["results"]),
        _ratio(summary, "R-128 top-5", "cplex/big-m", 100),
        _ratio(summary, "R-128 top-5", "highs/mccormick", 100),
        _ratio(summary, "R-128 top-5", "highs/presolved", 15),
        _ratio(summary, "R-128 top-20", "highs/presolved", 50),
        _never_slower(summary),
        _call_slower(run, summary),
        _call_slower(run, summary, bare=True),
        _proved(run, table),
        _quick(run, table),
        _gaps(table),
        *_whole(run.get("whole", {})),
    ]


def _counts(run: dict[str, Any], table: dict[str, dict[str, list[Result]]]) -> Verdict:
    """Hard cells, where everybody runs into the limit, have fewer and say how many."""
    usual = [peers for cell, peers in table.items() if run["families"].get(cell) != "hard"]
    ours = min((len(peers.get("ours", [])) for peers in usual), default=0)
    others = [len(r) for peers in usual for name, r in peers.items() if name != "ours"]
    theirs = min(others, default=0)
    return Verdict(
        f"at least {OURS} problems a cell for ours, {SLOW} for peers (hard cells have fewer)",
        f"{ours} and {theirs}, {len(usual)} cells",
        ours >= OURS and theirs >= SLOW,
    )


def _agreement(results: list[Result]) -> Verdict:
    found = figures.disagreements(results)
    proofs = sum(r["status"] in figures.PROVED and r["peer"] != "ours" for r in results)
    return Verdict(
        "no optimum differs between solvers",
        f"{proofs} proofs by peers compared, {len(found)} different" + "; ".join(["", *found[:5]]),
        not found if proofs else None,
    )


def _unbeaten(results: list[Result]) -> Verdict:
    found = figures.beaten(results)
    plans = sum(r.get("value") is not None and r["peer"] != "ours" for r in results)
    return Verdict(
        "no peer has a plan better than one that we call optimal",
        f"{plans} plans of peers, counted exactly, {len(found)} better"
        + "; ".join(["", *found[:5]]),
        not found if plans else None,
    )


def _ratio(summary: dict[str, list[Figures]], cell: str, peer: str, least: float) -> Verdict:
    claim = f"{cell}: at least {least:g} × faster than {peer}"
    for row in summary.get(cell, []):
        if row.peer == peer and row.ratio is not None:
            return Verdict(claim, f"{row.ratio:.0f} × (n = {row.solved})", row.ratio >= least)
    return Verdict(claim, "", None)


def _never_slower(summary: dict[str, list[Figures]]) -> Verdict:
    """Cells where both are below 5 ms do not count."""
    slower, looked = [], 0
    for cell, rows in summary.items():
        mine = next((row for row in rows if row.peer == "ours"), None)
        paired = [row for row in rows if row.ratio is not None]
        if mine is None or not paired:
            continue
        looked += 1
        fastest = min(paired, key=lambda row: row.ratio or 0.0)
        assert fastest.ratio is not None
        tiny = mine.median < 0.005 and fastest.median < 0.005
        if fastest.ratio < 1 / 1.5 and not tiny:
            slower.append(f"{cell}: {1 / fastest.ratio:.2f} × {fastest.peer}")
    return Verdict(
        "in no cell slower than 1.5 × the fastest peer (median of paired ratios)",
        f"{looked} cells, {len(slower)} slower" + "; ".join(["", *slower]),
        not slower if looked else None,
    )


def _call_slower(
    run: dict[str, Any], summary: dict[str, list[Figures]], *, bare: bool = False
) -> Verdict:
    """Of the cells R-16 to R-256: our whole call against the fastest peer with our presolve.

    By the same call with the peer in the place of our solver; or the peer `bare`, without reading,
    exact counts and check, which our call has all the same.
    """
    slower, looked = [], 0
    for cell, rows in summary.items():
        ratios = {
            row.peer: ratio
            for row in rows
            if (ratio := row.bare_ratio if bare else row.call_ratio) is not None
            and row.peer.endswith("/presolved")
        }
        if run["families"].get(cell) not in {"paper", "256"} or not ratios:
            continue
        looked += 1
        fastest = min(ratios, key=lambda peer: ratios[peer])
        if ratios[fastest] < 1:
            slower.append(f"{cell}: {1 / ratios[fastest]:.2f} × {fastest}")
    claim = "the same call with the fastest presolved peer inside"
    if bare:
        claim = "the fastest presolved peer alone, without reading, counts and check"
    return Verdict(
        f"whole call, processor time, R-16 to R-256: slower than {claim}, in at most 1 cell of 40",
        f"{looked} cells, {len(slower)} slower" + "; ".join(["", *slower]),
        len(slower) <= looked / 40 if looked else None,
    )


def _paper(run: dict[str, Any], table: dict[str, dict[str, list[Result]]]) -> list[Result]:
    return [
        result
        for cell, peers in table.items()
        if run["families"].get(cell) == "paper"
        for result in peers.get("ours", [])
    ]


def _proved(run: dict[str, Any], table: dict[str, dict[str, list[Result]]]) -> Verdict:
    mine = _paper(run, table)
    open_ones = [f"{r['cell']} seed {r['seed']}" for r in mine if r["status"] not in figures.PROVED]
    return Verdict(
        "every problem of R-16 to R-128 with top ≤ 20 or budget ≤ 50 % proved optimal",
        f"{len(mine) - len(open_ones)} of {len(mine)}" + "; ".join(["", *open_ones]),
        not open_ones if mine else None,
    )


def _quick(run: dict[str, Any], table: dict[str, dict[str, list[Result]]]) -> Verdict:
    mine = _paper(run, table)
    slow = [r for r in mine if r["status"] == "error" or r["seconds"] > 5]
    named = [f"{r['cell']} seed {r['seed']} {r.get('seconds', 0):.1f} s" for r in slow]
    share = 1 - len(slow) / len(mine) if mine else 0.0
    return Verdict(
        "99 % of them within 5 s",
        f"{share:.1%}" + "; ".join(["", *named]),
        share >= 0.99 if mine else None,
    )


def _gaps(table: dict[str, dict[str, list[Result]]]) -> Verdict:
    worse, looked = [], 0
    for cell, peers in table.items():
        for mine in peers.get("ours", []):
            if mine["status"] in figures.PROVED:
                continue
            rivals = {
                name: figures.gap(result)
                for name, results in peers.items()
                if name != "ours"
                for result in results
                if result["seed"] == mine["seed"] and result["status"] != "error"
            }
            if not rivals:
                continue
            looked += 1
            best = min(rivals, key=lambda name: rivals[name])
            if figures.gap(mine) > rivals[best]:
                worse.append(
                    f"{cell} seed {mine['seed']}: {figures.gap(mine):g}, {best} {rivals[best]:g}"
                )
    return Verdict(
        "where a proof is out of reach, no larger a gap than the best peer's",
        f"{looked} open problems, {len(worse)} worse" + "; ".join(["", *worse]),
        not worse if looked else None,
    )


WHOLE = {
    "128 × 512 top-5, warm, check included": ("median", 0.040, "≤ 40 ms median"),
    "128 × 512 top-5, zone of 17, two attackers": ("median", 0.250, "≤ 250 ms median, all proved"),
    "128 × 512 top-5, whole command": ("median", 0.6, "≤ 0.6 s"),
    "import elsewhere": ("median", 0.25, "≤ 0.25 s"),
    "5,000 × 512 top-5, peak memory": ("megabytes", 300.0, "below 300 MB"),
    "frontier R-64 to half the photos": ("median", 2.0, "≤ 2 s median, equal to separate solves"),
    "frontier R-128 to half the photos": ("median", 2.0, "≤ 2 s median, equal to separate solves"),
}


def _whole(measured: dict[str, dict[str, Any]]) -> list[Verdict]:
    result = []
    for name, (key, most, claim) in WHOLE.items():
        entry = measured.get(name)
        if entry is None:
            result.append(Verdict(f"{name}: {claim}", "", None))
            continue
        n = entry.get("n", 0)
        holds = entry[key] <= most and entry.get("proved", n) == n  # not all have proofs
        holds = holds and entry.get("different", 0) == 0
        unit = f"{entry[key]:.0f} MB" if key == "megabytes" else f"{entry[key] * 1e3:.0f} ms"
        extra = f", {entry['proved']}/{entry['n']} proved" if "proved" in entry else ""
        extra += f", {entry['different']} different" if "different" in entry else ""
        result.append(Verdict(f"{name}: {claim}", unit + extra, holds))
    return result
