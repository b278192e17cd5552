"""How far scores can be relied on: after encoding again, and as percentages."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.report.colours import LIGHT
from elsewhere.scorers.protocol import combine_rows, log_softmax
from elsewhere_lab import simulator
from elsewhere_lab.experiments import say
from elsewhere_lab.files import read_lines
from elsewhere_lab.plots import Figure, label_places, new_panels
from elsewhere_lab.sources import RECOMPRESSED, ScoreFiles, Source
from elsewhere_lab.statistics import pick
from elsewhere_lab.values import FloatMatrix, Number, Numbers, Part, Row, Rows, Scale, number

# recompress: A platform encodes every photo again

RECOMPRESS_SIZES = (1, 4, 8, 16, 32)  # photos that are kept and added up
DRAWS = 4_000
RESAMPLES = 200  # how often photos and albums are drawn anew for the interval
ENDS = (0.05, 0.95)
COVERED = 0.99
_SEED = 20261119
_COLOURS = (LIGHT.withheld, LIGHT.decoy, LIGHT.truth, LIGHT.kept, LIGHT.ink)

Moves = list[NDArray[np.float64]]
"""For each album, (photos, rivals): by how much the gain of the same rivals moved in each photo."""


def measure_recompress(source: Source, scale: Scale, part: Part) -> list[Row]:
    """One row for each photo, way to encode it again, and rival: by how much its gain moved.

    `training/recompress.py` scored the pixels beforehand.
    """
    if not isinstance(source, ScoreFiles):
        raise InputError("the simulator has no pixels to encode again: give score files")
    return read_recompressed(source.truth.with_name(RECOMPRESSED))


def read_recompressed(file: Path) -> list[Row]:
    """The table as tidy rows."""
    lines = [fields for _, fields in read_lines(file, "album", "photo", "way")]
    if not lines:
        raise FileError(f"{file} is empty: it must have a line for each photo")
    return [
        {
            "album": line["album"], "photo": line["photo"], "way": line["way"], "rival": rival,
            "moved": float(value),
        }
        for line in lines
        for rival, value in line.items()
        if rival.startswith("rival")
    ]  # fmt: skip


def recompressed_albums(rows: Rows, way: str) -> Moves:
    """The moves of one way, album by album."""
    found: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["way"] == way:
            photos = found.setdefault(str(row["album"]), {})
            photos.setdefault(str(row["photo"]), []).append(number(row["moved"]))
    return [np.array(list(photos.values())) for photos in found.values()]


def needed_margin(moves: Moves, size: int, rng: np.random.Generator, draws: int = DRAWS) -> float:
    """The θ that covers 99 % of draws of so many photos: their mean gain falls by no more."""
    falls = []
    shares = rng.multinomial(draws, [1 / len(moves)] * len(moves))
    for album, count in zip(moves, shares, strict=True):
        photos = rng.integers(len(album), size=(count, size))
        # one rival for all photos of a draw: drawn anew, rivals would average out
        rival = rng.integers(album.shape[1], size=(count, 1))
        falls.append(-album[photos, rival].mean(axis=1))
    return max(0.0, float(np.quantile(np.concatenate(falls), COVERED)))


def needed_interval(moves: Moves, size: int) -> tuple[float, float]:
    """What θ would have been with other albums and other photos of them, in nine of ten cases."""
    rng = np.random.default_rng([_SEED, size, 1])
    answers = []
    for _ in range(RESAMPLES):
        chosen = [moves[i] for i in rng.integers(len(moves), size=len(moves))]
        other = [album[rng.integers(len(album), size=len(album))] for album in chosen]
        answers.append(needed_margin(other, size, rng, draws=1_000))
    low, high = np.quantile(answers, ENDS)
    return float(low), float(high)


def summarise_recompress(rows: Rows) -> Iterator[Number]:
    """How far gains move, and the θ that covers it with its interval, by way and album."""
    for way in dict.fromkeys(str(row["way"]) for row in rows):
        moves = recompressed_albums(rows, way)
        every = np.concatenate([album.ravel() for album in moves])
        columns = {"mean": float(every.mean()), "spread": float(every.std())}
        for size in RECOMPRESS_SIZES:
            columns[f"θ, {size} kept"] = needed_margin(
                moves, size, np.random.default_rng([_SEED, size])
            )
            if size in (8, 16):
                ends = needed_interval(moves, size)
                columns[f"{size} kept, from"], columns[f"{size} kept, to"] = ends
        count = sum(len(album) for album in moves)
        yield from [Number(way, column, x, float("nan"), count) for column, x in columns.items()]


def findings_recompress(rows: Rows, numbers: Numbers) -> Iterator[str]:
    """The margin that covers each way to encode again."""
    for title, ways in _groups(rows):
        known = [way for way in ways if pick(numbers, way, "θ, 8 kept")]
        if not known:
            continue
        moves = recompressed_albums(rows, known[0])
        count = sum(len(album) for album in moves)
        groups = "one album" if len(moves) == 1 else f"{len(moves)} albums"
        each = "; ".join(
            f"{way} {_range(numbers, way, 8)} and {_range(numbers, way, 16)}" for way in known
        )
        yield say("recompress", "covered", title=title, count=count, groups=groups, each=each)
    if single := [n.ours for n in numbers if n.column == "θ, 1 kept"]:
        yield say("recompress", "single", least=min(single), most=max(single))


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


def draw_recompress(rows: Rows, numbers: Numbers) -> Figure:
    """θ by the number of photos kept, one line for each way, with the intervals of 8 and 16."""
    figure, grid = new_panels(2, (7.4, 3.2), sharey=True)
    for axes, (title, ways) in zip(grid, _groups(rows), strict=True):
        for i, (way, colour, marker) in enumerate(zip(ways, _COLOURS, "os^Dv", strict=False)):
            found = [pick(numbers, way, f"θ, {size} kept") for size in RECOMPRESS_SIZES]
            values = [n.ours for n in found if n]
            axes.plot(RECOMPRESS_SIZES, values, color=colour, marker=marker, label=way)
            for size in (8, 16):
                ends = [pick(numbers, way, f"{size} kept, {end}") for end in ("from", "to")]
                x = size * 2 ** (0.08 * (i - 2))
                axes.plot([x] * 2, [end.ours for end in ends if end], color=colour, lw=0.8)
        axes.set_xscale("log", base=2)
        axes.set_xticks(RECOMPRESS_SIZES, RECOMPRESS_SIZES)
        axes.set(xlabel="photos kept", title=title)
        axes.set_ylim(bottom=0)
        axes.legend()
    grid[0].set_ylabel("θ that covers 99 %, nats per photo")
    return figure


# calibration: What the audit's percentages are worth: of guesses at 30 %, are about 30 % right?

WORLDS = ("w1", "w2")
FITTED = (4, 8, 16, 32)
CALIBRATION_SIZES = (4, 6, 8, 12, 16, 24, 32, 64)
BEYOND, LAST = 32, 8
"""What is tried beyond the sizes fitted: so many photos, with exponents up to the second alone."""
COMMON = 0.85  # the share of the noise that the photos of an album have in common
BINS = 15
CALIBRATED, PLAIN = "calibrated", "plain sum"
SHORT, KEPT = f"fitted up to {LAST} photos", f"fitted up to {LAST} photos, last exponent kept"
METHODS = (CALIBRATED, PLAIN, SHORT, KEPT)
_UNKNOWN = ("unknown", "unknown")
_FIT_SEEDS, _TEST_SEEDS = range(4), range(100, 112)
"""Of the worlds that exponents are fitted in, and of those that they are tried in."""


def parts_calibration(source: Source, scale: Scale) -> list[Part]:
    """A world's albums of one size; at the paper's scale 250 in each of twelve worlds."""
    share = min(1.0, scale.sample / 400)
    worlds, each = max(2, round(len(_TEST_SEEDS) * share)), max(20, round(250 * share))
    return [
        Part(f"{kind}-{size:02}", {"kind": kind, "size": size, "worlds": worlds, "each": each})
        for kind in WORLDS
        for size in CALIBRATION_SIZES
    ]


def calibration_albums(
    kind: str, seeds: Iterable[int], photos: int, each: int
) -> Iterable[tuple[FloatMatrix, int]]:
    """Scores and truth of so many albums in each of several fresh worlds."""
    for seed in seeds:
        world, rng = simulator.world(kind, seed), np.random.default_rng([seed, photos])
        for _ in range(each):
            truth = int(rng.integers(simulator.CELLS))
            yield world.photos(truth, photos, rng, common=COMMON), truth


@lru_cache(maxsize=16)
def fit_exponent(kind: str, photos: int, each: int) -> float:
    """The exponent under which the truths of the first worlds' albums are likeliest."""
    made = list(calibration_albums(kind, _FIT_SEEDS, photos, each))
    sums = np.array([rows.sum(axis=0, dtype=np.float64) for rows, _ in made])
    truths = np.array([truth for _, truth in made])
    grid = np.geomspace(0.01, 2.0, 80)
    likelihood = [log_softmax(e * sums)[np.arange(len(sums)), truths].mean() for e in grid]
    return float(grid[int(np.argmax(likelihood))])


def measure_calibration(source: Source, scale: Scale, part: Part) -> Iterator[Row]:
    """One row for each album: is the first guess right, and how sure each method is of it."""
    kind, size, each = part.settings["kind"], part.settings["size"], part.settings["each"]
    known = {photos: fit_exponent(kind, photos, each) for photos in FITTED}
    short = {photos: e for photos, e in known.items() if photos <= LAST}
    methods: dict[str, dict[int, float]] = {CALIBRATED: known, PLAIN: {}}
    if size == BEYOND:
        methods |= {SHORT: short, KEPT: {**short, size: short[LAST]}}
    tested = calibration_albums(kind, _TEST_SEEDS[: part.settings["worlds"]], size, each)
    for i, (scores, truth) in enumerate(tested):
        beliefs = {name: np.exp(combine_rows(scores, powers)) for name, powers in methods.items()}
        best = int(beliefs[PLAIN].argmax())
        row = {"kind": kind.upper(), "number": i, "photos": size, "right": int(best == truth)}
        sure = {name: round(float(belief[best]), 5) for name, belief in beliefs.items()}
        yield row | {name: sure.get(name) for name in METHODS}


def calibration_error(sure: Sequence[float], right: Sequence[float]) -> float:
    """Expected calibration error, 15 bins.

    >>> calibration_error([0.9, 0.9, 0.9, 0.9], [1, 1, 0, 0])
    0.4
    """
    confidence, correct = np.array(sure), np.array(right)
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    gaps = [
        abs(confidence[bins == b].mean() - correct[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return round(float(sum(gaps)), 6)


def summarise_calibration(rows: Rows) -> Iterator[Number]:
    """The error of each method, by number of photos."""
    for kind in dict.fromkeys(str(row["kind"]) for row in rows):
        for name in METHODS:
            for size in CALIBRATION_SIZES:
                key = (kind, size)
                mine = [r for r in rows if (r["kind"], r["photos"]) == key and r[name] is not None]
                if mine:
                    off = calibration_error(
                        [number(r[name]) for r in mine], [number(r["right"]) for r in mine]
                    )
                    line, column = f"{kind}, {name}", f"{size} photos"
                    yield Number(line, column, off, float("nan"), len(mine))


def findings_calibration(rows: Rows, numbers: Numbers) -> list[str]:
    """What a reader of percentages may take from it."""
    if not numbers:
        return []
    ends: dict[str, dict[str, str]] = {}
    for key, name in (("exponents", CALIBRATED), ("sum", PLAIN), ("short", SHORT), ("last", KEPT)):
        errors = [n.ours for n in numbers if n.line.endswith(f", {name}")]
        least, most = (f"{end:.3f}" for end in (min(errors), max(errors))) if errors else _UNKNOWN
        ends[key] = {"least": least, "most": most}
    sizes = ", ".join(map(str, FITTED))
    return [
        say("calibration", "fitted", sizes=sizes, **ends),
        say("calibration", "beyond", photos=BEYOND, largest=LAST, **ends),
    ]


def draw_calibration(rows: Rows, numbers: Numbers) -> Figure:
    """Error by number of photos, with exponents and without."""
    kinds = list(dict.fromkeys(str(row["kind"]) for row in rows))
    figure, grid = new_panels(len(kinds), (7.4, 3.1), sharey=True)
    for axes, kind in zip(grid, kinds, strict=True):
        for name, colour, marker in ((CALIBRATED, LIGHT.kept, "o"), (PLAIN, LIGHT.withheld, "s")):
            found = [
                pick(numbers, f"{kind}, {name}", f"{size} photos") for size in CALIBRATION_SIZES
            ]
            here = [(i, n.ours) for i, n in enumerate(found) if n is not None]
            axes.plot(*zip(*here, strict=True), color=colour, marker=marker, label=name)
        label_places(axes, [str(size) for size in CALIBRATION_SIZES])
        axes.set(xlabel="photos", title=f"World {kind}")
        axes.set_ylim(bottom=0)
    grid[0].set_ylabel("expected calibration error")
    grid[0].legend()
    return figure
