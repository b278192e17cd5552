"""Two plans set side by side on the same collections: what they withhold, and for whom they hold.

A plan is named by whom it was made against, what guards it and how much of that. Collections that
have only one of the two plans are the hard ones, and would make the other look cheap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from elsewhere_lab.comparison import MORE, WITHHELD, withheld
from elsewhere_lab.values import Number, Row, Value, mean, number

Way = tuple[str, str, float]
"""Whom a plan was made against, "θ" or "√n", and how much."""
NO_DIFFERENCE = "no difference that these would show"


@dataclass(frozen=True)
class Likened:
    """A plan beside the margin that withholds most nearly as much."""

    margin: float
    better: Number
    """How much more often plans with the margin hold."""
    more: Number
    """How much more they withhold."""
    verdict: str


def both(rows: Sequence[Row], name: str, one: Way, two: Way) -> tuple[Number, Number, Number]:
    """Where the attacker had the place and both plans exist: how much more often the second holds,
    how much more it withholds, and how often the first holds there."""
    first, second = (_rows_of(rows, plan, name) for plan in (one, two))
    shared = [key for key in first if key in second]
    better = [number(second[key]["holds"]) - number(first[key]["holds"]) for key in shared]
    before = [number(first[key]["holds"]) for key in shared]
    more = [(withheld(second[key]) or 0.0) - (withheld(first[key]) or 0.0) for key in shared]
    return (
        Number(name, "holds more", *mean(better)),
        Number(name, "withheld more", *mean(more)),
        Number(name, "held before", *mean(before)),
    )


def costs_of(rows: Sequence[Row], one: Way, two: Way) -> tuple[Number, Number, Number]:
    """Where both plans exist: what each withholds, and how much more that is for the second."""
    first, second = (
        {
            key: share
            for key, row in _rows_of(rows, plan).items()
            if (share := withheld(row)) is not None
        }
        for plan in (one, two)
    )
    shared = [key for key in first if key in second]
    return (
        Number(one[0], WITHHELD, *mean([first[key] for key in shared])),
        Number(two[0], WITHHELD, *mean([second[key] for key in shared])),
        Number(two[0], MORE, *mean([second[key] - first[key] for key in shared])),
    )


def beside_margin(
    rows: Sequence[Row],
    name: str,
    plan: Way,
    proxy: str,
    *,
    margins: Sequence[float],
    called: str,
) -> Likened | None:
    """A plan beside the margin against `proxy` that withholds most nearly as much.

    That margin is chosen by what it withholds alone, so that nothing is picked for how it came
    out. `called` is what the plan is called in the verdict.
    """
    tried = [(both(rows, name, plan, (proxy, "θ", margin)), margin) for margin in margins]
    tried = [one for one in tried if one[0][0].count]
    if not tried:
        return None
    (better, more, _), margin = min(tried, key=lambda one: abs(one[0][1].ours))
    verdict = NO_DIFFERENCE
    if abs(better.ours) > 1.96 * better.error:
        verdict = f"{'θ' if better.ours > 0 else called} holds more often"
    return Likened(margin, better, more, verdict)


def _rows_of(
    rows: Sequence[Row], plan: Way, name: str | None = None
) -> dict[tuple[Value, Value], Row]:
    """The plan's rows by collection; with a name, of the collections that this attacker had."""
    return {
        (r["kind"], r["number"]): r
        for r in rows
        if (r["proxy"], r["guard"], r["amount"]) == plan
        and (name is None or (r["attacker"] == name and r["holds"] is not None))
    }
