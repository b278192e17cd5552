"""The progress of a batch run, and its summary."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from elsewhere.cli.program import STOPPED
from elsewhere.values.wording import counted, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from elsewhere.batch import BatchStep, Summary

PAUSE = 60.0
"""Seconds between two lines of progress without a terminal."""
_LABELS = {"grouping": "Grouping", "working": "Planning", "counting": "Counting"}


class BatchProgress:
    """A bar on a terminal, or a line now and then in a log; a run calls it with each step."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task
        self._last_line = time.monotonic()
        self.last: BatchStep | None = None

    def __call__(self, step: BatchStep) -> None:
        """Show the step."""
        self.last = step
        seconds = self._progress.tasks[0].elapsed or 0.0
        rate = step.photos / seconds if seconds else 0.0
        speed = f"{rate:,.{0 if rate >= 10 else 1}f} photos/s" if rate else ""
        if self._progress.disable and time.monotonic() - self._last_line >= PAUSE:
            self._last_line = time.monotonic()
            done = f"{step.albums:,} of {step.total:,} albums" if step.total else "albums"
            typer.echo(f"{_LABELS[step.stage]} {done}{speed and ', '}{speed}", err=True)
        self._progress.update(
            self._task,
            description=_LABELS[step.stage],
            completed=step.albums,
            total=step.total or None,
            speed=speed,
        )


@contextmanager
def show_progress(output: str) -> Iterator[BatchProgress]:
    """Yield what a run calls with its steps; Ctrl-C and SIGTERM end with how to resume.

    Clusters send SIGTERM before they kill.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bars = Progress(
        TextColumn("{task.description:8}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("albums"),
        TextColumn("{task.fields[speed]}", style="dim"),
        TimeElapsedColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True, highlight=False),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    progress = BatchProgress(bars, bars.add_task(_LABELS["grouping"], total=None, speed=""))
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread:  # no other thread may set a signal's handler
        previous = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with bars:
            yield progress
    except KeyboardInterrupt:
        done = "nothing is planned yet"
        if progress.last is not None and progress.last.albums:
            done = f"{progress.last.albums:,} of {progress.last.total:,} albums are planned"
        typer.echo(
            f"elsewhere: stopped, {done}: repeat the command to resume in {printable(output)}",
            err=True,
        )
        raise typer.Exit(STOPPED) from None
    finally:
        if in_main_thread:
            signal.signal(signal.SIGTERM, previous or signal.SIG_DFL)


def show_summary(summary: Summary, output: str) -> None:
    """Print what came of a run, in a few lines."""
    statuses = ", ".join(f"{count:,} {name}" for name, count in summary.statuses.items())
    typer.echo(f"{counted(summary.albums, 'album')}: {statuses}")
    share = 100 * summary.withheld / summary.planned if summary.planned else 0.0
    typer.echo(
        f"{counted(summary.withheld, 'photo')} to withhold of {summary.planned:,} ({share:.1f} %)"
    )
    first = summary.ranks.get("1st", 0)
    whose = "its" if first == 1 else "their"
    typer.echo(f"{counted(first, 'album')} had {whose} place as an attacker's first guess")
    if summary.dead:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in summary.dead.items())
        typer.echo(f"{counted(sum(summary.dead.values()), 'dead letter')}: {kinds}")
    holds = "albums/, dead/" if summary.dead else "albums/"
    typer.echo(f"{output} holds {holds} and report.html (private)")
