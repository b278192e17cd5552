"""The dataset: Parquet or Arrow files, read a range of rows at a time.

A local Arrow file is mapped into memory: workers share its pages, and only the rows of the current
album are copied. Of a Parquet file only the needed row groups are decoded. Unknown columns are
never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.input_rows import concat_tables, known_schema, salvage, with_lost_column
from elsewhere.batch.storage import Storage, store_errors
from elsewhere.errors import FileError

_BUFFER_BYTES = 1 << 20  # bytes of a Parquet file read at a time
_SUFFIXES = (".parquet", ".arrow")
LARGE_COLUMNS = ("content", "scores")  # columns with large values
_SAMPLE_BYTES = 1 << 16  # bytes at both ends of a file that go into its fingerprint


@dataclass(frozen=True)
class DatasetFile:
    """One file of the dataset."""

    name: str
    size: int
    groups: tuple[int, ...]  # rows in each row group or record batch


class Source:
    """A dataset. Files are opened when they are needed: there may be too many to keep open."""

    def __init__(self, address: str) -> None:
        self.storage = Storage(address)
        names = [""] if self.storage.is_file() else self.storage.names()
        self._names = [n for n in names if self.storage.path(n).lower().endswith(_SUFFIXES)]
        if not self._names:
            raise FileError(
                f"{address} holds no dataset: name a .parquet or .arrow file, or a folder"
            )
        self._first_schema = self._open(self._names[0]).schema
        self.schema = known_schema(address, self._first_schema)  # the known columns
        self._files: dict[int, DatasetFile] = {}

    def file(self, number: int) -> DatasetFile:
        """One file; FileError where it is not like the first."""
        if number not in self._files:
            name = self._names[number]
            opened = self._open(name)
            if not opened.schema.equals(self._first_schema):
                raise FileError(
                    f"{self.storage.path(name)} has other columns than the first file: "
                    "give all files of a dataset the same schema"
                )
            self._files[number] = DatasetFile(name, self.storage.size(name), opened.groups)
        return self._files[number]

    @property
    def files(self) -> list[DatasetFile]:
        """All files."""
        return [self.file(number) for number in range(len(self._names))]

    @property
    def scored(self) -> bool:
        """Whether rows hold scores; otherwise they hold photos."""
        return "scores" in self.schema.names

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
        for number, file in enumerate(self.files):
            start = 0
            for group, rows in enumerate(file.groups):
                yield number, start, self._group(file, group, ["album"]).column(0).combine_chunks()
                start += rows

    def batches(self, rows: int) -> Iterator[Any]:
        """All rows, at most so many at a time, with the column LOST."""
        for file in self.files:
            for group in range(len(file.groups)):
                yield from self._batches(file, group, rows)

    def _batches(self, file: DatasetFile, group: int, rows: int) -> Iterator[Any]:
        position = 0
        try:
            for batch in self._open(file.name).batches(group, self.schema.names, rows):
                yield from with_lost_column(batch).to_batches()
                position += batch.num_rows
        except _read_errors() as error:
            salvaged = self._salvage_group(file, group, self.schema.names, error)
            yield from salvaged.slice(position).to_batches(max_chunksize=rows)

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
        ends = np.cumsum(dataset_file.groups)
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, start + rows, side="left"))
        before = int(ends[first - 1]) if first else 0
        parts = [self._group(dataset_file, group, columns) for group in range(first, last + 1)]
        return concat_tables(parts).slice(start - before, rows)

    def _group(self, file: DatasetFile, number: int, columns: list[str]) -> Any:
        """One row group; where it is damaged, what can be read of it."""
        try:
            return self._open(file.name).group(number, columns)
        except _read_errors() as error:
            return self._salvage_group(file, number, columns, error)

    def _salvage_group(
        self, file: DatasetFile, number: int, columns: list[str], error: Exception
    ) -> Any:
        opened = self._open(file.name)
        opened.check_reachable(number, error)
        start, rows = sum(file.groups[:number]), file.groups[number]
        name = (file.name or self.storage.root).rpartition("/")[2]
        description = f"rows {start} to {start + rows - 1} of {name}"
        return salvage(partial(opened.group, number), self.schema, columns, rows, description)

    def _open(self, name: str) -> _OpenFile:
        return _open(self.storage.address, name)


class _OpenFile:
    """One open file of either kind."""

    def __init__(self, address: str, name: str) -> None:
        pa = arrow()
        from pyarrow import ipc, parquet

        storage = Storage(address)
        path = storage.path(name)
        self._storage, self._path = storage, path
        try:
            if path.lower().endswith(".parquet"):
                self._parquet = parquet.ParquetFile(
                    storage.fs.open_input_file(path),
                    page_checksum_verification=True,
                    buffer_size=_BUFFER_BYTES,  # or all photos of a row group would be read at once
                )
                self.schema = self._parquet.schema_arrow
                data = self._parquet.metadata
                self.groups = tuple(data.row_group(g).num_rows for g in range(data.num_row_groups))
            else:
                self._parquet = None
                stream = (
                    pa.memory_map(path) if storage.is_local else storage.fs.open_input_file(path)
                )
                self._arrow = ipc.open_file(stream)
                self.schema = self._arrow.schema
                count = self._arrow.num_record_batches
                self.groups = tuple(self._arrow.get_batch(g).num_rows for g in range(count))
        except (pa.ArrowException, OSError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FileError(f"{path} is damaged and cannot be read ({reason})") from None

    def group(self, number: int, columns: list[str]) -> Any:
        """One row group or record batch, as a table."""
        if self._parquet is not None:
            return self._parquet.read_row_group(number, columns, use_threads=False)
        return arrow().Table.from_batches([self._arrow.get_batch(number).select(columns)])

    def batches(self, number: int, columns: list[str], rows: int) -> Iterator[Any]:
        """One row group or record batch, at most so many rows at a time."""
        if self._parquet is not None:
            yield from self._parquet.iter_batches(
                rows, row_groups=[number], columns=columns, use_threads=False
            )
            return
        batch = self._arrow.get_batch(number).select(columns)
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)

    def check_reachable(self, number: int, error: Exception) -> None:
        """FileError where the bytes of a row group cannot be reached: its rows may be intact."""
        if self._parquet is None:
            if isinstance(error, OSError) and not self._storage.is_local:
                raise FileError(f"{self._path} cannot be reached: repeat the command when it can")
            return
        group = self._parquet.metadata.row_group(number)
        with store_errors(self._path), self._storage.fs.open_input_file(self._path) as file:
            for column in (group.column(c) for c in range(group.num_columns)):
                file.seek(column.dictionary_page_offset or column.data_page_offset)
                remaining = column.total_compressed_size
                while remaining > 0:
                    read = len(file.read(min(remaining, 1 << 20)))
                    remaining = remaining - read if read else 0


@lru_cache(maxsize=8)
def _open(address: str, name: str) -> _OpenFile:
    return _OpenFile(address, name)


def _read_errors() -> tuple[type[Exception], ...]:
    """What reading a damaged file raises."""
    return (arrow().ArrowException, OSError)
