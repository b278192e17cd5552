"""The dataset: Parquet or Arrow files, read a range of rows at a time.

A local Arrow file is mapped into memory: workers share its pages, and only the rows of the current
album are copied. Of a Parquet file only the needed row groups are decoded, a few rows at a time.
Unknown columns are never read. Rows that are damaged, or that unpack to much more than is in the
file, are lost; others are not. Files may lie in folders such as `country=FR`, and may have columns
of their own: `schemas` gives all of them the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from elsewhere.batch.columns import albums_out, arrow
from elsewhere.batch.input_rows import CARRIED, concat_tables, lost_rows, with_lost_column
from elsewhere.batch.open_file import LargeGroupError, OpenFile, open_file
from elsewhere.batch.schemas import (
    check_alike,
    common_schema,
    file_schema,
    in_schema,
    parse_schema,
    partition_keys,
)
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError, InputError
from elsewhere.service import LARGEST

_SUFFIXES = (".parquet", ".arrow")
LARGE_COLUMNS = ("content", "scores")  # columns with large values
_READ_ROWS = 4096  # rows decoded at a time
_FIRST_ROWS = 16  # rows decoded at a time where the first will do
_MAX_SPANS = 8  # rows that a sentence names, at most
_SAMPLE_BYTES = 1 << 16  # bytes at both ends of a file that go into its fingerprint


@dataclass(frozen=True)
class DatasetFile:
    """One file of the dataset."""

    name: str
    size: int
    groups: tuple[int, ...]  # rows in each row group or record batch


class Source:
    """A dataset. Files are opened when they are needed: there may be too many to keep open.

    `carry` names columns that go to the output as they are. Workers get the `schema` that the
    driver made of all files.
    """

    def __init__(self, address: str, carry: Sequence[str] = (), schema: str = "") -> None:
        self.storage = Storage(address)
        is_file = self.storage.is_file()
        names = [""] if is_file else self.storage.names(recursive=True)
        self._names = [n for n in names if self.storage.path(n).lower().endswith(_SUFFIXES)]
        if not self._names:
            raise FileError(
                f"{address} holds no dataset: name a .parquet or .arrow file, or a folder with "
                "such files"
            )
        self.faults: dict[str, str] = {}
        """By name, why a file cannot be used; its albums have no rows."""
        self._unnamed: dict[str, list[str]] = {}  # by file, rows whose album ids cannot be read
        self._files: dict[int, DatasetFile] = {}
        self._modified: dict[str, int | None] = {}
        if schema:
            self.schema = parse_schema(schema)
        else:
            self.schema = self._common_schema(carry)

    def _common_schema(self, carry: Sequence[str]) -> Any:
        """One schema for all files; those that do not fit become faults."""
        schemas: list[Any] = []
        for name in self._names:
            try:
                path, keys = self.storage.path(name), partition_keys(name)
                schema = file_schema(path, self._open(name).schema, keys, carry)
                check_alike(path, [*schemas, schema][0], schema)
                schemas.append(schema)
            except FileError as problem:
                self.storage.sample(name, 1)  # raises where the store is out of reach
                self.faults[name] = str(problem)
                if len(self.faults) == len(self._names):
                    raise
        for name in carry:
            if not any(f"{CARRIED}{name}" in schema.names for schema in schemas):
                if any(name in schema.names for schema in schemas):
                    raise InputError(
                        f"{name} cannot be carried, for it is one of the columns that batch reads "
                        "itself: copy it under another name in the input"
                    )
                raise InputError(f"{self.storage.address} has no column {name} to carry")
        return common_schema(schemas)

    def file(self, number: int) -> DatasetFile:
        """One file."""
        if number not in self._files:
            name = self._names[number]
            groups = () if name in self.faults else self._open(name).groups
            self._files[number] = DatasetFile(name, self.storage.size(name), groups)
        return self._files[number]

    @property
    def files(self) -> list[DatasetFile]:
        """All files."""
        return [self.file(number) for number in range(len(self._names))]

    @property
    def scored(self) -> bool:
        """Whether rows hold scores; otherwise they hold photos."""
        return "scores" in self.schema.names

    @cached_property
    def cells(self) -> int:
        """Scores of the first photo that has any; 0 where none can be read."""
        kind = self.schema.field("scores").type
        if hasattr(kind, "list_size"):
            return int(kind.list_size)
        from pyarrow import compute

        for number in range(len(self._names)):
            with suppress(FileError):  # workers do not know which files are faults
                self.file(number)
        for file in self._files.values():
            for group in range(len(file.groups)):
                with suppress(*_read_errors()):
                    for batch in self._decoded(file, group, ["scores"], _FIRST_ROWS):
                        lengths = compute.fill_null(compute.list_value_length(batch.column(0)), 0)
                        for length in lengths.to_pylist():
                            if length:
                                return int(length)
        return 0

    def describe_scores(self) -> str:
        """Who made the scores of the dataset, and over which cells; empty without scores."""
        if not self.scored:
            return ""
        metadata = self.schema.metadata or {}
        names = (b"elsewhere.scorer", b"elsewhere.grid")
        return f"{self.cells} {[metadata.get(name) for name in names]}"

    @property
    def rows(self) -> int:
        """All rows of all files."""
        return sum(sum(file.groups) for file in self.files)

    @property
    def largest_group(self) -> int:
        """Rows that are decoded together, at most; 0 where all files are mapped."""
        files = [f for f in self.files if self.storage.path(f.name).endswith(".parquet")]
        return max((rows for file in files for rows in file.groups), default=0)

    def fingerprint(self) -> str:
        """Changes with the dataset: names, sizes, schema, times, and both ends of each file.

        The end of a Parquet file holds the position and the extremes of each page.
        """
        digest = sha256(str(self.schema).encode())
        for file in self.files:
            modified = self.storage.modified(file.name)
            digest.update(repr((file.name, file.size, file.groups, modified)).encode())
            digest.update(self.storage.sample(file.name, _SAMPLE_BYTES))
        return digest.hexdigest()

    def albums(self) -> Iterator[tuple[int, int, Any]]:
        """The album of every row: file, first row, and the names, a batch at a time."""
        self._unnamed.clear()
        for number, file in enumerate(self.files):
            start = 0
            for group, rows in enumerate(file.groups):
                names = self._album_names(file, group)
                if names is None:
                    spans = self._unnamed.setdefault(file.name, [])
                    spans.append(_row_span(file, group))
                yield (
                    number,
                    start,
                    arrow().nulls(rows, arrow().string()) if names is None else names,
                )
                start += rows

    @property
    def dropped_keys(self) -> list[str]:
        """Partition keys that are not carried: the output has columns of their names."""
        keys = {key for name in self._names for key in partition_keys(name)}
        return sorted(keys & set(albums_out().names) - set(self.schema.names))

    @property
    def damaged_ids(self) -> dict[str, str]:
        """By name, where `albums` could not read album ids; albums there have no rows."""
        found = {}
        for name, spans in self._unnamed.items():
            rows = ", ".join(spans[:_MAX_SPANS])
            more = f" and {len(spans) - _MAX_SPANS} more" if len(spans) > _MAX_SPANS else ""
            found[name or self.storage.root.rpartition("/")[2]] = (
                f"{self.storage.path(name)} is damaged in the album ids of rows {rows}{more}, "
                "whose albums have no row: write it anew"
            )
        return found

    def _album_names(self, file: DatasetFile, group: int) -> Any:
        """The album of every row of a row group; None where one of them cannot be read."""
        size, parts = 0, []
        try:
            for batch in self._decoded(file, group, ["album"], _READ_ROWS):
                size += batch.nbytes
                if size > LARGEST:
                    return None
                parts.append(batch.column(0))
        except _read_errors() as error:
            self._open(file.name).check_reachable(group, error)
            return None
        return arrow().concat_arrays(parts) if parts else arrow().array([], arrow().string())

    def batches(self, rows: int) -> Iterator[Any]:
        """All rows, at most so many at a time, with the column LOST."""
        for file in self.files:
            for group in range(len(file.groups)):
                yield from self._batches(file, group, rows)

    def _batches(self, file: DatasetFile, group: int, rows: int) -> Iterator[Any]:
        position = 0
        try:
            for batch in self._decoded(file, group, self.schema.names, rows):
                yield from with_lost_column(batch).to_batches()
                position += batch.num_rows
        except _read_errors() as error:
            reason = self._check_lost(file, group, error)
            names = self._album_names(file, group)
            for start in range(position, file.groups[group], rows):
                count = min(rows, file.groups[group] - start)
                lost = lost_rows(self.schema, self.schema.names, names, (start, count), reason)
                yield from lost.to_batches()

    def pieces(self, file: int, start: int, rows: int, limit: int) -> Iterator[Any]:
        """Some rows with all columns, at most `limit` at a time."""
        dataset_file, end = self.file(file), start + rows
        position = 0
        for group, group_rows in enumerate(dataset_file.groups):
            if position + group_rows <= start or position >= end:
                position += group_rows
                continue
            for batch in self._batches(dataset_file, group, limit):
                first, last = max(start, position), min(end, position + batch.num_rows)
                if first < last:
                    yield arrow().Table.from_batches([batch.slice(first - position, last - first)])
                position += batch.num_rows
                if position >= end:
                    return

    def read(self, file: int, start: int, rows: int, *, small: bool = False) -> Any:
        """Some rows as a table; `small`: without large columns."""
        dataset_file = self.file(file)
        columns = [name for name in self.schema.names if not (small and name in LARGE_COLUMNS)]
        parts, before = [], 0
        for group, group_rows in enumerate(dataset_file.groups):
            first, last = max(start - before, 0), min(start + rows - before, group_rows)
            if first < last:
                parts += self._read_group(dataset_file, group, columns, first, last)
            before += group_rows
        return concat_tables(parts)

    def _read_group(
        self, file: DatasetFile, group: int, columns: list[str], first: int, last: int
    ) -> list[Any]:
        """Some rows of a row group; all of them are lost where one cannot be read."""
        parts, position, size = [], 0, 0
        try:
            for batch in self._decoded(file, group, columns, max(_READ_ROWS, last)):
                part = batch.slice(max(first - position, 0), last - max(first, position))
                position += batch.num_rows
                if not part.num_rows:
                    continue
                size += part.nbytes
                if size > LARGEST:
                    raise LargeGroupError
                parts.append(arrow().Table.from_batches([part]))
                if position >= last:
                    break
        except _read_errors() as error:
            reason = self._check_lost(file, group, error)
            names = self._album_names(file, group)
            return [lost_rows(self.schema, columns, names, (first, last - first), reason)]
        return parts

    def _check_lost(self, file: DatasetFile, group: int, error: Exception) -> str:
        """Why the rows of a row group cannot be read; FileError where that may pass."""
        self._open(file.name).check_reachable(group, error)
        name = (file.name or self.storage.root).rpartition("/")[2]
        rows = f"rows {_row_span(file, group)} of {name}"
        if isinstance(error, LargeGroupError):
            return (
                f"{rows} unpack to far more than is in the file, as a decompression bomb does: "
                "write them anew, without long values that repeat"
            )
        return f"{rows} cannot be read, for the file is damaged there: write it anew"

    def _decoded(
        self, file: DatasetFile, group: int, columns: Sequence[str], rows: int
    ) -> Iterator[Any]:
        """Some columns of a row group in the dataset's schema, a few rows at a time."""
        opened, keys = self._open(file.name), partition_keys(file.name)
        schema = arrow().schema(
            [self.schema.field(name) for name in columns], metadata=self.schema.metadata
        )
        own = {*columns, *(name.removeprefix(CARRIED) for name in columns)}
        present = [name for name in opened.schema.names if name in own]
        for batch in opened.batches(group, present or opened.schema.names[:1], rows):
            yield in_schema(batch, schema, keys)

    def _open(self, name: str) -> OpenFile:
        if name not in self._modified:
            self._modified[name] = self.storage.modified(name)
        return open_file(self.storage.address, name, self._modified[name])


def _row_span(file: DatasetFile, group: int) -> str:
    """The first and the last row of a row group."""
    start = sum(file.groups[:group])
    return f"{start} to {start + file.groups[group] - 1}"


def _read_errors() -> tuple[type[Exception], ...]:
    """What reading a damaged file raises."""
    return (arrow().ArrowException, OSError, LargeGroupError)
