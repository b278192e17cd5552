"""The values that pass through the lab: collections in, tidy rows out, numbers beside the paper's.

An experiment is one function from a *part* (a handful of collections that one process works
through) to tidy rows, one function from all rows to numbers, and one that draws them. The runner
does the rest: parts in parallel, each in a file of its own that is written once and never again,
so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import InputError

if TYPE_CHECKING:
    from elsewhere_lab.sources import Source

Value = str | int | float | None
Row = Mapping[str, Value]
"""One line of a tidy table: the same keys in every row of a table."""
FloatMatrix = NDArray[np.float32] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Collection:
    """Photos of one cell, as one attacker or several score them."""

    kind: str
    """"R-16" to "R-128", "Albums", or a word of the experiment's own."""
    number: int
    """Which of its kind: the same number is the same collection in every experiment that takes its
    collections from `collections` (several models of one cell are numbered by the cell)."""
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


@dataclass(frozen=True)
class Scale:
    """How much of everything is run."""

    name: str
    partitions: int
    """How many random partitions of the pool."""
    cells: int | None
    """So many cells, spread over all; None for every cell."""
    albums: int
    few: int
    """How many collections an experiment takes that does not need thousands."""


SCALES = {
    "small": Scale("small", partitions=1, cells=8, albums=24, few=8),
    "medium": Scale("medium", partitions=1, cells=256, albums=1000, few=100),
    "paper": Scale("paper", partitions=10, cells=None, albums=10_000, few=400),
}
"""`small` is for tests, `paper` has the paper's counts (45k, 21k, 10k, 5k and 10k albums)."""


@dataclass(frozen=True)
class Part:
    """What one process works through in one go, and what is done again if it is stopped."""

    name: str
    """Letters, digits, dots and dashes: it names a file too."""
    wish: Mapping[str, Any] = field(default_factory=dict)
    """What the experiment needs to know to make it: plain values."""


@dataclass(frozen=True)
class Number:
    """One number of a table: ours, how sure we are of it, and the paper's."""

    line: str
    column: str
    ours: float
    error: float = 0.0
    """Standard error; over cells, where collections of one cell share photos."""
    count: int = 0
    """How many collections were averaged."""
    paper: float | None = None
    within: float | None = None
    """How far from the paper's we want to be at most."""

    @property
    def differs(self) -> bool:
        """Whether it is further from the paper's than wanted; its experiment then says why."""
        if self.paper is None or self.within is None:
            return False
        return not abs(self.ours - self.paper) <= self.within + 1e-12


@dataclass(frozen=True)
class Experiment:
    """One table or figure: what is measured, what comes out, how it looks."""

    name: str
    title: str
    about: str
    """What is shown and how it was averaged, in a paragraph."""
    parts: Callable[[Source, Scale], Sequence[Part]]
    measure: Callable[[Source, Scale, Part], list[Row]]
    """The one function from scores to tidy rows."""
    summarise: Callable[[Sequence[Row]], list[Number]]
    draw: Callable[[Sequence[Row], Sequence[Number]], Mapping[str, Any]] | None = None
    """Figures by name, built from the rows and numbers alone."""
    says: Callable[[Sequence[Row], Sequence[Number]], list[str]] | None = None
    """Sentences: what a user can act on, and why a number differs from the paper's."""
    rows_of: str | None = None
    """The experiment whose rows are summarised, where nothing new is measured."""
    decimals: int = 2
    alone: bool = False
    """Whether parts must not run side by side, because they are timed."""
    sources: tuple[str, ...] = ("simulator", "scores")
    """Which sources it can be run on."""
    models: int = 1
    """How many models of the same photos it needs."""
    needs: tuple[str, ...] = ()
    """What else the source must have: words of `Source.lacks`."""

    def cannot(self, source: Source) -> str | None:
        """Why it cannot be run on this source, in a sentence; None where it can."""
        if source.kind not in self.sources:
            wanted = "the simulator" if self.sources == ("simulator",) else "score files (--source)"
            return f"{self.name} is only run on {wanted}"
        if source.models < self.models:
            return f"{self.name} needs several models of the same photos: give --source again"
        for need in self.needs:
            if missing := source.lacks(need):
                return f"{self.name} needs {missing}"
        return None


def mean(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float, int]:
    """Mean, its standard error, and of how many.

    >>> mean([1.0, 3.0])
    (2.0, 1.0, 2)
    """
    given = np.asarray(values, dtype=np.float64)
    count = len(given)
    if count == 0:
        return float("nan"), float("nan"), 0
    error = float(given.std(ddof=1) / np.sqrt(count)) if count > 1 else float("nan")
    return float(given.mean()), error, count


def number(value: Value) -> float:
    """A field that must be a number.

    >>> number(3)
    3.0
    """
    if not isinstance(value, (int, float)):
        raise InputError(f"a table of the lab has {value!r} where a number belongs")
    return float(value)
