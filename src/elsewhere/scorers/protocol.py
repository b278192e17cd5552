"""What every scorer is, two methods and the photos and rows between them, and how it is found.

A scorer turns one photo into one row of natural-log probabilities over cells. It gets one photo at
a time, so a row cannot depend on its neighbours. Several threads call `score` at once
(`cached_scorer.py`), so it must be thread-safe. No prior over cells may be included: it would count
once per photo. Later stages trust a row, so each is checked here.

Only renditions are decoded in the process that scores: plain JPEGs of our own, upright and sRGB, or
PNGs where not a bit may be lost. Untrusted files are decoded by the album, in processes of their
own. Large JPEGs are decoded at a reduced scale.

`find` takes the specification that a user types: a name, and behind a colon what the scorer works
on: `embedded`, `dino`, `geoclip`, `onnx:streets.onnx`, `table:scores.npz`. Other packages can add
scorers by an entry point in the group `elsewhere.scorers`. It must lead to something that is called
with the text behind the colon ("" for none) and returns an object with the methods `load` and
`score`.

A scorer that sees a photo through a few numbers, its features, may say so in `ScorerInfo.features`
and have two methods more: `features` of a photo, and the `row` of features. Then caches and ledgers
keep the features, which are small and serve every scorer that sees with the same eyes.

Photos of one album are not independent, so the plain sum of their rows is overconfident. A scorer
may know by how much: an exponent by number of photos, fitted on held-out albums, that the sum is
multiplied with. It is the same for every cell, so it changes no ranking and no plan.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import ElsewhereError, FileError, ScorerError
from elsewhere.globe import Cells
from elsewhere.values.scores import Points
from elsewhere.values.wording import installed_by

if TYPE_CHECKING:
    from PIL import Image

MAX_BYTES = 256 * 1024 * 1024
"""The largest rendition; anything larger is a mistake and would only fill the memory."""
FORMATS = ("JPEG", "PNG")
"""The formats that Pillow may try."""
MAX_PIXELS = 100_000_000
"""Most pixels held in memory for one photo, counted at the scale it is decoded at."""
TOLERANCE = 1e-4
"""How far from one the probabilities of a row may sum."""

Floats = NDArray[np.float64]
Row = NDArray[np.float32]
"""(M,) natural-log probabilities: finite, the probabilities summing to one within 1e-4."""
Features = NDArray[np.float32]
"""(D,) what a scorer makes of a photo before it thinks of places."""


@dataclass(frozen=True)
class Photo:
    """One photo: its name in the scores, and its bytes or their file."""

    name: str
    path: Path
    held: bytes | None = field(default=None, repr=False, compare=False)
    """The bytes of its rendition; without them, `path` is read."""

    def read(self) -> Photo:
        """The same photo with its bytes in memory, so that they are read once."""
        return replace(self, held=self.content())

    def content(self) -> bytes:
        """The bytes of the rendition; FileError where they cannot be read."""
        if self.held is not None:
            return self.held
        try:
            if not self.path.is_file():
                missing = "is not a plain file" if self.path.exists() else "does not exist"
                what = "is a folder" if self.path.is_dir() else missing
                raise FileError(f"{self.name} {what}: give a photo")
            if self.path.stat().st_size > MAX_BYTES:
                size = f"{MAX_BYTES >> 20} MiB"
                raise FileError(f"{self.name} is larger than {size}: make it smaller")
            content = self.path.read_bytes()
        except OSError as problem:
            raise FileError(
                f"{self.name} cannot be read ({problem.strerror or problem}): "
                "check the file and its permissions"
            ) from None
        if not content:
            raise FileError(f"{self.name} is empty: leave it out or copy it anew")
        return content

    def image(self, least: tuple[int, int]) -> Image.Image:
        """RGB pixels, each side at least `least` (width, height) where the rendition has it.

        `least` only decides how far a JPEG is reduced while it is decoded.
        """
        # Without these imports Pillow would load all of its readers.
        from PIL import Image, JpegImagePlugin, PngImagePlugin, UnidentifiedImageError  # noqa: F401

        content = self.content()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about large pictures: the limits are ours
                image = Image.open(io.BytesIO(content), formats=FORMATS)
            image.draft("RGB", (max(least), max(least)))
            if image.width * image.height > MAX_PIXELS:
                raise FileError(
                    f"{self.name} has {image.width} × {image.height} pixels, more than the "
                    f"{MAX_PIXELS // 1_000_000} million that fit in memory: make it smaller"
                )
            return image.convert("RGB")
        except FileError:
            raise
        except UnidentifiedImageError:
            raise FileError(
                f"{self.name} is not a rendition (a plain JPEG or PNG): "
                "have the album render it first"
            ) from None
        except Image.DecompressionBombError:
            raise FileError(
                f"{self.name} claims more pixels than a camera makes: leave it out"
            ) from None
        except MemoryError:
            raise FileError(f"{self.name} does not fit in memory: make it smaller") from None
        except Exception as problem:  # a decoder may raise anything at all on a damaged file
            reason = " ".join(str(problem).split()) or type(problem).__name__
            raise FileError(
                f"{self.name} is damaged and cannot be decoded ({reason}): "
                "leave it out or save it anew"
            ) from None


class FeatureInfo(NamedTuple):
    """The features that a scorer makes of a photo and turns into a row."""

    fingerprint: str
    """Changes whenever features could change on purpose; shared by scorers that make the same."""
    width: int
    """How many numbers (D)."""


@dataclass(frozen=True)
class ScorerInfo:
    """What `load` returns: everything that a caller needs besides rows."""

    name: str
    """The name that the user typed: "embedded", "onnx:streets.onnx"."""
    fingerprint: str
    """Changes whenever the rows could change on purpose: other weights, another preparation."""
    cells: int
    """How many cells a row has (M)."""
    grid: str = ""
    """Fingerprint of the cells; empty when the scorer does not know them."""
    globe: Cells | None = None
    """The cells themselves; None when the scorer does not know them."""
    exponents: Mapping[int, float] = field(default_factory=dict)
    """By collection size, the factor that calibrates the sum of rows."""
    accuracy: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    """By continent, and "" for everywhere: the share of single photos of unseen places that are
    guessed right within so many km. Empty where it was not measured."""
    cacheable: bool = True
    """False where scoring again costs no more than reading the cache."""
    content: str = ""
    """Of a scorer that reads rows from a file: the file's digest. Its fingerprint may be that of
    the model that made the rows, and stay when they change."""
    features: FeatureInfo | None = None
    """What `features` gives and `row` takes; None where the scorer has no such methods."""

    @property
    def points(self) -> Points | None:
        """Where the cells lie, if they are so fine that places are hidden instead of cells."""
        return self.globe.points if self.globe is not None and self.globe.fine else None


class Scorer(Protocol):
    """The interface. `load` is cheap to call twice; `score` is called after `load` only."""

    def load(self) -> ScorerInfo:
        """Read and verify everything that is needed, once."""
        ...

    def score(self, photo: Photo) -> Row:
        """The row of one photo, the same bits each time on one machine."""
        ...


class FeatureScorer(Scorer, Protocol):
    """A scorer in two steps; `score` is both. Its `load` says which features these are."""

    def features(self, photo: Photo) -> Features:
        """The features of one photo, the same bits each time on one machine."""
        ...

    def row(self, features: Features) -> Row:
        """The row of a photo with these features."""
        ...


def normalise_row(logits: ArrayLike) -> Row:
    """Logits (or unnormalised log-probabilities) as a row, normalised to about 1e-6."""
    return log_softmax(logits).astype(np.float32)


def check_row(row: Row, cells: int, scorer: str, photo: str) -> Row:
    """`row` itself if it is a row of `cells` log-probabilities, else ScorerError."""
    if row.shape != (cells,):
        raise ScorerError(
            f"the scorer {scorer} gave {photo} a row of shape {row.shape} instead of "
            f"({cells},): its model and its cells do not belong together"
        )
    if not np.isfinite(row).all():
        raise ScorerError(
            f"the scorer {scorer} gave {photo} scores that are not finite: "
            "use another model or leave the photo out"
        )
    total = float(np.exp(row.astype(np.float64)).sum())
    if abs(total - 1.0) > TOLERANCE:
        raise ScorerError(
            f"the scorer {scorer} gave {photo} probabilities that sum to {total:.6g} instead "
            "of 1: it must hand over normalised log-probabilities"
        )
    return row


GROUP = "elsewhere.scorers"
"""The entry-point group of scorers from other packages."""
DEFAULT = "embedded"

Maker = Callable[[str], Scorer]


class BuiltIn(NamedTuple):
    """One of our scorers: its module, how it is typed, and the extra that it needs."""

    module: str
    usage: str
    extra: str = ""


BUILT_IN = {
    "embedded": BuiltIn("elsewhere.scorers.embedded", "embedded"),
    "dino": BuiltIn("elsewhere.scorers.dino", "dino"),
    "geoclip": BuiltIn("elsewhere.scorers.geoclip", "geoclip", "geoclip"),
    "onnx": BuiltIn("elsewhere.scorers.onnx_scorer", "onnx:MODEL.onnx"),
    "table": BuiltIn("elsewhere.scorers.table", "table:SCORES.npz"),
}


def available() -> dict[str, str]:
    """Every scorer by name, and how it is typed; ours first."""
    usage = {name: own.usage for name, own in BUILT_IN.items()}
    return usage | {name: name for name in sorted(_plugins())}


def find(spec: str) -> Scorer:
    """The scorer that `spec` names, not yet loaded.

    >>> find("planet")
    Traceback (most recent call last):
    elsewhere.errors.ScorerError: there is no scorer "planet": choose embedded, dino, \
geoclip (pip install '.[geoclip]' in a clone of elsewhere), onnx:MODEL.onnx or table:SCORES.npz
    """
    name, _, argument = spec.partition(":")
    if name in BUILT_IN:
        return cast(Maker, import_module(BUILT_IN[name].module).make)(argument)
    entry = _plugins().get(name)
    if entry is not None:
        return PluginScorer(name, entry, argument)
    choices = available()
    for other, built_in in BUILT_IN.items():
        if built_in.extra:
            choices[other] += f" ({installed_by(built_in.extra)})"
    *first, last = choices.values()
    raise ScorerError(f'there is no scorer "{name}": choose {", ".join(first)} or {last}')


class PluginScorer:
    """A scorer from another package: its errors name the package."""

    def __init__(self, name: str, entry: EntryPoint, argument: str) -> None:
        self._title = f'the scorer "{name}" ({entry.value})'
        with self._name_package("cannot be used"):
            self._scorer = cast(Maker, entry.load())(argument)
        for method in ("load", "score"):
            if not callable(getattr(self._scorer, method, None)):
                raise ScorerError(
                    f"{self._title} has no {method} method: "
                    "update or remove the package that brings it"
                )

    def load(self) -> ScorerInfo:
        """Load the plug-in."""
        with self._name_package("cannot be loaded"):
            return self._scorer.load()

    def features(self, photo: Photo) -> Features:
        """The features by the plug-in, where it has any."""
        with self._name_package(f"failed on {photo.name}"):
            seen = cast(FeatureScorer, self._scorer).features(photo)
            return np.asarray(seen, dtype=np.float32)

    def row(self, features: Features) -> Row:
        """A row by the plug-in, where it has features."""
        with self._name_package("failed on features of its own"):
            row = cast(FeatureScorer, self._scorer).row(features)
            return np.asarray(row, dtype=np.float32)

    def score(self, photo: Photo) -> Row:
        """Score by the plug-in."""
        with self._name_package(f"failed on {photo.name}"):
            return np.asarray(self._scorer.score(photo), dtype=np.float32)

    @contextmanager
    def _name_package(self, what: str) -> Iterator[None]:
        try:
            yield
        except ElsewhereError:
            raise
        except Exception as problem:  # other packages may fail in any way
            reason = " ".join(str(problem).split()) or type(problem).__name__
            raise ScorerError(
                f"{self._title} {what} ({reason}): update or remove the package that brings it"
            ) from problem


def _plugins() -> dict[str, EntryPoint]:
    """Scorers from other packages; they cannot take a name of ours."""
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in BUILT_IN}


def exponent(exponents: Mapping[int, float], photos: int) -> float:
    """The factor that calibrates the sum of `photos` rows; 1 without any exponents.

    Between the fitted sizes it is linear in log(size), and below them that of the smallest. Beyond
    the largest nobody has measured how much more so many photos tell, so they count as much as the
    largest number did: the exponent falls as their number grows.

    >>> exponent({1: 1.0, 4: 0.5}, 2), exponent({1: 1.0, 4: 0.5}, 400), exponent({}, 7)
    (0.75, 0.005, 1.0)
    """
    if not exponents:
        return 1.0
    sizes = sorted(exponents)
    fitted = np.interp(math.log(photos), np.log(sizes), [exponents[size] for size in sizes])
    return float(fitted * min(1.0, sizes[-1] / photos))


def log_softmax(logits: ArrayLike) -> Floats:
    """Normalised log-probabilities along the last axis, in double precision.

    A row in which everything is impossible becomes uniform.

    >>> np.exp(log_softmax([np.log(3.0), 0.0])).round(3).tolist()
    [0.75, 0.25]
    """
    wide = np.array(logits, dtype=np.float64)
    wide[np.isneginf(wide).all(axis=-1)] = 0.0
    wide -= wide.max(axis=-1, keepdims=True)
    normalised: Floats = wide - np.log(np.exp(wide).sum(axis=-1, keepdims=True))
    return normalised


def combine_rows(
    rows: NDArray[np.float32] | NDArray[np.float64], exponents: Mapping[int, float]
) -> Floats:
    """One row for all photos as a set: the calibrated posterior under a uniform prior.

    >>> halves = np.log([[0.8, 0.2], [0.8, 0.2]])
    >>> np.exp(combine_rows(halves, {2: 0.5})).round(3).tolist()
    [0.8, 0.2]
    """
    total = rows.sum(axis=0, dtype=np.float64)
    return log_softmax(exponent(exponents, len(rows)) * total)
