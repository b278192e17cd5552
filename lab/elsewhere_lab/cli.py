"""Repeat the paper's tables and figures, and the studies beyond it.

A run that was stopped continues when it is given the same folder. `page` writes the results page
(Markdown) from the folders of earlier runs, which it only reads. `page --defaults` writes the page
about the defaults of `elsewhere protect`, from a run of the simulator and one of real photos.

examples:
  elsewhere-lab list
      the experiments and their names
  elsewhere-lab run all --scale small -o lab
      every experiment, in seconds each
  elsewhere-lab run fewest budget --scale paper -o lab-paper
      two experiments, with as many collections as the paper has
  elsewhere-lab page lab-paper -o docs/results.md
      the results page, from that run
  elsewhere-lab page --renew lab-more -o docs/results.md
      its sections on that page alone
  elsewhere-lab page --defaults lab-paper lab-photos -o docs/defaults.md
      the page about the defaults, from runs of the simulator and of photos

exit codes:
  0 done, 1 a file cannot be read or written, 2 a command line that makes no sense, 130 stopped
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from elsewhere.errors import ElsewhereError, InputError
from elsewhere_lab import experiments
from elsewhere_lab.run_folder import read_run
from elsewhere_lab.runner import Progress, run
from elsewhere_lab.sources import AnySource, ScoreFiles, Simulator
from elsewhere_lab.trips import Trips
from elsewhere_lab.values import SCALES

ALL = "all"
INTERVAL = 60.0  # seconds between two lines of progress, where there is no terminal


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; it ends with SystemExit."""
    options = _parser().parse_intermixed_args(arguments)
    try:
        _perform(options)
        sys.stdout.flush()
    except ElsewhereError as problem:
        print(f"elsewhere-lab: {problem}", file=sys.stderr)
        sys.exit(2 if isinstance(problem, InputError) else 1)
    except KeyboardInterrupt:
        print("elsewhere-lab: stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    sys.exit(0)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="elsewhere-lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("action", choices=("list", "run", "page"), help="what to do")
    add("names", nargs="*", metavar="NAME", help="experiments, or all; for page, folders of runs")
    source = (
        "where photos come from: the simulator (default), a folder of trips, or a score file; "
        "several files are several models of the same photos"
    )
    add("--source", action="append", metavar="simulator|TRIPS|SCORES", help=source)
    truth = (
        "with score files: where each photo was taken, a file with the columns photo,cell (and "
        "album,lat,lon where known)"
    )
    add("--truth", type=Path, metavar="CSV", help=truth)
    scale = "seconds (default), minutes, or the paper's counts (an hour or more)"
    add("--scale", choices=tuple(SCALES), default="small", help=scale)
    output = "where rows, tables and figures go (default: lab); for page, the file to write"
    add("-o", "--output", type=Path, default=Path("lab"), metavar="DIR", help=output)
    add("--seed", type=_at_least(0), default=0, metavar="N", help="of the simulator (default: 0)")
    world = "of the simulator: another world by the same setting (default: the calibrated one)"
    add("--world", type=_at_least(0), metavar="N", help=world)
    processes = "work on this many collections at a time (default: all processors)"
    add("--processes", type=_at_least(1), metavar="N", help=processes)
    page = "with page: write the page about the defaults instead of the results page"
    add("--defaults", action="store_true", help=page)
    renew = "with page: renew the sections of these folders' runs and keep the page's others"
    add("--renew", action="store_true", help=renew)
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and int(text) >= least):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
        return int(text)

    return whole_number


def _perform(options: argparse.Namespace) -> None:
    if options.action == "list":
        width = max(map(len, experiments.NAMES))
        for name in experiments.NAMES:
            print(f"{name:{width}}  {experiments.find(name).title}")
    elif options.action == "run":
        source = _source(
            options.source or ["simulator"], options.truth, options.seed, options.world
        )
        _run(options.names, source, options.scale, options.output, options.processes)
    else:
        from elsewhere_lab.defaults_page import write_defaults_page
        from elsewhere_lab.page import write_page

        folders = [Path(name) for name in options.names]
        if options.defaults:
            write_defaults_page(folders, options.output)
        else:
            write_page(folders, options.output, renew=options.renew)
        print(f"{options.output} is written")


def _run(
    names: list[str], source: AnySource, scale: str, output: Path, processes: int | None
) -> None:
    if not names:
        raise InputError("say which experiments to run, or all; elsewhere-lab list names them")
    if ALL in names:
        names = []
        for name in experiments.NAMES:
            if reason := experiments.find(name).obstacle(source):
                print(f"left out: {reason}", file=sys.stderr)
            else:
                names.append(name)
    try:
        with _progress() as watch:
            run(names, source, scale, output, processes=processes, watch=watch, warn=_warn)
    except KeyboardInterrupt:
        _warn(f"what is finished is in {output}; the same command goes on from there")
        raise
    for name in names:
        table = output / name / "table.md"
        print(f"{experiments.find(name).title}\n\n{table.read_text('utf-8')}")
        print(f"Written to {table}, with its rows beside it.\n")
    print(f"All of it took {_time_taken(names, output)}.")


def _time_taken(names: Sequence[str], output: Path) -> str:
    """What the parts of these experiments took, in earlier runs in this folder too."""
    from elsewhere_lab.page import format_times

    found = map(experiments.find, names)
    measured = dict.fromkeys(experiment.rows_of or experiment.name for experiment in found)
    took = read_run(output).info.get("took", {})
    return format_times([took[name] for name in measured if name in took])


def _warn(sentence: str) -> None:
    print(sentence, file=sys.stderr)


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Bars on a terminal; elsewhere a line at the beginning, the end and once a minute."""
    if not sys.stderr.isatty():
        last: dict[str, float] = {}

        def write_line(state: Progress) -> None:
            now = time.monotonic()
            if state.done == state.total or now >= last.get(state.experiment, -INTERVAL) + INTERVAL:
                _warn(f"{state.experiment}: {state.done} of {state.total} parts")
                last[state.experiment] = now

        yield write_line
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress as Bars

    columns = (*Bars.get_default_columns(), MofNCompleteColumn())
    tasks: dict[str, Any] = {}
    with Bars(*columns, console=Console(stderr=True, highlight=False)) as bars:

        def move_bar(state: Progress) -> None:
            if state.experiment not in tasks:
                tasks[state.experiment] = bars.add_task(state.experiment)
            bars.update(tasks[state.experiment], completed=state.done, total=state.total)

        yield move_bar


def _source(files: list[str], truth: Path | None, seed: int, world: int | None) -> AnySource:
    if files == ["simulator"]:
        if truth is not None:
            raise InputError("--truth belongs to score files: the simulator knows its cells")
        return Simulator(seed) if world is None else Simulator(seed, world)
    if world is not None:
        raise InputError("--world belongs to the simulator: score files have one world")
    if "simulator" in files:
        raise InputError("--source takes the simulator or score files, not both")
    if len(files) == 1 and Path(files[0]).is_dir():
        return Trips(Path(files[0]))
    if truth is None:
        raise InputError("score files need --truth: a CSV that says where each photo was taken")
    return ScoreFiles(tuple(Path(name) for name in files), truth)
