"""Albums whose rows lie scattered are brought together first, once, in bounded memory.

Rows go into buckets by the hash of their album's id, a spool on this machine each; then bucket by
bucket they are sorted and written as Arrow files, whose batches are small and can be mapped. The
same is done where row groups are so large that every worker would decode what others need.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from elsewhere.album.staging import Staging, sweep
from elsewhere.batch.corrupt_rows import lost_field
from elsewhere.batch.schemas import arrow
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.batch.stores import told
from elsewhere.batch.utf8 import texts

GROUPED = "_work/grouped"
_READ = 4096
"""Rows that are read at a time, if they are small."""
_HELD = 16 << 20
"""Bytes of the dataset that are held at a time."""
_BUCKET = 64 << 20
"""Bytes of the dataset that a bucket should hold."""
_MOST = 512
"""Buckets at most: each has a file."""
_LARGE = 8
"""A row group is too large when it holds so many times a block."""


def must_regroup(source: Source, scattered: bool, block: int) -> bool:
    """Whether the dataset cannot be worked on as it lies."""
    return scattered or source.largest_group > _LARGE * block


def regrouped(source: Source, output: Storage, block: int) -> Source:
    """The same rows, every album's together; done once, however often a run is gone on with."""
    done = f"{GROUPED}/done.json"
    where = output.below(GROUPED)
    if not output.is_file(done):
        size = sum(file.size for file in source.files)
        held = max(1, _HELD // max(1, size // max(1, source.rows)))  # rows: some hold photos
        count = max(1, min(_MOST, size // _BUCKET))
        # rows may hold whole photos: what a killed run left of them goes before anything else
        room = Path(tempfile.gettempdir())
        sweep(room)
        with told(str(room)), Staging(room) as staging:
            spools = [staging.folder / f"{number:04}" for number in range(count)]
            _spread(source, spools, min(_READ, held))
            for number, spool in enumerate(spools):
                if spool.exists():
                    with output.create(f"{GROUPED}/{number:04}.arrow") as stream:
                        _sort(spool, stream, source.schema.append(lost_field()), min(block, held))
                    spool.unlink()
        output.write(done, json.dumps({"rows": source.rows}).encode())
    return Source(where)


def _spread(source: Source, spools: list[Path], rows: int) -> None:
    """Every row to the spool of its album."""
    from pyarrow import compute, ipc

    for batch in source.batches(rows):
        names = compute.fill_null(batch.column("album"), "").dictionary_encode()
        of_name = [crc32((name or "").encode()) for name in texts(names.dictionary)]
        bucket = np.array(of_name, dtype=np.int64)[names.indices.to_numpy()] % len(spools)
        for number in np.unique(bucket).tolist():
            part = batch.take(arrow().array(np.flatnonzero(bucket == number)))
            with (
                told(str(spools[number].parent)),
                spools[number].open("ab") as stream,
                ipc.new_stream(stream, part.schema) as out,
            ):
                out.write_batch(part)


def _sort(spool: Path, sink: Any, schema: Any, rows: int) -> None:
    """A bucket as an Arrow file: albums by their names, photos in the order they came.

    Only the names are held. A bucket may be one giant, so its rows stay where they lie, mapped,
    and are copied a few at a time.
    """
    pa = arrow()
    from pyarrow import compute, ipc

    with pa.memory_map(str(spool)) as mapped, ipc.new_file(sink, schema) as out:
        batches = list(_spooled(mapped))
        names = [
            name
            for batch in batches
            for name in texts(compute.fill_null(batch.column("album"), ""))
        ]
        starts = np.cumsum([0, *(batch.num_rows for batch in batches)])
        order = np.argsort(np.array(names, dtype=object), kind="stable")
        for first in range(0, len(order), rows):
            wanted = order[first : first + rows]
            runs = _runs(wanted, np.searchsorted(starts, wanted, side="right") - 1)
            parts = [batches[b].slice(row - int(starts[b]), many) for b, row, many in runs]
            out.write_table(pa.Table.from_batches(parts, schema).combine_chunks())
        del batches, parts  # they lie in the file that is closed now


def _runs(rows: Any, batches: Any) -> Iterator[tuple[int, int, int]]:
    """Neighbours that lie together: batch, first row, rows."""
    breaks = 1 + np.flatnonzero((np.diff(rows) != 1) | (np.diff(batches) != 0))
    starts = [0, *breaks.tolist()]
    for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
        yield int(batches[start]), int(rows[start]), end - start


def _spooled(mapped: Any) -> Iterator[Any]:
    """The batches of a spool: one stream behind the other."""
    from pyarrow import ipc

    while mapped.tell() < mapped.size():
        yield from ipc.open_stream(mapped)
