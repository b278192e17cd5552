"""A platform encodes every photo again: how far do the scores move, and what margin covers it?"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere_lab.plots import pick
from elsewhere_lab.score_files import MOVED
from elsewhere_lab.sources import Scored, Source
from elsewhere_lab.values import Experiment, Number, Part, Row, Scale, number

TABLE = MOVED
"""By how many nats gains moved, as `training/recompress.py` measured it."""
SIZES = (1, 4, 8, 16, 32)
"""Photos that are kept and added up."""
DRAWS = 4_000
AGAIN = 200
"""How often photos and albums are drawn anew for the interval."""
ENDS = (0.05, 0.95)
COVERED = 0.99
_SEED = 20261119

Moved = list[NDArray[np.float64]]
"""For each album, (photos, rivals): by how much the gain of the same rivals moved in each photo."""


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
    if not told or not {"album", "photo", "way"} <= set(told[0]):
        raise FileError(
            f"{file} must have the columns album, photo and way, and one for each rival"
        )
    return [
        {
            "album": line["album"], "photo": line["photo"], "way": line["way"], "rival": rival,
            "moved": float(value),
        }
        for line in told
        for rival, value in line.items()
        if rival.startswith("rival")
    ]  # fmt: skip


def albums(rows: Sequence[Row], way: str) -> Moved:
    """The moves of one way, album by album."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["way"] == way:
            photos = found.setdefault(str(row["album"]), {})
            photos.setdefault(str(row["photo"]), []).append(number(row["moved"]))
    return [np.array(list(photos.values())) for photos in found.values()]


def needed(moved: Moved, size: int, rng: np.random.Generator, draws: int = DRAWS) -> float:
    """The θ that covers 99 % of draws of so many photos: their mean gain falls by no more.

    A draw is of one album, photos of it, and one rival that is followed through all of them: what
    a plan rests on. Rivals drawn anew for each photo would average out what they have in common.
    """
    falls = []
    shares = rng.multinomial(draws, [1 / len(moved)] * len(moved))
    for album, count in zip(moved, shares, strict=True):
        which = rng.integers(len(album), size=(count, size))
        rival = rng.integers(album.shape[1], size=(count, 1))
        falls.append(-album[which, rival].mean(axis=1))
    return max(0.0, float(np.quantile(np.concatenate(falls), COVERED)))


def interval(moved: Moved, size: int) -> tuple[float, float]:
    """What θ would have been with other albums and other photos of them, in nine of ten cases."""
    rng = np.random.default_rng([_SEED, size, 1])
    tried = []
    for _ in range(AGAIN):
        chosen = [moved[i] for i in rng.integers(len(moved), size=len(moved))]
        other = [album[rng.integers(len(album), size=len(album))] for album in chosen]
        tried.append(needed(other, size, rng, draws=1_000))
    low, high = np.quantile(tried, ENDS)
    return float(low), float(high)


def summarise(rows: Sequence[Row]) -> list[Number]:
    """How far gains move, and the θ that covers it with its interval, by way and album."""
    result = []
    for way in dict.fromkeys(str(row["way"]) for row in rows):
        moved = albums(rows, way)
        every = np.concatenate([album.ravel() for album in moved])
        count = sum(len(album) for album in moved)
        result.append(Number(way, "mean", float(every.mean()), float("nan"), count))
        result.append(Number(way, "spread", float(every.std()), float("nan"), count))
        for size in SIZES:
            theta = needed(moved, size, np.random.default_rng([_SEED, size]))
            result.append(Number(way, f"θ, {size} kept", theta, float("nan"), count))
            if size in (8, 16):
                for end, value in zip(("from", "to"), interval(moved, size), strict=True):
                    result.append(Number(way, f"{size} kept, {end}", value, float("nan"), count))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a user can act on."""
    told = []
    for title, ways in _groups(rows):
        known = [way for way in ways if pick(numbers, way, "θ, 8 kept")]
        if not known:
            continue
        moved = albums(rows, known[0])
        count = sum(len(album) for album in moved)
        groups = "one album" if len(moved) == 1 else f"{len(moved)} albums"
        each = "; ".join(
            f"{way} {_range(numbers, way, 8)} and {_range(numbers, way, 16)}" for way in known
        )
        told.append(
            f"{title} ({count} photos, {groups}): the margin, nats "
            f"a photo, that covers 99 % of how far the scores of 8 and 16 kept photos move: {each}."
        )
    one = [n.ours for n in numbers if n.column == "θ, 1 kept"]
    if one:
        told.append(
            f"One photo alone moves by {min(one):.1f} to {max(one):.1f} nats at that: what is "
            "promised of single photos is of the files as exported."
        )
    return told


def _range(numbers: Sequence[Number], way: str, size: int) -> str:
    theta, low, high = (
        pick(numbers, way, column)
        for column in (f"θ, {size} kept", f"{size} kept, from", f"{size} kept, to")
    )
    if theta is None or low is None or high is None:
        return "unknown"
    return f"{theta.ours:.2f} ({low.ours:.2f} to {high.ours:.2f})"


def _groups(rows: Sequence[Row]) -> list[tuple[str, list[str]]]:
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    return [
        ("JPEG quality, small photos", [way for way in ways if way.startswith("quality")]),
        ("Longest side at quality 85, wallpapers", [way for way in ways if way.endswith("px")]),
    ]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """θ by the number of photos kept, one line for each way, with the intervals of 8 and 16."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    figure, grid = plt.subplots(1, 2, figsize=(7.4, 3.2), sharey=True)
    colours = (LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.kept, LIGHT.ink)
    for axes, (title, some) in zip(grid, _groups(rows), strict=True):
        for i, (way, colour, marker) in enumerate(zip(some, colours, "os^Dv", strict=False)):
            found = [pick(numbers, way, f"θ, {size} kept") for size in SIZES]
            axes.plot(
                SIZES, [one.ours for one in found if one], color=colour, marker=marker, label=way
            )
            for size in (8, 16):
                ends = [pick(numbers, way, f"{size} kept, {end}") for end in ("from", "to")]
                beside = size * 2 ** (0.08 * (i - 2))
                axes.plot([beside] * 2, [end.ours for end in ends if end], color=colour, lw=0.8)
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
        "Renditions encoded again as JPEG at qualities 60 to 95 (small photos, 224 px on the short "
        "side, twelve each of sixteen cells) and made smaller to 1080, 1600 and 2048 px (32 "
        "wallpapers, which show no place: their likeliest cell stands for it), and scored again by "
        "the shipped tower and a head that never saw them, in the shipped scorer's nats: by how "
        "much the gain of an album's five likeliest rivals over the truth moves in each photo "
        "(mean and standard deviation), and the margin θ that covers 99 % of it when so many "
        "photos are kept and added up, one rival followed through all of them. From and to: nine "
        "in ten of the answers with albums and photos drawn anew."
    ),
    parts=one_part,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    decimals=3,
    sources=("scores",),
    needs=(TABLE,),
)
