"""What the paper reports, how near to it the simulator should come, and why numbers differ.

A reason is given for one direction only, and only where the table itself bears it out; everything
else is said to be unknown. The paper's two figures print no numbers.
"""

import math
import re
import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

from elsewhere_lab.values import Number

MARK = "†"  # marks a number that is further from the paper's than accepted
UNKNOWN = "we do not know why"
_ALBUMS = "our model of albums has four parameters for eleven numbers of the paper's"
BUDGETS = (0.125, 0.25, 0.375, 0.5)

_TABLES: dict[str, Any] = tomllib.loads((files(__package__) / "paper.toml").read_text("utf-8"))
PAPER: dict[tuple[str, str, str], float] = {
    (experiment, line, column): value
    for experiment, table in _TABLES.items()
    for line, values in table["lines"].items()
    for column, value in zip(table["columns"], values, strict=False)
}


def reported(experiment: str, line: str, column: str) -> float | None:
    """The paper's number, or None where it has none.

    >>> reported("fewest", "R-16", "top-5 greedy"), reported("fewest", "R-16", "top-9")
    (0.53, None)
    """
    return PAPER.get((experiment, line, column))


def tolerance(experiment: str, line: str, column: str) -> float | None:
    """How far from the paper the simulator may be.

    >>> round(tolerance("budget", "R-16 optimal", "50 %"), 3)
    5.824
    """
    value = reported(experiment, line, column)
    if value is None:
        return None
    if experiment == "accuracy":
        return max(0.2 * value, 0.3) if column == "protected-k" else 0.02
    if experiment in ("fewest", "nesting"):
        return 0.04
    if experiment == "budget":
        return max(0.2 * value, 0.3)
    return None


def with_papers(
    experiment: str, line: str, column: str, averaged: tuple[float, float, int], suffix: str = "",
) -> Number:  # fmt: skip
    """A mean with its error and count, the paper's number and the tolerance beside it."""
    theirs, within = (find(experiment, line, column) for find in (reported, tolerance))
    return Number(line + suffix, column, *averaged, theirs, within)


Pair = tuple[float, float]  # A number of ours and the paper's
Reason = Callable[[Number, Callable[[str], Pair]], str | None]
"""Why a number differs, from other columns of its line; None where the table does not bear it out.
"""


def _closer_rivals(number: Number, pair: Callable[[str], Pair]) -> str | None:
    """Greedy needs too few photos for the top 5, and about the right number for the top 1."""
    (one, theirs_one), (five, theirs_five) = pair("top-1 greedy"), pair("top-5 greedy")
    if not five - one < theirs_five - theirs_one:
        return None
    return (
        f"between the first rival and the fifth greedy withholds {five - one:.2f} of the photos "
        f"here and {theirs_five - theirs_one:.2f} in the paper, so in this world the first rivals "
        "come up closer together; what keeps them apart in real photos we do not know"
    )


def _less_saved(number: Number, pair: Callable[[str], Pair]) -> str | None:
    """An album's best plan withholds too many."""
    top = number.column.split()[0]
    (best, theirs), (greedy, their_greedy) = pair(f"{top} optimal"), pair(f"{top} greedy")
    if not greedy - best < their_greedy - theirs:
        return None
    return (
        f"{_ALBUMS}, and in it the best plan saves {greedy - best:.2f} of the photos that greedy "
        f"withholds, in the paper {their_greedy - theirs:.2f}: it matters less which of its "
        "near-repeats go"
    )


def _steeper(steps: str) -> Reason:
    """Greedy's line rises more steeply from the smaller budgets to half of the photos."""

    def reason(number: Number, pair: Callable[[str], Pair]) -> str | None:
        (low, theirs_low), (high, theirs_high) = pair("37.5 %"), pair("50 %")
        if not (low > 0 and high / low > theirs_high / theirs_low):
            return None
        return (
            f"{number.line} grows {high / low:.1f}-fold from 37.5 to 50 % here and "
            f"{theirs_high / theirs_low:.1f}-fold in the paper: here its {steps} than in the "
            "paper; what makes its steps more even on real photos we do not know"
        )

    return reason


REASONS: tuple[tuple[str, str, str, Reason], ...] = (
    ("fewest", r"R-\d+, top-5 greedy", "low", _closer_rivals),
    ("fewest", r"Albums, top-\d optimal", "high", _less_saved),
    ("budget", r"R-\d+ greedy, .*", "low", _steeper("first steps do less")),
    ("budget", r"R-\d+ greedy, .*", "high", _steeper("last steps do more")),
)
"""By experiment, a pattern for "line, column", and the direction in which the number is off.
`paper.toml` has those that depend on no other number."""


def reasons(experiment: str, numbers: Sequence[Number], *, largest: bool = False) -> list[str]:
    """One sentence for each group of numbers that differ, naming them.

    >>> reasons("accuracy", [Number("Single", "top-1", 0.5, 0.001, 99, 0.2, 0.02)])
    ['† Single top-1 (0.50 ± 0.001, paper 0.20): too high; we do not know why.']
    """
    groups: dict[str, list[str]] = {}
    for number in numbers:
        if number.differs:
            error = "" if math.isnan(number.error) else f" ± {number.error:.2g}"
            values = f"{number.ours:.2f}{error}, paper {number.paper:.2f}"
            name = f"{number.line} {number.column} ({values})"
            groups.setdefault(_reason(experiment, number, numbers, largest), []).append(name)
    return [f"{MARK} {', '.join(names)}: {reason}." for reason, names in groups.items()]


def _reason(experiment: str, number: Number, numbers: Sequence[Number], largest: bool) -> str:
    assert number.paper is not None and number.within is not None
    excess = abs(number.ours - number.paper) - number.within
    direction = "high" if number.ours > number.paper else "low"
    chance = math.isnan(number.error) or excess <= 2 * number.error
    if chance and not largest:
        return (
            f"too {direction} by less than two standard errors more than wanted, which a larger "
            "scale decides"
        )

    def pair(column: str) -> Pair:
        """Ours and the paper's in another column of the line; nan where there is none."""
        for each in numbers:
            if (each.line, each.column) == (number.line, column) and each.paper is not None:
                return each.ours, each.paper
        return math.nan, math.nan

    place = f"{number.line}, {number.column}"
    text = f"{_ALBUMS}, and {UNKNOWN}" if place.startswith("Albums") else UNKNOWN
    for name, pattern, wrong, reason in REASONS:
        if (name, wrong) == (experiment, direction) and re.fullmatch(pattern, place):
            text = reason(number, pair) or UNKNOWN
    for fixed in _TABLES[experiment].get("reasons", ()):
        if fixed["direction"] == direction and re.fullmatch(fixed["place"], place):
            text = fixed["text"]
    doubt = " (beyond what was wanted by less than two standard errors)" if chance else ""
    return f"too {direction}; {text}{doubt}"
