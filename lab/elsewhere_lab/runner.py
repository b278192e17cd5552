"""Runs experiments: parts in parallel, each kept in a file; then tables and figures from the files.

What a folder holds after a run:

    run.json                    source, scale, seed, digests of what they are, what it took
    NAME/parts/PART.csv         tidy rows, one file for each part; what is there is not done again
    NAME/rows.csv               all of them
    NAME/numbers.csv, table.md  the numbers, the paper's beside ours
    NAME/says.json              the sentences below the table
    NAME/*.svg, *.png           the figures, drawn from the two CSV files
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from elsewhere.errors import InputError
from elsewhere.platform.machine import core_count
from elsewhere_lab import experiments
from elsewhere_lab.files import read_rows, write_rows
from elsewhere_lab.publishing import publish
from elsewhere_lab.run_folder import add_time, claim
from elsewhere_lab.sources import Source
from elsewhere_lab.values import SCALES, Experiment, Part, Scale
from elsewhere_lab.workers import working

_AHEAD = 4
"""Parts handed out ahead of time for each process."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    experiment: str
    done: int
    total: int


Watch = Callable[[Progress], None]


def run(
    names: Sequence[str],
    source: Source,
    scale: str,
    folder: Path,
    *,
    processes: int | None = None,
    watch: Watch = lambda progress: None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> None:
    """Measure what is not measured yet, then write tables and figures of all that was asked.

    Every experiment must be one that can be run on the source (`Experiment.cannot`).
    """
    if scale not in SCALES:
        raise InputError(f"no scale is called {scale!r}: it is one of {', '.join(SCALES)}")
    size = SCALES[scale]
    asked = [experiments.find(name) for name in names]
    for experiment in asked:
        if why := experiment.cannot(source):
            raise InputError(why)
    claim(folder, source, size, tell)
    for experiment in asked:
        measured = experiments.find(experiment.rows_of) if experiment.rows_of else experiment
        measure(measured, source, size, folder, processes=processes, watch=watch)
        publish(experiment, folder)


def measure(
    experiment: Experiment,
    source: Source,
    scale: Scale,
    folder: Path,
    *,
    processes: int | None = None,
    watch: Watch = lambda progress: None,
) -> None:
    """Work through the parts that have no file yet."""
    parts = list(experiment.parts(source, scale))
    kept = folder / experiment.name / "parts"
    files = {part.name: kept / f"{part.name}.csv" for part in parts}
    missing = [part for part in parts if not files[part.name].exists()]
    done = len(parts) - len(missing)
    watch(Progress(experiment.name, done, len(parts)))
    workers = 1 if experiment.alone else min(processes or core_count(), len(missing))
    last = time.monotonic()
    # whatever is raised, the workers end first
    with closing(_worked(experiment.name, source, scale, missing, workers)) as worked:
        for part, rows, busy in worked:
            write_rows(files[part.name], rows)
            now = time.monotonic()
            add_time(folder, experiment.name, now - last, busy)
            last = now
            done += 1
            watch(Progress(experiment.name, done, len(parts)))
    every = [row for part in parts for row in read_rows(files[part.name])]
    write_rows(folder / experiment.name / "rows.csv", every)


def _work(name: str, source: Source, scale: Scale, part: Part) -> tuple[list[Any], float]:
    """One part, in a process of its own: its rows, and the processor time that it took."""
    start = time.process_time()
    rows = experiments.find(name).measure(source, scale, part)
    return rows, time.process_time() - start


def _worked(
    name: str, source: Source, scale: Scale, parts: Sequence[Part], workers: int
) -> Generator[tuple[Part, list[Any], float]]:
    """The parts' rows as they become ready; one worker works right here."""
    if workers <= 1:
        for part in parts:
            yield part, *_work(name, source, scale, part)
        return
    with working(workers) as submit:
        waiting = iter(parts)
        running: dict[Future[tuple[list[Any], float]], Part] = {}
        while True:
            for part in islice(waiting, workers * _AHEAD - len(running)):
                running[submit(_work, name, source, scale, part)] = part
            if not running:
                return
            ready, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in ready:
                yield running.pop(future), *future.result()
