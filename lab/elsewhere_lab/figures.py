"""Plots in the house's look, as SVG and PNG; matplotlib is imported only here and by callers.

Every figure is built from an experiment's files, never from what is still in memory, so that it
can be drawn again without measuring again.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elsewhere.errors import InputError
from elsewhere.report.colours import LIGHT, matplotlib_style
from elsewhere.values.wording import installed_by
from elsewhere_lab.files import write_whole

KIND_COLOURS = dict(
    zip(
        ("R-16", "R-32", "R-64", "R-128"), (LIGHT.withheld, LIGHT.decoy, LIGHT.kept, LIGHT.truth),
        strict=True,
    )
)  # fmt: skip
KIND_MARKERS = {"R-16": "o", "R-32": "s", "R-64": "^", "R-128": "D"}
"""Nothing is told by colour alone."""
DOTS = 160
"""Dots per inch of a PNG."""


def available() -> bool:
    """Whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


@contextmanager
def drawing() -> Iterator[Any]:
    """Within, `plt` draws in our look, without a screen."""
    if not available():
        raise InputError(f"plots need matplotlib: {installed_by('lab')}")
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    own: dict[str, Any] = {
        "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold", "axes.titlelocation":
        "left", "legend.fontsize": 8, "lines.linewidth": 1.6, "lines.markersize": 4.5,
        "figure.constrained_layout.use": True, "axes.axisbelow": True, "xtick.labelsize": 8,
        "ytick.labelsize": 8,
    }  # fmt: skip
    look: dict[str, Any] = {**matplotlib_style(), **own}
    with mpl.rc_context(look):  # type: ignore[arg-type,unused-ignore]
        yield plt


def save(folder: Path, figures: Mapping[str, Any]) -> list[Path]:
    """Write each figure as SVG and PNG, without dates, so that the same data give the same file."""
    import matplotlib.pyplot as plt

    written = []
    for name, figure in figures.items():
        for ending, extra in (("svg", {"metadata": {"Date": None}}), ("png", {"dpi": DOTS})):
            picture = io.BytesIO()
            figure.savefig(picture, format=ending, **extra)
            file = folder / f"{name}.{ending}"
            write_whole(file, picture.getvalue())
            written.append(file)
        plt.close(figure)
    return written
