"""Black box: plan against one model, be attacked with another; the margin θ buys success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from elsewhere_lab.collections import cells_of, one_each, parts, size_of
from elsewhere_lab.plots import whiskers
from elsewhere_lab.solving import ahead, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.unexplained import unexplained_plan
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, mean

TOPS = (1, 5)
MARGINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
KIND = "R-128"


def some_parts(source: Source, scale: Scale) -> list[Part]:
    """One collection of each of some cells; the largest that the photos allow, up to R-128."""
    smaller = Scale(scale.name, 1, scale.few, 0, scale.few)
    most = max(len(source.photos(cell)[0]) for cell in cells_of(source, smaller))
    kind = next((kind for kind in (KIND, "R-64", "R-32") if size_of(kind) <= most), "R-16")
    return parts(source, smaller, (kind,))


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each collection, k and θ."""
    rows: list[Row] = []
    for each in one_each(source, part, paired=True):
        proxy, other = each.views
        for top in TOPS:
            for margin in MARGINS:
                found = unexplained_plan(proxy, each.truth, top=top, margin=margin)
                holds = None
                if found.kept is not None:
                    holds = int(ahead(other[found.kept], each.truth) >= top)
                rows.append(
                    {
                        "kind": each.kind, "number": each.number, "photos": each.photos,
                        "top": top, "margin": margin, "withheld": found.withheld, "holds": holds,
                        "status margin": found.status,
                    }
                )  # fmt: skip
    return rows


def curve(
    rows: Sequence[Row], top: int
) -> list[tuple[float, tuple[float, float, int], tuple[float, float, int]]]:
    """For each θ: success at the other model (no plan is no success), and the share withheld."""
    result = []
    for margin in MARGINS:
        mine = [row for row in rows if row["top"] == top and row["margin"] == margin]
        success = mean([float(row["holds"] or 0) for row in mine])
        gone = [
            row["withheld"] / row["photos"]
            for row in mine
            if isinstance(row["withheld"], int) and isinstance(row["photos"], int)
        ]
        if mine:
            result.append((margin, success, mean(gone)))
    return result


def without(rows: Sequence[Row], top: int, margin: float) -> tuple[float, float, int]:
    """The share of the collections that have no plan at all."""
    mine = [row for row in rows if row["top"] == top and row["margin"] == margin]
    return mean([float(row["withheld"] is None) for row in mine])


def summarise(rows: Sequence[Row]) -> list[Number]:
    """Success, share without a plan, and share withheld, by θ."""
    result = []
    for top in TOPS:
        for margin, success, gone in curve(rows, top):
            line = f"θ = {margin:g}"
            result.append(Number(line, f"top-{top} success", *success))
            result.append(Number(line, f"top-{top} no plan", *without(rows, top, margin)))
            result.append(Number(line, f"top-{top} withheld", *gone))
    return result


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """The paper's figure: success at the other model, and photos withheld, against θ."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.1), sharey=True)
    for axes, top in zip(grid, TOPS, strict=True):
        points = curve(rows, top)
        x = [margin for margin, _, _ in points]
        for values, style, colour, name in (
            ([s for _, s, _ in points], "-o", LIGHT.kept, "holds at the other model"),
            ([g for _, _, g in points], "--X", LIGHT.withheld, "share of photos withheld"),
        ):
            axes.errorbar(
                x, [v[0] for v in values], whiskers(values), fmt=style, color=colour, capsize=2,
                label=name,
            )  # fmt: skip
        axes.set(xlabel="margin θ, nats per kept photo", ylim=(-0.03, 1.04))
        axes.set_title(f"{rows[0]['kind']}, top-{top}")
    grid[0].legend(loc="center right")
    return {"margin": figure}


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """The θ from which nine in ten hold."""
    told = []
    for top in TOPS:
        points = curve(rows, top)
        if not points:
            continue
        start = points[0]
        begins = (
            f"Top-{top}, {start[1][2]} collections: without a margin {start[1][0]:.0%} have a plan "
            "that holds at the other model"
        )
        enough = next((p for p in points if p[1][0] >= 0.9), None)
        if enough is start:
            told.append(f"{begins}.")
        elif enough is not None:
            told.append(
                f"{begins}; θ = {enough[0]:g} brings it to {enough[1][0]:.0%} and raises the share "
                f"withheld, of those with a plan, from {start[2][0]:.2f} to {enough[2][0]:.2f}."
            )
        else:
            best = max(points, key=lambda p: p[1][0])
            told.append(
                f"{begins}; no margin up to {points[-1][0]:g} makes it nine in ten, the most is "
                f"{best[1][0]:.0%} at θ = {best[0]:g}."
            )
    return told + unproved(rows)


EXPERIMENT = Experiment(
    name="margin",
    title="Black box: success at a model that was not seen, against the margin θ",
    about=(
        "Plans are made against one of two models that were trained on different halves of the "
        "photos, with the margin θ on every kept photo, and tried on the other. Success is that "
        "the guarantee holds there; where no plan exists there is no success. The share withheld "
        "is over the collections with a plan. One collection for each of some cells (the "
        "paper takes all of its five thousand); the paper's figure prints no numbers."
    ),
    parts=some_parts,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    models=2,
)
