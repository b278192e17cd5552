"""Amounts and lists of names in sentences, the same everywhere."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import PurePath

_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode's categories of characters that move the cursor, turn the text or show nothing."""


def printable(text: str | PurePath) -> str:
    r"""Text as one line that cannot steer a terminal; invisible characters are escaped.

    >>> printable("a\nb\u202egpj.exe")
    'a\\nb\\u202egpj.exe'
    """
    line = text.as_posix() if isinstance(text, PurePath) else text
    return "".join(
        mark.encode("unicode_escape").decode("ascii")
        if unicodedata.category(mark) in _INVISIBLE
        else mark
        for mark in line
    )


def first_line(problem: Exception) -> str:
    """What a library says went wrong, short enough for a sentence: it may quote a whole file.

    >>> first_line(ValueError("bad\\nworse")), first_line(KeyError())
    ('bad', 'KeyError')
    """
    lines = str(problem).splitlines() or [type(problem).__name__]
    return lines[0][:200]


def counted(amount: int | Fraction, thing: str, things: str = "") -> str:
    """An amount with its noun.

    >>> counted(1, "photo"), counted(3, "photo"), counted(2, "city", "cities")
    ('1 photo', '3 photos', '2 cities')
    """
    return f"{amount} {thing if amount == 1 else things or thing + 's'}"


def listed(names: Sequence[str], limit: int | None = None, shown: int = 3) -> str:
    """Names in a row; of more than `limit` names only the first are `shown` and the rest counted.

    Names with commas are kept apart by semicolons.

    >>> listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('', 'a', 'a and b', 'a, b and c')
    >>> listed(["Lisbon, Portugal", "Arles, France", "Bern, Switzerland"])
    'Lisbon, Portugal; Arles, France and Bern, Switzerland'
    >>> listed(list("abcdef"), 5)
    'a, b, c and 3 more'
    """
    separator = "; " if any(", " in name for name in names) else ", "
    if limit is not None and len(names) > limit:
        return f"{separator.join(names[:shown])} and {len(names) - shown} more"
    if len(names) < 2:
        return "".join(names)
    return f"{separator.join(names[:-1])} and {names[-1]}"


def apart_only(names: Sequence[str]) -> list[str]:
    """Paths without the folders that are not needed to tell them apart.

    >>> apart_only(["trip/1/a.jpg", "trip/2/a.jpg", "trip/2/b.jpg"])
    ['1/a.jpg', '2/a.jpg', 'b.jpg']
    """
    ends = []
    for name in names:  # the last part of each path, the last two, and so on
        parts = name.split("/")
        ends.append(["/".join(parts[at:]) for at in range(len(parts) - 1, -1, -1)])
    shared = Counter(end for own in ends for end in own)
    return [next((end for end in own if shared[end] == 1), own[-1]) for own in ends]


def installed_by(extra: str) -> str:
    """How to install an extra: from a clone, for the package is on no registry.

    >>> installed_by("parquet")
    "pip install '.[parquet]' in a clone of elsewhere"
    """
    return f"pip install '.[{extra}]' in a clone of elsewhere"
