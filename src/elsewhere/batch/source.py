"""The dataset that goes in: Parquet or Arrow files, read a range of rows at a time.

An Arrow file that lies here is mapped into memory and not read: all workers share the pages, and
only the rows of the album that is being planned are copied. Of a Parquet file only the row groups
are decoded that hold the rows which are asked for. Columns that are none of ours are never read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.input_rows import joined, salvaged, understood, with_lost
from elsewhere.batch.storage import Storage, store_errors
from elsewhere.errors import FileError

_BUFFER = 1 << 20
"""Bytes of a Parquet file that are read at a time."""
_ENDINGS = (".parquet", ".arrow")
_LARGE = ("content", "scores")
"""Columns that take room."""
_ENDS = 1 << 16
"""Bytes of a file's beginning and end by which a changed file is known."""


@dataclass(frozen=True)
class File:
    """One file of the dataset."""

    name: str
    size: int
    groups: tuple[int, ...]
    """Rows in each row group or record batch."""

    @property
    def rows(self) -> int:
        """All of them."""
        return sum(self.groups)


class Source:
    """A dataset. Its first file is opened at once, the others when they are needed.

    A dataset may have more files than can be open at a time, and a worker needs but a few.
    """

    def __init__(self, where: str) -> None:
        self.storage = Storage(where)
        names = [""] if self.storage.is_file() else self.storage.names()
        self._names = [n for n in names if self.storage.path(n).lower().endswith(_ENDINGS)]
        if not self._names:
            raise FileError(
                f"{where} holds no dataset: name a .parquet or .arrow file, or a folder"
            )
        self._given = self._open(self._names[0]).schema
        self.schema = understood(where, self._given)
        """The columns that are read, which are those that are understood."""
        self._files: dict[int, File] = {}

    def file(self, number: int) -> File:
        """One file; FileError where it is not like the first."""
        if number not in self._files:
            name = self._names[number]
            one = self._open(name)
            if not one.schema.equals(self._given):
                raise FileError(
                    f"{self.storage.path(name)} has other columns than the first file: "
                    "give all files of a dataset the same schema"
                )
            self._files[number] = File(name, self.storage.size(name), one.groups)
        return self._files[number]

    @property
    def files(self) -> list[File]:
        """All of them."""
        return [self.file(number) for number in range(len(self._names))]

    @property
    def scored(self) -> bool:
        """Whether rows carry scores; otherwise there are photos to be looked at."""
        return "scores" in self.schema.names

    @property
    def rows(self) -> int:
        """All rows of all files."""
        return sum(file.rows for file in self.files)

    @property
    def largest_group(self) -> int:
        """Rows that are decoded together at most: none where a file is mapped."""
        packed = [f.groups for f in self.files if self.storage.path(f.name).endswith(".parquet")]
        return max((group for groups in packed for group in groups), default=0)

    def fingerprint(self) -> str:
        """Changes when another dataset lies there, or the same files with something else in them.

        Names, sizes, rows and columns, when each file was written, and its first and last bytes:
        the end of a Parquet file says where each page lies, and what are its least and largest.
        """
        seal = sha256(str(self.schema).encode())
        for file in self.files:
            written = self.storage.modified(file.name)
            seal.update(repr((file.name, file.size, file.groups, written)).encode())
            seal.update(self.storage.ends(file.name, _ENDS))
        return seal.hexdigest()

    def albums(self) -> Iterator[tuple[int, int, Any]]:
        """The album of every row: file, first row, and the names, a batch at a time."""
        for number, file in enumerate(self.files):
            start = 0
            for group, rows in enumerate(file.groups):
                yield number, start, self._group(file, group, ["album"]).column(0).combine_chunks()
                start += rows

    def batches(self, rows: int) -> Iterator[Any]:
        """All of the dataset, at most so many rows at a time, each with the column LOST."""
        for file in self.files:
            for group in range(len(file.groups)):
                yield from self._batches(file, group, rows)

    def _batches(self, file: File, group: int, rows: int) -> Iterator[Any]:
        given = 0
        try:
            for batch in self._open(file.name).batches(group, self.schema.names, rows):
                yield from with_lost(batch).to_batches()
                given += batch.num_rows
        except _damage() as wrong:
            lost = self._lost(file, group, self.schema.names, wrong).slice(given)
            yield from lost.to_batches(max_chunksize=rows)

    def pieces(self, file: int, start: int, rows: int, most: int) -> Iterator[Any]:
        """Some rows with all columns, at most so many at a time: no more photos are held."""
        one, end = self.file(file), start + rows
        at = 0
        for group, many in enumerate(one.groups):
            if at + many <= start or at >= end:
                at += many
                continue
            for batch in self._batches(one, group, most):
                low, high = max(start, at), min(end, at + batch.num_rows)
                if low < high:
                    yield arrow().Table.from_batches([batch.slice(low - at, high - low)])
                at += batch.num_rows
                if at >= end:
                    return

    def read(self, file: int, start: int, rows: int, *, small: bool = False) -> Any:
        """Some rows as a table, with all columns or those that take little room."""
        one = self.file(file)
        columns = [name for name in self.schema.names if not (small and name in _LARGE)]
        ends = np.cumsum(one.groups)
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, start + rows, side="left"))
        before = int(ends[first - 1]) if first else 0
        parts = [self._group(one, group, columns) for group in range(first, last + 1)]
        return joined(parts).slice(start - before, rows)

    def _group(self, file: File, number: int, columns: list[str]) -> Any:
        """One row group; where it is damaged, what is left of it."""
        try:
            return self._open(file.name).group(number, columns)
        except _damage() as wrong:
            return self._lost(file, number, columns, wrong)

    def _lost(self, file: File, number: int, columns: list[str], wrong: Exception) -> Any:
        one = self._open(file.name)
        one.refuse_unreachable(number, wrong)
        start, rows = sum(file.groups[:number]), file.groups[number]
        name = (file.name or self.storage.root).rpartition("/")[2]
        where = f"rows {start} to {start + rows - 1} of {name}"
        read = partial(one.group, number)
        return salvaged(read, self.schema, columns, rows, where)

    def _open(self, name: str) -> _Open:
        return _open(self.storage.where, name)


class _Open:
    """One open file of either kind."""

    def __init__(self, where: str, name: str) -> None:
        pa = arrow()
        from pyarrow import ipc, parquet

        storage = Storage(where)
        path = storage.path(name)
        self._storage, self._path = storage, path
        try:
            if path.lower().endswith(".parquet"):
                self._packed = parquet.ParquetFile(
                    storage.fs.open_input_file(path),
                    page_checksum_verification=True,
                    buffer_size=_BUFFER,  # or all photos of a row group would be read at once
                )
                self.schema = self._packed.schema_arrow
                data = self._packed.metadata
                self.groups = tuple(data.row_group(g).num_rows for g in range(data.num_row_groups))
            else:
                self._packed = None
                mapped = pa.memory_map(path) if storage.here else storage.fs.open_input_file(path)
                self._mapped = ipc.open_file(mapped)
                self.schema = self._mapped.schema
                count = self._mapped.num_record_batches
                self.groups = tuple(self._mapped.get_batch(g).num_rows for g in range(count))
        except (pa.ArrowException, OSError) as wrong:
            why = str(wrong).splitlines()[0] if str(wrong) else type(wrong).__name__
            raise FileError(f"{path} is damaged and cannot be read ({why})") from None

    def group(self, number: int, columns: list[str]) -> Any:
        """One row group or record batch, as a table."""
        if self._packed is not None:
            return self._packed.read_row_group(number, columns, use_threads=False)
        return arrow().Table.from_batches([self._mapped.get_batch(number).select(columns)])

    def batches(self, number: int, columns: list[str], rows: int) -> Iterator[Any]:
        """One row group or record batch, at most so many rows at a time."""
        if self._packed is not None:
            yield from self._packed.iter_batches(
                rows, row_groups=[number], columns=columns, use_threads=False
            )
            return
        batch = self._mapped.get_batch(number).select(columns)
        for start in range(0, batch.num_rows, rows):
            yield batch.slice(start, rows)

    def refuse_unreachable(self, number: int, wrong: Exception) -> None:
        """FileError where the bytes of a row group cannot be had: its rows may be well."""
        if self._packed is None:
            if isinstance(wrong, OSError) and not self._storage.here:
                raise FileError(f"{self._path} cannot be reached: run it again when it can")
            return
        group = self._packed.metadata.row_group(number)
        with store_errors(self._path), self._storage.fs.open_input_file(self._path) as file:
            for column in (group.column(c) for c in range(group.num_columns)):
                file.seek(column.dictionary_page_offset or column.data_page_offset)
                left = column.total_compressed_size
                while left > 0:
                    read = len(file.read(min(left, 1 << 20)))
                    left = left - read if read else 0


@lru_cache(maxsize=8)
def _open(where: str, name: str) -> _Open:
    return _Open(where, name)


def _damage() -> tuple[type[Exception], ...]:
    """What reading raises where a file is not what it claims to be."""
    return (arrow().ArrowException, OSError)
