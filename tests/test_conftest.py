"""The way the tests are run is tested too: nothing may go unrun in silence."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SAMPLE = """
import pytest


@pytest.mark.needs("a-program-that-nobody-has")
def test_with_a_program():
    raise AssertionError("this cannot be run here")


@pytest.mark.long
def test_for_hours():
    pass


def test_plain():
    pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with our settings and conftest, and three tests of its own."""
    shutil.copy(HERE.parent / "pyproject.toml", tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "tests").mkdir()
    shutil.copy(HERE / "conftest.py", tmp_path / "tests")
    (tmp_path / "tests" / "test_sample.py").write_text(SAMPLE)
    return tmp_path


def lines(project: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.splitlines()


def test_the_closing_line_names_what_was_not_run(project: Path) -> None:
    told = lines(project)
    assert told[-1] == ("not run, for want of a program: tests/test_sample.py::test_with_a_program")
    assert told[-2].startswith("1 passed, 1 skipped, 1 deselected")


def test_pytest_has_the_last_word_when_all_was_run(project: Path) -> None:
    told = lines(project, "--long", "--deselect", "tests/test_sample.py::test_with_a_program")
    assert told[-1].startswith("2 passed, 1 deselected")


def test_a_warning_is_an_error(project: Path) -> None:
    (project / "tests" / "test_sample.py").write_text(
        "import warnings\n\ndef test_warns():\n    warnings.warn('mind the step')\n"
    )
    with pytest.raises(subprocess.CalledProcessError):
        lines(project)
