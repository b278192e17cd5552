"""Figures in the style of the reports: ours filled, the paper's hollow beside it."""

import io
import math
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from elsewhere.report.colours import LIGHT, matplotlib_style
from elsewhere_lab.files import write_whole
from elsewhere_lab.statistics import WITHHELD, pick
from elsewhere_lab.values import Experiment, Number, Numbers, Rows, Z, wilson

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
    if not rows:
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


class Series(NamedTuple):
    """One series of a chart: what its numbers are found by, its looks, its name in the legend."""

    key: str
    colour: str
    marker: str
    name: str = ""


def draw_beside(
    numbers: Numbers, panels: Mapping[str, str], series: Sequence[Series], places: Sequence[str],
    field: Callable[[str, str, str], tuple[str, str]], *, size: tuple[float, float],
    shares: Container[str] = (), slanted: bool = False, sharey: bool = True,
) -> tuple[Figure, Any]:  # fmt: skip
    """Panels by key with their titles: series beside each other over named places, 95 % bars.

    `field` gives the line and column for the keys of panel, series and place. `shares` are the
    panels whose numbers are shares of collections.
    """
    figure, grid = new_panels(len(panels), size, sharey=sharey)
    for axes, (panel, title) in zip(grid, panels.items(), strict=True):
        for i, (key, colour, marker, name) in enumerate(series):
            shift = 0.6 * (i - (len(series) - 1) / 2) / len(series)
            values = [pick(numbers, *field(panel, key, place)) for place in places]
            here = [
                (x + shift, n)
                for x, n in enumerate(values)
                if n is not None and n.count and not math.isnan(n.ours)
            ]
            axes.errorbar(
                [x for x, _ in here], [n.ours for _, n in here],
                error_bars([n for _, n in here], share=panel in shares), ls="none", marker=marker,
                color=colour, capsize=1.5, elinewidth=1, label=name or key,
            )  # fmt: skip
        label_places(axes, places, slanted=slanted)
        axes.set_title(title)
    return figure, grid


def draw_by_kind(
    kinds: Sequence[str], numbers: Numbers, columns: Mapping[str, str], ways: Sequence[str],
    width: float,
) -> Figure:  # fmt: skip
    """One panel for each column, with its title; in each one series for each kind, by way."""
    series = [
        Series(kind, colour, KIND_MARKERS.get(kind, "D"))
        for kind, colour in zip(kinds, STUDY_COLOURS, strict=False)
    ]
    figure, grid = draw_beside(
        numbers, columns, series, ways, lambda column, kind, way: (f"{kind}, {way}", column),
        size=(width, 3.9), shares=set(columns) - {WITHHELD}, slanted=True,
    )  # fmt: skip
    grid[0].set_ylim(-0.03, 1.04)
    legend_below(figure, grid[0], 3)
    return figure


def error_bars(numbers: Sequence[Number], *, share: bool) -> Any:
    """How far the 95 % bars of numbers reach down and up, (2, numbers)."""
    bars = []
    for number in numbers:
        reach = _reach(number.error)
        down, up = min(reach, number.ours), reach
        if share:
            low, high = wilson(number.ours, number.count)
            down, up = max(0.0, number.ours - low), max(0.0, high - number.ours)
        bars.append((down, up))
    return np.reshape(bars, (-1, 2)).T


def _reach(error: float) -> float:
    return 0.0 if math.isnan(error) else Z * error


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
