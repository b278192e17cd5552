"""What two runs measured, as the page quotes it: one of the simulator, one of real photos.

Every number is looked up by study, line and column as the study's own table has it, and is shown
with how sure it is: a share with its 95 % interval, a mean with ± 1.96 standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from elsewhere.errors import InputError
from elsewhere_lab import experiments
from elsewhere_lab.publishing import rows_so_far, with_album_cells
from elsewhere_lab.runs import Run, the_one
from elsewhere_lab.statistics import wilson
from elsewhere_lab.values import Number, Row

SIMULATED, REAL = "simulated", "real"
NOTHING = "–"


class Quoted:
    """The runs, and what their studies came to; each study is added up once."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.runs = tuple(runs)
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self._numbers: dict[tuple[str, str], dict[tuple[str, str], Number]] = {}

    def run_of(self, source: str, study: str) -> Run:
        """The run that holds a study."""
        mine = [run for run in self.runs if run.simulated == (source == SIMULATED)]
        run = the_one(mine, experiments.find(study))
        if run is None:
            where = "the simulator" if source == SIMULATED else "real photos"
            raise InputError(
                f"no folder holds {study} of {where}: run elsewhere-lab run {study} first"
            )
        return run

    def rows(self, source: str, study: str) -> Sequence[Row]:
        """The tidy rows of a study."""
        key = source, study
        if key not in self._rows:
            folder = self.run_of(source, study).folder
            self._rows[key] = with_album_cells(rows_so_far(folder / study), folder)
        return self._rows[key]

    def numbers(self, source: str, study: str) -> dict[tuple[str, str], Number]:
        """The numbers of a study, by line and column."""
        key = source, study
        if key not in self._numbers:
            every = experiments.find(study).summarise(self.rows(source, study))
            self._numbers[key] = {(each.line, each.column): each for each in every}
        return self._numbers[key]

    def number(self, source: str, study: str, line: str, column: str) -> Number:
        """One number; one of nothing where a run was too small to have it."""
        nothing = Number(line, column, float("nan"), float("nan"))
        return self.numbers(source, study).get((line, column), nothing)


def percent(number: Number, *, counted: bool = False) -> str:
    """A share of collections with its interval, and of how many where asked for.

    >>> percent(Number("R-16", "no plan", 0.5, 0.05, 100), counted=True)
    '50 % (40 to 60, n = 100)'
    """
    if not number.count or math.isnan(number.ours):
        return NOTHING
    low, high = wilson(number.ours, number.count)
    of = f", n = {number.count}" if counted else ""
    return f"{number.ours * 100:.0f} % ({low * 100:.0f} to {high * 100:.0f}{of})"


def amount(number: Number, *, sign: bool = False) -> str:
    """A share of photos with its error, as the paper prints shares.

    >>> amount(Number("R-16", "withheld", 0.482, 0.011, 40))
    '.48 ± .02'
    >>> amount(Number("R-16", "more than bare", -0.01), sign=True)
    '-.01 ± .00'
    """
    if math.isnan(number.ours):
        return NOTHING
    shown = bare(number.ours, "+.2f" if sign else ".2f")
    return shown if math.isnan(number.error) else f"{shown} ± {bare(1.96 * number.error, '.2f')}"


def points(number: Number) -> str:
    """A difference of shares.

    >>> points(Number("", "", 0.115, 0.03, 117))
    '+12 ± 6 points'
    """
    if math.isnan(number.ours) or math.isnan(number.error):
        return NOTHING
    return f"{number.ours * 100:+.0f} ± {196 * number.error:.0f} points"


def plain(number: Number, form: str) -> str:
    """A number alone.

    >>> plain(Number("R-16", "photos left", 5.82), ".1f")
    '5.8'
    """
    return NOTHING if math.isnan(number.ours) else format(number.ours, form)


def bare(value: float, form: str) -> str:
    """A number without the zero before its point.

    >>> bare(0.5, ".2f"), bare(-0.25, "+.2f"), bare(1.0, ".2f")
    ('.50', '-.25', '1.00')
    """
    shown = format(value, form)
    head = shown.rstrip("0123456789.")
    return head + shown[len(head) :].removeprefix("0")
