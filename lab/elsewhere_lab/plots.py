"""Figures in the style of the reports: ours filled, the paper's hollow beside it."""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elsewhere.report.colours import LIGHT, matplotlib_style
from elsewhere_lab.files import write_whole
from elsewhere_lab.statistics import WITHHELD, Average, pick, wilson
from elsewhere_lab.values import Experiment, Number, Numbers, Rows

Figure = Any  # A matplotlib figure
KIND_COLOURS = {
    "R-16": LIGHT.withheld, "R-32": LIGHT.decoy, "R-64": LIGHT.kept, "R-128": LIGHT.truth,
}  # fmt: skip
KIND_MARKERS = {"R-16": "o", "R-32": "s", "R-64": "^", "R-128": "D"}
STUDY_COLOURS = (LIGHT.withheld, LIGHT.decoy, LIGHT.kept)
"""Of the three kinds of collections in a study, in the order of the tables."""
METHODS = {"optimal": (LIGHT.kept, "o", "-"), "greedy": (LIGHT.baseline, "P", "--")}
DOTS = 160  # dots per inch of a PNG
_PAPER_SHIFT = 0.13
_STYLE: dict[str, Any] = {
    "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "legend.fontsize": 8, "lines.linewidth": 1.6, "lines.markersize": 4.5,
    "figure.constrained_layout.use": True, "axes.axisbelow": True, "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}  # fmt: skip


@contextmanager
def drawing() -> Iterator[Any]:
    """Within, figures have the project's style and need no screen."""
    import matplotlib as mpl

    mpl.use("agg")
    style: dict[str, Any] = {**matplotlib_style(), **_STYLE}
    with mpl.rc_context(style):  # type: ignore[arg-type,unused-ignore]
        yield


def draw_figure(
    experiment: Experiment, rows: Rows, numbers: Numbers, folder: Path,
    endings: Sequence[str] = ("svg", "png"),
) -> None:  # fmt: skip
    """Draw an experiment's figure, if it has one, as NAME.svg and NAME.png."""
    if not rows or experiment.draw is None:
        return
    import matplotlib.pyplot as plt

    with drawing():
        figure = experiment.draw(rows, numbers)
        if figure is None:
            return
        for ending in endings:
            picture = io.BytesIO()
            extra: Any = {"metadata": {"Date": None}} if ending == "svg" else {"dpi": DOTS}
            figure.savefig(picture, format=ending, **extra)
            write_whole(folder / f"{experiment.name}.{ending}", picture.getvalue())
        plt.close(figure)


def new_panels(count: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """A figure with panels beside each other: the figure, and its axes."""
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(1, count, figsize=size, squeeze=False, **options)
    return figure, grid[0]


def plot_series(
    axes: Any, numbers: Sequence[Number | None], *, colour: str, marker: str, style: str = "-",
    name: str = "", paper: bool = True,
) -> None:  # fmt: skip
    """A series over equally spaced places: ours with its standard error, the paper's hollow."""
    here = [(i, n) for i, n in enumerate(numbers) if n is not None]
    axes.errorbar(
        [x for x, _ in here], [n.ours for _, n in here], [_reach(n.error) for _, n in here],
        ls=style, marker=marker, color=colour, capsize=2, label=name or None,
    )  # fmt: skip
    theirs = [(x + _PAPER_SHIFT, n.paper) for x, n in here if paper and n.paper is not None]
    axes.plot(
        [x for x, _ in theirs], [value for _, value in theirs], ls="none", marker=marker,
        mfc="none", mec=colour, mew=1.2, ms=6,
    )  # fmt: skip


def plot_beside(
    axes: Any, numbers: Sequence[Number | None], place: tuple[int, int], *, colour: str,
    marker: str, name: str, share: bool = False,
) -> None:  # fmt: skip
    """One series of several over named places, each a little beside the others, with 95 % bars."""
    which, of = place
    shift = 0.6 * (which - (of - 1) / 2) / of
    here = [
        (i + shift, n)
        for i, n in enumerate(numbers)
        if n is not None and n.count and not math.isnan(n.ours)
    ]
    bars = [bar(n, share=share) for _, n in here]
    axes.errorbar(
        [x for x, _ in here], [n.ours for _, n in here],
        [[low for low, _ in bars], [high for _, high in bars]], ls="none", marker=marker,
        color=colour, capsize=1.5, elinewidth=1, label=name,
    )  # fmt: skip


def draw_by_kind(
    kinds: Sequence[str], numbers: Numbers, columns: Mapping[str, str], ways: Sequence[str],
    width: float,
) -> Figure:  # fmt: skip
    """One panel for each column, with its title; in each one series for each kind, by way."""
    figure, grid = new_panels(len(columns), (width, 3.9), sharey=True)
    for axes, (column, title) in zip(grid, columns.items(), strict=True):
        for i, (kind, colour) in enumerate(zip(kinds, STUDY_COLOURS, strict=False)):
            values = [pick(numbers, f"{kind}, {way}", column) for way in ways]
            marker, share = KIND_MARKERS.get(kind, "D"), column != WITHHELD
            plot_beside(axes, values, (i, 3), colour=colour, marker=marker, name=kind, share=share)
        label_places(axes, ways, slanted=True)
        axes.set(ylim=(-0.03, 1.04), title=title)
    legend_below(figure, grid[0], 3)
    return figure


def bar(number: Number, *, share: bool) -> tuple[float, float]:
    """How far the 95 % bar of a number reaches down and up."""
    if share:
        low, high = wilson(number.ours, number.count)
        return max(0.0, number.ours - low), max(0.0, high - number.ours)
    reach = _reach(number.error)
    return min(reach, number.ours), reach


def share_bars(points: Sequence[Average]) -> list[list[float]]:
    """How far the bars of shares reach down and up: no share is below 0 or above 1.

    >>> share_bars([(1.0, 0.1, 9)])
    [[0.196], [0.0]]
    """
    return [
        [min(_reach(error), room) for room, (_, error, _) in zip(rooms, points, strict=True)]
        for rooms in ([share for share, _, _ in points], [1 - share for share, _, _ in points])
    ]


def _reach(error: float) -> float:
    return 0.0 if math.isnan(error) else 1.96 * error


def label_places(axes: Any, names: Sequence[str], *, slanted: bool = False) -> None:
    """Name each place; slanted where the names are long."""
    style = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(names)), names, **style)
    axes.set_xlim(-0.5 if slanted else -0.35, len(names) - 0.5)
    axes.grid(visible=False, axis="x")


def legend_below(figure: Any, axes: Any, columns: int) -> None:
    """The legend of one panel, below all of them."""
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=columns)


def legend_with_paper(figure: Any) -> None:
    """One legend below all panels, with the hollow mark explained."""
    from matplotlib.lines import Line2D

    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(name, handle)
    hollow = Line2D([], [], ls="none", marker="o", mfc="none", mec=LIGHT.ink, label="paper")
    figure.legend(handles=[*handles.values(), hollow], loc="outside lower center", ncols=4)
