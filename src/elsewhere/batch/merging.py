"""Blocks → the files of the output: of a sane size, partitioned as wished, and counted.

Each merge takes neighbouring blocks, writes their rows as one file for each partition, and counts
them. So neither rows nor counts pass through one process. What is merged is written down before the
first merge begins; a merge that is done again writes the same files.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from elsewhere.batch.columns import ALBUMS, BLOCKS, DEAD, LETTERS, arrow, dead_letters
from elsewhere.batch.grouping import Job
from elsewhere.batch.input_rows import text_values
from elsewhere.batch.schemas import NO_VALUE
from elsewhere.batch.storage import Storage
from elsewhere.batch.summary import Summary, add, count
from elsewhere.errors import FileError

COUNTS, MERGES = "_work/counts", "_work/merges.json"
_FILE_BYTES = 128 << 20  # bytes of a file of the output, about
_GROUP_BYTES = 16 << 20  # bytes of a row group, decoded, about
_MAX_OPEN = 500  # files that a merge has open at a time


def plan_merges(storage: Storage, order: Sequence[str], run: str) -> list[Job]:
    """The merges of a run whose blocks are all done; `order` are the names of blocks."""
    names = [name.removesuffix(".parquet") for name in storage.names(BLOCKS)]
    jobs = _read_plan(storage)
    if {name for job in jobs for name in job.slices} != set(names) or not jobs:
        storage.remove_folder(COUNTS)
        position = {name: number for number, name in enumerate(order)}
        names.sort(key=lambda name: (position.get(name, len(position)), name))
        files = max(1, -(-storage.total_size(BLOCKS) // _FILE_BYTES))
        size = max(1, -(-len(names) // files))
        jobs = [
            Job(f"part-{run[:8]}-{n:05}", "merge", slices=tuple(names[n * size : (n + 1) * size]))
            for n in range(files)
        ]
        storage.write(MERGES, json.dumps([asdict(job) for job in jobs]).encode())
    return jobs


def _read_plan(storage: Storage) -> list[Job]:
    """The merges that a run has begun with; empty where there are none."""
    if not storage.is_file(MERGES):
        return []
    return [Job.from_json(json.dumps(record)) for record in json.loads(storage.read(MERGES))]


def merge(job: Job, storage: Storage, partition_by: Sequence[str]) -> None:
    """Write the rows of some blocks as files of the output, and count them."""
    parts: list[Summary] = []
    has_letters = {name.removesuffix(".parquet") for name in storage.names(LETTERS)}
    with ExitStack() as stack:
        albums = stack.enter_context(_Files(storage, ALBUMS, job.name, partition_by))
        dead = stack.enter_context(_Files(storage, DEAD, job.name, ()))
        for name in job.slices:
            rows = read_parquet(storage, f"{BLOCKS}/{name}.parquet")
            letters = dead_letters().empty_table()
            if name in has_letters:
                letters = read_parquet(storage, f"{LETTERS}/{name}.parquet")
                dead.add(letters)
            albums.add(rows)
            parts.append(count(rows, letters))
        albums.flush()
        dead.flush()
    record = {"files": [*albums.names, *dead.names], "counts": asdict(add(parts))}
    storage.write(f"{COUNTS}/{job.name}.json", json.dumps(record, default=str).encode())


def merged(storage: Storage, merges: Iterable[Job]) -> tuple[Summary, set[str]]:
    """The counts of all merges, and the names of the files that they wrote."""
    records = [json.loads(storage.read(f"{COUNTS}/{job.name}.json")) for job in merges]
    files = {name for record in records for name in record["files"]}
    return add(Summary(**record["counts"]) for record in records), files


class _Files(AbstractContextManager["_Files"]):
    """Files of one folder of the output: one for each partition, or more where there are many."""

    def __init__(
        self, storage: Storage, folder: str, name: str, partition_by: Sequence[str]
    ) -> None:
        self._storage, self._folder, self._name = storage, folder, name
        self._partition_by = partition_by
        self._open: dict[str, tuple[Any, ExitStack]] = {}  # by partition, the oldest first
        self._begun = Counter[str]()  # by partition, its files
        self._waiting: dict[str, list[Any]] = {}
        self.names: list[str] = []
        """The files, by their names in the output."""

    def __exit__(self, *problem: Any) -> None:
        """Close all files; after an exception none of them gets its name."""
        every = ExitStack()
        for _, own in self._open.values():
            every.push(own)
        every.__exit__(*problem)

    def add(self, table: Any) -> None:
        """Add rows; they are written when there are enough for a row group."""
        for path, part in _partitions(table, self._partition_by):
            waiting = self._waiting.setdefault(path, [])
            waiting.append(part)
            if sum(table.nbytes for table in waiting) > _GROUP_BYTES:
                self._write(path)

    def flush(self) -> None:
        """Write what is left."""
        for path in list(self._waiting):
            self._write(path)

    def _write(self, path: str) -> None:
        from pyarrow import parquet

        table = arrow().concat_tables(self._waiting.pop(path))
        if path not in self._open:
            if len(self._open) >= _MAX_OPEN:
                self._open.pop(next(iter(self._open)))[1].close()
            self._begun[path] += 1
            number = f"-{self._begun[path]}" if self._begun[path] > 1 else ""
            name = f"{self._folder}/{path}{self._name}{number}.parquet"
            with ExitStack() as own:
                stream = own.enter_context(self._storage.create(name))
                writer = own.enter_context(
                    parquet.ParquetWriter(stream, table.schema, compression="zstd")
                )
                self._open[path] = writer, own.pop_all()
            self.names.append(name)
        self._open[path][0].write_table(table)


def _partitions(table: Any, partition_by: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The rows of each partition, without its columns, and its folder."""
    if not partition_by:
        yield "", table
        return
    columns = [_partition_texts(table.column(name)) for name in partition_by]
    rows: dict[str, list[int]] = {}
    for number, values in enumerate(zip(*columns, strict=True)):
        texts = [NO_VALUE if value is None else quote(value, safe="") for value in values]
        pairs = zip(partition_by, texts, strict=True)
        path = "".join(f"{quote(name, safe='')}={text}/" for name, text in pairs)
        rows.setdefault(path, []).append(number)
    rest = table.drop_columns(list(partition_by))
    for path, numbers in rows.items():
        yield path, rest.take(numbers)


def _partition_texts(column: Any) -> list[str | None]:
    """The values of a column as text, whatever they are; each always has the same."""
    texts: list[str | None] = []
    if arrow().types.is_time64(column.type):  # of which Python drops the nanoseconds
        return text_values(column.cast(arrow().string()))
    for number in range(len(column)):
        value = column[number]
        try:
            known = value.as_py()
            texts.append(None if known is None else str(known))
        except (ArithmeticError, ValueError, arrow().ArrowException):  # Python has no such value
            texts += _foreign_texts(column.slice(number, 1))
    return texts


def _foreign_texts(values: Any) -> list[str | None]:
    """Values that Python does not have, as text: dates and times as the numbers that they are."""
    pa, types = arrow(), arrow().types
    if types.is_string(values.type) or types.is_large_string(values.type):
        return text_values(values)
    whole = pa.int32() if types.is_date32(values.type) else pa.int64()
    return text_values(values.cast(whole).cast(pa.string()))


def read_parquet(storage: Storage, name: str, columns: list[str] | None = None) -> Any:
    """A file that a run has written; FileError where it is damaged."""
    from pyarrow import parquet

    try:
        content = io.BytesIO(storage.read(name))
        return parquet.read_table(content, columns=columns, use_threads=False)
    except (arrow().ArrowException, OSError):
        raise FileError(
            f"{storage.path(name)} is damaged: delete the file of that name in {BLOCKS} and repeat "
            "the command, which writes both again"
        ) from None
