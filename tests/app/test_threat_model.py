"""The threat model names tests that exist, and every attack that is tried is named there."""

from __future__ import annotations

import re
from pathlib import Path

from tests.app.test_attacks import ATTACKS

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "threat-model.md"


def test_every_line_names_a_test_that_exists() -> None:
    page = re.sub(r"(?m)^\|.*\n\|---.*\n", "", PAGE.read_text("utf-8"))  # without heads of tables
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    files = [*HERE.glob("test_*.py"), *(HERE.parent / "journeys").glob("test_app*.py")]
    files += [*(HERE.parent / "album").glob("test_*.py"), HERE.parent / "test_no_network.py"]
    known = {path.name: path.read_text("utf-8") for path in files}
    assert len(lines) > 20
    for line in lines:
        tests = line.rstrip("| ").rpartition("|")[2]
        attacks = re.findall(r"\*([^*]+)\*", tests)
        named = re.findall(r"(test_\w+)(?!\w|\.py)", tests)
        functions = [name for name in named if f"{name}.py" not in known]
        assert attacks or functions, line
        assert all(attack in ATTACKS for attack in attacks), line
        assert all(any(f"def {name}(" in text for text in known.values()) for name in functions), (
            line
        )


def test_every_attack_is_named() -> None:
    text = PAGE.read_text("utf-8")
    assert [name for name in ATTACKS if f"*{name}*" not in text] == []
