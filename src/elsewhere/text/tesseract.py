"""Tesseract, where the user has installed it: it reads the lines that our reader cannot.

It runs as a program of its own, on pictures of single lines, with limits on its time and on what it
prints, and on Linux in a cage in which it can read files and answer. What it prints is untrusted
like all text of a photo. Only languages in scripts that our reader does not know are asked for.
"""

from __future__ import annotations

import io
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING

from elsewhere.platform.machine import bare_environment
from elsewhere.platform.threads import start_thread

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
_MAX_BYTES = 1 << 20
"""Of what it prints."""
_MIN_LETTERS = 2
_COLUMNS, _WORD_LEVEL = 12, "5"
"""Of its tables: a row of the fifth level is a word, and the columns are level, page, …, confidence
and text."""


_BOOT = """\
import sys
sys.path.insert(0, sys.argv[1])
from elsewhere.platform.cage import become_caged
become_caged(sys.argv[2:])
"""


def _run(program: str, *words: str, given: bytes = b"") -> bytes:
    """What the program prints, in its cage."""
    command = [program, *words]
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-c", _BOOT, str(Path(__file__).parents[2]), *command]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**bare_environment(), "OMP_THREAD_LIMIT": "1"},
        start_new_session=True,  # away from the terminal, and with all that it starts one group
    )
    assert process.stdin is not None and process.stdout is not None
    answers: SimpleQueue[bytes] = SimpleQueue()
    try:
        start_thread(partial(_write, process.stdin, given))
        start_thread(partial(_read, process.stdout, answers))
        answer = answers.get(timeout=_SECONDS)
        if len(answer) > _MAX_BYTES:
            raise subprocess.SubprocessError("it prints too much")
        if process.wait(timeout=_SECONDS) != 0:
            raise subprocess.CalledProcessError(process.returncode, program)
        return answer
    except Empty:
        raise subprocess.TimeoutExpired(program, _SECONDS) from None
    finally:
        _end(process)


def _write(pipe: IO[bytes], content: bytes) -> None:
    with suppress(OSError), pipe:  # it may end before it has read all
        pipe.write(content)


def _read(pipe: IO[bytes], answers: SimpleQueue[bytes]) -> None:
    with pipe:
        answers.put(pipe.read(_MAX_BYTES + 1))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the program and all that it has started."""
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(OSError):  # all of it has ended
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@cache
def installed() -> tuple[str, tuple[str, ...]]:
    """The program and those of the languages that it has; empty where there is none."""
    program = shutil.which("tesseract")
    if program is None:
        return "", ()
    try:
        languages = _run(program, "--list-langs")
    except (OSError, subprocess.SubprocessError):
        return "", ()
    known = languages.decode("utf-8", "replace").split()
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
    options = ("stdin", "stdout", "--psm", "7", "-l", "+".join(languages), "tsv")
    try:
        table = _run(program, *options, given=pages.getvalue())
    except (OSError, subprocess.SubprocessError):
        return texts
    words: dict[int, list[tuple[str, float]]] = {}
    for row in table.decode("utf-8", "replace").splitlines():
        columns = row.split("\t")
        if len(columns) == _COLUMNS and columns[0] == _WORD_LEVEL and columns[11].strip():
            page = int(columns[1]) - 1
            words.setdefault(page, []).append((columns[11].strip(), float(columns[10]) / 100))
    for page, found in words.items():
        text = " ".join(word for word, _ in found)
        if page < len(texts) and sum(map(str.isalpha, text)) >= _MIN_LETTERS:
            texts[page] = text, max(0.0, min(confidence for _, confidence in found))
    return texts
