"""Two plans side by side: on the collections that have both, and nowhere else."""

from __future__ import annotations

import math

import pytest

from elsewhere_lab.statistics import NO_DIFFERENCE, compare_costs, compare_success, match_margin
from elsewhere_lab.values import Row

NONE = ("one", "θ", 0.0)


def row(number: int, plan: tuple[str, str, float], withheld: int | None, holds: int | None) -> Row:
    proxy, guard, amount = plan
    return {
        "kind": "R-16", "number": number, "photos": 16, "proxy": proxy, "guard": guard,
        "amount": amount, "attacker": "other", "holds": holds, "withheld": withheld,
    }  # fmt: skip


def test_a_collection_without_the_dearer_plan_does_not_make_the_other_look_cheap() -> None:
    dear = ("one", "θ", 1.0)
    rows = [
        row(1, NONE, 4, 0), row(1, dear, 8, 1),
        row(2, NONE, 0, 1), row(2, dear, 4, 1),
        row(3, NONE, 15, 0), row(3, dear, None, None),
    ]  # fmt: skip
    first, second, more = compare_costs(rows, NONE, dear)
    assert (first.ours, second.ours, more.ours, more.count) == (0.125, 0.375, 0.25, 2)
    better, gone, before = compare_success(rows, "other", NONE, dear)
    assert (better.ours, gone.ours, before.ours, better.count) == (0.5, 0.25, 0.5, 2)
    assert math.isnan(compare_success(rows, "nobody", NONE, dear)[0].ours)


@pytest.mark.parametrize(
    ("held", "verdict"),
    [
        ((1, 1), NO_DIFFERENCE),
        ((0, 1), "θ holds more often"),
        ((1, 0), "the lead holds more often"),
    ],
)
def test_a_plan_is_set_beside_the_margin_of_most_nearly_its_cost(
    held: tuple[int, int], verdict: str
) -> None:
    lead = ("one", "√n", 0.4)
    rows = [
        each
        for number in range(8)
        for each in (
            row(number, lead, 8, held[0]),
            row(number, ("one", "θ", 0.1), 2, 0),
            row(number, ("one", "θ", 0.5), 9, held[1]),
            row(number, ("one", "θ", 1.0), 14, 1),
        )
    ]
    like = match_margin(rows, "other", lead, "one", margins=(0.1, 0.5, 1.0), called="the lead")
    assert like is not None
    assert (like.margin, like.more.ours, like.verdict) == (0.5, 1 / 16, verdict)
    assert match_margin(rows, "nobody", lead, "one", margins=(0.1,), called="") is None
