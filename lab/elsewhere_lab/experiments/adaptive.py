"""An attacker who knows the tool: he guesses the cell just outside the top, not the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere_lab import statistics as stats
from elsewhere_lab.collections import TOP, endangered, kinds_of, sample_parts
from elsewhere_lab.plots import Figure, bar, legend_below, new_panels
from elsewhere_lab.solving import Result, rank_ahead, solve_quietly
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import WITHHELD, by_column
from elsewhere_lab.values import Collection, Number, Numbers, Part, Row, Rows, Scale, Value, number

TIMES = (1, 2, 3, 5)
"""The secret k is drawn evenly from k to so many times k; 1 is the plain k."""
LABEL = {1: "k itself"} | {times: f"secret k up to {times}k" for times in TIMES[1:]}
ANY = "k itself, any near-optimal plan"
BEST = "guesses the best rank"
_SEED = 20261115
_COLOURS = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept, LIGHT.truth, LIGHT.ink)
parts = sample_parts


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    for each in endangered(source, part):
        rng = np.random.default_rng([_SEED, each.number, each.photos])
        for times in TIMES:
            plan, k = secret(each, times, rng)
            yield _row(each, LABEL[times], plan, k, times)
        # values that differ by up to half: which of the near-optimal plans is best is chance
        values = [100 + int(rng.integers(51)) for _ in range(each.photos)]
        plan = solve_quietly(each.scores, each.truth, top=TOP, values=values)
        yield _row(each, ANY, plan, TOP, 1)


def secret(each: Collection, times: int, rng: np.random.Generator) -> tuple[Result, int]:
    """The plan for a k drawn as `protect` draws it: where it cannot be had, a smaller one."""
    k = int(rng.integers(TOP, times * TOP + 1))
    while True:
        plan = solve_quietly(each.scores, each.truth, top=k)
        if plan.kept is not None or k == TOP:
            return plan, k
        k = int(rng.integers(TOP, k))


def _row(each: Collection, way: str, plan: Result, k: int, times: int) -> Row:
    """What is withheld, and which of his guesses are right."""
    row: dict[str, Value] = {
        **each.key, "way": way, "k": k, "withheld": None, "ahead": None, "first": None,
        "next": None, "slack": None, "status plan": plan.status,
    }  # fmt: skip
    if plan.kept is None:
        return row
    total = each.scores[plan.kept].astype(np.float64).sum(axis=0)
    order = np.argsort(-total, kind="stable")
    gaps = -np.diff(total[order])
    # ranks k+1 to the last that a secret k can leave; the gap is to the cell before
    last = max(times, 3) * TOP + 1
    least = TOP + int(np.argmin(gaps[TOP - 1 : last - 1]))
    return row | {
        "withheld": plan.withheld,
        "ahead": rank_ahead(each.scores[plan.kept], each.truth),
        "first": int(order[0] == each.truth),
        "next": int(order[TOP] == each.truth),
        "slack": int(order[least] == each.truth),
    }


def learned(ranks: Sequence[int]) -> list[float]:
    """Whether each rank is the one that is most common in the other half of them.

    He has measured on albums, but not on the one before him: a rank that was picked from these very
    collections would be right more often than it ever is again.

    >>> learned([5, 5, 6, 5])
    [1.0, 1.0, 0.0, 1.0]
    """
    halves = ranks[::2], ranks[1::2]
    best = [
        min((-count, rank) for rank, count in Counter(half).items())[1] if half else None
        for half in halves
    ]
    return [float(rank == best[1 - i % 2]) for i, rank in enumerate(ranks)]


def summarise(rows: Rows) -> Iterator[Number]:
    """How often each guess is right, and what the plans cost."""
    guesses = {"the first": "first", "rank k+1": "next", "the least slack": "slack"}
    for kind in kinds_of(rows):
        every = [row for row in rows if row["kind"] == kind]
        for way in (*LABEL.values(), ANY):
            planned = [r for r in every if r["way"] == way and r["withheld"] is not None]
            line = f"{kind}, {way}"
            for guess, field in guesses.items():
                yield Number(line, f"guesses {guess}", *stats.mean_of(planned, field))
            hits = learned([int(number(row["ahead"])) for row in planned])
            yield Number(line, BEST, *stats.mean(hits))
            yield from stats.costs(every, line, way, LABEL[1])


def advice(kind: str, rows: Rows, numbers: Numbers) -> str:
    """Whether the secret k helps."""
    plain, hidden = (by_column(numbers, f"{kind}, {LABEL[times]}")[BEST] for times in (1, 3))
    if stats.differ(plain, hidden):
        return "Leave the k secret."
    return "So few collections do not show that a secret k helps."


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Success of the best single guess against photos withheld."""
    from matplotlib.ticker import MultipleLocator

    kinds = kinds_of(rows)
    figure, grid = new_panels(len(kinds), (2.9 * len(kinds), 3.3), sharey=True, sharex=True)
    for axes, kind in zip(grid, kinds, strict=True):
        for way, marker, colour in zip((*LABEL.values(), ANY), "os^Dv", _COLOURS, strict=True):
            line = by_column(numbers, f"{kind}, {way}")
            if BEST in line:
                hit = line[BEST]
                low, high = bar(hit, share=True)
                axes.errorbar(
                    [line[WITHHELD].ours], [hit.ours], [[low], [high]], fmt=marker, color=colour,
                    capsize=2, ms=6, label=way,
                )  # fmt: skip
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04), title=kind)
        axes.xaxis.set_major_locator(MultipleLocator(0.1))
    grid[0].set_ylabel("his best guess is right")
    legend_below(figure, grid[0], 3)
    return figure
