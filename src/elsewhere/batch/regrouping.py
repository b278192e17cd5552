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

from elsewhere.batch.damage import lost_field
from elsewhere.batch.schemas import arrow
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.batch.texts import texts

GROUPED = "_work/grouped"
_READ = 4096
"""Rows that are read at a time."""
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
    where = f"{output.where.rstrip('/')}/{GROUPED}"
    if not output.is_file(done):
        count = max(1, min(_MOST, sum(file.size for file in source.files) // _BUCKET))
        with tempfile.TemporaryDirectory(prefix="elsewhere-batch-") as folder:
            spools = [Path(folder, f"{number:04}") for number in range(count)]
            _spread(source, spools)
            for number, spool in enumerate(spools):
                content = _sorted(spool, source.schema.append(lost_field()), block)
                if content is not None:
                    output.write(f"{GROUPED}/{number:04}.arrow", content)
        output.write(done, json.dumps({"rows": source.rows}).encode())
    return Source(where)


def _spread(source: Source, spools: list[Path]) -> None:
    """Every row to the spool of its album."""
    from pyarrow import compute, ipc

    for batch in source.batches(_READ):
        names = compute.fill_null(batch.column("album"), "").dictionary_encode()
        of_name = [crc32((name or "").encode()) for name in texts(names.dictionary)]
        bucket = np.array(of_name, dtype=np.int64)[names.indices.to_numpy()] % len(spools)
        for number in np.unique(bucket).tolist():
            part = batch.take(arrow().array(np.flatnonzero(bucket == number)))
            with spools[number].open("ab") as stream, ipc.new_stream(stream, part.schema) as out:
                out.write_batch(part)


def _sorted(spool: Path, schema: Any, block: int) -> Any:
    """A bucket as an Arrow file: albums by their names, photos in the order they came."""
    pa = arrow()
    from pyarrow import compute, ipc

    batches = list(_spooled(spool))
    if not batches:
        return None
    table = pa.Table.from_batches(batches, schema)
    spool.unlink()
    names = texts(compute.fill_null(table.column("album"), ""))
    order = np.argsort(np.array(names, dtype=object), kind="stable")
    sink = pa.BufferOutputStream()
    with ipc.new_file(sink, schema) as out:
        for start in range(0, len(order), block):
            rows = table.take(pa.array(order[start : start + block])).combine_chunks()
            out.write_table(rows)
    return sink.getvalue()


def _spooled(spool: Path) -> Iterator[Any]:
    """The batches of a spool: one stream behind the other."""
    from pyarrow import ipc

    if not spool.exists():
        return
    with arrow().OSFile(str(spool)) as stream:
        while stream.tell() < stream.size():
            yield from ipc.open_stream(stream)
