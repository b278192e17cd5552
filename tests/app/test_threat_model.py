"""The threat model names tests that exist, and every attack that is tried is named there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.app.test_attacks import ATTACKS

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "threat-model.md"


def rows() -> list[str]:
    """The lines of all tables, without their heads."""
    page = re.sub(r"(?m)^\|.*\n\|---.*\n", "", PAGE.read_text("utf-8"))
    return [line for line in page.splitlines() if line.startswith("| ")]


def test_every_line_names_a_test_that_exists() -> None:
    files = list(HERE.parent.rglob("test_*.py"))
    modules = {path.stem for path in files}
    known = set(re.findall(r"def (test_\w+)\(", "".join(p.read_text("utf-8") for p in files)))
    lines = rows()
    assert len(lines) > 50
    for line in lines:
        tests = line.rstrip("| ").rpartition("|")[2]
        attacks = re.findall(r"\*([^*]+)\*", tests)
        named = re.findall(r"(test_\w+)(?!\w|\.py)", tests)
        functions = [name for name in named if name not in modules]
        assert attacks or functions, line
        assert all(attack in ATTACKS for attack in attacks), line
        assert known.issuperset(functions), line
        for path in re.findall(r"`(tests/[\w/]+\.py)", tests):
            assert (HERE.parents[1] / path).is_file(), line


def test_every_line_names_its_platforms() -> None:
    """The table of the cage has a column for each."""
    for line in rows():
        cells = line.strip("| ").split(" | ")
        assert len(cells) in (4, 6), line
        if len(cells) == 4:
            assert re.match(r"(all|Linux|Linux, macOS)\b", cells[2]), line


def test_every_attack_is_named() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in ATTACKS if f"*{name}*" not in text] == []
