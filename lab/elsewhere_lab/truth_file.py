"""The file that says where each photo of a score file was taken.

A CSV with the columns `photo` and `cell`; `album` where photos belong to albums; `lat` and `lon`
where somebody wants kilometres. A line that cannot be right is named by its number.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elsewhere.errors import FileError


@dataclass(frozen=True)
class Taken:
    """Where one photo was taken."""

    photo: str
    cell: int
    album: str
    at: tuple[float, float] | None
    """Latitude and longitude, where the file has them."""


def read_truth(file: Path, cells: int) -> list[Taken]:
    """All lines of a truth file about so many cells."""
    return [_taken(file, line, fields, cells) for line, fields in _lines(file)]


def _lines(file: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Each line by the number at which it begins: an open quote swallows all that follow."""
    begins = 1
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.DictReader(text, strict=True, restval="")
            if not {"photo", "cell"} <= set(reader.fieldnames or ()):
                raise FileError(f"{file} must have the columns photo and cell")
            begins = reader.line_num + 1
            for fields in reader:
                yield begins, fields
                begins = reader.line_num + 1
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{file} is not in UTF-8: save it as UTF-8") from None
    except csv.Error as problem:
        raise FileError(
            f"{file}, line {begins} is not CSV ({problem}): look for a quote that is not closed"
        ) from None


def _taken(file: Path, line: int, fields: dict[str, str], cells: int) -> Taken:
    cell = fields["cell"].strip()
    if not (cell.isascii() and cell.isdecimal()) or int(cell) >= cells:
        raise FileError(f"{file}, line {line} has the cell {cell!r}: there are {cells} cells")
    lat, lon = fields.get("lat", "").strip(), fields.get("lon", "").strip()
    at = None
    if lat or lon:
        try:
            at = float(lat), float(lon)
        except ValueError:
            at = None
        if at is None or not (-90 <= at[0] <= 90 and -180 <= at[1] <= 180):
            raise FileError(f"{file}, line {line} is at {lat!r}, {lon!r}: degrees are wanted")
    return Taken(fields["photo"], int(cell), fields.get("album", ""), at)
