"""Tidy tables on disk: plain CSV, written whole or not at all."""

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from elsewhere.errors import FileError
from elsewhere.platform import files
from elsewhere_lab.values import Number, Row, Value


def write_whole(file: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    data = content.encode() if isinstance(content, str) else content
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        files.write_whole(file, data)
    except OSError as problem:
        raise FileError(f"{file} cannot be written: {problem.strerror}") from None


def digest(content: bytes) -> str:
    """A short name for this content and no other.

    >>> digest(b"")
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256(content).hexdigest()[:16]


def write_rows(file: Path, rows: Sequence[Row]) -> None:
    """Write a tidy table; the first row says which columns there are."""
    text = io.StringIO()
    if rows:
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
    write_whole(file, text.getvalue())


def read_rows(file: Path) -> list[Row]:
    """A tidy table again."""
    return [
        {key: read_value(value) for key, value in fields.items()} for _, fields in read_lines(file)
    ]


def read_lines(file: Path, *columns: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The lines of a CSV file that has these columns, each with the number at which it begins."""
    begins = 1  # an open quote swallows all lines that follow
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.DictReader(text, strict=True, restval="")
            if not set(columns) <= set(reader.fieldnames or ()):
                raise FileError(f"{file} must have the columns {' and '.join(columns)}")
            begins = reader.line_num + 1
            for fields in reader:
                yield begins, fields
                begins = reader.line_num + 1
    except OSError as problem:
        raise FileError(f"{file} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{file} cannot be read: it is not in UTF-8; save it as UTF-8") from None
    except csv.Error as problem:
        raise FileError(
            f"{file}, line {begins} is not CSV ({problem}): look for a quote that is not closed"
        ) from None


def read_value(text: str) -> Value:
    """A field as it was.

    >>> read_value("12"), read_value("0.5"), read_value(""), read_value("R-16")
    (12, 0.5, None, 'R-16')
    """
    if text == "":
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def write_numbers(file: Path, numbers: Sequence[Number]) -> None:
    """The numbers of an experiment, the paper's beside ours."""
    write_rows(file, [asdict(number) for number in numbers])


def read_numbers(file: Path) -> list[Number]:
    """The numbers again."""
    result = []
    for row in read_rows(file):
        given = {field.name: row[field.name] for field in fields(Number)}
        # names stay text, even one that looks like a number
        given["line"], given["column"] = str(given["line"]), str(given["column"])
        result.append(Number(**given))  # type: ignore[arg-type]
    return result
