"""The progress of a batch run, and its summary."""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from elsewhere import messages
from elsewhere.cli.program import STOPPED
from elsewhere.values.wording import counted, printable

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from elsewhere.batch import BatchStep, Limit, Summary

PAUSE, JSON_PAUSE = 60.0, 10.0
"""Seconds between two lines of progress without a terminal, for people and for programs."""
_SHORTEST, _RECENT = 1.0, 120.0  # seconds over which speeds are measured, at least and at most
_MAX_FILES = 10  # files that are named, at most
_LABELS = {"grouping": "Grouping", "working": "Planning", "counting": "Counting"}


class BatchProgress:
    """A bar on a terminal, or a line now and then in a log; a run calls it with each step."""

    def __init__(self, progress: Progress, task: TaskID, *, as_json: bool) -> None:
        self._progress, self._task, self._as_json = progress, task, as_json
        self._start = self._last_line = time.monotonic()
        self._recent = deque[tuple[float, int, int]]()  # time, albums and photos of recent steps
        self._stage = ""
        self.unchanged = 0
        self.last: BatchStep | None = None

    def __call__(self, step: BatchStep) -> None:
        """Show the step."""
        self.last, now = step, time.monotonic()
        self.unchanged = max(self.unchanged, step.unchanged)
        albums_a_second, photos_a_second = self._speeds(step, now)
        left = None
        if step.stage == "working" and albums_a_second:
            left = (step.total - step.albums) / albums_a_second
        speed = ""
        if photos_a_second:
            speed = f"{photos_a_second:,.{0 if photos_a_second >= 10 else 1}f} photos/s"
        is_due = now - self._last_line >= (JSON_PAUSE if self._as_json else PAUSE)
        if self._as_json and (is_due or step.stage != self._stage or _is_last(step)):
            self._write_json(step, albums_a_second, photos_a_second, left)
        elif not self._as_json and self._progress.disable and is_due:
            self._last_line = now
            done = f"{step.albums:,} of {step.total:,} albums" if step.total else "albums"
            parts = [f"{_LABELS[step.stage]} {done}", speed, left and f"{duration(left)} left"]
            typer.echo(", ".join(part for part in parts if part), err=True)
        self._stage = step.stage
        self._progress.update(
            self._task,
            description=_LABELS[step.stage],
            completed=step.albums,
            total=step.total or None,
            speed=speed,
        )

    def _speeds(self, step: BatchStep, now: float) -> tuple[float, float]:
        """Albums and photos a second, of late."""
        if step.stage != "working":
            return 0.0, 0.0
        self._recent.append((now, step.albums, step.photos))
        while len(self._recent) > 2 and now - self._recent[0][0] > _RECENT:
            self._recent.popleft()
        before, albums, photos = self._recent[0]
        seconds = now - before
        if seconds < _SHORTEST:
            return 0.0, 0.0
        return (step.albums - albums) / seconds, (step.photos - photos) / seconds

    def _write_json(
        self, step: BatchStep, albums: float, photos: float, left: float | None
    ) -> None:
        """One line for programs; times in seconds."""
        self._last_line = time.monotonic()
        record = {
            "stage": step.stage,
            "albums": step.albums,
            "total": step.total,
            "unchanged": step.unchanged,
            "photos": step.photos,
            "albums_per_second": round(albums, 2),
            "photos_per_second": round(photos, 2),
            "elapsed": round(self._last_line - self._start, 1),
            "left": None if left is None else round(left, 1),
        }
        typer.echo(json.dumps(record), err=True)


def _is_last(step: BatchStep) -> bool:
    return step.stage == "working" and step.albums == step.total


def duration(seconds: float) -> str:
    """A time to wait, in its two largest units.

    >>> duration(59), duration(3599), duration(7300), duration(200_000)
    ('59 s', '59 min', '2 h 1 min', '2 d 7 h')
    """
    minutes, hours, days = (int(seconds // unit) for unit in (60, 3600, 86_400))
    if days:
        return f"{days} d {hours % 24} h"
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min" if minutes else f"{seconds:.0f} s"


@contextmanager
def show_progress(output: str, *, as_json: bool = False) -> Iterator[BatchProgress]:
    """Yield what a run calls with its steps; Ctrl-C and SIGTERM end with how to resume.

    Clusters send SIGTERM before they kill. `as_json`: lines for programs instead of a bar.
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
        disable=as_json or not sys.stderr.isatty(),
    )
    task = bars.add_task(_LABELS["grouping"], total=None, speed="")
    progress = BatchProgress(bars, task, as_json=as_json)
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


def show_summary(summary: Summary, output: str, unchanged: int = 0) -> None:
    """Print what came of a run, in a few lines; `unchanged` albums have kept their rows."""
    statuses = ", ".join(f"{count:,} {name}" for name, count in summary.statuses.items())
    typer.echo(f"{counted(summary.albums, 'album')}: {statuses}")
    if unchanged:
        typer.echo(f"{counted(unchanged, 'album')} unchanged since an earlier run")
    share = 100 * summary.withheld / summary.planned if summary.planned else 0.0
    typer.echo(
        f"{counted(summary.withheld, 'photo')} to withhold of {summary.planned:,} ({share:.1f} %)"
    )
    if summary.gpu_proofs:
        failed = summary.gpu_failures
        anew = f", and {'was' if failed == 1 else 'were'} made anew" if failed else ""
        typer.echo(
            f"{counted(summary.gpu_proofs, 'plan')} from a GPU's scores proved again on the "
            f"processor's: {failed:,} failed ({100 * failed / summary.gpu_proofs:.1f} %){anew}"
        )
    first = summary.ranks.get("1st", 0)
    whose = "its" if first == 1 else "their"
    typer.echo(f"{counted(first, 'album')} had {whose} place as an attacker's first guess")
    if summary.dead:
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in summary.dead.items())
        typer.echo(f"{counted(sum(summary.dead.values()), 'dead letter')}: {kinds}")
    holds = "albums/, dead/" if summary.dead else "albums/"
    typer.echo(f"{output} holds {holds} and report.html (private)")


def show_failures(summary: Summary, limits: Sequence[Limit]) -> bool:
    """Say what was left out, and which limits a run exceeds; whether there is one."""
    reasons = list(summary.files.values())
    for reason in reasons[:_MAX_FILES]:
        typer.echo(f"elsewhere: {printable(reason)}", err=True)
    if len(reasons) > _MAX_FILES:
        more = counted(len(reasons) - _MAX_FILES, "more file")
        typer.echo(f"elsewhere: {more} cannot be used: see report.html", err=True)
    if summary.dropped_keys:
        sentence = messages.dropped_keys(summary.dropped_keys)
        typer.echo(f"elsewhere: {printable(sentence)}", err=True)
    failed = False
    for limit in limits:
        exceeded = limit.exceeded_by(summary)
        if exceeded is not None:
            failed = True
            number, of = exceeded
            share = f" of {of:,} ({100 * number / of:.2g} %)" if of else ""
            typer.echo(f"elsewhere: the run fails by {limit}: {number:,}{share}", err=True)
    return failed
