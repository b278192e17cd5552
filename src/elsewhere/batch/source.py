"""The dataset that goes in: Parquet or Arrow files, read a range of rows at a time.

An Arrow file that lies here is mapped into memory and not read: all workers share the pages, and
only the rows of the album that is being planned are copied. Of a Parquet file only the row groups
are decoded that hold the rows which are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np

from elsewhere.batch.schemas import arrow
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError

_TEXT = ("album", "photo", "path", "place", "wishes")
_ENDINGS = (".parquet", ".arrow")


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
    """A dataset; what it holds is found out when it is opened."""

    def __init__(self, where: str) -> None:
        self.storage = Storage(where)
        names = [""] if self.storage.is_file() else self.storage.names()
        wanted = [n for n in names if self.storage.path(n).lower().endswith(_ENDINGS)]
        if not wanted:
            raise FileError(
                f"{where} holds no dataset: name a .parquet or .arrow file, or a folder"
            )
        opened = [(name, self._open(name)) for name in wanted]
        self.schema = opened[0][1].schema
        for name, one in opened:
            if not one.schema.equals(self.schema):
                raise FileError(
                    f"{self.storage.path(name)} has other columns than the first file: "
                    "give all files of a dataset the same schema"
                )
        self.files = tuple(File(name, self.storage.size(name), one.groups) for name, one in opened)
        _expect(where, self.schema)

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
        """Changes when another dataset lies there: names, sizes, rows, columns."""
        told = [repr((file.name, file.size, file.groups)) for file in self.files]
        return sha256("\n".join([*told, str(self.schema)]).encode()).hexdigest()

    def albums(self) -> Iterator[tuple[int, int, Any]]:
        """The album of every row: file, first row, and the names, a batch at a time."""
        for number, file in enumerate(self.files):
            one, start = self._open(file.name), 0
            for group, rows in enumerate(file.groups):
                yield number, start, one.group(group, ["album"]).column(0).combine_chunks()
                start += rows

    def batches(self, rows: int) -> Iterator[Any]:
        """All of the dataset, at most so many rows at a time."""
        for file in self.files:
            yield from self._open(file.name).batches(rows)

    def read(self, file: int, start: int, rows: int) -> Any:
        """Some rows with all columns, as a table."""
        one = self._open(self.files[file].name)
        ends = np.cumsum(self.files[file].groups)
        first = int(np.searchsorted(ends, start, side="right"))
        last = int(np.searchsorted(ends, start + rows, side="left"))
        before = int(ends[first - 1]) if first else 0
        parts = [one.group(group, None) for group in range(first, last + 1)]
        return arrow().concat_tables(parts).slice(start - before, rows)

    def _open(self, name: str) -> _Open:
        return _open(self.storage.where, name)


class _Open:
    """One open file of either kind."""

    def __init__(self, where: str, name: str) -> None:
        pa = arrow()
        from pyarrow import ipc, parquet

        storage = Storage(where)
        path = storage.path(name)
        self._columns: dict[str, int] = {}
        try:
            if path.lower().endswith(".parquet"):
                self._packed = parquet.ParquetFile(storage.fs.open_input_file(path))
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

    def group(self, number: int, columns: list[str] | None) -> Any:
        """One row group or record batch, as a table."""
        if self._packed is not None:
            return self._packed.read_row_group(number, columns, use_threads=False)
        batch = self._mapped.get_batch(number)
        return arrow().Table.from_batches([batch if columns is None else batch.select(columns)])

    def batches(self, rows: int) -> Iterator[Any]:
        """All record batches, at most so many rows each."""
        if self._packed is not None:
            yield from self._packed.iter_batches(rows, use_threads=False)
            return
        for number in range(len(self.groups)):
            batch = self._mapped.get_batch(number)
            for start in range(0, batch.num_rows, rows):
                yield batch.slice(start, rows)


@lru_cache(maxsize=8)
def _open(where: str, name: str) -> _Open:
    return _Open(where, name)


def _expect(where: str, schema: Any) -> None:
    """The columns that are needed, of the types that are understood."""
    types = arrow().types
    for name in ("album", "photo"):
        if name not in schema.names:
            raise FileError(f"{where} has no column {name}: docs/batch.md says which are needed")
    for name in _TEXT:
        if name in schema.names:
            kind = schema.field(name).type
            if not (types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind)):
                raise FileError(f"{where} has {name} of type {kind}, which must be text")
    if "scores" in schema.names:
        kind = schema.field("scores").type
        lists = (types.is_list, types.is_large_list, types.is_fixed_size_list)
        if not any(is_list(kind) for is_list in lists) or not types.is_floating(kind.value_type):
            raise FileError(f"{where} has scores of type {kind}, which must be a list of floats")
    elif not {"path", "content"} & set(schema.names):
        raise FileError(f"{where} has no column path, content or scores: give one of them")
