"""Table 2: the fewest photos to withhold for a top-1 and a top-5 guarantee, optimal and greedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere.values.plan import Status
from elsewhere_lab.averages import mean_by_cell
from elsewhere_lab.collections import KINDS, RANDOM, collections, parts
from elsewhere_lab.paper import with_papers
from elsewhere_lab.plots import METHODS, explain, names_below, pick, steps
from elsewhere_lab.solving import fewest, greedy_fewest, greedy_steps, stopped, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, Value

TOPS = (1, 5)


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """For each collection and k, what is withheld; nothing where it was not top-k accurate."""
    rows: list[Row] = []
    for each in collections(source, part):
        steps = greedy_steps(each.scores, each.truth)
        row: dict[str, Value] = {
            "kind": each.kind,
            "number": each.number,
            "photos": each.photos,
            "ahead": int(steps[0]),
        }
        for top in TOPS:
            row |= {f"optimal {top}": None, f"greedy {top}": None, f"status {top}": None}
            if steps[0] < top:
                plan = fewest(each.scores, each.truth, top)
                row[f"optimal {top}"] = len(plan.withheld) if plan.found else None
                row[f"greedy {top}"] = greedy_fewest(steps, top)
                row[f"status {top}"] = str(plan.status)
        rows.append(row)
    return rows


def withheld(row: Row, method: str, top: int) -> float | None:
    """The share of photos withheld, of the collections where both methods have a plan."""
    gone, photos, other = row[f"{method} {top}"], row["photos"], row[f"greedy {top}"]
    if gone is None or other is None:
        return None
    assert isinstance(gone, int) and isinstance(photos, int)
    return gone / photos


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Mean shares, over the collections that were top-k accurate before."""
    result = []
    for kind in KINDS:
        mine = [row for row in rows if row["kind"] == kind]
        for top in TOPS:
            for method in ("optimal", "greedy"):
                averaged = mean_by_cell(mine, [withheld(row, method, top) for row in mine])
                if averaged[2]:
                    result.append(with_papers("fewest", kind, f"top-{top} {method}", averaged))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """How many plans there are, how sure all this is, and where there is none."""
    asked = [
        (row[f"status {top}"], row[f"optimal {top}"] is not None, row[f"greedy {top}"] is not None)
        for row in rows
        for top in TOPS
        if row[f"status {top}"] is not None
    ]
    open_ones = len(unproved(rows))
    plans = sum(found for _, found, _ in asked)
    none = sum(status == Status.INFEASIBLE for status, _, _ in asked)
    worse = sum(found and not greedy for _, found, greedy in asked)
    proof = f"{plans - open_ones:,} of them" if open_ones else "all"
    told = [f"Plans found: {plans:,}, {proof} proved optimal."]
    if none:
        told.append(
            "Proved to have no plan, because whatever is withheld the photos that stay give the "
            f"place away: {none:,}."
        )
    if worse:
        told.append(f"Where there is a plan and greedy finds none: {worse:,}.")
    if none or worse:
        told.append("Both averages leave out collections for which either has none.")
    return told + stopped(rows)


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Shares withheld by kind, optimal and greedy."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(1, 2, figsize=(8.2, 3.1), sharey=True)
    for axes, top in zip(grid, TOPS, strict=True):
        for method, (colour, marker, style) in METHODS.items():
            column = f"top-{top} {method}"
            values = [pick(numbers, kind, column) for kind in RANDOM]
            steps(axes, values, colour=colour, marker=marker, style=style, name=method)
            albums = [None] * len(RANDOM) + [pick(numbers, "Albums", column)]
            steps(axes, albums, colour=colour, marker=marker, style="none")
        axes.set_title(f"Top-{top} guarantee")
        axes.set_ylim(0, 0.8)
        names_below(axes, KINDS)
    grid[0].set_ylabel("share of photos withheld")
    explain(figure)
    return {"fewest": figure}


EXPERIMENT = Experiment(
    name="fewest",
    title="Table 2: the fewest photos to withhold",
    about=(
        "The mean share of photos withheld so that the true cell is not among the first k, by the "
        "proved smallest plan and by greedy, which withholds photos by their score for the true "
        "cell, the highest first, until that is out of the top k, as the paper has it; over the "
        "collections that were top-k accurate before."
    ),
    parts=parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
)
