"""Typed text and small files as values.

Cells are written 17, or 17,18,20-25; photos by name or by number. A `--truth` may also be a place,
if the scores are over the default cells of the globe.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from elsewhere.errors import FileError, InputError
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted

if TYPE_CHECKING:
    from elsewhere.service import Cells, Place
    from elsewhere.values.versions import Edit

T = TypeVar("T")

_CELLS = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")
_MAX_RANGE = 1_000_000
_MAX_BYTES = 64 << 20
_DECIMAL = re.compile(r"[+-]?(\d{1,300}(\.\d{0,300})?|\.\d{1,300})([eE][+-]?\d{1,3})?")
_RATIO = re.compile(r"[+-]?\d{1,300}/\d{1,300}")


def parse_cells(text: str, option: str) -> list[int]:
    """The cells that `text` names.

    >>> parse_cells("17,20-22", "--truth")
    [17, 20, 21, 22]
    """
    result: list[int] = []
    for part in text.split(","):
        match = _CELLS.fullmatch(part.strip())
        if match is None:
            raise InputError(f"{option} takes cells such as 17 or 17,18,20-25, not {text!r}")
        first = int(match[1])
        last = int(match[2] or first)
        if not first <= last < first + _MAX_RANGE:
            raise InputError(f"{option} has the range {part.strip()}, which is empty or too long")
        result.extend(range(first, last + 1))
    return result


def parse_photo(text: str, scores: Scores) -> int:
    """The photo that `text` names: by its name, or else by its number.

    >>> parse_photo("b.jpg", Scores([[0, 1], [1, 0]], ids=["a.jpg", "b.jpg"]))
    1
    >>> parse_photo("0", Scores([[0, 1], [1, 0]], ids=["a.jpg", "b.jpg"]))
    0
    """
    if text not in scores.ids and text.isascii() and text.isdigit():
        number = int(text[:20])
        if number >= scores.photos:
            raise InputError(
                f"there is no photo {text}: {counted(scores.photos, 'photo')}, numbered from 0"
            )
        return number
    return scores.index(text)


def one_or_each(given: Sequence[T]) -> T | list[T]:
    """One value for all attackers, or a list with one for each."""
    return given[0] if len(given) == 1 else list(given)


def read_text(file: Path) -> str:
    """The text of a small file."""
    try:
        if not file.is_file():
            raise FileError(f"{file} does not exist or is not a plain file")
        if file.stat().st_size > _MAX_BYTES:
            raise FileError(f"{file} is larger than {_MAX_BYTES:,} bytes")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text in UTF-8") from None
    except OSError as error:
        raise FileError(f"{file} cannot be read: {error.strerror or error}") from None


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
        return [parse_value(line, file) for line in lines]
    values: dict[int, Fraction] = {}
    for name, value in read_named_values(file).items():
        try:
            photo = parse_photo(name, scores)
        except InputError as error:
            raise FileError(f"{file} cannot be used: {error}") from None
        if photo in values:
            raise FileError(f"{file} has two values for the photo {name!r}")
        values[photo] = value
    return [values.get(photo, Fraction(1)) for photo in range(scores.photos)]


def read_named_values(file: Path) -> dict[str, Fraction]:
    """What withholding photos costs, by name, from lines such as beach.jpg,2.5."""
    values: dict[str, Fraction] = {}
    for number, line in enumerate(read_text(file).splitlines()):
        name, comma, text = (part.strip() for part in line.rpartition(","))
        if not line.strip() or (number == 0 and (name, text) == ("photo", "value")):
            continue
        if not comma:
            raise FileError(f"{file} has the line {line[:40]!r}: write lines such as beach.jpg,2.5")
        if name in values:
            raise FileError(f"{file} has two values for the photo {name!r}")
        values[name] = parse_value(text, file)
    if not values:
        raise FileError(f"{file} is empty: write lines such as beach.jpg,2.5")
    return values


def parse_value(text: str, file: Path) -> Fraction:
    """A photo's value, a number above 0, as it stands in `file`."""
    if _DECIMAL.fullmatch(text) or _RATIO.fullmatch(text):
        with contextlib.suppress(ZeroDivisionError):
            number = Fraction(text)
            if number > 0:
                return number
    raise FileError(f"{file} has the value {text[:40]!r}, which is not a number above 0")


def parse_share(text: str, option: str) -> Fraction:
    """A share above nothing and up to all, such as 0.3, 1/3 or 30%."""
    number = text.strip().removesuffix("%")
    if _DECIMAL.fullmatch(number) or _RATIO.fullmatch(number):
        with contextlib.suppress(ZeroDivisionError):
            share = Fraction(number) / (100 if "%" in text else 1)
            if 0 < share <= 1:
                return share
    raise InputError(f"{option} is a share above 0 and up to 1, such as 0.3 or 30%, not {text!r}")


def read_drawn_edits(file: Path) -> dict[str, Edit]:
    """The edits that the user drew, by name or pattern."""
    from elsewhere.service import read_edits

    try:
        return read_edits(read_text(file))
    except InputError as error:
        raise FileError(f"{file} cannot be used: {error}") from None


def parse_places(at: Sequence[str]) -> list[Place]:
    """The places that `--at` names; - asks for them."""
    from elsewhere.service import place

    return [place(text) for given in at for text in (_ask() if given == "-" else [given])]


def _ask() -> list[str]:
    """Places from the keyboard or a pipe, separated by semicolons."""
    if sys.stdin.isatty():
        try:
            line = typer.prompt("Where were the photos taken (a town, or 38.72, -9.14)", err=True)
        except typer.Abort:  # Ctrl-C at the prompt
            raise KeyboardInterrupt from None
    else:
        line = sys.stdin.readline()
    texts = [text.strip() for text in str(line).split(";") if text.strip()]
    if not texts:
        raise InputError("--at - asks for a place, and none was given")
    return texts


RADIUS_KM = 25.0
_NUMBERS = re.compile(r"\s*\d+(\s*[,-]\s*\d+)*\s*")
"""A text that means cells: 38,9 does, 38.72,-9.14 does not."""
_MAX_NUMBERS, _MAX_NAMES = 10, 5
"""Cells that are listed by number or by name."""


@dataclass(frozen=True)
class HiddenCells:
    """The cells to hide from one attacker."""

    cells: frozenset[int]
    place: str = ""
    """The name of the place, if one was given."""
    note: str = ""
    """A note on its zone."""


def parse_truth(text: str, scores: Scores, file: Path, radius_km: float | None) -> HiddenCells:
    """What a `--truth` means for one attacker's scores."""
    if _NUMBERS.fullmatch(text):
        return HiddenCells(frozenset(parse_cells(text, "--truth")))
    globe = known_cells(scores)
    if globe is None:
        raise InputError(
            f"--truth {text!r} is a place, but {file} does not say what its cells are on the "
            "globe: give cells such as 17 or 17,18,20-25"
        )
    from elsewhere.messages import coarse_cells
    from elsewhere.service import place, zone_of_place

    position = place(text)
    radius = RADIUS_KM if radius_km is None else radius_km
    zone = zone_of_place(globe, position, radius)
    around = (
        f" and {radius:g} km around" if position.kind in {"city", "coordinate"} and radius else ""
    )
    note = coarse_cells(zone.widest_cell_km, zone.radius_km)
    return HiddenCells(frozenset(zone.cells.tolist()), f"{position.label}{around}", note)


def parse_truths(
    texts: Sequence[str], tables: Sequence[Scores], files: Sequence[Path], radius_km: float | None
) -> list[HiddenCells]:
    """What is hidden from each attacker; a single text stands for all."""
    if radius_km is not None and all(_NUMBERS.fullmatch(text) for text in texts):
        raise InputError("--radius is for a --truth that is a place, not for cells")
    per_table = list(texts) * len(tables) if len(texts) == 1 else texts
    widths = sorted({table.cells for table in tables})
    if len(texts) == 1 and len(widths) > 1 and _NUMBERS.fullmatch(texts[0]):
        raise InputError(
            f"the score files have {' and '.join(map(str, widths))} cells, so one --truth cannot "
            "mean the same place in all of them: give it once for each"
        )
    pairs = zip(per_table, tables, files, strict=True)
    return [parse_truth(text, table, file, radius_km) for text, table, file in pairs]


def known_cells(scores: Scores) -> Cells | None:
    """The leaves or the paper's cells, if these scores are over them."""
    if not scores.grid:
        return None
    from elsewhere.service import Cells

    known = Cells.known(scores.grid)
    return known if known is not None and known.count == scores.cells else None


def cells_text(which: Sequence[int], scores: Scores) -> str:
    """Cells by place if they are known, else by number.

    >>> cells_text((3, 5), Scores([[0.0] * 6]))
    'cells 3, 5'
    """
    globe = known_cells(scores)
    limit = _MAX_NUMBERS if globe is None else _MAX_NAMES
    first, more = which[:limit], len(which) - limit
    tail = f" and {more} more" if more > 0 else ""
    if globe is None:
        return f"{'cell' if len(which) == 1 else 'cells'} {', '.join(map(str, first))}{tail}"
    from elsewhere.service import cell_names

    names = cell_names(globe)
    return "; ".join(f"{names[cell]} (cell {cell})" for cell in first) + tail


def ranges_text(which: Sequence[int]) -> str:
    """Ascending cells as they are typed.

    >>> ranges_text((17, 18, 20, 21, 22, 40))
    '17,18,20-22,40'
    """
    runs: list[list[int]] = []
    for cell in which:
        if runs and cell == runs[-1][-1] + 1:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    return ",".join(
        f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


def hidden_text(hidden: HiddenCells, truth: Sequence[int], scores: Scores) -> str:
    """What is hidden from one attacker."""
    if len(truth) == 1 and not hidden.place:
        return cells_text(truth, scores)
    zone = f"{'cell' if len(truth) == 1 else 'cells'} {ranges_text(truth)}"
    note = f" ({hidden.note})" if hidden.note else ""
    return f"{hidden.place}: {zone}{note}" if hidden.place else zone
