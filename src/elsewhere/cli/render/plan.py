"""A promise with all its conditions, and a plan: verdict, withheld photos, rivals and proof."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.columns import Columns
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from elsewhere.cli.parse import HiddenCells, cells_text, hidden_text, known_cells, ranges_text
from elsewhere.cli.render.printing import printed
from elsewhere.messages.phrases import number_text
from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted, printable


def promise_lines(promise: Promise, tables: Sequence[Scores]) -> Iterator[str]:
    """A promise line by line; photos and cells get their names from the scores.

    >>> against = Against("", "", 9, (3,), 2, margin=0.5)
    >>> for line in promise_lines(Promise(2, (against,), keep=(1,)), [Scores([[0.0] * 9] * 2)]):
    ...     print(line)
    Promised against the attacker (9 cells): cell 3 not in the top 2
      each kept photo counts 0.5 nats more for the truth
    Kept as asked: 1
    """
    scores = tables[0]
    for place, (against, table) in enumerate(zip(promise.against, tables, strict=True)):
        whom = f"attacker {place}" if len(promise.against) > 1 else "the attacker"
        zone = len(against.truth)
        hidden = _cells(against.truth, against, table)
        if zone > 1:
            hidden = f"a zone of {zone} cells ({ranges_text(against.truth)})"
        goal = (
            f"not in the top {against.top}"
            if against.top is not None
            else f"as far down as {counted(promise.budget or 0, 'photo')} withheld can push it"
        )
        yield f"Promised against {whom} ({against.cells} cells): {hidden} {goal}"
        for condition in _conditions(against, table):
            yield f"  {condition}"
    if promise.strict:
        yield "A tie does not count as hidden."
    if promise.keep:
        yield f"Kept as asked: {_photos(promise.keep, scores)}"
    if promise.drop:
        yield f"Withheld as asked: {_photos(promise.drop, scores)}"
    for group in promise.groups:
        yield f"Together: {_photos(group, scores)}"
    if promise.values is not None:
        unequal = [
            f"{_photos([photo], scores)} {number_text(value)}"
            for photo, value in enumerate(promise.values)
            if value != 1
        ]
        yield f"What withholding costs (others 1): {', '.join(unequal)}"


def _conditions(against: Against, table: Scores) -> Iterator[str]:
    """The conditions of one attacker besides its top."""
    if against.rivals is not None:
        cells = _cells(against.rivals, against, table)
        yield f"only {counted(len(against.rivals), 'cell')} counted as rivals: {cells}"
    if against.margin:
        yield f"each kept photo counts {against.margin:g} nats more for the truth"
    if against.lead:
        yield f"a rival must be ahead by {against.lead:g} nats in total"
    if against.prior is not None:
        yield "the attacker knows something beforehand: a prior over its cells"
    if against.sees is not None:
        yield f"it sees {counted(len(against.sees), 'photo')} only"
    if against.each_photo is not None:
        yield f"each kept photo alone keeps the truth out of the top {against.each_photo}, too"


def _cells(which: Sequence[int], against: Against, table: Scores) -> str:
    """Cells by name if these scores can be those of the promise."""
    same = table.cells == against.cells
    return cells_text(which, table if same else Scores([[0.0, 0.0]]))


def _photos(which: Sequence[int], scores: Scores) -> str:
    """Photos by name if these scores have them."""
    return ", ".join(
        scores.ids[photo] if photo < scores.photos else f"photo {photo}" for photo in which
    )


_MAX_ROWS = 25
_FINGERPRINT = 12
"""Digits of a fingerprint that are shown."""
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


def show_plan(
    plan: Plan, scores: Sequence[Scores], files: Sequence[Path], truths: Sequence[HiddenCells]
) -> None:
    """Print a plan."""
    with printed() as console:
        console.print(Text(printable(plan.explanation), style=f"bold {_COLOURS[plan.status]}"))
        if plan.withheld:
            console.print(_withheld(plan, scores[0].ids, console))
        else:
            console.print()
        facts = Table.grid(padding=(0, 2))
        for name, text in _facts(plan, scores, files, truths):
            facts.add_row(Text(name, style="dim"), Text(text, overflow="fold"))
        console.print(facts)
        if plan.rests_on_zero:
            console.print(
                Text(
                    "This rests on a probability of exactly zero, which few models mean.", "yellow"
                )
            )


def _withheld(plan: Plan, names: Sequence[str], console: Console) -> Table | Padding:
    """The withheld photos; a long plain list is set in columns on a terminal."""
    plain = plan.promise.values is None and not plan.promise.drop
    if console.is_terminal and plain and len(plan.withheld) > _MAX_ROWS:
        digits = len(str(plan.withheld[-1]))
        entries = [
            Text.assemble((f"{photo:>{digits}} ", "dim"), printable(names[photo]), overflow="fold")
            for photo in plan.withheld
        ]
        columns = Columns(entries, column_first=True, padding=(0, 3), title="withhold")
        return Padding(columns, (1, 0, 1, 1))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("", justify="right", style="dim")
    table.add_column("withhold", overflow="fold")
    values, dropped = plan.promise.values, set(plan.promise.drop)
    if values is not None:
        table.add_column("value", justify="right")
    if dropped:
        table.add_column("")
    for photo in plan.withheld:
        row: list[str | Text] = [str(photo), Text(printable(names[photo]))]
        if values is not None:
            row.append(number_text(values[photo]))
        if dropped:
            row.append("as you asked" if photo in dropped else "")
        table.add_row(*row)
    return table


def _facts(
    plan: Plan, scores: Sequence[Scores], files: Sequence[Path], truths: Sequence[HiddenCells]
) -> list[tuple[str, str]]:
    """Names and sentences."""
    facts = []
    views: list[View | None] = list(plan.views) or [None] * len(scores)
    pairs = zip(scores, files, views, truths, plan.promise.against, strict=True)
    for table, file, view, truth, against in pairs:
        scorer = f", scorer {printable(table.scorer[:_FINGERPRINT])}" if table.scorer else ""
        facts.append(("attacker", f"{printable(str(file))}{scorer}"))
        if known_cells(table) is not None:
            facts.append(("truth", hidden_text(truth, against.truth, table)))
        if view is not None:
            facts.append(("ahead now", _ahead(view, table)))
    facts.append(("status", _PROVED[plan.status]))
    if plan.found:
        if plan.promise.budget is None:
            facts.append(
                ("cost", f"{number_text(plan.cost)}, and none below {number_text(plan.bound)}")
            )
        else:
            facts.append(
                ("protected-k", f"{plan.protected_k}, and none above {number_text(plan.bound)}")
            )
    return facts


def _ahead(view: View, scores: Scores) -> str:
    if not view.rivals:
        return "no cell: the truth is this attacker's first guess"
    listed = cells_text(view.rivals, scores)
    return f"{listed} (slack {view.slack:.3g} nats)" if math.isfinite(view.slack) else listed
