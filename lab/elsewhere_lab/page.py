"""The results page: every table and figure that folders hold, each with the command that made it.

Nothing is measured here, and the folders are only read. Tables, sentences and figures are made
anew from their rows, by the program as it is today; of a run that is not finished from the parts
that are. Folders of one source at one scale make one chapter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from elsewhere_lab import experiments
from elsewhere_lab.files import read_numbers, write_whole
from elsewhere_lab.publishing import publish, unfinished
from elsewhere_lab.run_folder import is_simulated
from elsewhere_lab.runs import Run, gathered, the_one
from elsewhere_lab.tables import MARK, markdown
from elsewhere_lab.values import Experiment

FIGURES = "results"
"""The folder beside the page that figures go to."""
_HEAD = f"""# Results

Every table and figure of the paper, from scratch, and what it left open. Each field is ours, with
the paper's in brackets. On the simulator {MARK} marks a number that is further from the paper's
than wanted, and a sentence below the table says why, or that we do not know. Wanted are: shares in
Table 1 within .02, in Tables 2 and 4 within .04; mean ranks (protected-k in Table 1, all of
Table 3) within a fifth of the paper's or .3, whichever is larger. Of real photos and our own models
nothing is wanted.

Standard errors are in the `numbers.csv` of a run; those of Tables 1 to 4 are over cells, because
collections of one cell share photos. This page is written by `elsewhere-lab page`; how to run,
resume and add experiments is in [the lab](lab.md).
"""
_PHOTOS = "PHOTOS"
"""Stands in commands for the options that name a source."""
_KEPT = "benchmarks/lab/"
_OUR_PHOTOS = (
    "Our own models on photos that they never saw, kept as scores ([which they "
    "are](../benchmarks/lab/README.md)). What the paper's tables call albums is here one source's "
    "photos of one place: mostly a landmark by many photographers, and nobody's album."
)


def write_page(folders: Sequence[Path], page: Path) -> None:
    """Write the page for these runs."""
    chapters: dict[tuple[str, str], list[Run]] = {}
    for run in gathered(folders, page):
        chapters.setdefault((run.told["source"], run.told["scale"]), []).append(run)
    text = [_HEAD, *(_chapter(runs, page) for runs in chapters.values())]
    write_whole(page, "\n".join(text).rstrip() + "\n")


def _chapter(runs: Sequence[Run], page: Path) -> str:
    told = runs[0].told
    text = [f"## {_title(told)}\n"]
    if _KEPT in str(told.get("given")):
        text.append(_OUR_PHOTOS + "\n")
    if every := [entry for run in runs for entry in run.told.get("took", {}).values()]:
        text.append(f"All of it was measured in {_times(every)}.{_tables(runs)}\n")
    if not is_simulated(told):
        text.append(f"`{_PHOTOS}` stands for `{told.get('given')}`.\n")
    for name in experiments.NAMES:
        experiment = experiments.find(name)
        if run := the_one(runs, experiment):
            text.append(_section(experiment, run, page))
    return "\n".join(text)


def _tables(runs: Sequence[Run]) -> str:
    """How long the paper's four tables took, where all of them are there."""
    took = {name: entry for run in runs for name, entry in run.told.get("took", {}).items()}
    mine = [took[name] for name in ("accuracy", "fewest", "budget") if name in took]
    return f" Tables 1 to 4 took {_times(mine)} of it." if len(mine) == 3 else ""


def _title(told: Mapping[str, Any]) -> str:
    if not is_simulated(dict(told)):
        return f"On real photos: {told['source']}, scale {told['scale']}"
    if told["scale"] == "paper":
        return "On the simulator, at the paper's scale"
    return f"On the simulator, scale {told['scale']}"


def _section(experiment: Experiment, run: Run, page: Path) -> str:
    told = run.told
    text = [f"### {experiment.title}\n", experiment.about + "\n"]
    text.append(f"`{_command(experiment.name, told)}`{_measured(experiment, told)}\n")
    if parts := unfinished(experiment, run.folder):
        text.append(f"*The run is not finished; this is from its first {parts} parts.*\n")
    with TemporaryDirectory() as made:
        home = Path(made)
        publish(experiment, run.folder, home)
        if numbers := read_numbers(home / "numbers.csv"):
            text.append(markdown(numbers, experiment.decimals) + "\n")
        text += [f"{said}\n" for said in json.loads((home / "says.json").read_text("utf-8"))]
        for picture in sorted(home.glob("*.svg")):
            target = f"{told['source']}-{told['scale']}-{picture.name}"
            write_whole(page.parent / FIGURES / target, picture.read_bytes())
            text.append(f"![{experiment.title}]({FIGURES}/{target})\n")
    return "\n".join(text)


def _command(name: str, told: Mapping[str, Any]) -> str:
    source = told.get("given", "") if is_simulated(dict(told)) else _PHOTOS
    words = ["elsewhere-lab run", name, source, f"--scale {told['scale']} -o DIR"]
    return " ".join(word for word in words if word)


def _measured(experiment: Experiment, told: Mapping[str, Any]) -> str:
    """How long it took, where something was measured for it."""
    if experiment.rows_of:
        return f" (from the rows of {experiment.rows_of})"
    entry = told.get("took", {}).get(experiment.name)
    return f" ({_times([entry])})" if entry else ""


def _times(took: Sequence[Mapping[str, float]]) -> str:
    clock, busy = (sum(each[key] for each in took) for key in ("seconds", "busy"))
    return f"{_time(clock)} by the clock, {_time(busy)} of processor time"


def _time(seconds: float) -> str:
    """A time for people.

    >>> _time(0.2), _time(41), _time(1000)
    ('less than 1 s', '41 s', '17 min')
    """
    if seconds < 1:
        return "less than 1 s"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
