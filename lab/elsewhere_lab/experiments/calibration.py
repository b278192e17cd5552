"""What the audit's percentages are worth: of guesses at 30 %, are about 30 % right?

Photos of one album have much in common, so the plain sum of their scores is sure of itself and
wrong. Exponents by number of photos are fitted on the albums of some worlds, by likelihood, and
tried on albums of others, also at sizes between and beyond those that were fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.scorers.calibration import combine_rows, log_softmax
from elsewhere_lab import simulator
from elsewhere_lab.plots import names_below, pick
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Experiment, FloatMatrix, Number, Part, Row, Scale, number

WORLDS = ("w1", "w2")
FITTED = (4, 8, 16, 32)
SIZES = (4, 6, 8, 12, 16, 24, 32, 64)
BEYOND, LAST = 32, 8
"""What is tried beyond the sizes fitted: so many photos, with exponents up to the second alone."""
COMMON = 0.85
"""The share of the noise that the photos of an album have in common."""
BINS = 15
CALIBRATED, PLAIN = "calibrated", "plain sum"
SHORT, KEPT = f"fitted up to {LAST} photos", f"fitted up to {LAST} photos, last exponent kept"
WAYS = (CALIBRATED, PLAIN, SHORT, KEPT)
_FIT, _TRIED = range(4), range(100, 112)
"""Seeds of the worlds that exponents are fitted in, and of those that they are tried in."""


def each_size(source: Source, scale: Scale) -> list[Part]:
    """A world's albums of one size; at the paper's scale 250 in each of twelve worlds."""
    worlds = max(2, round(len(_TRIED) * min(1.0, scale.few / 400)))
    each = max(20, round(250 * min(1.0, scale.few / 400)))
    return [
        Part(f"{kind}-{size:02}", {"kind": kind, "size": size, "worlds": worlds, "each": each})
        for kind in WORLDS
        for size in SIZES
    ]


def albums(
    kind: str, seeds: Iterable[int], photos: int, each: int
) -> Iterable[tuple[FloatMatrix, int]]:
    """Scores and truth of so many albums in each of several fresh worlds."""
    for seed in seeds:
        home, rng = simulator.world(kind, seed), np.random.default_rng([seed, photos])
        for _ in range(each):
            truth = int(rng.integers(simulator.CELLS))
            yield home.photos(truth, photos, rng, common=COMMON), truth


@lru_cache(maxsize=16)
def fitted(kind: str, photos: int, each: int) -> float:
    """The exponent under which the truths of the first worlds' albums are likeliest."""
    made = list(albums(kind, _FIT, photos, each))
    sums = np.array([rows.sum(axis=0, dtype=np.float64) for rows, _ in made])
    truths = np.array([truth for _, truth in made])
    grid = np.geomspace(0.01, 2.0, 80)
    told = [log_softmax(e * sums)[np.arange(len(sums)), truths].mean() for e in grid]
    return float(grid[int(np.argmax(told))])


def measure(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each album: whether the first guess is right, and how sure each way is of it."""
    kind, size, each = part.wish["kind"], part.wish["size"], part.wish["each"]
    known = {photos: fitted(kind, photos, each) for photos in FITTED}
    short = {photos: e for photos, e in known.items() if photos <= LAST}
    ways: dict[str, dict[int, float]] = {CALIBRATED: known, PLAIN: {}}
    if size == BEYOND:
        ways |= {SHORT: short, KEPT: {**short, size: short[LAST]}}
    rows: list[Row] = []
    made = albums(kind, _TRIED[: part.wish["worlds"]], size, each)
    for i, (scores, truth) in enumerate(made):
        told = {way: np.exp(combine_rows(scores, exponents)) for way, exponents in ways.items()}
        best = int(told[PLAIN].argmax())
        row: dict[str, Any] = {
            "kind": kind.upper(), "number": i, "photos": size, "right": int(best == truth),
        }  # fmt: skip
        rows.append(row | {way: _round(told, way, best) for way in WAYS})
    return rows


def _round(told: Mapping[str, NDArray[np.float64]], way: str, cell: int) -> float | None:
    return round(float(told[way][cell]), 5) if way in told else None


def error(sure: Sequence[float], right: Sequence[float]) -> float:
    """Expected calibration error, 15 bins.

    >>> error([0.9, 0.9, 0.9, 0.9], [1, 1, 0, 0])
    0.4
    """
    confidence, correct = np.array(sure), np.array(right)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[bins == b].mean() - correct[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return round(float(sum(gaps)), 6)


def summarise(rows: Sequence[Row]) -> list[Number]:
    """The error of each way, by number of photos."""
    result = []
    for kind in dict.fromkeys(str(row["kind"]) for row in rows):
        for way in WAYS:
            for size in SIZES:
                mine = [
                    row
                    for row in rows
                    if row["kind"] == kind and row["photos"] == size and row[way] is not None
                ]
                if mine:
                    off = error([number(r[way]) for r in mine], [number(r["right"]) for r in mine])
                    line, column = f"{kind}, {way}", f"{size} photos"
                    result.append(Number(line, column, off, float("nan"), len(mine)))
    return result


def says(rows: Sequence[Row], numbers: Sequence[Number]) -> list[str]:
    """What a reader of percentages may take from it."""

    def reach(way: str, of: Callable[[list[float]], float]) -> str:
        every = [n.ours for n in numbers if n.line.endswith(f", {way}")]
        return f"{of(every):.3f}" if every else "unknown"

    if not numbers:
        return []
    return [
        f"With exponents the error is at most {reach(CALIBRATED, max)}, at sizes between and "
        f"beyond those fitted, too ({', '.join(map(str, FITTED))}); of the plain sum it is "
        f"{reach(PLAIN, min)} to {reach(PLAIN, max)}.",
        f"Beyond the largest size fitted, more photos count as no more evidence. At {BEYOND} "
        f"photos with exponents up to {LAST} that gives {reach(SHORT, min)} and "
        f"{reach(SHORT, max)}; to keep the last exponent instead {reach(KEPT, min)} and "
        f"{reach(KEPT, max)}.",
    ]


def draw(rows: Sequence[Row], numbers: Sequence[Number]) -> Mapping[str, Any]:
    """Error by number of photos, with exponents and without."""
    import matplotlib.pyplot as plt

    from elsewhere.report.colours import LIGHT

    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    figure, grid = plt.subplots(1, len(kinds), figsize=(7.4, 3.1), sharey=True, squeeze=False)
    for axes, kind in zip(grid[0], kinds, strict=True):
        for way, colour, marker in ((CALIBRATED, LIGHT.kept, "o"), (PLAIN, LIGHT.withheld, "s")):
            told = [pick(numbers, f"{kind}, {way}", f"{size} photos") for size in SIZES]
            here = [(i, n.ours) for i, n in enumerate(told) if n is not None]
            axes.plot(*zip(*here, strict=True), color=colour, marker=marker, label=way)
        names_below(axes, [str(size) for size in SIZES])
        axes.set(xlabel="photos", title=f"World {kind}")
        axes.set_ylim(bottom=0)
    grid[0][0].set_ylabel("expected calibration error")
    grid[0][0].legend()
    return {"calibration": figure}


EXPERIMENT = Experiment(
    name="calibration",
    title="What an album's probabilities mean",
    about=(
        "Simulated albums in two kinds of world, whose photos have 85 % of their noise in common. "
        "Exponents by number of photos (4, 8, 16, 32) are fitted on four worlds by likelihood; the "
        "expected calibration error (15 bins) of the first guess is that of albums of other "
        "worlds, with these exponents as the audit takes them and with the plain sum."
    ),
    parts=each_size,
    measure=measure,
    summarise=summarise,
    draw=draw,
    says=says,
    decimals=3,
    sources=("simulator",),
)
