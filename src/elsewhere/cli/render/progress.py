"""The bar of long work that is counted: how many of how many, for how long, for how much longer.

How far a job on an album has come, for whoever watches: one bar for each stage of it.

The bars go to stderr and only to a terminal, so that a pipe gets results and nothing else. They
are gone when the job is done: what stays is the result.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, TaskID

    from elsewhere.service import Step


def counting(
    label: str, *beside: ProgressColumn, transient: bool = False, disable: bool = False
) -> Progress:
    """A bar on the terminal's other stream; `beside` the count stands what else there is to say."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn(label),
        BarColumn(),
        MofNCompleteColumn(),
        *beside,
        TimeElapsedColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, highlight=False),
        transient=transient,
        disable=disable,
    )


_STAGES = {
    "reading": "Reading",
    "scoring": "Looking",
    "planning": "Planning",
    "writing": "Writing",
    "proving": "Proving",
    "telling": "Telling",
}
"""What each stage is called: scoring is how an attacker looks at the photos, and the report tells
what came of it."""


class Stages:
    """The bars, and who moves them."""

    def __init__(self, shown: Progress) -> None:
        self._shown = shown
        self._bars: dict[str, TaskID] = {}

    def __call__(self, step: Step) -> None:
        """A job's own word on how far it is."""
        if step.stage not in self._bars:
            self._bars[step.stage] = self._shown.add_task(_STAGES[step.stage], total=None)
        bar = self._bars[step.stage]
        self._shown.update(bar, completed=step.done, total=step.total or None)


@contextmanager
def stages() -> Iterator[Stages]:
    """Within, give what is yielded to a job as its `progress`."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description:8}"),
        BarColumn(),
        _column(lambda done, total, speed: f"{done:.0f}/{total:.0f}" if total else ""),
        _column(lambda done, total, speed: f"{speed:.1f} photos/s" if speed and total else ""),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as shown:
        yield Stages(shown)


def _column(text: Callable[[float, float | None, float | None], str]) -> ProgressColumn:
    """A column that tells a bar's numbers in words: done, total, photos per second."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Column(ProgressColumn):
        """The words, kept out of the way."""

        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(text(task.completed, task.total, speed), "dim")

    return Column()
