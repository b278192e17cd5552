"""Runs experiments: parts in parallel, each in a file; then tables and figures from the files.

`docs/lab.md` says what a folder holds after a run: a part whose file is there is not done again.

A part may take many seconds, and Ctrl-C waits for none: every worker holds one end of a pipe to the
run and ends when the pipe is closed, because the run was stopped, failed or was killed.
"""

import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from elsewhere.errors import InputError
from elsewhere.platform.machine import interrupts_blocked, single_threaded, worker_count
from elsewhere.platform.threads import start_thread
from elsewhere_lab import experiments
from elsewhere_lab.files import read_rows, write_rows
from elsewhere_lab.page import publish
from elsewhere_lab.run_folder import add_time, claim, read_run
from elsewhere_lab.sources import AnySource
from elsewhere_lab.values import SCALES, Experiment, Part, Row, Scale


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    experiment: str
    done: int
    total: int


Watch = Callable[[Progress], None]


def run(
    names: Sequence[str], source: AnySource, scale: str, folder: Path, *,
    processes: int | None = None, watch: Watch = lambda progress: None,
    warn: Callable[[str], None] = lambda sentence: None,
) -> None:  # fmt: skip
    """Measure what is not measured yet, then write tables and figures of these experiments."""
    if scale not in SCALES:
        raise InputError(f"no scale is called {scale!r}: it is one of {', '.join(SCALES)}")
    chosen = [experiments.find(name) for name in names]
    for experiment in chosen:
        if reason := experiment.obstacle(source):
            raise InputError(reason)
    claim(folder, source, SCALES[scale], warn)
    for experiment in chosen:
        measured = experiments.find(experiment.rows_of) if experiment.rows_of else experiment
        measure(measured, source, SCALES[scale], folder, processes=processes, watch=watch)
        publish(experiment, read_run(folder), folder / experiment.name)


def measure(
    experiment: Experiment, source: AnySource, scale: Scale, folder: Path, *,
    processes: int | None = None, watch: Watch = lambda progress: None,
) -> None:  # fmt: skip
    """Work through the parts that have no file yet."""
    home = folder / experiment.name
    parts = list(experiment.parts(source, scale))
    files = {part.name: home / "parts" / f"{part.name}.csv" for part in parts}
    missing = [part for part in parts if not files[part.name].exists()]
    done = len(parts) - len(missing)
    watch(Progress(experiment.name, done, len(parts)))
    workers = (
        1 if experiment.one_at_a_time else min(processes or worker_count(limit=None), len(missing))
    )
    last = time.monotonic()
    # whatever is raised, the workers end first
    with closing(_measure_parts(experiment.name, source, scale, missing, workers)) as measured:
        for part, rows, busy in measured:
            write_rows(files[part.name], rows)
            now = time.monotonic()
            add_time(folder, experiment.name, now - last, busy)
            last = now
            done += 1
            watch(Progress(experiment.name, done, len(parts)))
    write_rows(home / "rows.csv", [row for part in parts for row in read_rows(files[part.name])])


def _measure_part(
    name: str, source: AnySource, scale: Scale, part: Part
) -> tuple[list[Row], float]:
    """A part's rows, and the processor time that it took."""
    start = time.process_time()
    rows = experiments.find(name).measure(source, scale, part)
    return rows, time.process_time() - start


def _measure_parts(
    name: str, source: AnySource, scale: Scale, parts: Sequence[Part], workers: int
) -> Generator[tuple[Part, list[Row], float]]:
    """The parts' rows as they become ready; a single worker is this process."""
    if workers <= 1:
        for part in parts:
            yield part, *_measure_part(name, source, scale, part)
        return
    with worker_pool(workers) as submit:
        futures = {submit(_measure_part, name, source, scale, part): part for part in parts}
        for future in as_completed(futures):
            yield futures[future], *future.result()


@contextmanager
def worker_pool(count: int) -> Iterator[Callable[..., Future[Any]]]:
    """A function that hands work to this many processes; an exception within ends them at once."""
    context = get_context("spawn")  # works alike everywhere, and takes no state along
    theirs, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(count, context, initializer=_end_with, initargs=(theirs,))
    with theirs, ours, pool:

        def submit(work: Callable[..., Any], *arguments: Any) -> Future[Any]:
            with single_threaded(), interrupts_blocked():  # this is when workers are started
                return pool.submit(work, *arguments)

        try:
            yield submit
        except BaseException:
            ours.close()
            raise


def _end_with(pipe: Connection) -> None:
    """Let this process not outlive whoever holds the other end of the pipe, even one killed."""

    def watch() -> None:
        try:
            pipe.recv_bytes()  # nothing is ever sent
        except (OSError, EOFError):
            os._exit(1)

    start_thread(watch)
