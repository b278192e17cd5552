"""Figure 1: sixteen photos, what greedy withholds and what is needed, and three maps.

The paper shows one collection of sixteen where greedy withholds twelve and four would do. Ours is
looked for: of the collections at hand, the one that comes nearest to that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elsewhere.lab.collections import cells_of, partitions
from elsewhere.lab.solving import fewest, greedy_fewest, greedy_steps
from elsewhere.lab.sources import Source
from elsewhere.lab.values import Collection, Experiment, Number, Part, Row, Scale, number

TOP = 5
KIND = "R-16"
PAPER = {"optimal": 4, "greedy": 12}
PLANS = ("everything", "greedy", "optimal")


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """The chosen collection: for each plan its photos, and its first cells with their map."""
    chosen: tuple[float, Collection, int, tuple[int, ...]] | None = None
    for cell in part.wish["cells"]:
        for each in partitions(source, cell, KIND, 1):
            greedy = greedy_fewest(greedy_steps(each.scores, each.truth), TOP)
            if greedy is None or greedy < PAPER["greedy"] - 3:
                continue  # too tame, whatever the best plan is
            withheld = fewest(each.scores, each.truth, TOP).withheld
            far = abs(greedy - PAPER["greedy"]) + abs(len(withheld) - PAPER["optimal"])
            if chosen is None or far < chosen[0]:
                chosen = far, each, greedy, withheld
    if chosen is None:
        return []
    _, each, greedy, withheld = chosen
    order = np.argsort(-each.scores[:, each.truth].astype(float), kind="stable")
    gone = {"everything": set[int](), "greedy": set(order[:greedy].tolist())}
    gone["optimal"] = set(withheld)
    where = source.map()
    rows: list[Row] = []
    for plan in PLANS:
        kept = [photo for photo in range(each.photos) if photo not in gone[plan]]
        total = each.scores[kept].astype(float).sum(axis=0)
        first = np.argsort(-total, kind="stable")[: TOP + 1]
        for cell in sorted({*first.tolist(), each.truth}):
            rank = int((total > total[cell]).sum()) + 1
            rows.append(
                {
                    "what": "cell", "plan": plan, "item": cell, "rank": rank,
                    "x": round(float(where[cell, 0]), 4), "y": round(float(where[cell, 1]), 4),
                    "truth": int(cell == each.truth), "value": round(float(total[cell]), 3),
                }
            )  # fmt: skip
        for photo in range(each.photos):
            rows.append(
                {
                    "what": "photo", "plan": plan, "item": photo, "rank": None, "x": None,
                    "y": None, "truth": int(photo in gone[plan]),
                    "value": round(float(each.scores[photo, each.truth]), 3),
                }
            )  # fmt: skip
    for cell in range(len(where)):
        rows.append(
            {
                "what": "map", "plan": None, "item": cell, "rank": None,
                "x": round(float(where[cell, 0]), 4), "y": round(float(where[cell, 1]), 4),
                "truth": int(cell == each.truth), "value": None,
            }
        )  # fmt: skip
    return rows


def _withheld(rows: Sequence[Row], plan: str) -> list[int]:
    return [
        int(number(row["item"]))
        for row in rows
        if row["what"] == "photo" and row["plan"] == plan and row["truth"]
    ]


def _rank(rows: Sequence[Row], plan: str) -> int:
    found = [r for r in rows if r["what"] == "cell" and r["plan"] == plan and r["truth"]]
    return int(number(found[0]["rank"]))


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Photos withheld and the rank of the truth."""
    if not rows:
        return []
    result = []
    for plan in PLANS:
        gone = float(len(_withheld(rows, plan)))
        theirs = PAPER.get(plan)
        paper = None if theirs is None else float(theirs)
        result.append(Number(plan, "photos withheld", gone, paper=paper))
        result.append(Number(plan, "rank of the truth", float(_rank(rows, plan))))
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """A strip of sixteen photos, and three maps with the first five guesses."""
    if not rows:
        return {}
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    from elsewhere.report.look import LIGHT

    figure, grid = plt.subplot_mosaic(
        [["strip"] * 3, list(PLANS)], figsize=(9.4, 5.4), height_ratios=(1, 2.3)
    )
    strip = grid["strip"]
    photos = [r for r in rows if r["what"] == "photo" and r["plan"] == "optimal"]
    shown = np.exp([number(r["value"]) for r in photos])
    strip.bar(range(len(shown)), shown, width=0.7, color=LIGHT.land, edgecolor=LIGHT.faint)
    for plan, mark, colour, height in (
        ("greedy", "P", LIGHT.baseline, 1.36), ("optimal", "X", LIGHT.withheld, 1.16),
    ):  # fmt: skip
        gone = _withheld(rows, plan)
        strip.plot(
            gone, [height * shown.max()] * len(gone), mark, color=colour, ms=7, ls="none",
            label=f"withheld by {plan} ({len(gone)})",
        )  # fmt: skip
    strip.set(xticks=range(len(shown)), xticklabels=[str(i + 1) for i in range(len(shown))])
    strip.set(ylim=(0, 1.5 * shown.max()), xlim=(-0.6, len(shown) - 0.4))
    strip.set(xlabel="photo", ylabel="P(truth | photo)")
    strip.set_title("Sixteen photos of one cell: what each says of it, and who withholds it")
    strip.grid(visible=False, axis="x")
    ground = [r for r in rows if r["what"] == "map"]
    for plan in PLANS:
        axes = grid[plan]
        axes.plot(
            [number(r["x"]) for r in ground], [number(r["y"]) for r in ground], ".", ms=2.5,
            color=LIGHT.line,
        )  # fmt: skip
        for row in rows:
            if row["what"] != "cell" or row["plan"] != plan:
                continue
            rank = int(number(row["rank"]))
            x, y = number(row["x"]), number(row["y"])
            if row["truth"]:
                axes.plot(x, y, "o", ms=13, mfc="none", mec=LIGHT.truth, mew=1.8)
            if rank <= TOP:
                axes.plot(x, y, "D", ms=5, color=LIGHT.decoy)
        count, rank = len(_withheld(rows, plan)), _rank(rows, plan)
        axes.set_title(f"{plan}, {count} withheld" if count else plan)
        axes.set_xlabel(f"truth at rank {rank}")
        axes.set(xticks=[], yticks=[])
        axes.grid(visible=False)
    ring = Line2D([], [], ls="none", marker="o", ms=10, mfc="none", mec=LIGHT.truth, label="truth")
    guess = Line2D([], [], ls="none", marker="D", color=LIGHT.decoy, label="first five guesses")
    handles, _ = strip.get_legend_handles_labels()
    figure.legend(handles=[*handles, ring, guess], loc="outside lower center", ncols=4)
    return {"teaser": figure}


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """That it was chosen."""
    if not rows:
        return ["No collection here is as striking as the paper's example; run a larger scale."]
    return [
        "One collection, chosen because it comes nearest to the paper's example (greedy 12, "
        "optimal 4); the averages are in Table 2. Ring: the true cell; diamonds: the first five "
        "guesses. The simulated world has no geography: its map is drawn by the two directions in "
        "which cells differ most."
    ]


EXPERIMENT = Experiment(
    name="teaser",
    title="Figure 1: sixteen photos, greedy and optimal",
    about="What greedy withholds of sixteen photos for a top-5 guarantee, and what is needed.",
    parts=lambda source, scale: [Part("all", {"cells": cells_of(source, scale)[:128]})],
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    decimals=0,
)
