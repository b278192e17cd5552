"""What an installation is made of: locked packages, their licences, the bill of materials."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import elsewhere

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sbom = load("sbom")


def wanted(*extras: str) -> list[Requirement]:
    """What pyproject.toml asks for, with these extras and those that they name."""
    found = [Requirement(text) for text in PROJECT["dependencies"]]
    waiting = list(extras)
    while waiting:
        for requirement in map(Requirement, EXTRAS[waiting.pop()]):
            if requirement.name == "elsewhere":
                waiting += requirement.extras
            else:
                found.append(requirement)
    return found


@pytest.mark.parametrize(("lock", "extras"), [("run", ()), ("test", ("test",)), ("dev", ("dev",))])
def test_the_locks_hold_what_the_project_asks_for(lock: str, extras: tuple[str, ...]) -> None:
    """After a change of dependencies run tools/lock."""
    versions: dict[str, list[str]] = {}
    for package in sbom.locked(lock):
        assert package["hashes"], package["name"]
        versions.setdefault(package["name"], []).append(package["version"])
    for requirement in wanted(*extras):
        pinned = versions.get(canonicalize_name(requirement.name), [])
        assert pinned, f"{requirement.name} is not in locks/{lock}.txt: run tools/lock"
        assert all(requirement.specifier.contains(version) for version in pinned), requirement


def test_the_locks_agree_and_name_no_registry() -> None:
    everything = {(package["name"], package["version"]) for package in sbom.locked("dev")}
    for lock in ("run", "test"):
        assert {(one["name"], one["version"]) for one in sbom.locked(lock)} <= everything
    for file in (ROOT / "locks").glob("*.txt"):
        text = file.read_text("utf-8")
        assert "://" not in text and "index" not in text.lower(), file.name


def test_the_commands_install_nothing_else_than_what_is_locked() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    ready = makefile[makefile.index("$(READY): pyproject.toml") :]
    installs = re.findall(r"^\t\$\((PIP|OURS)\) (.+)$", ready, re.MULTILINE)
    assert installs == [
        ("PIP", "--require-hashes --requirement locks/run.txt"),
        ("OURS", "."),
        ("PIP", "--require-hashes --requirement locks/test.txt"),
        ("OURS", "lab"),
        ("PIP", "--require-hashes --requirement locks/dev.txt"),
    ]
    assert re.findall(r"^OURS := (.+)$", makefile, re.MULTILINE) == [
        "$(PIP) --no-deps --no-build-isolation --editable"
    ]


CLASSIFIERS = {
    "Apache Software License": {"Apache-2.0"},
    "BSD License": {"BSD-2-Clause", "BSD-3-Clause"},
    "GNU Lesser General Public License v3 (LGPLv3)": {"LGPL-3.0-or-later"},
    "ISC License (ISCL)": {"ISC"},
    "MIT License": {"MIT"},
}
FREE_TEXT = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD-3-Clause": "BSD-3-Clause",
    "MIT License": "MIT",
    "ISC License": "ISC",
    "MIT": "MIT",
}


def stated(about: Any) -> list[set[str]]:
    """What a package says of its licence: for each statement the names that agree with it."""
    if about["License-Expression"]:
        return [{name} for name in re.split(r" (?:AND|OR) ", about["License-Expression"])]
    marks = [text.rpartition(" :: ")[2] for text in about.get_all("Classifier") or []]
    found = [CLASSIFIERS[mark] for mark in marks if mark in CLASSIFIERS]
    if about["License"]:
        found.append({FREE_TEXT[about["License"].strip()]})
    return found


def test_every_licence_is_known_and_accepted() -> None:
    table = tomllib.loads((ROOT / "locks" / "licences.toml").read_text("utf-8"))
    terms, accepted = table["packages"], table["accepted"]
    packages = {package["name"] for package in sbom.locked("run")}
    assert set(terms) == packages, "locks/licences.toml lists other packages than locks/run.txt"
    checked = 0
    for name, expression in terms.items():
        parts = set(re.split(r" (?:AND|OR) ", expression))
        assert parts <= {*accepted["permissive"], *accepted["explained"]}, name
        try:
            about = metadata(name)
        except PackageNotFoundError:  # for another system
            continue
        statements = stated(about)
        assert statements, f"{name} states no licence"
        assert all(parts & names for names in statements), f"{name} states {statements}"
        checked += 1
    assert checked > 25
    page = (ROOT / "docs" / "licences.md").read_text("utf-8")
    for name, expression in terms.items():
        for licence in accepted["explained"]:
            if licence in expression:
                assert name in page and licence.partition("-or-")[0] in page


def test_the_bill_of_materials_is_complete_and_the_same_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    bill = sbom.bill()
    assert bill == sbom.bill()
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["timestamp"] == "2023-11-14T22:13:20Z"
    assert bill["metadata"]["component"]["version"] == elsewhere.__version__
    names = {component["name"] for component in bill["components"]}
    assert {"numpy", "pi-heif", "svelte", "clip_vit_b16.int8.onnx"} <= names
    assert {package["name"] for package in sbom.locked("run")} <= names
    assert all(component["licenses"] for component in bill["components"])
    models = {str(file.relative_to(ROOT)) for file in (ROOT / "src").rglob("*.onnx")}
    assert set(sbom.licences("models")) == models
    references = [component["bom-ref"] for component in bill["components"]]
    assert len(set(references)) == len(references)
    assert bill["dependencies"][0]["dependsOn"] == references
    json.dumps(bill)


def test_the_version_is_written_in_one_place() -> None:
    """The lab and the page are built from the same tree and carry the same number."""
    assert sbom.version() == elsewhere.__version__
    assert PROJECT["dynamic"] == ["version"]
    lab = tomllib.loads((ROOT / "lab" / "pyproject.toml").read_text("utf-8"))["project"]
    page = json.loads((ROOT / "web" / "package.json").read_text("utf-8"))
    assert lab["version"] == page["version"] == elsewhere.__version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(rf"^## {re.escape(elsewhere.__version__)}\b", changes, re.MULTILINE)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.skipif(shutil.which("git") is None, reason="builds what is committed")
def test_a_release_is_the_same_twice(tmp_path: Path) -> None:
    """The script itself builds twice and compares; here it runs twice, at different times."""
    for name in ("first", "second"):
        command = [sys.executable, "tools/release.py", "--output", str(tmp_path / name)]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    first, second = ((tmp_path / name / "SHA256SUMS").read_text() for name in ("first", "second"))
    assert first == second and first.count("\n") == 4
