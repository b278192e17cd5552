"""Blocks → the files of the output: of a sane size, partitioned as wished, and counted.

Each merge takes neighbouring blocks, writes their rows as one file for each partition, and counts
them. So neither rows nor counts pass through one process. What is merged is written down before the
first merge begins; a merge that is done again writes the same files.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from elsewhere.batch.columns import ALBUMS, BLOCKS, DEAD, LETTERS, arrow, dead_letters
from elsewhere.batch.grouping import Job
from elsewhere.batch.schemas import NO_VALUE
from elsewhere.batch.storage import Storage
from elsewhere.batch.summary import Summary, add, count
from elsewhere.errors import FileError, InputError

COUNTS, _PLAN = "_work/counts", "_work/merges.json"
_FILE_BYTES = 128 << 20  # bytes of a file of the output, about
_GROUP_BYTES = 16 << 20  # bytes of a row group, decoded, about
_MAX_PARTITIONS = 500  # files that a merge writes at a time


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
        storage.write(_PLAN, json.dumps([asdict(job) for job in jobs]).encode())
    return jobs


def _read_plan(storage: Storage) -> list[Job]:
    """The merges that a run has begun with; empty where there are none."""
    if not storage.is_file(_PLAN):
        return []
    return [Job.from_json(json.dumps(record)) for record in json.loads(storage.read(_PLAN))]


def merge(job: Job, storage: Storage, partition_by: Sequence[str]) -> None:
    """Write the rows of some blocks as files of the output, and count them."""
    parts: list[Summary] = []
    has_letters = {name.removesuffix(".parquet") for name in storage.names(LETTERS)}
    with ExitStack() as stack:
        albums = _Files(storage, ALBUMS, f"{job.name}.parquet", partition_by, stack)
        dead = _Files(storage, DEAD, f"{job.name}.parquet", (), stack)
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


class _Files:
    """Files of one folder of the output, one for each partition."""

    def __init__(
        self,
        storage: Storage,
        folder: str,
        name: str,
        partition_by: Sequence[str],
        stack: ExitStack,
    ) -> None:
        self._storage, self._folder, self._name = storage, folder, name
        self._partition_by, self._stack = partition_by, stack
        self._writers: dict[str, Any] = {}
        self._waiting: dict[str, list[Any]] = {}

    @property
    def names(self) -> list[str]:
        """The files, by their names in the output."""
        return [f"{self._folder}/{path}{self._name}" for path in self._writers]

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
        if path not in self._writers:
            if len(self._writers) >= _MAX_PARTITIONS:
                raise InputError(
                    f"there are more than {_MAX_PARTITIONS} partitions in one file's worth of "
                    "albums: partition by columns with fewer values"
                )
            stream = self._storage.create(f"{self._folder}/{path}{self._name}")
            self._writers[path] = self._stack.enter_context(
                parquet.ParquetWriter(
                    self._stack.enter_context(stream), table.schema, compression="zstd"
                )
            )
        self._writers[path].write_table(table)


def _partitions(table: Any, partition_by: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """The rows of each partition, without its columns, and its folder."""
    if not partition_by:
        yield "", table
        return
    columns = [table.column(name).to_pylist() for name in partition_by]
    rows: dict[str, list[int]] = {}
    for number, values in enumerate(zip(*columns, strict=True)):
        texts = [NO_VALUE if value is None else quote(str(value), safe="") for value in values]
        pairs = zip(partition_by, texts, strict=True)
        path = "".join(f"{quote(name, safe='')}={text}/" for name, text in pairs)
        rows.setdefault(path, []).append(number)
    rest = table.drop_columns(list(partition_by))
    for path, numbers in rows.items():
        yield path, rest.take(numbers)


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
