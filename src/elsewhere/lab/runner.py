"""Runs experiments: parts in parallel, each kept in a file; then tables and figures from the files.

What a folder holds after a run:

    run.json                    source, scale, seed, version, what it took
    NAME/parts/PART.csv         tidy rows, one file for each part; what is there is not done again
    NAME/rows.csv               all of them
    NAME/numbers.csv, table.md  the numbers, the paper's beside ours
    NAME/*.svg, *.png           the figures, drawn from the two CSV files
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from elsewhere.errors import FileError, InputError
from elsewhere.lab import experiments, figures
from elsewhere.lab.files import read_numbers, read_rows, write_numbers, write_rows, write_whole
from elsewhere.lab.sources import Source
from elsewhere.lab.tables import markdown
from elsewhere.lab.values import SCALES, Experiment, Part, Row, Scale
from elsewhere.lab.why import reasons

_QUIET = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
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
    _claim(folder, source, size)
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
    workers = 1 if experiment.alone else min(processes or os.cpu_count() or 1, len(missing))
    last = time.monotonic()
    for part, rows, busy in _worked(experiment.name, source, scale, missing, workers):
        write_rows(files[part.name], rows)
        now = time.monotonic()
        _took(folder, experiment.name, now - last, busy)
        last = now
        done += 1
        watch(Progress(experiment.name, done, len(parts)))
    every = [row for part in parts for row in read_rows(files[part.name])]
    write_rows(folder / experiment.name / "rows.csv", every)


def publish(experiment: Experiment, folder: Path) -> None:
    """Table and figures of one experiment, from its files alone."""
    home = folder / experiment.name
    rows = rows_so_far(folder / (experiment.rows_of or experiment.name))
    found = experiment.summarise(rows)
    if not str(read_run(folder).get("source", "")).startswith("simulator"):
        # real photos and another model: the paper's numbers are beside ours, nothing is wanted
        found = [replace(number, within=None) for number in found]
    write_numbers(home / "numbers.csv", found)
    numbers = read_numbers(home / "numbers.csv")
    sentences = experiment.says(rows, numbers) if experiment.says else []
    sentences = reasons(experiment.name, numbers) + sentences
    text = [markdown(numbers, experiment.decimals)] if numbers else []
    text += sentences
    write_whole(home / "table.md", "\n\n".join(text) + "\n")
    write_whole(home / "says.json", json.dumps(sentences, ensure_ascii=False, indent=1) + "\n")
    if experiment.draw is not None and figures.available():
        with figures.drawing():
            figures.save(home, experiment.draw(rows, numbers))


def rows_so_far(home: Path) -> list[Row]:
    """The rows of an experiment: all of them, or those of the parts that are finished."""
    whole = home / "rows.csv"
    if whole.exists():
        return read_rows(whole)
    return [row for part in sorted((home / "parts").glob("*.csv")) for row in read_rows(part)]


def unfinished(experiment: Experiment, folder: Path) -> int:
    """How many parts there are of an experiment that is still running; 0 when it is finished."""
    home = folder / (experiment.rows_of or experiment.name)
    if (home / "rows.csv").exists():
        return 0
    return len(list((home / "parts").glob("*.csv")))


def _work(name: str, source: Source, scale: Scale, part: Part) -> tuple[list[Any], float]:
    """One part, in a process of its own: its rows, and the processor time that it took."""
    start = time.process_time()
    rows = experiments.find(name).measure(source, scale, part)
    return rows, time.process_time() - start


def _worked(
    name: str, source: Source, scale: Scale, parts: Sequence[Part], workers: int
) -> Iterator[tuple[Part, list[Any], float]]:
    """The parts' rows as they become ready; one worker works right here."""
    if workers <= 1:
        for part in parts:
            yield part, *_work(name, source, scale, part)
        return
    # started afresh, not forked: it works alike everywhere, and one thread each is enough
    with (
        _one_thread_each(),
        ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool,
    ):
        waiting = iter(parts)
        running: dict[Future[tuple[list[Any], float]], Part] = {}
        try:
            while True:
                for part in islice(waiting, workers * _AHEAD - len(running)):
                    running[pool.submit(_work, name, source, scale, part)] = part
                if not running:
                    return
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    yield running.pop(future), *future.result()
        finally:
            for future in running:
                future.cancel()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(dict.fromkeys(_QUIET, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def read_run(folder: Path) -> dict[str, Any]:
    """What a folder's run was: source, scale and times; empty where there was none."""
    try:
        told = json.loads((folder / "run.json").read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        raise FileError(f"{folder / 'run.json'} cannot be read") from None
    return dict(told) if isinstance(told, dict) else {}


def _claim(folder: Path, source: Source, scale: Scale) -> None:
    """A folder holds one source at one scale; anything else would be mixed up with it."""
    from importlib.metadata import version

    mine = {"source": source.name, "scale": scale.name, "given": source.given}
    told = read_run(folder)
    if told and {key: told.get(key) for key in mine} != mine:
        raise InputError(
            f"{folder} holds a run of {told.get('source')} at scale {told.get('scale')}"
            f"{_named(told)}; choose another folder, or ask for the same from the same place"
        )
    told = {**mine, "version": version("elsewhere"), "took": told.get("took", {})}
    write_whole(folder / "run.json", json.dumps(told, indent=1) + "\n")


def _named(told: dict[str, Any]) -> str:
    given = told.get("given")
    return f" ({given})" if given else ""


def _took(folder: Path, name: str, seconds: float, busy: float) -> None:
    """Add one part to what an experiment has taken; a run that was resumed has several turns."""
    told = read_run(folder)
    took = told["took"].setdefault(name, {"seconds": 0.0, "busy": 0.0, "parts": 0})
    took["seconds"] = round(took["seconds"] + seconds, 2)
    took["busy"] = round(took["busy"] + busy, 2)
    took["parts"] += 1
    write_whole(folder / "run.json", json.dumps(told, indent=1) + "\n")
