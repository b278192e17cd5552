"""What the paper reports, how near to it the simulator should come, and why numbers differ.

A reason is given for one direction only, and only where the table itself bears it out; everything
else is said to be unknown. The paper's two figures print no numbers.
"""

import math
import re
import tomllib
from collections.abc import Sequence
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


def paper_number(experiment: str, line: str, column: str) -> float | None:
    """The paper's number, or None where it has none.

    >>> paper_number("fewest", "R-16", "top-5 greedy"), paper_number("fewest", "R-16", "top-9")
    (0.53, None)
    """
    return PAPER.get((experiment, line, column))


def tolerance(experiment: str, line: str, column: str) -> float | None:
    """How far from the paper the simulator may be.

    >>> round(tolerance("budget", "R-16 optimal", "50 %"), 3)
    5.824
    """
    value = paper_number(experiment, line, column)
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
    experiment: str, line: str, column: str, average: tuple[float, float, int], suffix: str = "",
) -> Number:  # fmt: skip
    """A mean with its error and count, the paper's number and the tolerance beside it."""
    theirs, within = (find(experiment, line, column) for find in (paper_number, tolerance))
    return Number(line + suffix, column, *average, theirs, within)


def reasons(experiment: str, numbers: Sequence[Number], *, largest: bool = False) -> list[str]:
    """One sentence for each group of numbers that differ, naming them.

    >>> reasons("accuracy", [Number("Single", "top-1", 0.5, 0.001, 99, 0.2, 0.02)])
    ['† Single top-1 (0.50 ± 0.001, paper 0.20): too high; we do not know why.']
    """
    groups: dict[str, list[str]] = {}
    for number in numbers if experiment in _TABLES else ():
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

    place = f"{number.line}, {number.column}"
    text = f"{_ALBUMS}, and {UNKNOWN}" if place.startswith("Albums") else UNKNOWN
    for rule in _TABLES[experiment].get("reasons", ()):
        if rule["direction"] == direction and re.fullmatch(rule["place"], place):
            text = _apply(rule, number, numbers)
    doubt = " (beyond what was wanted by less than two standard errors)" if chance else ""
    return f"too {direction}; {text}{doubt}"


def _apply(rule: dict[str, Any], number: Number, numbers: Sequence[Number]) -> str:
    """The text of a reason, if the two columns that it compares bear it out."""
    if "columns" not in rule:
        return str(rule["text"])
    line = {n.column: n for n in numbers if n.line == number.line and n.paper is not None}
    if not line.keys() >= set(rule["columns"]):
        return UNKNOWN
    first, second = (line[column] for column in rule["columns"])
    assert first.paper is not None and second.paper is not None
    if rule["compare"] == "difference":
        ours, paper = second.ours - first.ours, second.paper - first.paper
        fits = ours < paper
    else:
        ours = second.ours / first.ours if first.ours > 0 else math.nan
        paper = second.paper / first.paper
        fits = ours > paper
    return str(rule["text"].format(line=number.line, ours=ours, paper=paper)) if fits else UNKNOWN
