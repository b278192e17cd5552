"""How far the scoring of photos has come, for whoever watches.

The bar goes to stderr and only to a terminal, so that a pipe gets results and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from elsewhere.cli.program import printable

if TYPE_CHECKING:
    from elsewhere.scorers import Outcome


@contextmanager
def watched(photos: int) -> Iterator[Callable[[Outcome], None]]:
    """Within, call what is given with each photo's outcome; problems are told at once."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Photos per second."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} photos/s" if speed else "", "dim")

    console = Console(stderr=True, highlight=False)
    shown = Progress(
        TextColumn("Scoring"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(compact=True),
        console=console,
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with shown:
        task = shown.add_task("", total=photos)

        def seen(outcome: Outcome) -> None:
            shown.advance(task)
            if outcome.problem and photos > 1:  # of a single photo, the error tells it
                sentence = f"elsewhere: {printable(outcome.problem)}"
                if shown.disable:
                    typer.echo(sentence, err=True)
                else:
                    console.print(sentence, markup=False, soft_wrap=True)

        yield seen
