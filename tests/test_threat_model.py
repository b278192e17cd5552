"""docs/threat-model.md: each line of its tables names a platform and tests, and the tests exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "threat-model.md"
ATTACKS = (TESTS / "app" / "test_attacks.py").read_text("utf-8")
FUNCTIONS = {
    file: set(re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE))
    for file in TESTS.rglob("test_*.py")
}


def rows_of(page: str) -> list[tuple[list[str], int]]:
    """The lines of its tables, each with the number of cells in the head of its table."""
    rows, count = [], 0
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith(("| what ", "| A worker ")):
            count = len(cells)
        elif line.startswith("| "):
            rows.append((cells, count))
    return rows


ROWS = rows_of(PAGE.read_text("utf-8"))


def problems(row: list[str], count: int = 4) -> list[str]:
    """What is wrong with a line."""
    tests = row[-1]
    files: list[Path] = []
    found = [] if all(row) else ["an empty cell"]
    found += [] if len(row) == count else [f"{len(row)} cells instead of {count}"]
    for word in re.findall(r"`([^`]+)`", tests):
        path, _, name = word.rpartition("::")
        if not path and word.endswith(".py"):
            path, name = word, ""
        if path:
            files = [
                file
                for file in FUNCTIONS
                if f"/{file.relative_to(TESTS.parent)}".endswith(f"/{path}")
            ]
            found += [] if files else [f"no file {path}"]
        if name.startswith("test_"):
            # a name alone is of the file before it, or of any of the app's
            known = files if path else [*files, *(f for f in FUNCTIONS if "app" in f.parts)]
            known = known if files or path else list(FUNCTIONS)
            if not any(name in FUNCTIONS[file] for file in known):
                found.append(f"no test {word}")
    cases = re.findall(r"\*([^*]+)\*", tests)
    found += [f"no case {case}" for case in cases if f'"{case}"' not in ATTACKS]
    if not cases and "`test_" not in tests and "::test_" not in tests and "the same" not in tests:
        found.append("no test")
    return found


@pytest.mark.parametrize(("row", "count"), ROWS, ids=[row[0][:60] for row, _ in ROWS])
def test_each_line_names_a_platform_and_tests_that_exist(row: list[str], count: int) -> None:
    assert problems(row, count) == []


def test_a_name_of_no_test_is_noticed() -> None:
    assert len(ROWS) > 60
    for wrong in (
        "`test_attacks.py::test_nothing`",
        "`test_none.py::test_x`",
        "*no such case*",
        "",
    ):
        assert problems(["what", "guard", "all", wrong])
    good = "`test_no_route_answers_without_the_secret`"
    assert problems(["what", "guard", "all", good]) == []
    assert problems(["what", "guard", "", good])
    assert problems(["what", "guard", good]) and problems(["what", "guard", "all", "more", good])
    short = "| what | guard | holds on | test |\n|---|---|---|---|\n| x | guard | `test_x` |"
    assert rows_of(short) == [(["x", "guard", "`test_x`"], 4)]
