"""What people type, as the values that the engine takes.

Cells are written 17, or 17,18,20-25; photos by name or by number. Small files bring numbers: a
prior (one per cell) and the photos' values.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TypeVar

from elsewhere.errors import FileError, InputError
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted

T = TypeVar("T")

_CELLS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_LONGEST_RANGE = 1_000_000
_LARGEST_FILE = 64 << 20
_DECIMAL = re.compile(r"[+-]?(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?")
_RATIO = re.compile(r"[+-]?\d{1,300}/\d{1,300}")


def cells(text: str, option: str) -> list[int]:
    """The cells that `text` names.

    >>> cells("17,20-22", "--truth")
    [17, 20, 21, 22]
    """
    found: list[int] = []
    for part in text.split(","):
        match = _CELLS.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{option} takes cells such as 17 or 17,18,20-25, not {text!r}")
        first = int(match[1])
        last = int(match[2] or first)
        if not first <= last < first + _LONGEST_RANGE:
            raise InputError(f"{option} has the range {part.strip()}, which is not one of cells")
        found.extend(range(first, last + 1))
    return found


def photo(text: str, scores: Scores) -> int:
    """The photo that `text` names: by its name, or else by its number.

    >>> photo("b.jpg", Scores([[0, 1], [1, 0]], ids=["a.jpg", "b.jpg"]))
    1
    >>> photo("0", Scores([[0, 1], [1, 0]], ids=["a.jpg", "b.jpg"]))
    0
    """
    if text not in scores.ids and text.isascii() and text.isdigit():
        number = int(text[:20])
        if number >= scores.photos:
            are = "the one photo is number 0"
            if scores.photos > 1:
                are = f"the {scores.photos} photos are numbered from 0"
            raise InputError(f"there is no photo {text}: {are}")
        return number
    return scores.index(text)


def one_or_each(given: Sequence[T] | None) -> T | list[T] | None:
    """One value for all attackers, or one for each: as the engine takes them."""
    if not given:
        return None
    return given[0] if len(given) == 1 else list(given)


def read_text(file: Path) -> str:
    """The text of a small file."""
    try:
        if not file.is_file():
            raise FileError(f"{file} does not exist or is not a plain file")
        if file.stat().st_size > _LARGEST_FILE:
            raise FileError(f"{file} is larger than {_LARGEST_FILE:,} bytes")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text in UTF-8") from None
    except OSError as wrong:
        raise FileError(f"{file} cannot be read: {wrong.strerror or wrong}") from None


def read_prior(file: Path, cells: int) -> list[float]:
    """A prior: one natural-log probability per cell, separated by commas or white space."""
    numbers = []
    for text in re.split(r"[\s,]+", read_text(file).strip()):
        if text.lower() != "-inf" and not _DECIMAL.fullmatch(text):
            raise FileError(f"{file} has {text[:40]!r} where a number or -inf belongs")
        numbers.append(float(text))
    if len(numbers) != cells:
        raise FileError(
            f"{file} has {counted(len(numbers), 'number')}, but a prior needs one for each of the "
            f"{cells} cells"
        )
    return numbers


def read_values(file: Path, scores: Scores) -> list[Fraction]:
    """What withholding each photo costs: a number per line, or `name,number`; unnamed ones cost 1.

    Decimals are taken as they stand: 0.1 is a tenth.
    """
    lines = [line.strip() for line in read_text(file).splitlines() if line.strip()]
    if not lines:
        raise FileError(f"{file} is empty: write one value per photo, or lines such as a.jpg,2.5")
    if all("," not in line for line in lines):
        if len(lines) != scores.photos:
            raise FileError(
                f"{file} has {counted(len(lines), 'value')} for {counted(scores.photos, 'photo')}"
            )
        return [value(line, file) for line in lines]
    values: dict[int, Fraction] = {}
    for number, line in enumerate(lines):
        name, _, text = line.rpartition(",")
        if number == 0 and (name, text.strip()) == ("photo", "value"):
            continue
        try:
            which = photo(name.strip(), scores)
        except InputError as wrong:
            raise FileError(f"{file} cannot be used: {wrong}") from None
        if which in values:
            raise FileError(f"{file} has two values for the photo {name.strip()!r}")
        values[which] = value(text.strip(), file)
    return [values.get(which, Fraction(1)) for which in range(scores.photos)]


def value(text: str, file: Path) -> Fraction:
    """A photo's value, a number above 0, as it stands in `file`."""
    if _DECIMAL.fullmatch(text) or _RATIO.fullmatch(text):
        with contextlib.suppress(ZeroDivisionError):
            number = Fraction(text)
            if number > 0:
                return number
    raise FileError(f"{file} has the value {text[:40]!r}, which is not a number above 0")
