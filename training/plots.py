"""The card's plots: is a stated probability right, and what would more places bring."""

from __future__ import annotations

from pathlib import Path
from typing import Any

KINDS = {"seen": "trained landmarks", "never": "never-seen places"}


def draw(calibration: dict[str, Any], measured: dict[str, Any], folder: Path) -> None:
    """Write ``calibration.svg`` and ``curve.svg``, the same bytes from the same results."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "elsewhere"
    import matplotlib.pyplot as plt

    sizes = ("1", "4", "16", "64")
    figure, grid = plt.subplots(2, 4, figsize=(12, 6.2), sharex=True, sharey=True)
    for row, (kind, text) in zip(grid, KINDS.items(), strict=True):
        for axes, size in zip(row, sizes, strict=True):
            axes.plot([0, 1], [0, 1], color="#999999", linewidth=0.8)
            found = calibration["albums"][size].get(kind)
            if found:
                for key, label, colour in (
                    ("reliability_plain", "plain sum", "#c0504d"),
                    ("reliability", "calibrated", "#1f6f8b"),
                ):
                    x, y, weight = zip(*found[key], strict=True)
                    axes.plot(x, y, color=colour, linewidth=1, label=label)
                    axes.scatter(x, y, s=[8 + 120 * w for w in weight], color=colour)
            photos = "1 photo" if size == "1" else f"{size} photos"
            axes.set_title(f"{text}, {photos}", fontsize=9)
            axes.set_xlim(0, 1)
            axes.set_ylim(0, 1)
    grid[0][0].legend(fontsize=8, loc="upper left")
    figure.supxlabel("probability given to the likeliest cell", fontsize=9)
    figure.supylabel("how often it is the right one", fontsize=9)
    figure.tight_layout()
    figure.savefig(folder / "calibration.svg", metadata={"Date": None})

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    points = measured["curve"]
    photos_trained = [p["trained_photos"] for p in points]
    rank = [p["mean_rank"] for p in points]
    low = [p["intervals"]["mean_rank"][0] for p in points]
    high = [p["intervals"]["mean_rank"][1] for p in points]
    left.fill_between(photos_trained, low, high, color="#1f6f8b", alpha=0.2, linewidth=0)
    left.plot(photos_trained, rank, "o-", color="#1f6f8b")
    left.set_ylim(0)
    left.set_title("mean rank at never-seen places", fontsize=9)
    for key, colour in (("within_750", "#1f6f8b"), ("within_2500", "#c0504d")):
        right.plot(
            photos_trained, [p[key] for p in points], "o-", color=colour, label=key[7:] + " km"
        )
    right.set_ylim(0, 1)
    right.legend(fontsize=8)
    right.set_title("share within a distance", fontsize=9)
    for axes in (left, right):
        axes.set_xlabel("photos trained on", fontsize=9)
    figure.tight_layout()
    figure.savefig(folder / "curve.svg", metadata={"Date": None})
