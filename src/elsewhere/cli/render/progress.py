"""Progress bars of long work.

They go to stderr, only to a terminal, and disappear at the end: a pipe gets results alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from elsewhere.service import Step


_LABELS = {
    "reading": "Reading",
    "scoring": "Scoring",
    "text": "Reading text",
    "planning": "Planning",
    "writing": "Writing",
    "proving": "Proving",
    "telling": "Writing report",
}
"""The label of each stage."""
_MAX_RATE = 1000
"""Photos a second: nothing that is worked through is faster."""


@dataclass
class Stages:
    """The bars by stage; a job calls it with each step."""

    _progress: Progress
    _bars: dict[str, TaskID] = field(default_factory=dict)

    def __call__(self, step: Step) -> None:
        """Move the bar of the step's stage."""
        if step.stage not in self._bars:
            self._bars[step.stage] = self._progress.add_task(_LABELS[step.stage], total=None)
        bar = self._bars[step.stage]
        self._progress.update(bar, completed=step.done, total=step.total or None)


@contextmanager
def stages() -> Iterator[Stages]:
    """Yield what a job takes as its `progress`."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Numbers(ProgressColumn):
        """Photos done, and photos per second; nothing while the total is unknown."""

        def render(self, task: Task) -> Text:
            if not task.total:
                return Text()
            speed = task.finished_speed or task.speed
            # what is looked up is not worked through, and its rate says nothing
            rate = f" {speed:.1f} photos/s" if speed and speed < _MAX_RATE else ""
            return Text(f"{task.completed:.0f}/{task.total:.0f}{rate}", "dim")

    with Progress(
        TextColumn("{task.description:14}"),
        BarColumn(),
        Numbers(),
        TimeRemainingColumn(compact=True, elapsed_when_finished=True),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        yield Stages(progress)
