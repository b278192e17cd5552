"""Blocks of whole albums: found from the album column alone, before anything large is read.

Neighbours in the dataset stay neighbours, so that a block is a range of rows that one worker reads
in one go. An album with more photos than a block, a giant, is looked at in slices by several
workers at once and joined by its id afterwards. A block is called after the ids of its albums: who
does it again writes the same file again.

Albums whose rows lie scattered are brought together first, once, in bounded memory.

Rows go into buckets by the hash of their album's id, a spool on this machine each; then bucket by
bucket they are sorted and written as Arrow files, whose batches are small and can be mapped. The
same is done where row groups are so large that every worker would decode what others need.
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
"""Blocks that a dataset of photos is cut into at least, and photos that each holds at least."""
Range = tuple[int, int, int]
"""File, first row, rows."""


@dataclass(frozen=True)
class Job:
    """One piece of work: albums from their rows to their files, or a part of a giant."""

    name: str
    kind: str = "albums"
    """"albums": look and plan; "slice": look at a part of a giant; "join": plan a giant."""
    ranges: tuple[Range, ...] = ()
    albums: int = 0
    photos: int = 0
    slices: tuple[str, ...] = ()
    """Of a join: the names of the slices, in the album's order."""
    join_name: str = ""
    """Of a slice: the name of the join that waits for it."""
    skip_reason: str = ""
    """Why its albums are left alone, where they are: they have killed too many."""

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """From text."""
        fields = json.loads(text)
        ranges = tuple((int(f), int(s), int(n)) for f, s, n in fields["ranges"])
        return cls(**{**fields, "ranges": ranges, "slices": tuple(fields["slices"])})


@dataclass
class Grouping:
    """What there is to do."""

    jobs: list[Job] = field(default_factory=list)
    """Blocks and slices, in the dataset's order."""
    joins: list[Job] = field(default_factory=list)
    """What is to be done when all slices of a giant are."""
    albums: int = 0
    photos: int = 0
    scattered: bool = False
    """Some album's rows do not lie together: the dataset must be regrouped first."""


def block_size(source: Source, limit: int) -> int:
    """Photos in a block of this dataset: fewer than asked for where all would be in a few blocks.

    To look at a photo takes a while, and what is in one block only one worker looks at, and loses
    when it is killed. It is the same however many workers there are, for blocks have names.
    """
    return limit if source.scored else min(limit, max(_MIN_PHOTOS, source.rows // _MIN_BLOCKS))


def group(source: Source, block: int) -> Grouping:
    """All jobs of a dataset; 8 bytes of memory an album, and a little for each block."""
    grouping = Grouping()
    digests = array("Q")  # eight bytes each
    builder = _BlockBuilder()
    for album, ranges in _album_runs(source.albums()):
        digest = blake2b(album.encode("utf-8", "replace"), digest_size=8).digest()
        digests.append(int.from_bytes(digest))
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
    grouping.scattered = len(np.unique(np.frombuffer(digests, dtype=np.uint64))) < len(digests)
    return grouping


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
    """Slices of one giant, and the join that follows them."""
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
_READ_ROWS = 4096
"""Rows that are read at a time, if they are small."""
_MAX_HELD_BYTES = 16 << 20
"""Bytes of the dataset that are held at a time."""
_BUCKET_BYTES = 64 << 20
"""Bytes of the dataset that a bucket should hold."""
_MAX_BUCKETS = 512
"""Buckets at most: each has a file."""
_MAX_BLOCKS_PER_GROUP = 8
"""A row group is too large when it holds so many times a block."""


def must_regroup(source: Source, scattered: bool, block: int) -> bool:
    """Whether the dataset cannot be worked on as it lies."""
    return scattered or source.largest_group > _MAX_BLOCKS_PER_GROUP * block


def regroup(source: Source, output: Storage, block: int) -> Source:
    """The same rows, every album's together; done once, however often a run is gone on with."""
    done = f"{GROUPED}/done.json"
    if not output.is_file(done):
        size = sum(file.size for file in source.files)
        row_bytes = max(1, size // max(1, source.rows))  # some hold photos
        rows = max(1, _MAX_HELD_BYTES // row_bytes)
        count = max(1, min(_MAX_BUCKETS, size // _BUCKET_BYTES))
        # rows may hold whole photos: what a killed run left of them goes before anything else
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
    """Every row to the spool of its album."""
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
    """A bucket as an Arrow file: albums by their names, photos in the order they came.

    Only the names are held. A bucket may be one giant, so its rows stay where they lie, mapped,
    and are copied a few at a time.
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
        del batches, parts  # they lie in the file that is closed now


def _consecutive_rows(rows: Any, batches: Any) -> Iterator[tuple[int, int, int]]:
    """Neighbours that lie together: batch, first row, rows."""
    breaks = 1 + np.flatnonzero((np.diff(rows) != 1) | (np.diff(batches) != 0))
    starts = [0, *breaks.tolist()]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield int(batches[start]), int(rows[start]), end - start
