"""From raw results to figures: medians, worst cases, paired ratios, gaps, disagreements."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

Result = dict[str, Any]
PROVED = ("optimal", "infeasible")


@dataclass(frozen=True)
class Figures:
    """One peer in one cell."""

    peer: str
    solved: int
    """Problems with a time: errors are none."""
    errors: int
    proved: int
    median: float
    worst: float
    processor: float | None
    """Median processor time; None where it was not measured."""
    ratio: float | None
    """Median over the problems of its time by ours; None for ours, or without a pair."""
    call_ratio: float | None
    """Median of the processor time of the whole call with it, by that of ours; None for ours."""
    bare_ratio: float | None
    """The same without what surrounds the peer in the call; ours stays the whole call."""
    gap: float
    """The largest gap left after the limit; inf where no plan was found."""
    error: str = ""


def seconds(result: Result, limit: float) -> float | None:
    """The time of a result: what is not proved counts as the limit, an error has none."""
    if result["status"] == "error":
        return None
    return float(result["seconds"]) if result["status"] in PROVED else limit


def processor(result: Result, limit: float, key: str = "processor") -> float | None:
    """The processor time of a result, by the same rules; None where it was not measured."""
    if result["status"] == "error" or key not in result:
        return None
    return float(result[key]) if result["status"] in PROVED else limit


def gap(result: Result) -> float:
    """How far plan and bound are apart: 0 where proved, inf without a plan."""
    if result["status"] in PROVED:
        return 0.0
    if result["value"] is None or result["bound"] is None:
        return float("inf")
    return float(abs(result["value"] - result["bound"]))


def by_cell(results: Iterable[Result]) -> dict[str, dict[str, list[Result]]]:
    """Results as cell → peer → problems in order."""
    table: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        table[result["cell"]][result["peer"]].append(result)
    return {cell: dict(peers) for cell, peers in table.items()}


def summarise(peers: dict[str, list[Result]], limit: float) -> list[Figures]:
    """The figures of one cell, ours first."""
    ours = {result["seed"]: result for result in peers.get("ours", [])}
    rows = []
    for peer, results in peers.items():
        times = [t for result in results if (t := seconds(result, limit)) is not None]
        failed = [result for result in results if result["status"] == "error"]
        rows.append(
            Figures(
                peer=peer,
                solved=len(times),
                errors=len(failed),
                proved=sum(result["status"] in PROVED for result in results),
                median=statistics.median(times) if times else float("nan"),
                worst=max(times, default=float("nan")),
                processor=_median([processor(result, limit) for result in results]),
                ratio=paired_ratio(results, ours, limit) if peer != "ours" else None,
                call_ratio=_call_ratio(results, ours, limit, "call"),
                bare_ratio=_call_ratio(results, ours, limit, "processor"),
                gap=max((gap(r) for r in results if r["status"] != "error"), default=float("nan")),
                error=failed[0]["error"] if failed else "",
            )
        )
    return sorted(rows, key=lambda row: row.peer != "ours")


def paired_ratio(theirs: Iterable[Result], ours: dict[int, Result], limit: float) -> float | None:
    """The median of their time by ours on the same problem."""
    ratios = []
    for result in theirs:
        mine = ours.get(result["seed"])
        their_time = seconds(result, limit)
        my_time = None if mine is None else seconds(mine, limit)
        if my_time is not None and their_time is not None:
            ratios.append(their_time / my_time)
    return statistics.median(ratios) if ratios else None


def _call_ratio(
    theirs: Iterable[Result], ours: dict[int, Result], limit: float, key: str
) -> float | None:
    """The median of their processor time by our whole call's on the same problem."""
    ratios = []
    for result in theirs:
        mine = ours.get(result["seed"])
        their_time = processor(result, limit, key)
        my_time = None if mine in (None, result) else processor(mine, limit, "call")
        if my_time and their_time is not None:
            ratios.append(their_time / my_time)
    return statistics.median(ratios) if ratios else None


def _median(times: Iterable[float | None]) -> float | None:
    known = [each for each in times if each is not None]
    return statistics.median(known) if known else None


def beaten(results: Iterable[Result]) -> list[str]:
    """Proofs of ours that a peer's plan refutes; plans are recounted exactly, so they are facts."""
    every = list(results)
    ours = {(r["cell"], r["seed"]): r for r in every if r["peer"] == "ours"}
    found = []
    for other in every:
        mine = ours.get((other["cell"], other["seed"]))
        if mine is None or mine["status"] not in PROVED or other.get("value") is None:
            continue
        more = "budget" in other["cell"]
        if mine["value"] is None or (
            other["value"] > mine["value"] if more else other["value"] < mine["value"]
        ):
            found.append(f"{other['cell']}, seed {other['seed']}: {other['peer']}")
    return found


def disagreements(results: Iterable[Result]) -> list[str]:
    """Problems on which two proofs contradict each other, or a plan beats a proof.

    CP-SAT solves a rounded neighbour of the problem, so its word is not held against anybody.
    """
    problems: dict[tuple[str, int], list[Result]] = defaultdict(list)
    for result in results:
        if result["status"] != "error" and not result["peer"].startswith("cp-sat"):
            problems[result["cell"], result["seed"]].append(result)
    found = []
    for (cell, seed), answers in problems.items():
        proved = {(r["status"], r["value"]) for r in answers if r["status"] in PROVED}
        if len(proved) > 1:
            said = ", ".join(f"{r['peer']}: {r['status']} {r['value']}" for r in answers)
            found.append(f"{cell}, seed {seed}: {said}")
            continue
        for status, value in proved:
            for other in answers:
                if other["value"] is None:
                    continue
                better = other["value"] > value if "budget" in cell else other["value"] < value
                if status == "infeasible" or better:
                    found.append(
                        f"{cell}, seed {seed}: {other['peer']} has {other['value']}, "
                        f"but {status} {value} was claimed"
                    )
    return found
