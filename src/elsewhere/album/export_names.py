"""What the files of a copy are called, and in which order they come.

A name tells: IMG_20230714_153000 says when, IMG_0041 beside IMG_0043 that one is missing. So the
files are numbered without a gap, in an order drawn at random, unless somebody asks otherwise.
Names that are kept are made harmless for every system that the copy may be unpacked on.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal

from elsewhere.errors import InputError

Order = Literal["shuffled", "album"]
Names = Literal["neutral", "keep"]

SUFFIX = ".jpg"
_LEAST_DIGITS = 3
_MOST_BYTES = 120
"""Of a kept name, in UTF-8: leaves room for a number and the suffix on every file system."""
_FORBIDDEN = frozenset('<>:"/\\|?*')
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.I)
"""Names of devices on Windows, whatever follows their first dot."""
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])")


def check_choices(order: str, names: str) -> None:
    """Refuse an order or a way of naming that there is not."""
    if order not in ("shuffled", "album"):
        raise InputError(f"there is no order {order!r}: choose shuffled or album")
    if names not in ("neutral", "keep"):
        raise InputError(f"names cannot be {names!r}: choose neutral or keep")


def named(ids: Sequence[str], order: Order = "shuffled", names: Names = "neutral") -> list[str]:
    """A name for each photo, by the position of its id.

    >>> named(["b/IMG_1.HEIC", "c.png"], order="album")
    ['001.jpg', '002.jpg']
    >>> named(["b/IMG_1.HEIC", "c/img_1.jpg"], names="keep")
    ['IMG_1.jpg', 'img_1-2.jpg']
    """
    check_choices(order, names)
    if names == "keep":
        return _kept(ids)
    width = max(_LEAST_DIGITS, len(str(len(ids))))
    numbers = list(range(1, len(ids) + 1))
    if order == "shuffled":
        random.SystemRandom().shuffle(numbers)
    return [f"{number:0{width}}{SUFFIX}" for number in numbers]


def warning(names: Sequence[str]) -> str:
    """What has to be said of names that were kept."""
    dated = [name for name in names if _DATE.search(name)]
    if dated:
        some = "1 of them holds" if len(dated) == 1 else f"{len(dated)} of them hold"
        return (
            f"the names were kept, and {some} what looks like a date ({dated[0]}): "
            "names tell when photos were taken, in which order, and which ones are missing"
        )
    return (
        "the names were kept: they can tell in which order photos were taken, by which camera, "
        "and which ones are missing"
    )


def _kept(ids: Sequence[str]) -> list[str]:
    """The photos' own names, harmless and different even where case does not count."""
    used: set[str] = set()
    result = []
    for name in ids:
        stem = harmless(PurePosixPath(name).stem)
        found, number = stem, 2
        while _folded(found) in used:
            found, number = f"{stem}-{number}", number + 1
        used.add(_folded(found))
        result.append(found + SUFFIX)
    return result


def harmless(stem: str) -> str:
    """A name without its suffix as every file system takes it, in one piece.

    >>> harmless("..\\\\con"), harmless("nul.tar"), harmless(" -rf "), harmless("Ætt\\u202e")
    ('_con', '_nul.tar', '_rf', 'Ætt_')
    """
    whole = unicodedata.normalize("NFC", stem)
    plain = "".join("_" if _odd(mark) else mark for mark in whole)
    while len(plain.encode("utf-8")) > _MOST_BYTES:
        plain = plain[:-1]
    plain = plain.strip(" .")
    if plain.startswith(("-", "~")):
        plain = "_" + plain[1:]
    if _RESERVED.fullmatch(plain):
        plain = "_" + plain
    return plain or "photo"


def _odd(mark: str) -> bool:
    """Whether some system refuses a character, or nobody sees it."""
    return mark in _FORBIDDEN or (mark != " " and unicodedata.category(mark) in _UNSEEN)


def _folded(name: str) -> str:
    """By which two names are one where neither case nor the writing of accents counts."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
