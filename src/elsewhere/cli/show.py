"""A plan for people: the verdict first, then what goes, who then outranks the truth, and the proof.

Rich leaves colours out by itself where nobody looks: in a pipe, a file, or with NO_COLOR.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from elsewhere.cli.program import count, printable
from elsewhere.protect.explain import number
from elsewhere.protect.plan import Plan, Status, View
from elsewhere.scores import Scores

_MOST_ROWS = 25
_MOST_CELLS = 10
_COLOURS = {
    Status.OPTIMAL: "green",
    Status.FEASIBLE: "yellow",
    Status.INFEASIBLE: "red",
    Status.UNKNOWN: "red",
}
_PROVED = {
    Status.OPTIMAL: "optimal: proved that no plan is better",
    Status.FEASIBLE: "feasible: the promise holds, a better plan may exist",
    Status.INFEASIBLE: "infeasible: proved that there is no plan",
    Status.UNKNOWN: "unknown: neither a plan nor a proof",
}


def show_plan(plan: Plan, scores: Sequence[Scores], files: Sequence[Path]) -> None:
    """Print a plan."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(printable(plan.explanation), style=f"bold {_COLOURS[plan.status]}"))
    if plan.withheld:
        console.print(_withheld(plan, scores[0].ids))
        more = len(plan.withheld) - _MOST_ROWS
        if more > 0:
            console.print(f"  … and {count(more, 'photo')} more: --json lists them all\n")
    else:
        console.print()
    facts = Table.grid(padding=(0, 2))
    for name, text in _facts(plan, scores, files):
        facts.add_row(Text(name, style="dim"), Text(text, overflow="fold"))
    console.print(facts)
    if plan.rests_on_zero:
        console.print(
            Text("This rests on a probability of exactly zero, which few models mean.", "yellow")
        )


def _withheld(plan: Plan, names: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("withhold", overflow="fold")
    values, dropped = plan.promise.values, set(plan.promise.drop)
    if values is not None:
        table.add_column("value", justify="right")
    if dropped:
        table.add_column("")
    for photo in plan.withheld[:_MOST_ROWS]:
        row: list[str | Text] = [str(photo), Text(printable(names[photo]))]
        if values is not None:
            row.append(number(values[photo]))
        if dropped:
            row.append("as you asked" if photo in dropped else "")
        table.add_row(*row)
    return table


def _facts(plan: Plan, scores: Sequence[Scores], files: Sequence[Path]) -> list[tuple[str, str]]:
    """What there is to know, as pairs of a name and a sentence."""
    facts = []
    views: list[View | None] = list(plan.views) or [None] * len(scores)
    for table, file, view in zip(scores, files, views, strict=True):
        scorer = f", scorer {printable(table.scorer)}" if table.scorer else ""
        facts.append(("attacker", f"{printable(str(file))}{scorer}"))
        if view is not None:
            facts.append(("ahead now", _ahead(view)))
    facts.append(("status", _PROVED[plan.status]))
    if plan.found:
        if plan.promise.budget is None:
            facts.append(("cost", f"{number(plan.cost)}, and none below {number(plan.bound)}"))
        else:
            facts.append(
                ("protected-k", f"{plan.protected_k}, and none above {number(plan.bound)}")
            )
    return facts


def _ahead(view: View) -> str:
    if not view.rivals:
        return "no cell: the truth is this attacker's first guess"
    first = ", ".join(str(cell) for cell in view.rivals[:_MOST_CELLS])
    more = len(view.rivals) - _MOST_CELLS
    listed = f"{first} and {more} more" if more > 0 else first
    cells = "cell" if len(view.rivals) == 1 else "cells"
    if not math.isfinite(view.slack):
        return f"{cells} {listed}"
    return f"{cells} {listed} (slack {view.slack:.3g} nats)"
