"""What the audit's percentages are worth: of guesses at 30 %, are about 30 % right?

Photos of one album have much in common, so the plain sum of their scores is sure of itself and
wrong. Exponents by number of photos are fitted on the albums of some worlds, by likelihood, and
tried on albums of others, also at sizes between and beyond those that were fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from elsewhere.report.colours import LIGHT
from elsewhere.scorers.protocol import combine_rows, log_softmax
from elsewhere_lab import simulator
from elsewhere_lab.plots import Figure, label_places, new_panels
from elsewhere_lab.sources import Source
from elsewhere_lab.statistics import pick
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale, number

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
METHODS = (CALIBRATED, PLAIN, SHORT, KEPT)
_FIT_SEEDS, _TEST_SEEDS = range(4), range(100, 112)
"""Of the worlds that exponents are fitted in, and of those that they are tried in."""


def parts(source: Source, scale: Scale) -> list[Part]:
    """A world's albums of one size; at the paper's scale 250 in each of twelve worlds."""
    share = min(1.0, scale.sample / 400)
    worlds, each = max(2, round(len(_TEST_SEEDS) * share)), max(20, round(250 * share))
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
        world, rng = simulator.world(kind, seed), np.random.default_rng([seed, photos])
        for _ in range(each):
            truth = int(rng.integers(simulator.CELLS))
            yield world.photos(truth, photos, rng, common=COMMON), truth


@lru_cache(maxsize=16)
def fitted(kind: str, photos: int, each: int) -> float:
    """The exponent under which the truths of the first worlds' albums are likeliest."""
    made = list(albums(kind, _FIT_SEEDS, photos, each))
    sums = np.array([rows.sum(axis=0, dtype=np.float64) for rows, _ in made])
    truths = np.array([truth for _, truth in made])
    grid = np.geomspace(0.01, 2.0, 80)
    likelihood = [log_softmax(e * sums)[np.arange(len(sums)), truths].mean() for e in grid]
    return float(grid[int(np.argmax(likelihood))])


def measure(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each album: is the first guess right, and how sure each method is of it."""
    kind, size, each = part.settings["kind"], part.settings["size"], part.settings["each"]
    known = {photos: fitted(kind, photos, each) for photos in FITTED}
    short = {photos: e for photos, e in known.items() if photos <= LAST}
    methods: dict[str, dict[int, float]] = {CALIBRATED: known, PLAIN: {}}
    if size == BEYOND:
        methods |= {SHORT: short, KEPT: {**short, size: short[LAST]}}
    tested = albums(kind, _TEST_SEEDS[: part.settings["worlds"]], size, each)
    for i, (scores, truth) in enumerate(tested):
        beliefs = {name: np.exp(combine_rows(scores, powers)) for name, powers in methods.items()}
        best = int(beliefs[PLAIN].argmax())
        row = {"kind": kind.upper(), "number": i, "photos": size, "right": int(best == truth)}
        sure = {name: round(float(belief[best]), 5) for name, belief in beliefs.items()}
        yield row | {name: sure.get(name) for name in METHODS}


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


def summarise(rows: Rows) -> Iterator[Number]:
    """The error of each method, by number of photos."""
    for kind in dict.fromkeys(str(row["kind"]) for row in rows):
        for name in METHODS:
            for size in SIZES:
                key = (kind, size)
                mine = [r for r in rows if (r["kind"], r["photos"]) == key and r[name] is not None]
                if mine:
                    off = error([number(r[name]) for r in mine], [number(r["right"]) for r in mine])
                    line, column = f"{kind}, {name}", f"{size} photos"
                    yield Number(line, column, off, float("nan"), len(mine))


def findings(rows: Rows, numbers: Numbers) -> list[str]:
    """What a reader of percentages may take from it."""

    def extreme(name: str, of: Callable[[list[float]], float]) -> str:
        every = [n.ours for n in numbers if n.line.endswith(f", {name}")]
        return f"{of(every):.3f}" if every else "unknown"

    if not numbers:
        return []
    return [
        f"With exponents the error is at most {extreme(CALIBRATED, max)}, at sizes between and "
        f"beyond those fitted, too ({', '.join(map(str, FITTED))}); of the plain sum it is "
        f"{extreme(PLAIN, min)} to {extreme(PLAIN, max)}.",
        f"Beyond the largest size fitted, more photos count as no more evidence. At {BEYOND} "
        f"photos with exponents up to {LAST} that gives {extreme(SHORT, min)} and "
        f"{extreme(SHORT, max)}; to keep the last exponent instead {extreme(KEPT, min)} and "
        f"{extreme(KEPT, max)}.",
    ]


def draw(rows: Rows, numbers: Numbers) -> Figure:
    """Error by number of photos, with exponents and without."""
    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    figure, grid = new_panels(len(kinds), (7.4, 3.1), sharey=True)
    for axes, kind in zip(grid, kinds, strict=True):
        for name, colour, marker in ((CALIBRATED, LIGHT.kept, "o"), (PLAIN, LIGHT.withheld, "s")):
            found = [pick(numbers, f"{kind}, {name}", f"{size} photos") for size in SIZES]
            here = [(i, n.ours) for i, n in enumerate(found) if n is not None]
            axes.plot(*zip(*here, strict=True), color=colour, marker=marker, label=name)
        label_places(axes, [str(size) for size in SIZES])
        axes.set(xlabel="photos", title=f"World {kind}")
        axes.set_ylim(bottom=0)
    grid[0].set_ylabel("expected calibration error")
    grid[0].legend()
    return figure
