"""What the models guess of an album whose place nobody told: shown, so that the user can say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from elsewhere.cli.program import printable

if TYPE_CHECKING:
    from elsewhere.service.planning.guesses import Guess


def show_guesses(guesses: Sequence[Guess], *, as_json: bool) -> None:
    """Print them; nothing where a model has no names for its cells."""
    if as_json:
        import json

        told = [
            {"scorer": guess.scorer, "place": guess.place, "probability": round(guess.share, 6)}
            for guess in guesses
        ]
        typer.echo(json.dumps({"status": "nowhere", "guesses": told}, indent=2, ensure_ascii=False))
        return
    if not guesses:
        return
    from rich.table import Table

    from elsewhere.cli.render.printing import printed
    from elsewhere.report.numbers import chance

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(justify="right")
    table.add_column(overflow="fold")
    before = ""
    for guess in guesses:
        likely = chance(guess.share).replace("\u00a0", " ")
        who = "" if guess.scorer == before else printable(guess.scorer)
        table.add_row(who, likely, printable(guess.place))
        before = guess.scorer
    with printed() as console:
        console.print("What the models guess of these photos together:")
        console.print(table)
