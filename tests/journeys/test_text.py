"""An album with three telling signs through `elsewhere protect`: the signs are covered, and two
readers find nothing in the copy. Without reading the text, the signs would be shared.

The second reader is tesseract, which shares nothing with ours; a machine without it says so.
"""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from elsewhere.example import ALBUM
from elsewhere.globe.gazetteer import name_key
from elsewhere.text.reader import read
from tests.text.signs import draw_sheet

pytestmark = pytest.mark.slow
SIGNS = {"a.jpg": "Avignon", "b.jpg": "Arles", "c.jpg": "Beaucaire"}
"""All within 100 km of Avignon."""
PLAIN = ("hills.jpg", "bridge.jpg", "fig.jpg", "sunset.jpg")
PLAN = (
    *("protect", "album", "--at", "Avignon", "--at-anyway", "--top", "1", "--exact-top"),
    *("--margin", "none", "--no-each-photo", "--private", "private", "--json"),
)
Reader = Callable[[bytes], list[str]]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, dict[str, Any]]]:
    """The copy with covers, and the one that is made without reading; each with what was said."""
    home = tmp_path_factory.mktemp("signs")
    (home / "album").mkdir()
    for name, text in SIGNS.items():
        sheet = draw_sheet("Latin", text, heights=(30,), size=(960, 720), seed=len(text))
        (home / "album" / name).write_bytes(sheet.content)
    for name in PLAIN:
        shutil.copyfile(ALBUM / name, home / "album" / name)
    found = {}
    for folder, more in (("covered", ("--edits", "cover")), ("unread", ("--no-text",))):
        command = [sys.executable, "-m", "elsewhere.cli", *PLAN, *more, "-o", folder]
        run = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        found[folder] = home / folder, json.loads(run.stdout)
    return found


def ours(content: bytes) -> list[str]:
    return [
        line[0]
        for enlarged in (1, 2)
        for line in read({"contents": [content], "enlarged": enlarged})[0]["lines"]
    ]


def tesseract(content: bytes) -> list[str]:
    file = io.BytesIO()
    with Image.open(io.BytesIO(content)) as picture:
        picture.convert("L").resize((2 * picture.width, 2 * picture.height)).save(file, "PNG")
    found = []
    for layout, picture_bytes in (("11", content), ("12", content), ("11", file.getvalue())):
        command = ["tesseract", "stdin", "stdout", "--psm", layout]
        run = subprocess.run(command, input=picture_bytes, capture_output=True, check=True)
        found += run.stdout.decode("utf-8", "replace").splitlines()
    return found


def names_in(folder: Path, reader: Reader) -> set[str]:
    """Which of the signs a reader finds in the pictures of a folder."""
    texts = [name_key(text) for file in folder.iterdir() for text in reader(file.read_bytes())]
    return {name for name in SIGNS.values() if any(name_key(name) in text for text in texts)}


def readers() -> list[Any]:
    missing = shutil.which("tesseract") is None
    skip = pytest.mark.skipif(missing, reason="needs tesseract")
    return [ours, pytest.param(tesseract, marks=skip)]


def test_the_signs_are_covered_and_counted(
    copies: dict[str, tuple[Path, dict[str, Any]]],
) -> None:
    _, told = copies["covered"]
    assert set(SIGNS) <= set(told["kept"]) and set(SIGNS) <= set(told["edited"])
    assert "3 photos with readable names near it: 3 covered." in told["verdict"]
    assert (told["text"]["covered"], told["text"]["withheld"]) == (3, 0)
    _, unread = copies["unread"]
    assert set(SIGNS) <= set(unread["kept"]) and unread["edited"] == {}
    assert unread["text"] is None and "readable" not in unread["verdict"]


@pytest.mark.parametrize("reader", readers())
def test_a_reader_finds_nothing_in_the_copy(
    copies: dict[str, tuple[Path, dict[str, Any]]], reader: Reader
) -> None:
    assert names_in(copies["covered"][0], reader) == set()
    without = names_in(copies["unread"][0], reader)
    assert len(without) >= 2, "it could read them"
    assert reader is not ours or without == set(SIGNS.values())
