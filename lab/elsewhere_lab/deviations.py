"""Why numbers differ from the paper's: every one that does gets a sentence.

The simulator was fitted to the sixty-three numbers of the R rows and single photos in Tables 1
to 3 with the eighteen parameters of `Setting`, and no setting was found that reaches all of them.
A reason is given for one direction only, and only where the table itself bears it out; everything
else is said to be unknown. Nothing is said about what the paper does not print.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elsewhere_lab.tables import MARK
from elsewhere_lab.values import Number

UNKNOWN = "we do not know why"
_ALBUMS = "our model of albums has four parameters for eleven numbers of the paper's"


@dataclass(frozen=True)
class Beside:
    """The numbers of one table, to look at others beside the one that differs."""

    numbers: Sequence[Number]

    def pair(self, line: str, column: str) -> tuple[float, float]:
        """Ours and the paper's; not a number where there is none."""
        for each in self.numbers:
            if each.line == line and each.column == column and each.paper is not None:
                return each.ours, each.paper
        return math.nan, math.nan


Why = Callable[[Number, Beside], str | None]


def _closer_rivals(number: Number, table: Beside) -> str | None:
    """Greedy needs too few photos for the top 5, and about the right number for the top 1."""
    (one, theirs_one), (five, theirs_five) = (
        table.pair(number.line, f"top-{k} greedy") for k in (1, 5)
    )
    if not five - one < theirs_five - theirs_one:
        return None
    return (
        f"between the first rival and the fifth greedy withholds {five - one:.2f} of the photos "
        f"here and {theirs_five - theirs_one:.2f} in the paper, so in this world the first rivals "
        "come up closer together; what keeps them apart in real photos we do not know"
    )


def _less_on_greedy(number: Number, table: Beside) -> str | None:
    """An album's best plan withholds too many."""
    top = number.column.split()[0]
    (best, theirs), (greedy, their_greedy) = (
        table.pair(number.line, f"{top} {method}") for method in ("optimal", "greedy")
    )
    if not greedy - best < their_greedy - theirs:
        return None
    return (
        f"{_ALBUMS}, and in it the best plan saves {greedy - best:.2f} of the photos that greedy "
        f"withholds, in the paper {their_greedy - theirs:.2f}: it matters less which of its "
        "near-repeats go"
    )


def _steeper(ends: str) -> Why:
    """Greedy's line rises more steeply from the smaller budgets to half of the photos."""

    def why(number: Number, table: Beside) -> str | None:
        (low, theirs_low), (high, theirs_high) = (
            table.pair(number.line, column) for column in ("37.5 %", "50 %")
        )
        if not (low > 0 and high / low > theirs_high / theirs_low):
            return None
        return (
            f"{number.line} grows {high / low:.1f}-fold from 37.5 to 50 % here and "
            f"{theirs_high / theirs_low:.1f}-fold in the paper: {ends}; what makes its steps more "
            "even on real photos we do not know"
        )

    return why


def _said(text: str) -> Why:
    return lambda number, table: text


@dataclass(frozen=True)
class Reason:
    """Why numbers of one table are too low, or too high."""

    experiment: str
    where: str
    """A pattern for "line, column"."""
    too: str
    why: Why


REASONS = (
    Reason("fewest", r"R-\d+, top-5 greedy", "low", _closer_rivals),
    Reason("fewest", r"Albums, top-\d optimal", "high", _less_on_greedy),
    Reason(
        "budget", r"R-\d+ greedy, .*", "low",
        _steeper("here its first steps do less than in the paper"),
    ),
    Reason(
        "budget", r"R-\d+ greedy, .*", "high",
        _steeper("here its last steps do more than in the paper"),
    ),
    Reason(
        "nesting", r"R-\d+, .*", "high",
        _said(
            "which of many equally good plans a solver returns decides this number, and the paper "
            "does not say which its solver did; photos that fill the budget up at random change "
            "more often than the paper's"
        ),
    ),
    Reason(
        "nesting", r"R-\d+, .*", "low",
        _said(
            "which of many equally good plans a solver returns decides this number, and the paper "
            "does not say which its solver did; what fills the budget up is taken in one order for "
            "both budgets here and rarely comes back, while a solver that fills up anew for each "
            "would be nearer to what unrelated choices give"
        ),
    ),
    Reason(
        "nesting", r"R-\d+ \(fewest photos\), .*", "low",
        _said(
            "a plan that withholds no photo without need has fewer to take back; the paper's "
            "solver may have withheld more than it needed"
        ),
    ),
)  # fmt: skip


def reasons(experiment: str, numbers: Sequence[Number], *, largest: bool = False) -> list[str]:
    """One sentence for each group of numbers that differ, naming them.

    `largest`: whether there is no larger scale that could tell chance from a difference.

    >>> reasons("accuracy", [Number("Single", "top-1", 0.5, 0.001, 99, 0.2, 0.02)])
    ['† Single top-1 (0.50 ± 0.001, paper 0.20): too high; we do not know why.']
    """
    groups: dict[str, list[str]] = {}
    for number in numbers:
        if number.differs:
            why = _why(experiment, number, Beside(numbers), largest)
            groups.setdefault(why, []).append(_named(number))
    return [f"{MARK} {', '.join(who)}: {why}." for why, who in groups.items()]


def _why(experiment: str, number: Number, table: Beside, largest: bool) -> str:
    assert number.paper is not None and number.within is not None
    beyond = abs(number.ours - number.paper) - number.within
    too = "high" if number.ours > number.paper else "low"
    chance = math.isnan(number.error) or beyond <= 2 * number.error
    if chance and not largest:
        return (
            f"too {too} by less than two standard errors more than wanted, which a larger scale "
            "decides"
        )
    why = f"too {too}; {_known(experiment, number, table, too)}"
    if chance:
        why += " (beyond what was wanted by less than two standard errors)"
    return why


def _known(experiment: str, number: Number, table: Beside, too: str) -> str:
    here = f"{number.line}, {number.column}"
    for reason in REASONS:
        if (reason.experiment, reason.too) == (experiment, too) and re.fullmatch(
            reason.where, here
        ):
            return reason.why(number, table) or UNKNOWN
    return f"{_ALBUMS}, and {UNKNOWN}" if here.startswith("Albums") else UNKNOWN


def _named(number: Number) -> str:
    error = "" if math.isnan(number.error) else f" ± {number.error:.2g}"
    return f"{number.line} {number.column} ({number.ours:.2f}{error}, paper {number.paper:.2f})"
