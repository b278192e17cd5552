"""The values of the lab: collections in, tidy rows out, numbers beside the paper's."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError

if TYPE_CHECKING:
    from elsewhere_lab.sources import AnySource

Value = str | int | float | None
Row = Mapping[str, Value]  # one line of a tidy table: the same keys in every row of a table
Rows = Sequence[Row]
FloatMatrix = NDArray[np.float32] | NDArray[np.float64]
Z = 1.96  # standard errors that a 95 % interval reaches


@dataclass(frozen=True, eq=False)
class Collection:
    """Photos of one cell, as one attacker or several score them."""

    kind: str  # "R-16" to "R-128", "Albums", or a word of the experiment's own
    number: int
    """The same number is the same collection in every experiment that takes its collections from
    `collections.collections` (collections as several models see them are numbered by cell)."""
    truth: int
    views: tuple[FloatMatrix, ...]
    """(photos, cells) log-probabilities, one matrix for each attacker."""
    photos_at: tuple[int, ...] = ()
    """Which photos of the source these are, where it has names for them."""

    @property
    def scores(self) -> FloatMatrix:
        """The first attacker's view."""
        return self.views[0]

    @property
    def photos(self) -> int:
        """How many photos."""
        return len(self.scores)

    @property
    def key(self) -> dict[str, Value]:
        """The columns that every row about the collection begins with."""
        return {"kind": self.kind, "number": self.number, "photos": self.photos}


@dataclass(frozen=True)
class Scale:
    """How much of everything is run."""

    name: str
    partitions: int  # random partitions of the pool
    cells: int | None  # this many, spread over all; None for every cell
    albums: int
    sample: int  # collections of an experiment that does not need thousands


SCALES = {
    "small": Scale("small", partitions=1, cells=8, albums=24, sample=8),
    "medium": Scale("medium", partitions=1, cells=256, albums=1000, sample=100),
    "paper": Scale("paper", partitions=10, cells=None, albums=10_000, sample=400),
}  # `small` is for tests, `paper` has the paper's counts (45k, 21k, 10k, 5k and 10k albums)


@dataclass(frozen=True)
class Part:
    """What one process works through at a time, and what is repeated if it is stopped."""

    name: str  # letters, digits, dots and dashes: it names a file too
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the experiment needs to know to measure it: plain values."""


def wilson(share: float, count: int) -> tuple[float, float]:
    """The 95 % interval of a share of so many.

    >>> [round(end, 2) for end in wilson(0.0, 10)]
    [0.0, 0.28]
    """
    if count == 0 or math.isnan(share):
        return 0.0, 1.0
    spread = Z**2 / count
    middle = (share + spread / 2) / (1 + spread)
    reach = Z / (1 + spread) * math.sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, middle - reach), min(1.0, middle + reach)


@dataclass(frozen=True)
class Number:
    """One number of a table: ours, its error, and the paper's."""

    line: str
    column: str
    ours: float
    error: float = 0.0  # standard error; over cells, where collections of one cell share photos
    count: int = 0  # of collections that were averaged
    paper: float | None = None
    within: float | None = None  # the largest difference from the paper's that we accept

    @property
    def differs(self) -> bool:
        """Whether it is further from the paper's than accepted."""
        if self.paper is None or self.within is None:
            return False
        return not abs(self.ours - self.paper) <= self.within + 1e-12

    def __format__(self, form: str) -> str:
        """As a percent, with its interval and count, as an amount with its error, or ours alone.

        >>> share = Number("R-16", "holds", 0.4, 0.05, 100)
        >>> f"{share:percent}", f"{share:not percent}"
        ('40 % (31 to 50 %, n = 100)', '60 % (50 to 69 %, n = 100)')
        >>> f"{share:amount}", f"{share:+amount}", f"{share:.3f}"
        ('0.40 ± 0.10', '+0.40 ± 0.10', '0.400')
        """
        if form.endswith("amount"):
            text = format(self.ours, form.replace("amount", ".2f"))
            return text if math.isnan(self.error) else f"{text} ± {Z * self.error:.2f}"
        if not form.endswith("percent"):
            return format(self.ours, form)
        if not self.count:
            return "none to tell of (n = 0)"
        share = 1 - self.ours if form.startswith("not") else self.ours
        low, high = wilson(share, self.count)
        text = f"{share:.0%} ({low * 100:.0f} to {high:.0%}, n = {self.count})"
        return text.replace("%", " %")


Numbers = Sequence[Number]


@dataclass(frozen=True)
class Experiment:
    """One table or figure: its words from `experiments.toml`, its functions from its module."""

    name: str
    title: str
    about: str  # what is shown and how it was averaged, in a paragraph
    parts: Callable[["AnySource", Scale], Sequence[Part]]
    measure: Callable[["AnySource", Scale, Part], list[Row]]
    summarise: Callable[[Rows], list[Number]]
    findings: Callable[[Rows, Numbers], list[str]]  # sentences below the table
    draw: Callable[[Rows, Numbers], Any]  # a matplotlib figure, or None
    tables: Callable[[Numbers], list[tuple[str, Numbers]]]  # what each is called, if not one
    rows_of: str | None = None  # the experiment whose rows are summarised; then nothing is measured
    decimals: int = 2
    as_counts: bool = False  # the table has counts with 95 % intervals instead
    one_at_a_time: bool = False  # parts are timed, so no two run at once
    sources: tuple[str, ...] = ("simulator", "scores")
    models: int = 1  # how many models of the same photos it needs
    needs: tuple[str, ...] = ()  # what else the source must have, as `Source.lacks` names it

    def obstacle(self, source: "AnySource") -> str | None:
        """Why it cannot be run on this source, in a sentence; None where it can."""
        if source.kind not in self.sources:
            names = {"simulator": "the simulator", "trips": "trips (--source benchmarks/trips)"}
            wanted = names.get(self.sources[0], "score files (--source)")
            return f"{self.name} is only run on {wanted}"
        if source.models < self.models:
            return f"{self.name} needs several models of the same photos: give --source again"
        lacking = (source.lacks(need) for need in self.needs)
        return next((f"{self.name} needs {missing}" for missing in lacking if missing), None)


def number(value: Value) -> float:
    """A field that must be a number.

    >>> number(3)
    3.0
    """
    if not isinstance(value, (int, float)):
        raise InputError(f"a table of the lab has {value!r} where a number belongs")
    return float(value)
