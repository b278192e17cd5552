"""Tesseract, where the user has installed it: it reads the lines that our reader cannot.

It runs as a program of its own, on pictures of single lines, with a limit on its time. What it
prints is untrusted like all text of a photo. Only languages in scripts that our reader does not
know are asked for.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL import Image

SCRIPTS = {
    "rus": "Cyrillic", "ukr": "Cyrillic", "bul": "Cyrillic", "srp": "Cyrillic", "ell": "Greek",
    "ara": "Arabic", "fas": "Arabic", "heb": "Hebrew", "kor": "Korean", "tha": "Thai",
    "hin": "Devanagari", "ben": "Bengali", "tam": "Tamil", "tel": "Telugu", "kat": "Georgian",
    "hye": "Armenian", "lao": "Lao", "khm": "Khmer", "mya": "Burmese", "amh": "Ethiopic",
    "sin": "Sinhala", "nep": "Devanagari",
}  # fmt: skip
"""Its languages that are asked for, and their scripts."""
LANGUAGES = tuple(SCRIPTS)
MAX_LINES = 8
"""Lines of a photo that are given to it, the largest first."""
_SECONDS = 20.0
_MIN_LETTERS = 2
_COLUMNS, _WORD_LEVEL = 12, "5"
"""Of its tables: a row of the fifth level is a word, and the columns are level, page, …, confidence
and text."""


@cache
def installed() -> tuple[str, tuple[str, ...]]:
    """The program and those of the languages that it has; empty where there is none."""
    program = shutil.which("tesseract")
    if program is None:
        return "", ()
    try:
        result = subprocess.run(
            [program, "--list-langs"], capture_output=True, timeout=_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return "", ()
    known = result.stdout.decode("utf-8", "replace").split()
    return program, tuple(name for name in LANGUAGES if name in known)


def read_lines(lines: Sequence[Image.Image]) -> list[tuple[str, float]]:
    """The text of each picture of a line and its confidence; empty where it has none.

    All go to one run of the program, as the pages of one file: loading its languages takes longer
    than reading.
    """
    texts = [("", 0.0)] * len(lines)
    program, languages = installed()
    if not languages or not lines:
        return texts
    pages = io.BytesIO()
    lines[0].save(pages, "TIFF", save_all=True, append_images=lines[1:])
    command = [program, "stdin", "stdout", "--psm", "7", "-l", "+".join(languages), "tsv"]
    try:
        result = subprocess.run(
            command,
            input=pages.getvalue(),
            capture_output=True,
            timeout=_SECONDS,
            check=True,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
    except (OSError, subprocess.SubprocessError):
        return texts
    words: dict[int, list[tuple[str, float]]] = {}
    for row in result.stdout.decode("utf-8", "replace").splitlines():
        columns = row.split("\t")
        if len(columns) == _COLUMNS and columns[0] == _WORD_LEVEL and columns[11].strip():
            page = int(columns[1]) - 1
            words.setdefault(page, []).append((columns[11].strip(), float(columns[10]) / 100))
    for page, found in words.items():
        text = " ".join(word for word, _ in found)
        if page < len(texts) and sum(map(str.isalpha, text)) >= _MIN_LETTERS:
            texts[page] = text, max(0.0, min(confidence for _, confidence in found))
    return texts
