"""Names of files as text: in the order a person expects, and harmless on a terminal.

A file may be called anything: with line breaks, escape codes that repaint the screen, marks that
turn the reading direction so that `gpj.exe` looks like a photo, bytes that are no Unicode. What
is shown is always one line of plain characters, with the rest spelled out.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePath

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that move the cursor, turn the text or show nothing."""


def printable(name: str | PurePath) -> str:
    r"""A name as one line that any terminal and any file format can hold.

    >>> printable("a\nb\u202egpj.exe")
    'a\\nb\\u202egpj.exe'
    """
    text = name.as_posix() if isinstance(name, PurePath) else name
    return "".join(
        mark.encode("unicode_escape").decode("ascii")
        if unicodedata.category(mark) in _UNSEEN
        else mark
        for mark in text
    )


def shortened(text: str, most: int = 200) -> str:
    """A text from a stranger, on one line and no longer than a person would read."""
    line = printable(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most else line[: most - 1] + "…"


def natural(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    """A sorting key by which IMG_2 comes before IMG_10, whatever the case of the letters.

    >>> sorted(["IMG_10", "img_9", "IMG_2"], key=natural)
    ['IMG_2', 'img_9', 'IMG_10']
    """
    parts = re.findall(r"[0-9]{1,99}|[^0-9]+", name)
    key = [
        (False, int(part), "") if part[0] in "0123456789" else (True, 0, part.casefold())
        for part in parts
    ]
    return key, name
