"""A platform encodes every photo again: how far do the scores move, and what margin covers it?"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.report.colours import LIGHT
from elsewhere_lab.plots import Figure, new_panels
from elsewhere_lab.score_files import RECOMPRESSED
from elsewhere_lab.sources import Scored, Source
from elsewhere_lab.statistics import pick
from elsewhere_lab.values import Number, Numbers, Part, Row, Rows, Scale, number

SIZES = (1, 4, 8, 16, 32)
"""Photos that are kept and added up."""
DRAWS = 4_000
RESAMPLES = 200
"""How often photos and albums are drawn anew for the interval."""
ENDS = (0.05, 0.95)
COVERED = 0.99
_SEED = 20261119
_COLOURS = (LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.kept, LIGHT.ink)

Moves = list[NDArray[np.float64]]
"""For each album, (photos, rivals): by how much the gain of the same rivals moved in each photo."""


def parts(source: Source, scale: Scale) -> list[Part]:
    """One part: the pixels were scored beforehand, by `training/recompress.py`."""
    return [Part("all")]


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each photo, way to encode it again, and rival: by how much its gain moved."""
    if not isinstance(source, Scored):
        raise InputError("the simulator has no pixels to encode again: give score files")
    return read(source.truth.with_name(RECOMPRESSED))


def read(file: Path) -> list[Row]:
    """The table as tidy rows."""
    try:
        with file.open(encoding="utf-8", newline="") as text:
            lines = list(csv.DictReader(text))
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror}") from None
    if not lines or not {"album", "photo", "way"} <= set(lines[0]):
        raise FileError(
            f"{file} must have the columns album, photo and way, and one for each rival"
        )
    return [
        {
            "album": line["album"], "photo": line["photo"], "way": line["way"], "rival": rival,
            "moved": float(value),
        }
        for line in lines
        for rival, value in line.items()
        if rival.startswith("rival")
    ]  # fmt: skip


def albums(rows: Rows, way: str) -> Moves:
    """The moves of one way, album by album."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["way"] == way:
            photos = found.setdefault(str(row["album"]), {})
            photos.setdefault(str(row["photo"]), []).append(number(row["moved"]))
    return [np.array(list(photos.values())) for photos in found.values()]


def needed(moves: Moves, size: int, rng: np.random.Generator, draws: int = DRAWS) -> float:
    """The θ that covers 99 % of draws of so many photos: their mean gain falls by no more.

    A draw is of one album, photos of it, and one rival that is followed through all of them: what
    a plan rests on. Rivals drawn anew for each photo would average out what they have in common.
    """
    falls = []
    shares = rng.multinomial(draws, [1 / len(moves)] * len(moves))
    for album, count in zip(moves, shares, strict=True):
        photos = rng.integers(len(album), size=(count, size))
        rival = rng.integers(album.shape[1], size=(count, 1))
        falls.append(-album[photos, rival].mean(axis=1))
    return max(0.0, float(np.quantile(np.concatenate(falls), COVERED)))


def interval(moves: Moves, size: int) -> tuple[float, float]:
    """What θ would have been with other albums and other photos of them, in nine of ten cases."""
    rng = np.random.default_rng([_SEED, size, 1])
    answers = []
    for _ in range(RESAMPLES):
        chosen = [moves[i] for i in rng.integers(len(moves), size=len(moves))]
        other = [album[rng.integers(len(album), size=len(album))] for album in chosen]
        answers.append(needed(other, size, rng, draws=1_000))
    low, high = np.quantile(answers, ENDS)
    return float(low), float(high)


def summarise(rows: Rows) -> Iterator[Number]:
    """How far gains move, and the θ that covers it with its interval, by way and album."""
    for way in dict.fromkeys(str(row["way"]) for row in rows):
        moves = albums(rows, way)
        every = np.concatenate([album.ravel() for album in moves])
        columns = {"mean": float(every.mean()), "spread": float(every.std())}
        for size in SIZES:
            columns[f"θ, {size} kept"] = needed(moves, size, np.random.default_rng([_SEED, size]))
            if size in (8, 16):
                ends = interval(moves, size)
                columns[f"{size} kept, from"], columns[f"{size} kept, to"] = ends
        count = sum(len(album) for album in moves)
        yield from [Number(way, column, x, float("nan"), count) for column, x in columns.items()]


def findings(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """The margin that covers each way to encode again."""
    for title, ways in _groups(rows):
        known = [way for way in ways if pick(numbers, way, "θ, 8 kept")]
        if not known:
            continue
        moves = albums(rows, known[0])
        count = sum(len(album) for album in moves)
        groups = "one album" if len(moves) == 1 else f"{len(moves)} albums"
        each = "; ".join(
            f"{way} {_range(numbers, way, 8)} and {_range(numbers, way, 16)}" for way in known
        )
        yield (
            f"{title} ({count} photos, {groups}): the margin, nats "
            f"a photo, that covers 99 % of how far the scores of 8 and 16 kept photos move: {each}."
        )
    if single := [n.ours for n in numbers if n.column == "θ, 1 kept"]:
        yield (
            f"One photo alone moves by {min(single):.1f} to {max(single):.1f} nats at that: what "
            "is promised of single photos is of the files as exported."
        )


def _range(numbers: Numbers, way: str, size: int) -> str:
    columns = (f"θ, {size} kept", f"{size} kept, from", f"{size} kept, to")
    theta, low, high = (pick(numbers, way, column) for column in columns)
    if theta is None or low is None or high is None:
        return "unknown"
    return f"{theta.ours:.2f} ({low.ours:.2f} to {high.ours:.2f})"


def _groups(rows: Rows) -> list[tuple[str, list[str]]]:
    ways = list(dict.fromkeys(str(row["way"]) for row in rows))
    return [
        ("JPEG quality, small photos", [way for way in ways if way.startswith("quality")]),
        ("Longest side at quality 85, wallpapers", [way for way in ways if way.endswith("px")]),
    ]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """θ by the number of photos kept, one line for each way, with the intervals of 8 and 16."""
    figure, grid = new_panels(2, (7.4, 3.2), sharey=True)
    for axes, (title, ways) in zip(grid, _groups(rows), strict=True):
        for i, (way, colour, marker) in enumerate(zip(ways, _COLOURS, "os^Dv", strict=False)):
            found = [pick(numbers, way, f"θ, {size} kept") for size in SIZES]
            values = [n.ours for n in found if n]
            axes.plot(SIZES, values, color=colour, marker=marker, label=way)
            for size in (8, 16):
                ends = [pick(numbers, way, f"{size} kept, {end}") for end in ("from", "to")]
                x = size * 2 ** (0.08 * (i - 2))
                axes.plot([x] * 2, [end.ours for end in ends if end], color=colour, lw=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xticks(SIZES, SIZES)
        axes.set(xlabel="photos kept", title=title)
        axes.set_ylim(bottom=0)
        axes.legend()
    grid[0].set_ylabel("θ that covers 99 %, nats per photo")
    return figure
