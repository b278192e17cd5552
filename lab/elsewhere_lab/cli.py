"""`elsewhere lab`: the paper's experiments, from a command to tables and figures."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elsewhere.cli.program import one_sentence
from elsewhere.cli.render.progress import counting

if TYPE_CHECKING:
    from elsewhere_lab.runner import Progress as Far
    from elsewhere_lab.runner import Watch
    from elsewhere_lab.sources import Source

ALL = "all"
EVERY = 60.0
"""Seconds between two lines about how far a run has come, where there is no terminal."""


class Action(StrEnum):
    """What can be done in the lab."""

    LIST = "list"
    RUN = "run"
    PAGE = "page"


class HowMuch(StrEnum):
    """The scales of `elsewhere_lab.values.SCALES`."""

    SMALL = "small"
    MEDIUM = "medium"
    PAPER = "paper"


def command(  # noqa: PLR0917 - Typer makes options of them; nobody calls it by position
    action: Annotated[
        Action, typer.Argument(metavar="list|run|page", help="What to do.", show_default=False)
    ],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Experiments, or all; for page, folders that were run.",
            show_default=False,
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            metavar="simulator|SCORES",
            help="Where photos come from: the simulator, or a score file (several: several models "
            "of the same photos).",
            show_default="simulator",
        ),
    ] = None,
    truth: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="Beside score files: where each photo was taken, a file with the columns "
            "photo,cell (and album,lat,lon where known).",
        ),
    ] = None,
    scale: Annotated[
        HowMuch,
        typer.Option(
            metavar="small|medium|paper",
            help="Seconds, minutes, or the paper's counts (an hour or more).",
        ),
    ] = HowMuch.SMALL,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Where rows, tables and figures go."),
    ] = Path("lab"),
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="The simulator's: another number, other photos.")
    ] = 0,
    processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Work on so many collections at a time.",
            show_default="all processors",
        ),
    ] = None,
    defaults: Annotated[
        bool,
        typer.Option(
            "--defaults",
            help="With page: write the page about protect's defaults instead of the results page.",
        ),
    ] = False,
) -> None:
    """Repeat the paper's tables and figures, and what it left open.

    A run that was stopped goes on where it was when it is given the same folder. `page` writes the
    results page (Markdown) from folders that were run before, named instead of experiments; tables
    and figures are made anew from their rows, and the folders stay as they are. `page --defaults`
    writes the page about what `protect` does unless told, from runs of the simulator and of photos.

    Examples:

    - `elsewhere lab list`
      (what can be run, with its name)

    - `elsewhere lab run all --scale small -o lab`
      (every experiment, in seconds each)

    - `elsewhere lab run fewest budget --scale paper -o lab-paper`
      (two of them, with as many collections as the paper has)

    - `elsewhere lab page lab-paper -o docs/results.md`
      (the results page, from what was run)

    - `elsewhere lab page --defaults lab-paper lab-photos -o docs/defaults.md`
      (the page about the defaults, from runs of the simulator and of photos)

    Exit codes: 0 done, 1 a file could not be read or written, 2 a command line that cannot be
    understood, 130 stopped.
    """
    with one_sentence():
        if action is Action.LIST:
            _list()
        elif action is Action.RUN:
            given = _source(source or ["simulator"], truth, seed)
            _run(names or [], given, scale.value, output, processes)
        else:
            from elsewhere_lab.defaults_page.writing import write_defaults_page
            from elsewhere_lab.page import write_page

            write = write_defaults_page if defaults else write_page
            write([Path(name) for name in names or []], output)
            _tell_of_figures()
            typer.echo(f"{output} is written")


def _list() -> None:
    from elsewhere_lab import experiments

    width = max(map(len, experiments.NAMES))
    for name in experiments.NAMES:
        typer.echo(f"{name:{width}}  {experiments.find(name).title}")


def _run(names: list[str], source: Source, scale: str, output: Path, processes: int | None) -> None:
    from elsewhere.errors import InputError
    from elsewhere_lab import experiments
    from elsewhere_lab.runner import run

    if not names:
        raise InputError("say which experiments to run, or all; elsewhere lab list names them")
    asked = _asked(names, source)
    try:
        with _shown() as watch:
            run(asked, source, scale, output, processes=processes, watch=watch, tell=_aside)
    except KeyboardInterrupt:
        _aside(f"what is finished is in {output}; the same command goes on from there")
        raise
    for name in asked:
        table = output / name / "table.md"
        if table.exists():
            typer.echo(f"{experiments.find(name).title}\n\n{table.read_text('utf-8')}")
            typer.echo(f"Written to {table}, with its rows beside it.\n")
    if any(experiments.find(name).draw for name in asked):
        _tell_of_figures()


def _tell_of_figures() -> None:
    """Say what is missing, where there is nothing to draw with."""
    from elsewhere.values.wording import installed_by
    from elsewhere_lab import figures

    if not figures.available():
        _aside(
            f"figures are left out, for matplotlib is missing: {installed_by('lab')}, and the same "
            "command draws them"
        )


def _aside(sentence: str) -> None:
    typer.echo(sentence, err=True)


@contextmanager
def _shown() -> Iterator[Watch]:
    """Progress: bars for a person, a line a minute for a file."""
    if not sys.stderr.isatty():
        yield _a_line_a_minute()
        return
    bars = counting("{task.description}")
    tasks: dict[str, Any] = {}

    def watch(far: Far) -> None:
        name = far.experiment
        if name not in tasks:
            tasks[name] = bars.add_task(name, total=far.total)
        bars.update(tasks[name], completed=far.done, total=far.total)

    with bars:
        yield watch


def _a_line_a_minute() -> Watch:
    """How far each experiment has come: at its beginning and end, and once a minute."""
    last = time.monotonic()
    begun = set[str]()

    def watch(far: Far) -> None:
        nonlocal last
        now = time.monotonic()
        if far.experiment not in begun or far.done == far.total or now - last >= EVERY:
            _aside(f"{far.experiment}: {far.done} of {far.total} parts")
            begun.add(far.experiment)
            last = now

    return watch


def _asked(names: list[str], source: Source) -> list[str]:
    """The experiments that were named; of all of them, those that this source allows."""
    from elsewhere_lab import experiments

    if ALL not in names:
        return names
    able = []
    for name in experiments.NAMES:
        if why := experiments.find(name).cannot(source):
            typer.echo(f"left out: {why}", err=True)
        else:
            able.append(name)
    return able


def _source(given: list[str], truth: Path | None, seed: int) -> Source:
    from elsewhere.errors import InputError
    from elsewhere_lab.sources import Scored, Simulated

    if given == ["simulator"]:
        if truth is not None:
            raise InputError("--truth belongs to score files: the simulator knows its cells")
        return Simulated(seed)
    if "simulator" in given:
        raise InputError("--source takes the simulator or score files, not both")
    if truth is None:
        raise InputError("score files need --truth: a CSV that says where each photo was taken")
    return Scored(tuple(Path(name) for name in given), truth)
