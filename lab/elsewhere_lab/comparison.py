"""Ways to plan, compared on the same collections; and how many have no plan at all.

What one way withholds and what another does can only be set side by side where both have a plan:
the collections that have none under the dearer way are the hard ones, and to leave them out of one
mean alone makes it look cheap.
"""

from __future__ import annotations

from collections.abc import Sequence

from elsewhere_lab.values import Number, Row, mean, number

NO_PLAN, WITHHELD, MORE = "no plan", "withheld", "more than bare"


def costs(rows: Sequence[Row], line: str, way: str, bare: str, column: str = "way") -> list[Number]:
    """The share of collections without a plan, what plans withhold, and how much more that is.

    The last is over the collections that have a plan both ways. `rows` are one kind's.

    >>> rows = [
    ...     {"number": 1, "way": "bare", "photos": 4, "withheld": 1},
    ...     {"number": 1, "way": "dear", "photos": 4, "withheld": 2},
    ...     {"number": 2, "way": "bare", "photos": 4, "withheld": 3},
    ...     {"number": 2, "way": "dear", "photos": 4, "withheld": None},
    ... ]
    >>> [(n.column, n.ours, n.count) for n in costs(rows, "R-4", "dear", "bare")]
    [('no plan', 0.5, 2), ('withheld', 0.5, 1), ('more than bare', 0.25, 1)]
    """
    mine = {row["number"]: row for row in rows if row[column] == way}
    plain = {row["number"]: row for row in rows if row[column] == bare}
    gone = {key: share for key, row in mine.items() if (share := withheld(row)) is not None}
    none = [float(row["withheld"] is None) for row in mine.values()]
    more = [
        gone[key] - before
        for key, row in plain.items()
        if key in gone and (before := withheld(row)) is not None
    ]
    return [
        Number(line, NO_PLAN, *mean(none)),
        Number(line, WITHHELD, *mean(list(gone.values()))),
        Number(line, MORE, *mean(more)),
    ]


def same(rows: Sequence[Row], field: str, ways: Sequence[str]) -> list[Number]:
    """The mean of a field for each way, over the collections where all these ways have it.

    `rows` are one kind's.

    >>> rows = [
    ...     {"number": 1, "way": "bare", "holds": 0},
    ...     {"number": 1, "way": "dear", "holds": 1},
    ...     {"number": 2, "way": "bare", "holds": 1},
    ...     {"number": 2, "way": "dear", "holds": None},
    ... ]
    >>> [(n.line, n.ours, n.count) for n in same(rows, "holds", ["bare", "dear"])]
    [('bare', 0.0, 1), ('dear', 1.0, 1)]
    """
    have = [
        {
            row["number"]: number(row[field])
            for row in rows
            if row["way"] == way and row[field] is not None
        }
        for way in ways
    ]
    shared = [key for key in have[0] if all(key in one for one in have)]
    return [
        Number(way, field, *mean([one[key] for key in shared]))
        for way, one in zip(ways, have, strict=True)
    ]


def withheld(row: Row) -> float | None:
    """The share of the photos that a plan withholds; None without one."""
    return None if row["withheld"] is None else number(row["withheld"]) / number(row["photos"])
