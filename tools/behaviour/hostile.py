"""What the program makes of files from strangers, written by the generators of the tests."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import surfaces
from commands import Commands, Notes
from running import Product
from told import digest, split

FOLDER = "strangers"


def generator(tests: Path) -> Callable[[Path], object]:
    """Who writes the files: the first of the known generators that this tree has."""
    sys.path.insert(0, str(tests))
    try:
        for module, name in surfaces.HOSTILE_FILES:
            try:
                found: Callable[[Path], object] = getattr(importlib.import_module(module), name)
            except (ImportError, AttributeError):
                continue
            return found
    finally:
        sys.path.remove(str(tests))
    raise LookupError(f"no generator of hostile files in {tests}: edit surfaces.HOSTILE_FILES")


def record_hostile(product: Product, tests: Path) -> Notes:
    """Each file: left out for which reason, or read; by every command that reads folders."""
    at = Commands(product)
    folder = at.work / FOLDER
    generator(tests)(folder)
    content = _content(folder)
    drawn = {name: told[:1] if name.endswith(".avif'") else told for name, told in content.items()}
    at.notes.add("generated", drawn)  # AVIF says when it was made
    here = ("--at", "Lisbon", "--exact-top", "--json")
    runs: dict[str, tuple[str, ...]] = {
        "audit": ("audit", FOLDER, "--at", "Lisbon", "--json"),
        "protect dry": ("protect", FOLDER, "--dry-run", *here),
        "protect": ("protect", FOLDER, *here, "--order", "album", "-o", "copy", "--private", "own"),
        "guess": ("guess", FOLDER, "--top", "1", "--json"),
    }
    for name, arguments in runs.items():
        ran = at.product.program(*arguments, home="strangers")
        try:
            found = json.loads(ran.stdout)
        except json.JSONDecodeError:
            at.notes.add(name, *at.told(ran))
            continue
        ends, words = _ends(found, at.product)
        at.notes.add(name, {"exit": ran.code, "json": sorted(found), **ends}, words)
    at.folder("protect files", at.work / "copy")
    at.notes.add("untouched", _content(folder) == content)
    return at.notes


def _content(folder: Path) -> dict[str, list[Any]]:
    """The plain files of a folder by digest, except for the very large ones."""
    return {
        ascii(str(file.relative_to(folder))): digest(file)
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.is_symlink() and file.stat().st_size < 64 << 20
    }


def _ends(found: dict[str, Any], product: Product) -> tuple[dict[str, Any], dict[str, Any]]:
    """How each file ended, from whichever of the commands' outputs."""
    left = found.get("left", [])
    ends: dict[str, Any] = {
        "left": sorted([ascii(one["file"]), one["kind"]] for one in left),
        "failed": sorted(ascii(one["photo"]) for one in found.get("failed", [])),
        "leaks": [[one["kind"], len(one["photos"])] for one in found.get("leaks", [])],
    }
    for name in ("kept", "withheld", "dropped"):
        ends[name] = sorted(ascii(one) for one in found.get(name, []))
    if "photos" in found:
        ends["photos"] = sorted(ascii(one["photo"]) for one in found["photos"])
    if found.get("audits"):
        audit, _ = split(found["audits"][0], product)
        ends["read"] = sorted(ascii(name) for name in found["audits"][0]["ids"])
        ends["guesses"] = audit["guesses"]
    if "status" in found:
        ends["status"] = found["status"]
    words = {ascii(one["file"]): one["reason"] for one in left}
    words |= {ascii(one["photo"]): one["problem"] for one in found.get("failed", [])}
    return ends, words
