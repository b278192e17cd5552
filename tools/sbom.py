"""The software bill of materials of elsewhere: CycloneDX 1.6 as JSON, on standard output.

    python tools/sbom.py > elsewhere.cdx.json

It lists what an installation holds: the locked packages (locks/run.txt) with their hashes and
licences, the npm packages inside the app's page, and the models. Equal trees give equal bytes; the
time is SOURCE_DATE_EPOCH, where that is set.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_PIN = re.compile(r"^([a-z0-9-]+)==([^\s;\\]+)(?: ; ([^\\]+?))? *\\?$")
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_BUNDLED = re.compile(r"^## (\S+) - (\S+) \((\S+)\)$", re.MULTILINE)


def version() -> str:
    """The version, from the one place where it is written."""
    text = (ROOT / "src/elsewhere/__init__.py").read_text("utf-8")
    [found] = re.findall(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    return str(found)


def locked(name: str) -> list[dict[str, Any]]:
    """The packages of a lock file: name, version, marker (or empty) and hashes."""
    packages: list[dict[str, Any]] = []
    for line in (ROOT / "locks" / f"{name}.txt").read_text("utf-8").splitlines():
        if pin := _PIN.match(line):
            package, number, marker = pin.groups()
            packages.append(
                {"name": package, "version": number, "marker": marker or "", "hashes": []}
            )
        elif found := _HASH.search(line):
            packages[-1]["hashes"].append(found[1])
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"locks/{name}.txt has a line that is not understood: {line}")
    return packages


def licences(kind: str) -> dict[str, str]:
    """The licences of all "packages" or "models", as SPDX has them."""
    table = tomllib.loads((ROOT / "locks/licences.toml").read_text("utf-8"))
    return dict(table[kind])


def components() -> list[dict[str, Any]]:
    """Everything that an installation holds besides elsewhere itself."""
    terms = licences("packages")
    found = []
    for package in locked("run"):
        purl = f"pkg:pypi/{package['name']}@{package['version']}"
        entry = {
            "type": "library",
            "bom-ref": purl,
            "name": package["name"],
            "version": package["version"],
            "purl": purl,
            "hashes": [{"alg": "SHA-256", "content": content} for content in package["hashes"]],
            "licenses": [{"expression": terms[package["name"]]}],
        }
        if package["marker"]:
            entry["properties"] = [{"name": "elsewhere:marker", "value": package["marker"]}]
        found.append(entry)
    page = (ROOT / "src/elsewhere/app/page/licenses.md").read_text("utf-8")
    for name, number, licence in _BUNDLED.findall(page):
        purl = f"pkg:npm/{name.replace('@', '%40')}@{number}"
        found.append(
            {
                "type": "library",
                "bom-ref": purl,
                "name": name,
                "version": number,
                "purl": purl,
                "licenses": [{"expression": licence}],
            }
        )
    for model, licence in licences("models").items():
        with (ROOT / model).open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        found.append(
            {
                "type": "machine-learning-model",
                "bom-ref": model,
                "name": Path(model).name,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "licenses": [{"expression": licence}],
            }
        )
    return found


def bill() -> dict[str, Any]:
    """The whole document."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    reference = f"pkg:pypi/elsewhere@{version()}"
    parts = components()
    document: dict[str, Any] = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": reference,
                "name": "elsewhere",
                "version": version(),
                "purl": reference,
                "licenses": [{"expression": project["license"]}],
            }
        },
        "components": parts,
        "dependencies": [{"ref": reference, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        made = datetime.fromtimestamp(int(epoch), UTC)
        document["metadata"]["timestamp"] = made.strftime("%Y-%m-%dT%H:%M:%SZ")
    content = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(document, sort_keys=True))
    document["serialNumber"] = f"urn:uuid:{content}"
    return document


if __name__ == "__main__":
    print(json.dumps(bill(), indent=2))
