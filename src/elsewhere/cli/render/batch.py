"""A run of many albums as it is seen on a terminal: how far it is, and what came of it."""

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
from elsewhere.cli.render.progress import counting
from elsewhere.values.wording import printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from elsewhere.batch import BatchStep, Summary

PAUSE = 60.0
"""Seconds between two lines where there is no terminal to draw a bar on."""
_WORDS = {"grouping": "Grouping", "working": "Planning", "counting": "Counting"}


class Shown:
    """The bar as it stands, or a line now and then in a log: call it with each step."""

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress, self._task = progress, task
        self._said = time.monotonic()
        self.last: BatchStep | None = None

    def __call__(self, step: BatchStep) -> None:
        """One more step."""
        self.last = step
        seconds = self._progress.tasks[0].elapsed or 0.0
        rate = step.photos / seconds if seconds else 0.0
        speed = f"{rate:,.{0 if rate >= 10 else 1}f} photos/s" if rate else ""
        if self._progress.disable and time.monotonic() - self._said >= PAUSE:
            self._said = time.monotonic()
            far = f"{step.albums:,} of {step.total:,} albums" if step.total else "albums"
            typer.echo(f"{_WORDS[step.stage]} {far}{speed and ', '}{speed}", err=True)
        self._progress.update(
            self._task,
            description=_WORDS[step.stage],
            completed=step.albums,
            total=step.total or None,
            speed=speed,
        )

    def end(self) -> None:
        """Take the bar away, so that what is said next begins on a line of its own."""
        self._progress.stop()


@contextmanager
def bar() -> Iterator[Shown]:
    """Within, albums done and photos per second: a bar on a terminal, lines in a log."""
    from rich.progress import TextColumn

    with counting(
        "{task.description:8}",
        TextColumn("albums"),
        TextColumn("{task.fields[speed]}", style="dim"),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        yield Shown(progress, progress.add_task(_WORDS["grouping"], total=None, speed=""))


@contextmanager
def stopped_in(output: str, shown: Shown) -> Iterator[None]:
    """Within, Ctrl-C says how far it came and that it can be gone on with.

    So does being asked to end, as clusters do before they kill: then no album is to blame.
    """
    try:
        with _asked_to_end():
            yield
    except KeyboardInterrupt:
        shown.end()
        far = "nothing is planned yet"
        if shown.last is not None and shown.last.albums:
            far = f"{shown.last.albums:,} of {shown.last.total:,} albums are planned"
        typer.echo(
            f"elsewhere: stopped, {far}: give the same command again and it goes on in "
            f"{printable(output)}",
            err=True,
        )
        raise typer.Exit(STOPPED) from None


@contextmanager
def _asked_to_end() -> Iterator[None]:
    """Within, SIGTERM is like Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may say what a signal does
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def tell(found: Summary, output: str) -> None:
    """What came of it, in a few lines."""
    from elsewhere.values.wording import counted

    statuses = ", ".join(f"{many:,} {name}" for name, many in found.statuses.items())
    typer.echo(f"{counted(found.albums, 'album')}: {statuses}")
    share = 100 * found.withheld / found.planned if found.planned else 0.0
    typer.echo(
        f"{counted(found.withheld, 'photo')} to withhold of {found.planned:,} ({share:.1f} %)"
    )
    first = found.ranks.get("1st", 0)
    whose = "its" if first == 1 else "their"
    typer.echo(f"{counted(first, 'album')} had {whose} place as an attacker's first guess")
    if found.dead:
        kinds = ", ".join(f"{many:,} {kind}" for kind, many in found.dead.items())
        typer.echo(f"{counted(sum(found.dead.values()), 'dead letter')}: {kinds}")
    holds = "albums/, dead/" if found.dead else "albums/"
    typer.echo(f"{output} holds {holds} and report.html (private)")
