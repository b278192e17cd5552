"""Black box: plan against one model, be attacked with another; the margin θ buys success."""

from __future__ import annotations

from collections.abc import Iterator

from elsewhere.report.colours import LIGHT
from elsewhere_lab.collections import one_each, one_each_parts, size_of, spread
from elsewhere_lab.plots import Figure, new_panels, share_bars
from elsewhere_lab.solving import rank_ahead, solve_quietly, unproved
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import Average, mean, withheld_share
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale

TOPS = (1, 5)
MARGINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0)
KIND = "R-128"


def parts(source: Source, scale: Scale) -> list[Part]:
    """One collection of each of some cells; the largest that the photos allow, up to R-128."""
    largest = max(len(source.photos(cell)[0]) for cell in spread(source.cells, scale.sample))
    kind = next((kind for kind in (KIND, "R-64", "R-32") if size_of(kind) <= largest), "R-16")
    return one_each_parts(source, scale, (kind,))


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each collection, k and θ."""
    for each in one_each(source, part, paired=True):
        proxy, other = each.views
        for top in TOPS:
            for margin in MARGINS:
                plan = solve_quietly(proxy, each.truth, top=top, margin=margin)
                holds = None
                if plan.kept is not None:
                    holds = int(rank_ahead(other[plan.kept], each.truth) >= top)
                row = {"top": top, "margin": margin, "withheld": plan.withheld, "holds": holds}
                yield {**each.key, **row, "status margin": plan.status}


def _chosen(rows: Rows, top: int, margin: float) -> list[Row]:
    return [row for row in rows if (row["top"], row["margin"]) == (top, margin)]


def curve(rows: Rows, top: int) -> list[tuple[float, Average, Average]]:
    """For each θ: success at the other model (no plan is no success), and the share withheld."""
    result = []
    for margin in MARGINS:
        if mine := _chosen(rows, top, margin):
            success = mean([float(row["holds"] or 0) for row in mine])
            gone = [share for row in mine if (share := withheld_share(row)) is not None]
            result.append((margin, success, mean(gone)))
    return result


def summarise(rows: Rows) -> Iterator[Number]:
    """Success, share without a plan, and share withheld, by θ."""
    for top in TOPS:
        for margin, success, gone in curve(rows, top):
            none = mean([float(row["withheld"] is None) for row in _chosen(rows, top, margin)])
            for name, average in (("success", success), ("no plan", none), ("withheld", gone)):
                yield Number(f"θ = {margin:g}", f"top-{top} {name}", *average)


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """The θ from which nine in ten hold."""
    for top in TOPS:
        points = curve(rows, top)
        if not points:
            continue
        start = points[0]
        text = (
            f"Top-{top}, {start[1][2]} collections: without a margin {start[1][0]:.0%} have a plan "
            "that holds at the other model"
        )
        enough = next((point for point in points if point[1][0] >= 0.9), None)
        if enough is None:
            best = max(points, key=lambda point: point[1][0])
            text += (
                f"; no margin up to {points[-1][0]:g} makes it nine in ten, the most is "
                f"{best[1][0]:.0%} at θ = {best[0]:g}"
            )
        elif enough is not start:
            text += (
                f"; θ = {enough[0]:g} brings it to {enough[1][0]:.0%} and raises the share "
                f"withheld, of those with a plan, from {start[2][0]:.2f} to {enough[2][0]:.2f}"
            )
        yield text + "."
    yield from unproved(rows)


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """The paper's figure: success at the other model, and photos withheld, against θ."""
    figure, grid = new_panels(2, (7.4, 3.1), sharey=True)
    for axes, top in zip(grid, TOPS, strict=True):
        points = curve(rows, top)
        for values, style, colour, name in (
            ([s for _, s, _ in points], "-o", LIGHT.kept, "holds at the other model"),
            ([g for _, _, g in points], "--X", LIGHT.withheld, "share of photos withheld"),
        ):
            axes.errorbar(
                [margin for margin, _, _ in points], [v[0] for v in values], share_bars(values),
                fmt=style, color=colour, capsize=2, label=name,
            )  # fmt: skip
        axes.set(xlabel="margin θ, nats per kept photo", ylim=(-0.03, 1.04))
        axes.set_title(f"{rows[0]['kind']}, top-{top}")
    grid[0].legend(loc="center right")
    return figure
