"""Every example in the README and in docs/ is run, and what it prints is compared.

- a `python` block is run; the blocks of one page share their names. With `>>>` it is a doctest;
  otherwise what it prints must stand in a `text` block right below it.
- a `console` block holds commands (`$ …`), each followed by what it prints.
- `json` and `csv` blocks must be valid; a `csv` block is a score file.
- a `sh` block is for installing and building (make, git, pip), and is not run.

All blocks of a page are run in one empty folder, from top to bottom. `...` stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from elsewhere.formats.score_files import read_scores

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
LANGUAGES = {"python", "console", "json", "csv", "sh", "text"}
INSTALLING = ("make", "git ", "cd ", "pip ", "pipx ", "python3 -m venv", "#")


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    line: int
    expected: str
    """The `text` block right below, if there is one."""


def blocks(page: Path) -> list[Block]:
    source = page.read_text("utf-8")
    found = list(BLOCK.finditer(source))
    result = []
    for i, match in enumerate(found):
        below = found[i + 1] if i + 1 < len(found) else None
        touching = below is not None and not source[match.end() : below.start()].strip()
        expected = below[2] if below is not None and touching and below[1] == "text" else ""
        result.append(Block(match[1], match[2], source.count("\n", 0, match.start()) + 1, expected))
    return result


def assert_printed(expected: str, printed: str, where: str) -> None:
    flags = doctest.ELLIPSIS
    wanted, got = (
        "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())
        for text in (expected, printed)
    )
    if not doctest.OutputChecker().check_output(wanted, got, flags):
        pytest.fail(f"{where} says\n\n{wanted}\nbut prints\n\n{got}", pytrace=False)


def run_python(block: Block, names: dict[str, object], where: str) -> None:
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, names, where, None, 0)
        test.globs = names  # the parser takes a copy; later blocks go on where this one ended
        report = io.StringIO()
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        if runner.run(test, out=report.write, clear_globs=False).failed:
            pytest.fail(f"{where}\n{report.getvalue()}", pytrace=False)
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.text, where, "exec"), names)
    assert_printed(block.expected, printed.getvalue(), where)


def run_console(block: Block, where: str) -> None:
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "COLUMNS": "100",
    }
    commands = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not commands[0].strip(), f"{where} must begin with a command"
    for text in commands[1:]:
        command, _, expected = text.partition("\n")
        done = subprocess.run(
            ["sh", "-c", command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            env=environment,
            check=False,
            timeout=120,
        )
        assert_printed(expected, done.stdout.decode(), f"{where}: {command}")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, home = tmp_path / "here", tmp_path / "home"  # no example is to touch the real one
    for folder in (here, home):
        folder.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(home))
    monkeypatch.setenv("ELSEWHERE_CACHE_DIR", str(home))
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        assert block.language in LANGUAGES, f"{where} has no known language"
        if block.language == "python":
            run_python(block, names, where)
        elif block.language == "console":
            run_console(block, where)
        elif block.language == "json":
            json.loads(block.text)
        elif block.language == "csv":
            (tmp_path / "example.csv").write_text(block.text, encoding="utf-8")
            read_scores(tmp_path / "example.csv")
        elif block.language == "sh":
            for line in block.text.splitlines():
                assert line.startswith(INSTALLING), (
                    f"{where}: make it a console block, so it is run"
                )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_within_the_house_lead_somewhere(page: Path) -> None:
    text = BLOCK.sub("", page.read_text("utf-8"))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target and not target.startswith("mailto:"):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    for page in PAGES:
        if page.parent == ROOT / "docs" and page.name != "README.md":
            assert f"({page.name})" in index, f"docs/README.md does not mention {page.name}"


def test_the_command_is_installed() -> None:
    assert shutil.which("elsewhere", path=str(Path(sys.executable).parent))


def test_every_fault_of_the_reviews_has_a_test() -> None:
    """By name, in Python or in the page's tests; or it says why there is none."""
    source = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py"))
    source += "".join(path.read_text("utf-8") for path in (ROOT / "web/src/lib").glob("*.test.ts"))
    known = {
        *re.findall(r"def (test_\w+)\(", source),
        *re.findall(r"\b(?:it|test)\('([^']+)'", source),
    }
    page = (ROOT / "docs" / "reviews.md").read_text("utf-8")
    faults = re.findall(r"(?m)^\| ([BC]\d+)(?: \(robustness\))?: [^|]+ \| ([^|]+) \|$", page)
    assert {name for name, _ in faults} == {f"B{n}" for n in range(1, 11)} | {
        f"C{n}" for n in range(1, 8)
    }
    for name, told in faults:
        tests = re.findall(r"`([^`]+)`", told)
        if told.startswith("no test: "):
            continue
        assert tests and known.issuperset(tests), (name, set(tests) - known)
