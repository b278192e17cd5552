"""`elsewhere check`: prove a saved plan again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elsewhere.cli.program import ERROR, KEPT, count, one_sentence, printable
from elsewhere.errors import InputError

if TYPE_CHECKING:
    from elsewhere.protect.promise import Promise


def command(
    plan: Annotated[
        Path,
        typer.Argument(metavar="PLAN", help="A plan or certificate (JSON).", show_default=False),
    ],
    scores: Annotated[
        list[Path],
        typer.Argument(
            metavar="SCORES",
            help="The score files it was made from, in the same order.",
            show_default=False,
        ),
    ],
) -> None:
    """Prove a saved plan again, exactly, with code that shares nothing with the solver.

    Examples:

    - `elsewhere plan album.npz --truth 17 --top 5 -o plan.json`:
      find a plan and save it

    - `elsewhere check plan.json album.npz`:
      later, anywhere: is it still true?

    That no smaller set would do is the solver's proof and is not repeated. Exit codes: 0 everything
    that the plan says is true, 1 it is not, or a file cannot be read.
    """
    with one_sentence():
        import elsewhere
        from elsewhere.cli.saved import read_plan
        from elsewhere.score_files import read_scores

        saved = read_plan(plan)
        tables = [read_scores(file) for file in scores]
        if len(tables) != len(saved.promise.against):
            raise InputError(
                f"{plan} is against {count(len(saved.promise.against), 'attacker')}, but "
                f"{count(len(tables), 'score file')} were given: name one for each"
            )
        verdict = elsewhere.check(saved, tables if saved.several else tables[0])
        for line in _promised(saved.promise):
            typer.echo(line)
        if verdict and saved.found:
            names = [printable(tables[0].ids[photo]) for photo in saved.withheld]
            typer.echo(f"Withheld: {', '.join(names) or 'nothing'}")
        elif verdict:
            typer.echo(f"It is {saved.status}: there is no plan, so nothing can be shared on it.")
        typer.echo(printable(str(verdict)))
    raise typer.Exit(KEPT if verdict else ERROR)


def _promised(promise: Promise) -> Iterator[str]:
    """What the plan was to do, one line for each attacker."""
    for number, against in enumerate(promise.against):
        hidden = (
            f"cell {against.truth[0]}"
            if len(against.truth) == 1
            else (f"a zone of {len(against.truth)} cells")
        )
        goal = (
            f"not in the top {against.top}"
            if against.top is not None
            else f"as far down as {count(promise.budget or 0, 'photo')} withheld can push it"
        )
        whom = f"attacker {number}" if len(promise.against) > 1 else "the attacker"
        yield f"Promised against {whom} ({against.cells} cells): {hidden} {goal}"
