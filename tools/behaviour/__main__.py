"""Record what elsewhere does, and compare two recordings.

    .venv/bin/python tools/behaviour record OUT.json [--src SRC] [--python PYTHON] [--tests ROOT]
    .venv/bin/python tools/behaviour compare OLD.json NEW.json [--ignore sentences] [--all]

`record` runs a source tree (`src` of this repository unless `--src` names another) through its
public surfaces only: `import elsewhere`, `python -m elsewhere`, the app over HTTP and the files
that they write. The hostile files come from the tests of this repository unless `--tests` names
another tree; keep to one for recordings that are to be compared. `compare` lists every difference
by section and field, and exits with 1 if there are any. `--ignore` takes a section (`sentences`,
where all words for people are) or a pattern for the way to a value
(`commands / * report * / tags / *`); give it again for more. `--only SECTION`, to both, is for a
part: app, batch, commands, description, hostile, interface, large, problems, refusals.

It needs the packages of `pip install -e '.[dev]'` and takes some four minutes on two cores that
have nothing else to do. Two recordings of one tree are the same. What may move with a
restructuring is in surfaces.py.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import surfaces
from albums import record_trip
from commands import ALBUM, Notes, record_looking, record_protect, record_refusals
from comparing import differences, show
from datasets import record_batch
from hostile import record_hostile
from page import record_app
from running import Product
from told import files_below

ROOT = Path(__file__).resolve().parents[2]
SMALL, LARGE = 2000, 48
Facts = dict[str, Any]


def problems(product: Product, size: str, many: int, half: int) -> tuple[Facts, Facts]:
    """Every second random problem: those of one process."""
    found = product.driver("problems.py", size, str(half), str(many), "2")
    return found["records"], found["sentences"]


def interface(product: Product) -> tuple[Facts, Facts]:
    """The public names and what they refuse."""
    found = product.driver("interface.py", str(product.work / "files"))
    return found["record"], found["sentences"]


def description(product: Product) -> tuple[Facts, Facts]:
    """Commands and options, environment variables, entry points, the example album."""
    project = tomllib.loads((product.src.parent / "pyproject.toml").read_text("utf-8"))["project"]
    entry = project["scripts"][surfaces.PROGRAM]
    options = product.driver("options.py", entry)
    names: set[str] = set()
    for file in product.src.rglob("*.py"):
        names.update(re.findall(surfaces.ENVIRONMENT, file.read_text("utf-8")))
    helps = {}
    for command in sorted(options["record"]):
        ran = product.program(*command.split()[1:], "--help")
        listed = sorted(set(re.findall(r"--[a-z][a-z-]+", ran.stdout)))
        helps[command] = {"exit": ran.code, "options": listed}
    record = {
        "commands": options["record"],
        "help": helps,
        "environment": sorted(names),
        "entry points": {
            "scripts": sorted(project.get("scripts", {})),
            "others": project.get("entry-points", {}),
        },
        "extras": {name: sorted(of) for name, of in project["optional-dependencies"].items()},
        "dependencies": sorted(project["dependencies"]),
        "python": project["requires-python"],
        "example": files_below(product.work / ALBUM),
    }
    return record, options["sentences"]


def noted(notes: Notes) -> tuple[Facts, Facts]:
    """Notes as facts and sentences."""
    return notes.facts, notes.sentences


def app(product: Product) -> tuple[Facts, Facts]:
    """The app's answers and its description."""
    notes, described = record_app(product)
    words: Facts = {}
    return {**notes.facts, "openapi": _wordless(described, "", words)}, {
        **notes.sentences,
        "openapi": words,
    }


def _wordless(value: Any, path: str, words: Facts) -> Any:
    """An OpenAPI description with its descriptions set apart."""
    if isinstance(value, dict):
        kept = {}
        for key, one in value.items():
            if key in {"description", "summary"} and isinstance(one, str):
                words[f"{path}.{key}"] = one
            else:
                kept[key] = _wordless(one, f"{path}.{key}", words)
        return kept
    if isinstance(value, list):
        return [_wordless(one, f"{path}[{number}]", words) for number, one in enumerate(value)]
    return value


def tasks(tests: Path) -> dict[str, Callable[[Product], tuple[Facts, Facts]]]:
    """What is recorded, the longest first; "a/b" is a part of the section a."""
    return {
        "refusals": lambda product: noted(record_refusals(product)),
        "commands/protect": lambda product: noted(record_protect(product)),
        "commands/looking": lambda product: noted(record_looking(product)),
        "problems/0": lambda product: problems(product, "small", SMALL, 0),
        "problems/1": lambda product: problems(product, "small", SMALL, 1),
        "commands/trip": lambda product: noted(record_trip(product)),
        "batch": lambda product: noted(record_batch(product)),
        "hostile": lambda product: noted(record_hostile(product, tests)),
        "app": app,
        "large/0": lambda product: problems(product, "large", LARGE, 0),
        "large/1": lambda product: problems(product, "large", LARGE, 1),
        "interface": interface,
        "description": description,
    }


def record(out: Path, python: str, src: Path, tests: Path, only: list[str]) -> int:
    """Record a source tree; 1 if a part could not be recorded."""
    example = next(src.rglob(surfaces.EXAMPLE_PHOTO)).parent
    found: Facts = {}
    sentences: Facts = {}
    failed = 0
    with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:

        def run(name: str, task: Callable[[Product], tuple[Facts, Facts]]) -> tuple[Facts, Facts]:
            work = Path(folder).resolve() / name.replace("/", "-")
            work.mkdir()
            shutil.copytree(example, work / ALBUM, copy_function=shutil.copy2)
            begun = time.monotonic()
            try:
                return task(Product(python, src, work))
            finally:
                print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
                shutil.rmtree(work, ignore_errors=True)

        chosen = {
            name: task
            for name, task in tasks(tests).items()
            if not only or name.partition("/")[0] in only
        }
        with ThreadPoolExecutor(2) as pool:
            running = {name: pool.submit(run, name, task) for name, task in chosen.items()}
        for name, done in running.items():
            section = name.partition("/")[0]
            try:
                facts, said = done.result()
            except Exception as wrong:
                failed = 1
                print(f"{name} could not be recorded: {wrong!r}", file=sys.stderr)
                facts, said = {f"{name} failed": repr(wrong)}, {}
            found.setdefault(section, {}).update(facts)
            sentences.setdefault(section, {}).update(said)
    whole = {**found, "sentences": sentences}
    out.write_text(_text(whole), "utf-8")
    for section, facts in whole.items():
        print(f"{section}: {len(facts)}")
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")
    return failed


def _text(whole: Facts) -> str:
    """JSON with a line for each case, so that other tools can compare it too."""
    sections = []
    for section, facts in whole.items():
        lines = [
            f"  {json.dumps(name)}: {json.dumps(fact, sort_keys=True)}"
            for name, fact in sorted(facts.items())
        ]
        sections.append(f" {json.dumps(section)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def compare(old: Path, new: Path, only: list[str], ignored: list[str], most: int | None) -> int:
    """List the differences; 1 if there are any."""
    before, after = (json.loads(file.read_text("utf-8")) for file in (old, new))
    groups = differences(before, after, only, ignored)
    show(groups, most)
    total = sum(map(len, groups.values()))
    print(f"{total} differences in {len(groups)} groups" if total else "no difference")
    return 1 if total else 0


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="tools/behaviour", description=__doc__.splitlines()[0] if __doc__ else None
    )
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("record", help="record what a source tree does")
    one.add_argument("out", type=Path)
    one.add_argument("--src", type=Path, default=ROOT / "src", help="the source tree to run")
    one.add_argument("--python", default=sys.executable, help="the Python to run it with")
    one.add_argument("--tests", type=Path, default=ROOT, help="whose tests write hostile files")
    one.add_argument("--only", action="append", default=[], metavar="SECTION")
    two = actions.add_parser("compare", help="list the differences of two recordings")
    two.add_argument("old", type=Path)
    two.add_argument("new", type=Path)
    two.add_argument("--only", action="append", default=[], metavar="SECTION")
    two.add_argument("--ignore", action="append", default=[], metavar="SECTION|PATTERN")
    two.add_argument("--all", action="store_true", help="every difference, not the first five")
    given = parser.parse_args()
    if given.action == "compare":
        return compare(given.old, given.new, given.only, given.ignore, None if given.all else 5)
    python = str(Path(shutil.which(given.python) or given.python).absolute())  # no link followed
    return record(given.out, python, given.src.resolve(), given.tests.resolve(), given.only)


if __name__ == "__main__":
    sys.exit(main())
