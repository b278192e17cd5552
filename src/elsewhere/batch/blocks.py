"""One block, from its rows to its files: what both engines run, in any process.

A block is done when its file of albums exists; that file is written last. A block that was begun
and not finished is done again, and one that is done twice leaves the same files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from elsewhere.batch.columns import albums_out, arrow, dead_letters
from elsewhere.batch.crash_blame import ALL_ALBUMS, Attempt
from elsewhere.batch.grouping import Job
from elsewhere.batch.input_rows import (
    DeadLetter,
    concat_tables,
    pack,
    read_attackers,
    split_albums,
    storable,
    unpack,
)
from elsewhere.batch.output_rows import Row, broken_row, solve
from elsewhere.batch.scoring import CHUNK_ROWS, RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage

ALBUMS, DEAD, SLICES = "albums", "dead", "_work/slices"


@dataclass(frozen=True)
class JobResult:
    """The result of one job."""

    job: str
    kind: str
    albums: int
    photos: int
    join_name: str = ""


def perform(job: Job, dataset: str, settings: Settings, scorer: RowScorer | None) -> JobResult:
    """Do a job; `scorer` where there are photos to score."""
    if is_done(job, settings):
        return result_of(job)
    if job.kind == "join":
        storage = _cached_storage(settings.output)
        parts = [unpack(storage.read(f"{SLICES}/{name}.arrow")) for name in job.slices]
        return finish_block(job, settings, concat_tables(parts).combine_chunks())
    if scorer is None:
        return finish_block(job, settings, dataset=dataset)
    content = score_photos(job, dataset, settings, scorer)
    if job.kind == "slice":
        return store_slice(job, content, settings)
    return finish_block(job, settings, unpack(content))


def is_done(job: Job, settings: Settings) -> bool:
    """Whether its last file exists."""
    name = f"{SLICES}/{job.name}.arrow" if job.kind == "slice" else f"{ALBUMS}/{job.name}.parquet"
    return _cached_storage(settings.output).is_file(name)


def result_of(job: Job) -> JobResult:
    """The result of a job that is done."""
    return JobResult(job.name, job.kind, job.albums, job.photos, job.join_name)


def read_rows(job: Job, dataset: str, *, small: bool = False) -> Any:
    """The rows of a job; `small`: without photos and scores."""
    source = _cached_source(dataset)
    return concat_tables([source.read(*rows, small=small) for rows in job.ranges])


def score_photos(job: Job, dataset: str, settings: Settings, scorer: RowScorer) -> Any:
    """The partial rows of a job's photos, as bytes."""
    with Attempt(_cached_storage(settings.output), settings.run, f"{job.name}-look") as attempt:
        skip_reason = job.skip_reason or attempt.reason_to_skip(ALL_ALBUMS)
        if skip_reason:
            return pack(scorer([read_rows(job, dataset, small=True)], skip_reason))
        pieces = (_cached_source(dataset).pieces(*rows, CHUNK_ROWS) for rows in job.ranges)
        return pack(scorer(chain.from_iterable(pieces), attempt=attempt))


def finish_block(
    job: Job, settings: Settings, table: Any = None, *, dataset: str = ""
) -> JobResult:
    """Plan the albums of a block, from this table or from the dataset's scores, and write them."""
    rows: list[Row] = []
    letters: list[DeadLetter] = []
    with Attempt(_cached_storage(settings.output), settings.run, job.name) as attempt:
        block_reason = job.skip_reason or attempt.reason_to_skip(ALL_ALBUMS)
        if table is None:
            table = read_rows(job, dataset, small=bool(block_reason))
        attackers = () if block_reason else read_attackers(table.schema)
        for album, part in split_albums(table):
            reason = block_reason or attempt.reason_to_skip(album)
            if not reason:
                attempt.start_album(album)
                row, album_letters = solve(album, part, attackers, settings)
            else:
                row, album_letters = broken_row(album, part.num_rows, None, "crash", reason)
            rows.append(row)
            letters += album_letters
        _write(job, rows, letters, settings)
    return result_of(job)


def store_slice(job: Job, content: Any, settings: Settings) -> JobResult:
    """Store the partial rows of a slice until the other slices are done."""
    _cached_storage(settings.output).write(f"{SLICES}/{job.name}.arrow", content)
    return result_of(job)


def _write(job: Job, rows: list[Row], letters: list[DeadLetter], settings: Settings) -> None:
    pa = arrow()
    storage = _cached_storage(settings.output)
    path = f"{DEAD}/{job.name}.parquet"
    if letters:
        records = [{k: v and storable(v) for k, v in row._asdict().items()} for row in letters]
        storage.write(path, _parquet(pa.Table.from_pylist(records, dead_letters())))
    else:
        storage.remove(path)  # of an attempt that died before it wrote its albums
    table = pa.Table.from_pylist(rows, albums_out())
    storage.write(f"{ALBUMS}/{job.name}.parquet", _parquet(table))


def _parquet(table: Any) -> Any:
    from pyarrow import parquet

    sink = arrow().BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


_cached_source = lru_cache(maxsize=4)(Source)
_cached_storage = lru_cache(maxsize=4)(Storage)
