"""Tables, sentences and figures from the files of runs, and the results page."""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from elsewhere.errors import InputError
from elsewhere_lab import experiments, plots
from elsewhere_lab.files import read_numbers, write_numbers, write_whole
from elsewhere_lab.paper import MARK, reasons
from elsewhere_lab.run_folder import Run, read_runs, run_with
from elsewhere_lab.statistics import WITHHELD
from elsewhere_lab.values import Experiment, Number, wilson

FIGURES = "results"  # the folder beside the page that figures go to
_HEAD = (files(__package__) / "results_page.md").read_text("utf-8")
_PHOTOS = "PHOTOS"  # stands in commands for the options that name a source
_TOTAL = "All of it was measured in"
_OUR_SCORES = "benchmarks/lab/"
_OUR_PHOTOS = (
    "Our own models on photos that they never saw, kept as scores ([which they "
    "are](../benchmarks/lab/README.md)). What the paper's tables call albums is here one source's "
    "photos of one place: mostly a landmark by many photographers, and nobody's album."
)


def markdown(numbers: Sequence[Number], decimals: int = 2, *, as_counts: bool = False) -> str:
    """A table with `ours (paper)` in each field.

    >>> print(markdown([Number("R-16", "top-1", 0.974, 0.001, 9, 0.97, 0.02)]))
    | | top-1 | collections |
    |---|---:|---:|
    | R-16 | 0.97 (0.97) | 9 |
    """
    lines = dict.fromkeys(number.line for number in numbers)
    columns = dict.fromkeys(number.column for number in numbers)
    by_place = {(number.line, number.column): number for number in numbers}
    counted = any(number.count for number in numbers)
    head = [*columns, *(["collections"] if counted else [])]
    text = [f"| | {' | '.join(head)} |", "|---|" + "---:|" * len(head)]
    for line in lines:
        mine = [by_place.get((line, column)) for column in columns]
        fields = [format_field(each, decimals, as_counts=as_counts) for each in mine]
        if counted:
            counts = [n.count for n in numbers if n.line == line and n.count]
            ends = sorted({min(counts), max(counts)}) if counts else []
            fields.append(" to ".join(f"{end:,}" for end in ends))
        text.append(f"| {line} | {' | '.join(fields)} |")
    return "\n".join(text)


def format_field(number: Number | None, decimals: int, *, as_counts: bool = False) -> str:
    """One field of a table; where wanted, a count with its 95 % interval.

    >>> format_field(Number("a", "b", 0.5, paper=0.9, within=0.1), 2)
    '0.50 (0.90)†'
    >>> format_field(Number("a", "b", 0.05, count=100), 2, as_counts=True)
    '5 (2 to 11 %)'
    """
    if number is None:
        return ""
    if math.isnan(number.ours):
        return "–"
    if as_counts:
        low, high = (100 * end for end in wilson(number.ours, number.count))
        count = f"{number.ours * number.count:.0f} ({low:.0f} to {high:.0f} %)"
        return f"{number:amount}" if number.column == WITHHELD else count
    text = f"{number.ours:.{decimals}f}"
    if number.paper is not None:
        text += f" ({number.paper:.{decimals}f})"
    return text + (MARK if number.differs else "")


def format_tables(experiment: Experiment, numbers: Sequence[Number]) -> list[str]:
    """Tables and the titles of those that have one."""
    blocks = []
    for title, own in experiment.tables(numbers) if numbers else ():
        blocks += [f"**{title}**"] if title else []
        blocks.append(markdown(own, experiment.decimals, as_counts=experiment.as_counts))
    return blocks


def publish(experiment: Experiment, run: Run, folder: Path) -> tuple[list[Number], list[str]]:
    """Write an experiment's numbers, table, sentences and figures into a folder."""
    rows = run.rows(experiment)
    numbers = experiment.summarise(rows)
    if not run.simulated:
        # real photos and another model: the paper's numbers stand beside ours, nothing is expected
        numbers = [replace(each, within=None) for each in numbers]
    write_numbers(folder / "numbers.csv", numbers)
    numbers = read_numbers(folder / "numbers.csv")
    sentences = reasons(experiment.name, numbers, largest=run.info.get("scale") == "paper")
    sentences += experiment.findings(rows, numbers)
    blocks = format_tables(experiment, numbers) + sentences
    write_whole(folder / "table.md", "\n\n".join(blocks) + "\n")
    text = json.dumps(sentences, ensure_ascii=False, indent=1)
    write_whole(folder / "findings.json", text + "\n")
    plots.draw_figure(experiment, rows, numbers, folder)
    return numbers, sentences


def write_page(folders: Sequence[Path], page: Path, *, renew: bool = False) -> None:
    """Write the results page for these runs; or renew their sections and keep the others."""
    chapters: dict[tuple[str, str], list[Run]] = {}
    for run in read_runs(folders, page):
        chapters.setdefault((run.info["source"], run.info["scale"]), []).append(run)
    if renew and not page.exists():
        raise InputError(f"there is no {page} to renew: leave --renew out to write it")
    text = "\n".join([_HEAD, *(_chapter(runs, page) for runs in chapters.values())])
    if renew:
        text = renew_sections(page.read_text("utf-8"), text)
    write_whole(page, text.rstrip() + "\n")


def renew_sections(old: str, new: str) -> str:
    """The new page, with what only the old one has: other chapters, other sections of a chapter."""
    head, after = _split(new, "##")
    _, before = _split(old, "##")
    both = {
        title: _renew_chapter(before[title], after[title]) for title in before if title in after
    }
    return _join([head, *(before | after | both).values()])


def _renew_chapter(old: str, new: str) -> str:
    head, after = _split(new, "###")
    _, before = _split(old, "###")
    if before.keys() - after.keys():  # the total would be of the new sections alone
        head = re.sub(rf"(?m)^{_TOTAL}.*\n\n?", "", head)
    order = [experiments.find(name).title for name in experiments.NAMES]
    every = before | after
    return _join([head, *(every[title] for title in order if title in every)])


def _join(blocks: Iterable[str]) -> str:
    return "\n".join(block.rstrip("\n") + "\n" for block in blocks)


def _split(text: str, mark: str) -> tuple[str, dict[str, str]]:
    """What comes before the first heading of a level, and what is under each, with the heading."""
    first, *rest = re.split(rf"(?m)^(?={mark} )", text)
    return first, {part.partition("\n")[0].removeprefix(f"{mark} "): part for part in rest}


def _chapter(runs: Sequence[Run], page: Path) -> str:
    info = runs[0].info
    title = f"On real photos: {info['source']}, scale {info['scale']}"
    if runs[0].simulated:
        paper = info["scale"] == "paper"
        scale = "at the paper's scale" if paper else f"scale {info['scale']}"
        title = f"On the simulator{_world(info['source'])}, {scale}"
    text = [f"## {title}\n"]
    if _OUR_SCORES in str(info.get("given")):
        text.append(_OUR_PHOTOS + "\n")
    took = [pair for run in runs for pair in run.info.get("took", {}).items()]
    if took:
        tables = [times for name, times in took if name in ("accuracy", "fewest", "budget")]
        share = f" Tables 1 to 4 took {format_times(tables)} of it." if len(tables) == 3 else ""
        every = format_times([times for _, times in took])
        text.append(f"{_TOTAL} {every}.{share}\n")
    if not runs[0].simulated:
        text.append(f"`{_PHOTOS}` stands for `{info.get('given')}`.\n")
    for name in experiments.NAMES:
        experiment = experiments.find(name)
        if run := run_with(runs, experiment):
            text.append(_section(experiment, run, page))
    return "\n".join(text)


def _world(source: str) -> str:
    """Which photos a simulated run had, where they are not those of the published one.

    >>> _world("simulator-0"), _world("simulator-1"), _world("simulator-0-world-7")
    ('', ' with seed 1', ' with seed 0 in world 7')
    """
    seed, _, world = source.removeprefix("simulator-").partition("-world-")
    if seed == "0" and not world:
        return ""
    return f" with seed {seed}" + (f" in world {world}" if world else "")


def _section(experiment: Experiment, run: Run, page: Path) -> str:
    info, name = run.info, experiment.name
    source = info.get("given", "") if run.simulated else _PHOTOS
    command = f"elsewhere-lab run {name} {source} --scale {info['scale']} -o DIR"
    origin = ""
    if experiment.rows_of:
        origin = f" (from the rows of {experiment.rows_of})"
    elif times := info.get("took", {}).get(name):
        origin = f" ({format_times([times])})"
    text = [f"### {experiment.title}\n", experiment.about + "\n"]
    text.append(f"`{' '.join(command.split())}`{origin}\n")
    if parts := run.unfinished(experiment):
        text.append(f"*The run is not finished; this is from its first {parts} parts.*\n")
    with TemporaryDirectory() as folder:
        numbers, sentences = publish(experiment, run, Path(folder))
        text += [f"{block}\n" for block in (*format_tables(experiment, numbers), *sentences)]
        picture = Path(folder) / f"{name}.svg"
        if picture.exists():
            target = f"{info['source']}-{info['scale']}-{picture.name}"
            write_whole(page.parent / FIGURES / target, picture.read_bytes())
            text.append(f"![{experiment.title}]({FIGURES}/{target})\n")
    return "\n".join(text)


def format_times(took: Sequence[Mapping[str, float]]) -> str:
    """The sum of what experiments took.

    >>> format_times([{"seconds": 30.0, "busy": 50.0}, {"seconds": 60.0, "busy": 10.0}])
    '2 min by the clock, 60 s of processor time'
    """
    clock, busy = (format_time(sum(each[key] for each in took)) for key in ("seconds", "busy"))
    return f"{clock} by the clock, {busy} of processor time"


def format_time(seconds: float) -> str:
    """A time for people.

    >>> format_time(0.2), format_time(41), format_time(1000)
    ('less than 1 s', '41 s', '17 min')
    """
    if seconds < 1:
        return "less than 1 s"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
