"""What the paper reports, number by number, and how near to it the simulator should come.

Keys are (experiment, line, column), as in the experiments' own tables. The two figures of the
paper (user preference, black box) print no numbers, so there is nothing to put beside ours.
"""

from __future__ import annotations

from elsewhere_lab.values import Number

_Lines = dict[str, tuple[float, ...]]

SIZES = (16, 32, 64, 128)
BUDGETS = (0.125, 0.25, 0.375, 0.5)

_ACCURACY: _Lines = {
    "Single": (0.20, 0.38, 59.58),
    "R-16": (0.97, 1.00, 0.06),
    "R-32": (0.99, 1.00, 0.01),
    "R-64": (1.00, 1.00, 0.00),
    "R-128": (1.00, 1.00, 0.00),
    "Albums": (0.20, 0.39, 53.51),
}
_FEWEST: _Lines = {
    "R-16": (0.32, 0.37, 0.45, 0.53),
    "R-32": (0.31, 0.43, 0.47, 0.59),
    "R-64": (0.31, 0.49, 0.48, 0.64),
    "R-128": (0.31, 0.53, 0.49, 0.68),
    "Albums": (0.21, 0.33, 0.31, 0.39),
}
_BUDGET: _Lines = {
    "R-16 optimal": (0.67, 3.00, 10.20, 29.12),
    "R-16 greedy": (0.46, 1.88, 6.22, 17.67),
    "R-32 optimal": (0.17, 1.14, 4.84, 17.49),
    "R-32 greedy": (0.07, 0.42, 1.90, 7.15),
    "R-64 optimal": (0.05, 0.57, 2.87, 10.20),
    "R-64 greedy": (0.02, 0.09, 0.57, 2.80),
    "R-128 optimal": (0.03, 0.38, 2.06, 8.07),
    "R-128 greedy": (0.01, 0.03, 0.21, 1.29),
    "Albums optimal": (77.09, 103.18),
    "Albums greedy": (70.78, 86.31),
}
_NESTING: _Lines = {
    "R-16": (0.27, 0.10),
    "R-32": (0.32, 0.15),
    "R-64": (0.34, 0.19),
    "R-128": (0.33, 0.22),
}
_COLUMNS = {
    "accuracy": ("top-1", "top-5", "protected-k"),
    "fewest": ("top-1 optimal", "top-1 greedy", "top-5 optimal", "top-5 greedy"),
    "budget": ("12.5 %", "25 %", "37.5 %", "50 %"),
    "nesting": ("12.5 % → 25 %", "25 % → 50 %"),
    "time": ("seconds",),
}
_TABLES: dict[str, _Lines] = {
    "accuracy": _ACCURACY,
    "fewest": _FEWEST,
    "budget": _BUDGET,
    "nesting": _NESTING,
    "time": {"R-64": (4.8,), "R-128": (9.2,)},
}

PAPER: dict[tuple[str, str, str], float] = {
    (experiment, line, column): value
    for experiment, lines in _TABLES.items()
    for line, values in lines.items()
    for column, value in zip(_COLUMNS[experiment], values, strict=False)
}


def reported(experiment: str, line: str, column: str) -> float | None:
    """The paper's number, or None where it has none.

    >>> reported("fewest", "R-16", "top-5 greedy"), reported("fewest", "R-16", "top-9")
    (0.53, None)
    """
    return PAPER.get((experiment, line, column))


def tolerance(experiment: str, line: str, column: str) -> float | None:
    """How far from the paper the simulator may be.

    Table 1 within .02, Table 2 within .04, Table 3 within a fifth or .3, whichever is larger.
    Mean ranks of Table 1 follow Table 3's rule, Table 4 follows Table 2's. Times depend on the
    machine.

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
    experiment: str, line: str, column: str, averaged: tuple[float, float, int]
) -> Number:
    """A mean with its error and count, the paper's number and the tolerance beside it."""
    theirs = reported(experiment, line, column)
    return Number(line, column, *averaged, theirs, tolerance(experiment, line, column))
