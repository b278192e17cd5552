"""An attacker who knows the tool: he guesses the cell just outside the top, not the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab.quick import quick
from elsewhere.lab.solving import ahead, unproved
from elsewhere.lab.some import KINDS, TOP, kinds_of, means, parts, some
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Collection, Experiment, Number, Part, Row, Scale, mean, number

TIMES = (1, 2, 3, 5)
"""The secret k is drawn evenly from k to so many times k; 1 is the plain k."""
_DRAWN = 20261115
LABEL = {1: "k itself"} | {times: f"secret k up to {times}k" for times in TIMES[1:]}
ANY = "k itself, any near-optimal plan"


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection that was in the top k, and each way to plan."""
    rows: list[Row] = []
    for each in some(source, part):
        if ahead(each.scores, each.truth) >= TOP:
            continue
        rng = np.random.default_rng([_DRAWN, each.number, each.photos])
        for times in TIMES:
            k = TOP if times == 1 else int(rng.integers(TOP, times * TOP + 1))
            rows.append(_row(each, LABEL[times], k, times))
        # values that differ by up to half: which of the near-optimal plans is best is chance
        values = [100 + int(rng.integers(51)) for _ in range(each.photos)]
        rows.append(_row(each, ANY, TOP, 1, values=values))
    return rows


def _row(each: Collection, way: str, k: int, times: int, **wishes: Any) -> Row:
    """What is withheld, and which of his guesses are right."""
    plan = quick(each.scores, each.truth, top=k, **wishes)
    row: dict[str, Any] = {
        "kind": each.kind, "number": each.number, "photos": each.photos, "way": way,
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


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How often each guess is right, and what the plans cost."""
    result = []
    for kind in kinds_of(rows):
        for way in (*LABEL.values(), ANY):
            mine = [r for r in rows if r["kind"] == kind and r["way"] == way]
            found = [r for r in mine if r["withheld"] is not None]
            if not found:
                continue
            line = f"{kind}, {way}"
            for column, field in (
                ("guesses the first", "first"), ("guesses rank k+1", "next"),
                ("guesses the least slack", "slack"),
            ):  # fmt: skip
                result.append(Number(line, column, *means(found, field)))
            common = Counter(r["ahead"] for r in found).most_common(1)[0][1]
            best = mean([1.0] * common + [0.0] * (len(found) - common))
            result.append(Number(line, "guesses the best rank", *best))
            gone = mean([number(r["withheld"]) / number(r["photos"]) for r in found])
            result.append(Number(line, "withheld", *gone))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for kind in kinds_of(rows):
        at = {n.line.removeprefix(f"{kind}, "): n for n in numbers if n.line.startswith(kind)
              and n.column == "guesses the best rank"}  # fmt: skip
        cost = {n.line.removeprefix(f"{kind}, "): n.ours for n in numbers
                if n.line.startswith(kind) and n.column == "withheld"}  # fmt: skip
        plain, secret = LABEL[1], LABEL[3]
        if plain in at and secret in at:
            told.append(
                f"{kind}: leave the k secret: whoever knows the tool and that k is {TOP} finds the "
                f"place in {at[plain].ours:.0%} of the plans for k itself; with a k drawn up to "
                f"{3 * TOP} in {at[secret].ours:.0%}, for {cost[secret]:.2f} of the photos "
                f"instead of {cost[plain]:.2f}."
            )
    return told + unproved(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Success of the best single guess against photos withheld."""
    import matplotlib.pyplot as plt

    from elsewhere.report.look import LIGHT

    kinds = kinds_of(rows)
    figure, grid = plt.subplots(
        1, len(kinds), figsize=(2.9 * len(kinds), 3.3), sharey=True, squeeze=False
    )
    ways = (*LABEL.values(), ANY)
    marks = zip(ways, "os^Dv", (LIGHT.withheld, LIGHT.decoy, LIGHT.kept, LIGHT.truth, LIGHT.ink),
                strict=True)  # fmt: skip
    style = {way: (marker, colour) for way, marker, colour in marks}
    for axes, kind in zip(grid[0], kinds, strict=True):
        for way in ways:
            mine = {n.column: n for n in numbers if n.line == f"{kind}, {way}"}
            if mine:
                hit, gone = mine["guesses the best rank"], mine["withheld"]
                marker, colour = style[way]
                axes.errorbar(
                    [gone.ours], [hit.ours], [1.96 * hit.error], fmt=marker, color=colour,
                    capsize=2, ms=6, label=way,
                )  # fmt: skip
        axes.set(xlabel="share of photos withheld", ylim=(0, 1.04))
        axes.set_title(kind)
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
        "rank that most often is right, which he has measured on many albums (an upper bound, for "
        "here he measured it on these very ones). Over the collections that were in the top 5."
    ),
    parts=lambda source, scale: parts(source, scale, KINDS),
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
