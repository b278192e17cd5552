"""Progress bars of long work.

They go to stderr, only to a terminal, and disappear at the end: a pipe gets results alone.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

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

    def relabel(self, stage: str, label: str) -> None:
        """Give a bar another label."""
        self._progress.update(self._bars[stage], description=label)


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


class EnoughEdits:
    """Passes steps on; Ctrl-C while edits are looked for ends that search, and a second one all.

    A plan with the edits found so far is then made and written like any other.
    """

    def __init__(self, progress: Stages) -> None:
        self._progress, self._looking, self._asked = progress, False, False

    def __enter__(self) -> EnoughEdits:
        self._main = threading.current_thread() is threading.main_thread()
        if self._main:  # only there may signals be handled
            self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *problem: object) -> None:
        if self._main:
            signal.signal(signal.SIGINT, self._before)

    def __call__(self, step: Step) -> None:
        """One step of the job."""
        self._looking = step.stage == "planning" and bool(step.name)
        self._progress(step)

    def enough(self) -> bool:
        """Whether no more edits are wanted."""
        return self._asked

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if not self._looking or self._asked:
            raise KeyboardInterrupt
        self._asked = True
        self._progress.relabel("planning", "Ending edits")
