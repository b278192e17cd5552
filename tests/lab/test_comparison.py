"""Costs are compared on the same collections, and those without a plan are counted."""

from __future__ import annotations

from elsewhere_lab.statistics import MORE, NO_PLAN, WITHHELD, costs
from elsewhere_lab.values import Row


def row(number: int, way: str, withheld: int | None) -> Row:
    return {"kind": "R-10", "number": number, "way": way, "photos": 10, "withheld": withheld}


def test_a_hard_collection_that_drops_out_makes_nothing_look_cheap() -> None:
    rows = [
        row(1, "bare", 2), row(1, "dear", 4),
        row(2, "bare", 8), row(2, "dear", None),
        row(3, "bare", None), row(3, "dear", None),
    ]  # fmt: skip
    dear = {n.column: n for n in costs(rows, "line", "dear", "bare")}
    assert (dear[NO_PLAN].ours, dear[NO_PLAN].count) == (2 / 3, 3)
    assert (dear[WITHHELD].ours, dear[WITHHELD].count) == (0.4, 1)
    # the means alone would say that the dear way withholds less: .4 against .5
    assert (round(dear[MORE].ours, 9), dear[MORE].count) == (0.2, 1)
    bare = {n.column: n.ours for n in costs(rows, "line", "bare", "bare")}
    assert bare == {NO_PLAN: 1 / 3, WITHHELD: 0.5, MORE: 0.0}
