"""CSV: a line of column names, then one line per photo.

Fingerprints stand in comment lines before the names. Numbers are written with as many digits as
it takes to read the very same number back.
"""

from __future__ import annotations

import csv
import io
import re
from array import array
from pathlib import Path
from typing import BinaryIO, TextIO

import numpy as np
from numpy.typing import NDArray

from elsewhere.errors import FileError, InputError
from elsewhere.formats.score_files.limits import LARGEST, ROW_BYTES
from elsewhere.values.scores import FloatMatrix, Scores
from elsewhere.values.wording import counted

_FORMAT = "elsewhere-scores/1"
_FIELDS = ("scorer", "grid", "dtype")
_MAX_LINE = 16 << 20
"""Characters in a line: a million cells with sixteen each."""
_NUMBER_CHARACTERS = frozenset("0123456789+-.eEinf ")
_NEEDS_QUOTES = re.compile(r'[",\r\n]|^\s|\s$|^$')


def read(file: Path) -> Scores:
    """The scores in a CSV file."""
    if file.stat().st_size > LARGEST:
        raise FileError(f"{file} is larger than {LARGEST:,} bytes: split the album, or use .npz")
    try:
        # utf-8-sig: some spreadsheets put a byte-order mark in front
        with file.open(encoding="utf-8-sig", newline="") as stream:
            fields, header = _preamble(file, stream)
            ids, values = _rows(file, stream, _cells(file, header))
    except UnicodeDecodeError:
        raise FileError(f"{file} is not text in UTF-8: export it again as CSV (UTF-8)") from None
    except csv.Error as error:
        raise FileError(f"{file} is not valid CSV: {error}") from None
    return Scores(
        _typed(file, values, fields.get("dtype", "float64")),
        ids,
        scorer=fields.get("scorer", ""),
        grid=fields.get("grid", ""),
    )


def write(stream: BinaryIO, scores: Scores) -> None:
    """Write `scores` as CSV; the same scores always give the same bytes."""
    out = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    out.write(f"# {_FORMAT}\n")
    given = {"scorer": scores.scorer, "grid": scores.grid, "dtype": scores.values.dtype.name}
    for name, text in given.items():
        if text != text.strip() or "\n" in text or "\r" in text:
            raise InputError(f"the {name} {text!r} does not fit on one line: use .npz")
        if text:
            out.write(f"# {name}: {_encodable(text)}\n")
    out.write(",".join(["photo", *(str(cell) for cell in range(scores.cells))]) + "\n")
    for name, row in zip(scores.ids, scores.values.astype(np.float64), strict=True):
        out.write(_quoted(_encodable(name)) + "," + ",".join(map(repr, row.tolist())) + "\n")
    out.flush()
    out.detach()


def _preamble(file: Path, stream: TextIO) -> tuple[dict[str, str], list[str]]:
    """The comment lines as fields, and the column names."""
    fields: dict[str, str] = {}
    line = _line(file, stream)
    while line.startswith("#"):
        name, colon, text = line[1:].partition(":")
        name = name.strip()
        if not colon and name.startswith("elsewhere-scores/") and name != _FORMAT:
            raise FileError(f"{file} has the format {name}, but this version reads {_FORMAT}")
        if colon and name in _FIELDS:
            if name in fields:
                raise FileError(f"{file} states its {name} twice: keep one of the lines")
            fields[name] = text.strip()
        line = _line(file, stream)
    if not line.strip():
        raise FileError(f"{file} has no line of column names: it must begin with photo,0,1,…")
    return fields, next(csv.reader([line], strict=True))


def _line(file: Path, stream: TextIO) -> str:
    """The next line with its end; nothing after the last."""
    line = stream.readline(_MAX_LINE + 1)
    if len(line) > _MAX_LINE:
        raise FileError(f"{file} has a line of more than {_MAX_LINE:,} characters: split the cells")
    return line


def _cells(file: Path, header: list[str]) -> int:
    """How many cells the column names stand for; they must be 0, 1, 2, … in this order."""
    names = [name.strip() for name in header]
    wanted = ["photo", *(str(cell) for cell in range(len(names) - 1))]
    for place, (found, right) in enumerate(zip(names, wanted, strict=True), start=1):
        if found != right:
            raise FileError(
                f"{file} has {found!r} as the name of column {place} where {right!r} belongs: "
                "the names are photo,0,1,2,…"
            )
    return len(names) - 1


def _rows(file: Path, stream: TextIO, cells: int) -> tuple[list[str], NDArray[np.float64]]:
    """The names, and a row of numbers for each."""
    ids: list[str] = []
    values = array("d")
    lines = iter(lambda: _line(file, stream), "")
    for fields in csv.reader(lines, strict=True):
        if not fields:
            continue
        if len(fields) != cells + 1:
            raise FileError(
                f"{file} has {counted(len(fields) - 1, 'number')} for the photo {fields[0]!r} "
                f"where its column names ask for {cells}"
            )
        name, numbers = fields[0], fields[1:]
        if not _NUMBER_CHARACTERS.issuperset("".join(numbers)):
            raise _not_a_number(file, name, numbers)
        try:
            values.extend(map(float, numbers))
        except ValueError:
            raise _not_a_number(file, name, numbers) from None
        ids.append(name)
        if len(values) * values.itemsize + len(ids) * ROW_BYTES > LARGEST:
            raise FileError(f"{file} holds more than {LARGEST:,} bytes of scores: split the album")
    if not ids:
        raise FileError(f"{file} holds no photo: give at least one line below the column names")
    return ids, np.frombuffer(values, dtype=np.float64).reshape(len(ids), cells)


def _not_a_number(file: Path, name: str, numbers: list[str]) -> FileError:
    """The error for the first of `numbers` that is none."""
    cell = next(i for i, text in enumerate(numbers) if not _is_number(text))
    return FileError(
        f"{file} has {numbers[cell]!r} for the photo {name!r} in cell {cell}, "
        "where a number or -inf belongs"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return _NUMBER_CHARACTERS.issuperset(text)


def _typed(file: Path, wide: NDArray[np.float64], dtype: str) -> FloatMatrix:
    """The numbers in the stated type; a number that would have to be rounded is refused."""
    if dtype == "float64":
        return wide
    if dtype != "float32":
        raise FileError(f"{file} has the dtype {dtype!r}: it must be float32 or float64")
    with np.errstate(over="ignore"):
        narrow = wide.astype(np.float32)
    rounded = (narrow != wide) & ~np.isnan(wide)
    if rounded.any():
        row, cell = (int(x) for x in np.argwhere(rounded)[0])
        raise FileError(
            f"{file} says dtype float32, but {float(wide[row, cell])!r} (photo {row}, cell {cell}) "
            "is not a 32-bit float: remove the dtype line"
        )
    return narrow


def _encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(f"{text!r} is not valid Unicode: rename it, or use .npz") from None
    return text


def _quoted(text: str) -> str:
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text
