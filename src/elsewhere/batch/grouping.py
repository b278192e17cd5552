"""Blocks of whole albums, found from the album column alone.

Neighbours in the dataset stay neighbours, so a block is a range of rows that one worker reads at
once. An album that is larger than a block is scored in slices by several workers and joined
afterwards. A block is named after the ids of its albums: who does it again writes the same file.

Where the rows of an album are scattered, the dataset is regrouped once, in bounded memory. Rows go
to buckets by the hash of their album's id; each bucket is then sorted and written as an Arrow file.
The same is done where row groups are so large that workers would decode what others need.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from elsewhere.batch.columns import arrow
from elsewhere.batch.input_rows import lost_field, text_values
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage, store_errors
from elsewhere.service import Staging, sweep_staging

_MIN_BLOCKS, _MIN_PHOTOS = 64, 16
"""At least so many blocks for a dataset of photos, with at least so many photos each."""
_USUAL_BLOCK, _LARGEST_BLOCK, _MAX_BLOCKS = 1024, 16_384, 8192
_BLOCK_BYTES = 64 << 20  # bytes of scores in a block, at most, where its size is not given
Range = tuple[int, int, int]  # file, first row, rows


@dataclass(frozen=True)
class Job:
    """One piece of work: whole albums, or a part of a large one."""

    name: str
    kind: str = "albums"
    """"albums": score and plan; "slice": score a part of a large album; "join": plan it; "merge":
    make one file of several blocks."""
    ranges: tuple[Range, ...] = ()
    albums: int = 0
    photos: int = 0
    slices: tuple[str, ...] = ()
    """Of a join: the names of the slices, in the album's order. Of a merge: the blocks."""
    join_name: str = ""  # of a slice: the name of the join that waits for it
    previous: tuple[Range, ...] = ()  # rows of its albums in the output of an earlier run
    previous_letters: tuple[Range, ...] = ()  # and their dead letters
    skip_reason: str = ""  # why its albums are skipped, where they have killed too many workers

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """From text."""
        fields = json.loads(text)
        for name in ("ranges", "previous", "previous_letters"):
            fields[name] = tuple((int(f), int(s), int(n)) for f, s, n in fields[name])
        return cls(**{**fields, "slices": tuple(fields["slices"])})


@dataclass
class Grouping:
    """All jobs of a dataset."""

    jobs: list[Job] = field(default_factory=list)  # blocks and slices, in the dataset's order
    joins: list[Job] = field(default_factory=list)  # jobs that wait for the slices of a large album
    albums: int = 0
    photos: int = 0
    hashes: array[int] = field(default_factory=lambda: array("Q"))  # of albums, eight bytes each
    scattered: bool = False
    """Whether some album's rows do not lie together; then the dataset must be regrouped."""


def block_size(source: Source, limit: int | None) -> int:
    """Photos in a block: fewer than the limit where that would make only a few blocks.

    Without a limit it grows with the dataset, and to an eighth of its row groups: larger ones would
    have to be regrouped. It does not depend on the number of workers, for the names of blocks
    depend on it.
    """
    if limit is None:
        largest = _LARGEST_BLOCK
        if source.scored and source.cells:
            largest = max(1, min(largest, _BLOCK_BYTES // (4 * source.cells)))
        limit = max(_USUAL_BLOCK, source.rows // _MAX_BLOCKS)
        fitting = -(-source.largest_group // _MAX_BLOCKS_PER_GROUP)
        if source.rows >= _MIN_BLOCKS * fitting:
            limit = max(limit, fitting)
        limit = min(limit, largest)
    return limit if source.scored else min(limit, max(_MIN_PHOTOS, source.rows // _MIN_BLOCKS))


def group(source: Source, block: int) -> Grouping:
    """All jobs of a dataset, in 8 bytes of memory for each album and a little for each block."""
    grouping = Grouping()
    builder = _BlockBuilder()
    for album, ranges in _album_runs(source.albums()):
        grouping.hashes.append(hash_album(album))
        photos = sum(rows for _, _, rows in ranges)
        grouping.albums += 1
        grouping.photos += photos
        if photos > block and not source.scored:
            builder.flush(grouping)
            _add_large_album(grouping, album, ranges, block)
            continue
        if builder.photos and builder.photos + photos > block:
            builder.flush(grouping)
        builder.add(album, ranges)
    builder.flush(grouping)
    hashes = np.frombuffer(grouping.hashes, dtype=np.uint64)
    grouping.scattered = len(np.unique(hashes)) < len(hashes)
    return grouping


def hash_album(album: str) -> int:
    """Eight bytes for the id of an album."""
    return int.from_bytes(blake2b(album.encode("utf-8", "replace"), digest_size=8).digest())


def split_block(source: Source, job: Job) -> list[Job]:
    """A block as one job for each of its albums."""
    grouping = Grouping()
    tables = [(part, source.read(*part, small=True)) for part in job.ranges]
    names = [(f, start, t.column("album").combine_chunks()) for (f, start, _), t in tables]
    for album, ranges in _album_runs(names):
        builder = _BlockBuilder()
        builder.add(album, ranges)
        builder.flush(grouping)
    return grouping.jobs


class _BlockBuilder:
    """Albums that have not filled a block yet."""

    def __init__(self) -> None:
        self.photos = self.albums = 0
        self._ranges: list[Range] = []
        self._digest = sha256()

    def add(self, album: str, ranges: list[Range]) -> None:
        self.albums += 1
        self._digest.update(sha256(album.encode("utf-8", "replace")).digest())
        for part in ranges:
            self.photos += part[2]
            _append(self._ranges, part)

    def flush(self, grouping: Grouping) -> None:
        if self.albums:
            name = self._digest.hexdigest()[:24]
            job = Job(name, "albums", tuple(self._ranges), self.albums, self.photos)
            grouping.jobs.append(job)
        self.__init__()  # type: ignore[misc]


def _append(ranges: list[Range], part: Range) -> None:
    """Add a range; one that follows the last becomes part of it."""
    file, start, rows = part
    if ranges and ranges[-1][0] == file and sum(ranges[-1][1:]) == start:
        part = (file, ranges[-1][1], ranges.pop()[2] + rows)
    ranges.append(part)


def _add_large_album(grouping: Grouping, album: str, ranges: list[Range], block: int) -> None:
    """Add the slices of one large album, and the join that follows them."""
    name = sha256(sha256(album.encode("utf-8", "replace")).digest()).hexdigest()[:24]
    parts = [
        (file, start + first, min(block, rows - first))
        for file, start, rows in ranges
        for first in range(0, rows, block)
    ]
    slices = [
        Job(f"{name}-{number:05}", "slice", (part,), 0, part[2], join_name=name)
        for number, part in enumerate(parts)
    ]
    grouping.jobs += slices
    photos = sum(rows for _, _, rows in ranges)
    grouping.joins.append(Job(name, "join", (), 1, photos, tuple(part.name for part in slices)))


def _album_runs(batches: Iterable[tuple[int, int, Any]]) -> Iterator[tuple[str, list[Range]]]:
    """Every run of rows of one album, across batches and files."""
    album: str | None = None
    ranges: list[Range] = []
    for file, first, names in batches:
        for name, start, rows in _runs_in_batch(names):
            if name != album:
                if album is not None:
                    yield album, ranges
                album, ranges = name, []
            _append(ranges, (file, first + start, rows))
    if album is not None:
        yield album, ranges


def _runs_in_batch(names: Any) -> Iterator[tuple[str, int, int]]:
    """Runs of equal names: name, first row, rows; a missing name is the empty one."""
    if not len(names):
        return
    from pyarrow import compute

    filled = compute.fill_null(names, "")
    changes = compute.not_equal(filled.slice(1), filled.slice(0, len(filled) - 1))
    starts = np.concatenate([[0], 1 + np.flatnonzero(changes.to_numpy(zero_copy_only=False))])
    ends = np.append(starts[1:], len(filled))
    values = text_values(filled.take(arrow().array(starts)))
    for name, start, end in zip(values, starts.tolist(), ends.tolist(), strict=True):
        yield name or "", start, end - start


GROUPED = "_work/grouped"
_READ_ROWS = 4096  # rows read at a time, at most
_MAX_HELD_BYTES = 16 << 20  # bytes of the dataset held at a time
_BUCKET_BYTES = 64 << 20  # bytes of the dataset in a bucket
_MAX_BUCKETS = 512  # each bucket has a file
_MAX_BLOCKS_PER_GROUP = 8  # a larger row group is regrouped


def must_regroup(source: Source, scattered: bool, block: int) -> bool:
    """Whether the dataset cannot be processed as it is."""
    return scattered or source.largest_group > _MAX_BLOCKS_PER_GROUP * block


def regroup(source: Source, output: Storage, block: int) -> Source:
    """The same rows with those of each album together; done once for a run."""
    done = f"{GROUPED}/done.json"
    if not output.is_file(done):
        size = sum(file.size for file in source.files)
        row_bytes = max(1, size // max(1, source.rows))  # some hold photos
        rows = max(1, _MAX_HELD_BYTES // row_bytes)
        count = max(1, min(_MAX_BUCKETS, size // _BUCKET_BYTES))
        # rows may hold whole photos: delete first what a killed run left
        folder = Path(tempfile.gettempdir())
        sweep_staging(folder)
        with store_errors(str(folder)), Staging(folder) as staging:
            schema = source.schema.append(lost_field())
            spools = [staging.folder / f"{number:04}" for number in range(count)]
            _fill_buckets(source, spools, min(_READ_ROWS, rows))
            for number, spool in enumerate(spools):
                if spool.exists():
                    with output.create(f"{GROUPED}/{number:04}.arrow") as stream:
                        _write_sorted(spool, stream, schema, min(block, rows))
                    spool.unlink()
        output.write(done, json.dumps({"rows": source.rows}).encode())
    return Source(output.address_below(GROUPED))


def _fill_buckets(source: Source, spools: list[Path], rows: int) -> None:
    """Append every row to the bucket of its album."""
    from pyarrow import compute, ipc

    for batch in source.batches(rows):
        names = compute.fill_null(batch.column("album"), "").dictionary_encode()
        hashes = [crc32((name or "").encode()) for name in text_values(names.dictionary)]
        bucket = np.array(hashes, dtype=np.int64)[names.indices.to_numpy()] % len(spools)
        for number in np.unique(bucket).tolist():
            part = batch.take(arrow().array(np.flatnonzero(bucket == number)))
            with (
                store_errors(str(spools[number].parent)),
                spools[number].open("ab") as stream,
                ipc.new_stream(stream, part.schema) as out,
            ):
                out.write_batch(part)


def _write_sorted(spool: Path, sink: Any, schema: Any, rows: int) -> None:
    """Write a bucket as an Arrow file: albums by name, photos in their order.

    A bucket may be one large album, so its rows stay mapped and are copied a few at a time.
    """
    pa = arrow()
    from pyarrow import compute, ipc

    with pa.memory_map(str(spool)) as mapped, ipc.new_file(sink, schema) as out:
        batches = []
        while mapped.tell() < mapped.size():  # one stream behind the other
            batches += ipc.open_stream(mapped)
        columns = [compute.fill_null(batch.column("album"), "") for batch in batches]
        names = [name for column in columns for name in text_values(column)]
        starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
        order = np.argsort(np.array(names, dtype=object), kind="stable")
        for first in range(0, len(order), rows):
            selected = order[first : first + rows]
            runs = _consecutive_rows(selected, np.searchsorted(starts, selected, side="right") - 1)
            parts = [batches[b].slice(row - int(starts[b]), count) for b, row, count in runs]
            out.write_table(pa.Table.from_batches(parts, schema).combine_chunks())
        del batches, parts  # they are mapped from the file that is closed now


def _consecutive_rows(rows: Any, batches: Any) -> Iterator[tuple[int, int, int]]:
    """Runs of consecutive rows: batch, first row, rows."""
    breaks = 1 + np.flatnonzero((np.diff(rows) != 1) | (np.diff(batches) != 0))
    starts = [0, *breaks.tolist()]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield int(batches[start]), int(rows[start]), end - start
