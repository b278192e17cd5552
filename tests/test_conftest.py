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


@pytest.mark.slow
def test_with_a_browser():
    pass


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
    assert told[-2].startswith("1 passed, 1 skipped, 2 deselected")


def test_pytest_has_the_last_word_when_all_was_run(project: Path) -> None:
    every = ["--slow", "--long", "--deselect", "tests/test_sample.py::test_with_a_program"]
    assert lines(project, *every)[-1].startswith("3 passed, 1 deselected")


def test_a_slow_file_is_imported_in_a_slow_run_only(project: Path) -> None:
    mark = "import pytest\n\npytestmark = [\n    pytest.mark.slow,\n]\n"
    (project / "tests" / "test_sample.py").write_text(f"{SAMPLE}\n{mark}import nothing_here\n")
    (project / "tests" / "test_plain.py").write_text("def test_plain():\n    pass\n")
    assert lines(project)[-1].startswith("1 passed in")
    with pytest.raises(subprocess.CalledProcessError):
        lines(project, "--slow")


def test_a_warning_is_an_error(project: Path) -> None:
    (project / "tests" / "test_sample.py").write_text(
        "import warnings\n\ndef test_warns():\n    warnings.warn('mind the step')\n"
    )
    with pytest.raises(subprocess.CalledProcessError):
        lines(project)
