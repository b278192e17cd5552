"""An attacker who knows the tool: he guesses the cell just outside the top, not the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere_lab.comparison import MORE, NO_PLAN, WITHHELD, costs
from elsewhere_lab.plots import bars
from elsewhere_lab.sampling import KINDS, TOP, in_part, kinds_of, means, parts
from elsewhere_lab.solving import Found, ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import amount, apart, found, percent
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Collection, Experiment, Number, Part, Row, Scale, mean, number

TIMES = (1, 2, 3, 5)
"""The secret k is drawn evenly from k to so many times k; 1 is the plain k."""
_DRAWN = 20261115
LABEL = {1: "k itself"} | {times: f"secret k up to {times}k" for times in TIMES[1:]}
ANY = "k itself, any near-optimal plan"
BEST = "guesses the best rank"


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    rows: list[Row] = []
    for each in in_part(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        rng = np.random.default_rng([_DRAWN, each.number, each.photos])
        for times in TIMES:
            plan, k = secret(each, times, rng)
            rows.append(_row(each, LABEL[times], plan, k, times))
        # values that differ by up to half: which of the near-optimal plans is best is chance
        values = [100 + int(rng.integers(51)) for _ in range(each.photos)]
        plan = unexplained_plan(each.scores, each.truth, top=TOP, values=values)
        rows.append(_row(each, ANY, plan, TOP, 1))
    return rows


def secret(each: Collection, times: int, rng: np.random.Generator) -> tuple[Found, int]:
    """The plan for a k drawn as `protect` draws it: where it cannot be had, a smaller one."""
    k = int(rng.integers(TOP, times * TOP + 1))
    while True:
        plan = unexplained_plan(each.scores, each.truth, top=k)
        if plan.kept is not None or k == TOP:
            return plan, k
        k = int(rng.integers(TOP, k))


def _row(each: Collection, way: str, plan: Found, k: int, times: int) -> Row:
    """What is withheld, and which of his guesses are right."""
    row: dict[str, Any] = {
        "kind": each.kind, "number": each.number, "photos": each.photos, "way": way, "k": k,
        "withheld": None, "ahead": None, "first": None, "next": None, "slack": None,
        "status plan": plan.status,
    }  # fmt: skip
    if plan.kept is None:
        return row
    total = each.scores[plan.kept].astype(np.float64).sum(axis=0)
    order = np.argsort(-total, kind="stable")
    gaps = -np.diff(total[order])
    # ranks k+1 to the last that a secret k can leave; the gap is to the cell before
    last = max(times, 3) * TOP + 1
    at = TOP + int(np.argmin(gaps[TOP - 1 : last - 1]))
    return row | {
        "withheld": plan.withheld,
        "ahead": ahead(each.scores[plan.kept], each.truth),
        "first": int(order[0] == each.truth),
        "next": int(order[TOP] == each.truth),
        "slack": int(order[at] == each.truth),
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


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How often each guess is right, and what the plans cost."""
    result = []
    for kind in kinds_of(rows):
        mine = [r for r in rows if r["kind"] == kind]
        for way in (*LABEL.values(), ANY):
            planned = [r for r in mine if r["way"] == way and r["withheld"] is not None]
            line = f"{kind}, {way}"
            for column, field in (
                ("guesses the first", "first"), ("guesses rank k+1", "next"),
                ("guesses the least slack", "slack"),
            ):  # fmt: skip
                result.append(Number(line, column, *means(planned, field)))
            hits = learned([int(number(r["ahead"])) for r in planned])
            result.append(Number(line, BEST, *mean(hits)))
            result += costs(mine, line, way, LABEL[1])
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        plain, secret = (found(numbers, f"{kind}, {LABEL[times]}") for times in (1, 3))
        if BEST not in plain or BEST not in secret:
            continue
        ranks = 2 * TOP + 1
        told.append(
            f"{kind}: whoever knows the tool and that k is {TOP} finds the place with his best "
            f"single guess in {percent(plain[BEST])} of the plans for k itself, and in "
            f"{percent(secret[BEST])} of those for a k drawn up to {3 * TOP} (one in {ranks} would "
            f"be {1 / ranks:.0%}), which withhold {amount(secret[WITHHELD])} of the photos, "
            f"{amount(secret[MORE], sign=True)} on the same collections. No plan at all exists for "
            f"{percent(plain[NO_PLAN])} of the collections. "
            + (
                "Leave the k secret."
                if apart(plain[BEST], secret[BEST])
                else "So few collections do not show that a secret k helps."
            )
        )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Success of the best single guess against photos withheld."""
    import matplotlib.pyplot as plt
    from matplotlib.ticker import MultipleLocator

    from elsewhere.report.colours import LIGHT

    kinds = kinds_of(rows)
    figure, grid = plt.subplots(
        1, len(kinds), figsize=(2.9 * len(kinds), 3.3), sharey=True, sharex=True, squeeze=False
    )
    ways = (*LABEL.values(), ANY)
    marks = zip(ways, "os^Dv", (LIGHT.withheld, LIGHT.decoy, LIGHT.kept, LIGHT.truth, LIGHT.ink),
                strict=True)  # fmt: skip
    style = {way: (marker, colour) for way, marker, colour in marks}
    for axes, kind in zip(grid[0], kinds, strict=True):
        for way in ways:
            mine = found(numbers, f"{kind}, {way}")
            if BEST in mine:
                hit, gone = mine[BEST], mine[WITHHELD]
                low, high = bars(hit, share=True)
                marker, colour = style[way]
                axes.errorbar(
                    [gone.ours], [hit.ours], [[low], [high]], fmt=marker, color=colour,
                    capsize=2, ms=6, label=way,
                )  # fmt: skip
        axes.set(xlabel="share of photos withheld", ylim=(-0.03, 1.04), title=kind)
        axes.xaxis.set_major_locator(MultipleLocator(0.1))
    grid[0][0].set_ylabel("his best guess is right")
    handles, names = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=3)
    return {"adaptive": figure}


EXPERIMENT = Experiment(
    name="adaptive",
    title="An attacker who knows the tool",
    about=(
        "A minimal plan leaves the truth just outside the top k. The attacker knows this and the "
        "k that was asked for (5), and guesses one cell: the first; the one at rank k+1; of those "
        "that a secret k can leave just outside, the one least behind the cell before it; or the "
        "rank that was right most often in the other half of the collections. A secret k is drawn "
        "as `protect` draws it: where it cannot be had, a smaller one. Over the collections that "
        "were in the top 5; guesses are of those with a plan, and the last column is how much "
        "more is withheld than for k itself, on the same collections."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
