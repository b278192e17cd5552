"""A platform encodes every photo again: how far do the scores move, and what margin covers it?"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.errors import FileError, InputError
from elsewhere.lab.plots import pick
from elsewhere.lab.sources import Scored, Source
from elsewhere.lab.values import Experiment, Number, Part, Row, Scale, number

TABLE = "recompress.csv"
"""Beside the truth file: by how many nats gains moved, as `training/recompress.py` measured it."""
SIZES = (1, 4, 8, 16, 32)
"""Photos that are kept and added up."""
DRAWS = 20_000
COVERED = 0.99
_SEED = 20261119


def one_part(source: Source, scale: Scale) -> list[Part]:
    """The pixels were scored beforehand; what is left is one sheet of numbers."""
    return [Part("all")]


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each photo, way to encode it again, and rival: by how much its gain moved."""
    if not isinstance(source, Scored):
        raise InputError("the simulator has no pixels to encode again: give score files")
    return read(source.truth.with_name(TABLE))


def read(file: Path) -> list[Row]:
    """The table as tidy rows."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            told = list(csv.DictReader(lines))
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror}") from None
    return [
        {"photo": line["photo"], "way": line["way"], "rival": rival, "moved": float(value)}
        for line in told
        for rival, value in line.items()
        if rival.startswith("rival")
    ]


def needed(rows: Sequence[Row], way: str, size: int) -> float:
    """The θ that covers 99 % of draws of so many photos: their mean gain falls by no more."""
    photos: dict[str, list[float]] = {}
    for row in rows:
        if row["way"] == way:
            photos.setdefault(str(row["photo"]), []).append(number(row["moved"]))
    moved = np.array(list(photos.values()))
    rng = np.random.default_rng([_SEED, size])
    which = rng.integers(len(moved), size=(DRAWS, size))
    # each draw follows one rival through the photos, whichever place it has in each
    rival = rng.integers(moved.shape[1], size=(DRAWS, size))
    falls = -moved[which, rival].mean(axis=1)
    return max(0.0, float(np.quantile(falls, COVERED)))


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How far gains move, and the θ that covers it, by way and album."""
    result = []
    for way in dict.fromkeys(str(row["way"]) for row in rows):
        moved = np.array([number(row["moved"]) for row in rows if row["way"] == way])
        count = len({row["photo"] for row in rows if row["way"] == way})
        result.append(Number(way, "mean", float(moved.mean()), 0.0, count))
        result.append(Number(way, "spread", float(moved.std()), 0.0, count))
        for size in SIZES:
            result.append(Number(way, f"θ, {size} kept", needed(rows, way, size), 0.0, count))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    eight, sixteen = (
        {way: one.ours for way in ways if (one := pick(numbers, way, f"θ, {size} kept"))}
        for size in (8, 16)
    )
    mild = {way: value for way, value in eight.items() if way not in ("quality 60", "quality 70")}
    worst, usual = max(eight, key=lambda way: eight[way]), max(mild, key=lambda way: mild[way])
    return [
        f"A margin of {mild[usual]:.2f} nats per photo covers 99 % of what a platform does to an "
        f"album of eight kept photos at quality 80 and more and at 1080 to 2048 px "
        f"({sixteen[usual]:.2f} for sixteen); at its worst ({worst}) it takes {eight[worst]:.2f} "
        f"({sixteen[worst]:.2f} for sixteen). One photo alone moves further than any margin is "
        "worth: what is promised of single photos is of the files as exported."
    ]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """θ by the number of photos kept, one line for each way."""
    import matplotlib.pyplot as plt

    from elsewhere.report.look import LIGHT

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.2), sharey=True)
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    groups = ([w for w in ways if w.startswith("quality")], [w for w in ways if w.endswith("px")])
    colours = (LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.kept, LIGHT.ink)
    for axes, some, title in zip(
        grid, groups, ("JPEG quality", "Longest side, quality 85"), strict=True
    ):
        for way, colour, marker in zip(some, colours, "os^Dv", strict=False):
            found = [pick(numbers, way, f"θ, {size} kept") for size in SIZES]
            axes.plot(
                SIZES, [one.ours for one in found if one], color=colour, marker=marker, label=way
            )
        axes.set_xscale("log", base=2)
        axes.set_xticks(SIZES, SIZES)
        axes.set(xlabel="photos kept", title=title)
        axes.set_ylim(bottom=0)
        axes.legend()
    grid[0].set_ylabel("θ that covers 99 %, nats per photo")
    return {"recompress": figure}


EXPERIMENT = Experiment(
    name="recompress",
    title="When a platform encodes the photos again",
    about=(
        "Renditions encoded again as JPEG at qualities 60 to 95 (128 small photos of 8 cells) and "
        "made smaller to 1080, 1600 and 2048 px (32 large ones), and scored by the embedded model "
        "again: by how many nats the gain of the five likeliest rivals over the truth moves (mean "
        "and standard deviation), and the margin θ that covers 99 % of it when so many photos "
        "are kept and added up (20,000 draws)."
    ),
    parts=one_part,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    decimals=3,
    sources=("scores",),
)
