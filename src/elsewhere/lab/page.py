"""The results page: every table and figure that folders hold, each with the command that made it.

Nothing is measured here. Tables, sentences and figures are made from the rows that the folders
hold, of a run that is not finished from the parts that are; figures are copied beside the page.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from elsewhere.errors import FileError, InputError
from elsewhere.lab import experiments
from elsewhere.lab.files import read_numbers, write_whole
from elsewhere.lab.runner import publish, read_run, unfinished
from elsewhere.lab.tables import MARK, markdown
from elsewhere.lab.values import Experiment, Number

FIGURES = "results"
"""The folder beside the page that figures go to."""
_HEAD = f"""# Results

Every table and figure of the paper, from scratch, and what it left open. Each field is ours, with
the paper's in brackets; {MARK} marks a number that is further from the paper's than wanted
(Table 1: .02, Table 2: .04, Table 3: a fifth or .3), and a sentence below the table says why.
Standard errors are in the `numbers.csv` of a run. This page is written by `elsewhere lab page`; how
to run, resume and add experiments is in [the lab](lab.md).
"""


def write_page(folders: Sequence[Path], page: Path) -> None:
    """Write the page for these runs, one chapter each."""
    if not folders:
        raise InputError("say which folders to write the page from: elsewhere lab page DIR -o FILE")
    if page.suffix != ".md":
        raise InputError(f"the page is Markdown: call it something.md, not {page}")
    text = [_HEAD]
    for folder in folders:
        told = read_run(folder)
        if not told:
            raise InputError(f"{folder} holds no run: run elsewhere lab run … -o {folder} first")
        text.append(_chapter(folder, told, page))
    write_whole(page, "\n".join(text).rstrip() + "\n")


def _chapter(folder: Path, told: dict[str, Any], page: Path) -> str:
    name = told["source"]
    simulated = str(name).startswith("simulator")
    title = "On the simulator" if simulated else f"On real photos: {name}"
    parts = [f"## {title}, scale {told['scale']}\n"]
    took = told.get("took", {})
    if took:
        every, busy = (sum(each[key] for each in took.values()) for key in ("seconds", "busy"))
        each = ", ".join(f"{key} {_time(entry['busy'])}" for key, entry in took.items())
        parts.append(
            f"Measuring took {_time(every)} by the clock and {_time(busy)} of processor time "
            f"({each}).\n"
        )
    for which in experiments.NAMES:
        experiment = experiments.find(which)
        if (folder / (experiment.rows_of or which)).exists():
            publish(experiment, folder)
            parts.append(_section(experiment, folder, told, page))
    return "\n".join(parts)


def _section(experiment: Experiment, folder: Path, told: dict[str, Any], page: Path) -> str:
    home = folder / experiment.name
    numbers = read_numbers(home / "numbers.csv")
    text = [f"### {experiment.title}\n", experiment.about + "\n"]
    text.append(f"`{_command(experiment.name, told)}`\n")
    if parts := unfinished(experiment, folder):
        text.append(f"*The run is not finished; this is from its first {parts} parts.*\n")
    if numbers:
        text.append(markdown(numbers, experiment.decimals) + "\n")
    text += [sentence + "\n" for sentence in _sentences(home, numbers)]
    for picture in sorted(home.glob("*.svg")):
        target = page.parent / FIGURES / f"{told['source']}-{picture.name}"
        try:
            write_whole(target, picture.read_bytes())
        except OSError as problem:
            raise FileError(f"{picture} cannot be read: {problem.strerror}") from None
        text.append(f"![{experiment.title}]({FIGURES}/{target.name})\n")
    return "\n".join(text)


def _sentences(home: Path, numbers: Sequence[Number]) -> list[str]:
    said = json.loads((home / "says.json").read_text("utf-8"))
    return [str(sentence) for sentence in said]


def _command(name: str, told: dict[str, Any]) -> str:
    words = ["elsewhere lab run", name, told.get("given", ""), f"--scale {told['scale']} -o DIR"]
    return " ".join(word for word in words if word)


def _time(seconds: float) -> str:
    """A time for people.

    >>> _time(41), _time(1000)
    ('41 s', '17 min')
    """
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
