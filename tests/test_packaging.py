"""What travels to others: the whole source, and the terms of everything that is inside."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "src" / "elsewhere" / "app" / "page"


def test_the_source_archive_is_the_repository_without_the_labs_data(tmp_path: Path) -> None:
    """Asked of setuptools without packing: the list of an archive of 100 MB is made in a second."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    tracked = subprocess.run([git, "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    names = {name for name in tracked.stdout.decode().split("\0") if name}
    there = {name for name in names if (ROOT / name).exists()}
    told = "import setuptools; setuptools.setup()"
    command = [sys.executable, "-c", told, "-q", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    [listed] = tmp_path.glob("*.egg-info/SOURCES.txt")
    packed = set(listed.read_text("utf-8").splitlines())
    data = ("benchmarks/lab/", "benchmarks/trips/", "tests/lab/")
    left_out = {name for name in there if name.startswith(data)}
    assert there - packed == left_out


def test_the_lab_is_neither_installed_nor_needed() -> None:
    """It is a distribution of its own; nothing in src/ imports it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["setuptools"]["packages"]["find"] == {"where": ["src"]}
    lab = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text("utf-8"))
    assert lab["project"]["scripts"] == {"elsewhere-lab": "elsewhere_lab.cli:main"}
    source = [file.read_text("utf-8") for file in (ROOT / "src").rglob("*.py")]
    assert not [text for text in source if "elsewhere_lab" in text]


def test_every_package_within_the_page_is_named_with_its_terms() -> None:
    """Vite lists what it bundled; NOTICE is what people read."""
    text = (PAGE / "licenses.md").read_text("utf-8")
    packages = re.findall(r"^## (\S+) - \S+ \((\S+)\)$", text, re.MULTILINE)
    assert {"svelte", "d3-geo", "topojson-client", "world-atlas"} <= {name for name, _ in packages}
    notice = (ROOT / "NOTICE").read_text("utf-8")
    assert [name for name, _ in packages if name not in notice] == []
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    [expression] = re.findall(r'^license = "(.+)"$', project, re.MULTILINE)
    assert {terms for _, terms in packages} <= set(expression.split(" AND "))
    assert text.count("Copyright") >= len(packages)
