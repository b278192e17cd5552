"""Means, shares and comparisons of plans, each with how sure it is.

Errors of the paper's tables are over cells, because collections of one cell share photos. Costs are
compared on the collections that have both plans: those without the dearer plan are the hard ones.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere_lab.collections import cell_of, kinds_of
from elsewhere_lab.solving import list_unproved
from elsewhere_lab.values import Number, Numbers, Row, Rows, Value, Z, number, wilson

Average = tuple[float, float, int]  # A mean or share, its standard error, and of how many
PlanName = tuple[str, str, float]
"""The models planned against, the guard ("θ" or "√n"), and its amount."""
NO_PLAN, WITHHELD, MORE = "no plan", "withheld", "more than bare"
NO_DIFFERENCE = "no difference that these would show"


def mean(values: Sequence[float] | NDArray[np.float64]) -> Average:
    """Mean, its standard error, and of how many.

    >>> mean([1.0, 3.0])
    (2.0, 1.0, 2)
    """
    given = np.asarray(values, dtype=np.float64)
    count = len(given)
    if count == 0:
        return math.nan, math.nan, 0
    error = float(given.std(ddof=1) / np.sqrt(count)) if count > 1 else math.nan
    return float(given.mean()), error, count


def mean_of(rows: Rows, column: str) -> Average:
    """The mean of a column over the rows that have it."""
    return mean([float(v) for row in rows if isinstance(v := row[column], (int, float))])


def mean_by_cell(rows: Rows, values: Sequence[float | None]) -> Average:
    """The mean of the rows' values, of those that have one.

    >>> rows = [{"kind": "Albums", "number": i, "cell": i // 2} for i in range(4)]
    >>> mean_by_cell(rows, [0.0, 0.0, 1.0, 1.0])
    (0.5, 0.5, 4)
    """
    pairs = zip(rows, values, strict=True)
    known = [(value, cell_of(row)) for row, value in pairs if value is not None]
    if not known:
        return math.nan, math.nan, 0
    return share([value for value, _ in known], np.ones(len(known)), [cell for _, cell in known])


def share(parts: ArrayLike, wholes: ArrayLike, cells: Sequence[int]) -> Average:
    """What all parts together are of all wholes together.

    >>> share([1, 0], [2, 2], [7, 8])
    (0.25, 0.25, 2)
    """
    some, of = np.asarray(parts, dtype=np.float64), np.asarray(wholes, dtype=np.float64)
    whole = float(of.sum())
    if whole == 0:
        return math.nan, math.nan, 0
    result = float(some.sum()) / whole
    _, cell = np.unique(np.asarray(cells), return_inverse=True)
    deviations = np.bincount(cell, some - result * of)
    count = len(deviations)
    if count < 2:
        return result, math.nan, len(some)
    error = float(np.sqrt(count / (count - 1) * (deviations**2).sum())) / whole
    return result, error, len(some)


def differ(first: Number, second: Number) -> bool:
    """Whether two shares differ by more than chance: their intervals do not touch.

    >>> differ(Number("", "", 0.9, 0, 100), Number("", "", 0.5, 0, 100))
    True
    """
    lower, upper = sorted(wilson(n.ours, n.count) for n in (first, second))
    return lower[1] < upper[0]


def by_column(numbers: Numbers, line: str) -> dict[str, Number]:
    """One line's numbers by column, without those of no collection."""
    return {n.column: n for n in numbers if n.line == line and n.count and not math.isnan(n.ours)}


def pick(numbers: Numbers, line: str, column: str) -> Number | None:
    """One number of a table, if it is there."""
    return next((n for n in numbers if n.line == line and n.column == column), None)


def findings_by_kind(
    finding: dict[str, Any], advice: Callable[[str, Rows, Numbers], str], rows: Rows,
    numbers: Numbers,
) -> Iterator[str]:  # fmt: skip
    """A template filled for each kind whose lines all have a column, and the plans not proved."""
    for kind in kinds_of(rows):
        lines = {
            name: by_column(numbers, f"{kind}, {line}") for name, line in finding["lines"].items()
        }
        if all(finding["column"] in line for line in lines.values()):
            text: str = finding["text"].format(kind=kind, **lines)
            yield text + advice(kind, rows, numbers)
    yield from list_unproved(rows)


def lines_of(rows: Rows, column: str) -> Iterator[tuple[str, str, list[Row], list[Row]]]:
    """For each kind and value of a column: the line's name, the value, the kind's rows, its own."""
    for kind in kinds_of(rows):
        every = select(rows, kind=kind)
        for value in unique(every, column):
            yield f"{kind}, {value}", value, every, select(every, **{column: value})


def withheld_share(row: Row) -> float | None:
    """The share of the photos that a plan withholds; None without one."""
    return None if row["withheld"] is None else number(row["withheld"]) / number(row["photos"])


def costs(rows: Rows, line: str, way: str, bare: str, column: str = "way") -> list[Number]:
    """The share of collections without a plan, what plans withhold, and how much more that is."""
    shares, bare_shares = (
        {row["number"]: withheld_share(row) for row in select(rows, **{column: value})}
        for value in (way, bare)
    )
    known = {key: share for key, share in shares.items() if share is not None}
    none = [float(share is None) for share in shares.values()]
    more = [
        known[key] - before
        for key, before in bare_shares.items()
        if key in known and before is not None
    ]
    return [
        Number(line, NO_PLAN, *mean(none)),
        Number(line, WITHHELD, *mean(list(known.values()))),
        Number(line, MORE, *mean(more)),
    ]


def same(rows: Rows, field: str, ways: Sequence[str]) -> list[Number]:
    """The mean of a field for each way, over the collections where all these ways have it.

    >>> rows = [
    ...     {"number": 1, "way": "bare", "holds": 0},
    ...     {"number": 1, "way": "dear", "holds": 1},
    ...     {"number": 2, "way": "bare", "holds": 1},
    ...     {"number": 2, "way": "dear", "holds": None},
    ... ]
    >>> [(n.line, n.ours, n.count) for n in same(rows, "holds", ["bare", "dear"])]
    [('bare', 0.0, 1), ('dear', 1.0, 1)]
    """
    values_of = [
        {
            row["number"]: number(row[field])
            for row in select(rows, way=way)
            if row[field] is not None
        }
        for way in ways
    ]
    common = [key for key in values_of[0] if all(key in values for values in values_of)]
    return [
        Number(way, field, *mean([values[key] for key in common]))
        for way, values in zip(ways, values_of, strict=True)
    ]


def select(rows: Rows, **fields: Value) -> list[Row]:
    """The rows that have these values.

    >>> select([{"kind": "R-16", "top": 1}, {"kind": "R-16", "top": 5}], top=5)
    [{'kind': 'R-16', 'top': 5}]
    """
    return [row for row in rows if all(row[key] == value for key, value in fields.items())]


def unique(rows: Rows, column: str) -> list[str]:
    """The values of a column, each once, in the order of the rows."""
    return list(dict.fromkeys(str(row[column]) for row in rows))


class MarginMatch(NamedTuple):
    """A plan beside the margin that withholds most nearly as much."""

    margin: float
    better: Number  # how much more often plans with the margin hold
    more: Number  # how much more they withhold
    called: str  # the plan, in sentences

    @property
    def winner(self) -> str:
        """Which holds more often, θ or the plan; empty where these show no difference."""
        clear = abs(self.better.ours) > Z * self.better.error
        return ("θ" if self.better.ours > 0 else self.called) if clear else ""

    @property
    def verdict(self) -> str:
        """The winner in words."""
        return f"{self.winner} holds more often" if self.winner else NO_DIFFERENCE


def compare_success(
    rows: Rows, attacker: str, first: PlanName, second: PlanName
) -> tuple[Number, Number, Number]:
    """Where the attacker had the place and both plans exist: how much more often the second holds,
    how much more it withholds, and how often the first holds there."""
    had = [row for row in select(rows, attacker=attacker) if row["holds"] is not None]
    pairs = _pair_plans(had, first, second)
    better = [number(after["holds"]) - number(before["holds"]) for before, after in pairs]
    more = [
        (withheld_share(after) or 0.0) - (withheld_share(before) or 0.0) for before, after in pairs
    ]
    return (
        Number(attacker, "holds more", *mean(better)),
        Number(attacker, "withheld more", *mean(more)),
        Number(attacker, "held before", *mean([number(before["holds"]) for before, _ in pairs])),
    )


def compare_costs(rows: Rows, first: PlanName, second: PlanName) -> tuple[Number, Number, Number]:
    """Where both plans exist: what each withholds, and how much more that is for the second."""
    planned = [row for row in rows if row["withheld"] is not None]
    shares = np.array(
        [[withheld_share(row) for row in pair] for pair in _pair_plans(planned, first, second)],
        dtype=np.float64,
    ).reshape(-1, 2)
    return (
        Number(first[0], WITHHELD, *mean(shares[:, 0])),
        Number(second[0], WITHHELD, *mean(shares[:, 1])),
        Number(second[0], MORE, *mean(shares[:, 1] - shares[:, 0])),
    )


def _pair_plans(rows: Rows, first: PlanName, second: PlanName) -> list[tuple[Row, Row]]:
    """The rows of two plans for the same collections."""
    before, after = (
        {(r["kind"], r["number"]): r for r in select(rows, proxy=proxy, guard=guard, amount=size)}
        for proxy, guard, size in (first, second)
    )
    return [(row, after[key]) for key, row in before.items() if key in after]


def match_margin(
    rows: Rows, attacker: str, plan: PlanName, proxy: str, *, margins: Sequence[float], called: str
) -> MarginMatch | None:
    """A plan beside the margin against `proxy` that withholds most nearly as much."""
    # chosen by what it withholds alone, so that nothing is picked for how it came out
    tried = [
        (success, margin)
        for margin in margins
        if (success := compare_success(rows, attacker, plan, (proxy, "θ", margin)))[0].count
    ]
    if not tried:
        return None
    (better, more, _), margin = min(tried, key=lambda pair: abs(pair[0][1].ours))
    return MarginMatch(margin, better, more, called)
