"""One block, from its rows to its files: what both engines run, in any process.

A block is done when its file of albums exists; that file is written last. A block that was begun
and not finished is done again, and one that is done twice leaves the same files. When all blocks
are done, they are merged into files of the output.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any

from elsewhere.batch.columns import BLOCKS, LETTERS, arrow, dead_letters
from elsewhere.batch.crash_blame import ALL_ALBUMS, Attempt
from elsewhere.batch.grouping import Job, Range
from elsewhere.batch.input_rows import (
    CARRIED,
    carried_values,
    concat_tables,
    pack,
    read_attackers,
    split_albums,
    storable,
    unpack,
)
from elsewhere.batch.merging import COUNTS, merge
from elsewhere.batch.output_rows import broken_row, rows_table, set_digest, solve
from elsewhere.batch.photo_files import PhotoFiles
from elsewhere.batch.schemas import album_type, parse_schema
from elsewhere.batch.scoring import CHUNK_ROWS, RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.batch.unchanged import (
    AlbumResult,
    add_kept,
    album_digest,
    find_unchanged,
    read_kept,
    with_digests,
)

SLICES = "_work/slices"
_SCORED_ROWS = 1024  # rows with scores that are compared at a time
_FILES = {"slice": f"{SLICES}/{{}}.arrow", "merge": f"{COUNTS}/{{}}.json"}
"""By kind of job: the file that it writes last."""


@dataclass(frozen=True)
class JobResult:
    """The result of one job."""

    job: str
    kind: str
    albums: int
    photos: int
    join_name: str = ""
    unchanged: int = 0  # albums whose rows an earlier run had made


def perform(job: Job, dataset: str, settings: Settings, scorer: RowScorer | None) -> JobResult:
    """Do a job; `scorer` where there are photos to score."""
    if is_done(job, settings):
        return result_of(job)
    storage = _cached_storage(settings.output)
    if job.kind == "merge":
        merge(job, storage, settings.partition_by)
        return result_of(job)
    if job.kind == "join":
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
    name = _FILES.get(job.kind, f"{BLOCKS}/{{}}.parquet").format(job.name)
    return _cached_storage(settings.output).is_file(name)


def result_of(job: Job, unchanged: int = 0) -> JobResult:
    """The result of a job that is done."""
    return JobResult(job.name, job.kind, job.albums, job.photos, job.join_name, unchanged)


def read_rows(job: Job, dataset: str, settings: Settings, *, small: bool = False) -> Any:
    """The rows of a job; `small`: without photos and scores."""
    source = _source(dataset, settings)
    return concat_tables([source.read(*rows, small=small) for rows in job.ranges])


def score_photos(job: Job, dataset: str, settings: Settings, scorer: RowScorer) -> Any:
    """The partial rows of a job's photos, as bytes."""
    with Attempt(_cached_storage(settings.output), settings.run, f"{job.name}-look") as attempt:
        skip_reason = job.skip_reason or attempt.reason_to_skip(ALL_ALBUMS)
        if skip_reason:
            return pack(scorer([read_rows(job, dataset, settings, small=True)], skip_reason))
        kept, ranges = _find_unchanged(job, dataset, settings, CHUNK_ROWS)
        pieces = (_source(dataset, settings).pieces(*rows, CHUNK_ROWS) for rows in ranges)
        nothing = [] if ranges else [read_rows(job, dataset, settings, small=True).slice(0, 0)]
        table = scorer(chain(nothing, chain.from_iterable(pieces)), attempt=attempt)
        return pack(add_kept(table, kept))


def finish_block(
    job: Job, settings: Settings, table: Any = None, *, dataset: str = ""
) -> JobResult:
    """Plan the albums of a block, from this table or from the dataset's scores, and write them."""
    results: list[AlbumResult] = []
    with Attempt(_cached_storage(settings.output), settings.run, job.name) as attempt:
        block_reason = job.skip_reason or attempt.reason_to_skip(ALL_ALBUMS)
        if table is not None:
            results = read_kept(table)
        elif block_reason:
            table = read_rows(job, dataset, settings, small=True)
        else:
            results, ranges = _find_unchanged(job, dataset, settings, _SCORED_ROWS)
            table = read_rows(replace(job, ranges=ranges or job.ranges[:1]), dataset, settings)
            table = table if ranges else table.slice(0, 0)
            table = with_digests(table, _photo_files(settings.input, settings.run))
        unchanged = len(results)
        cells = _source(dataset, settings).cells if dataset else 0
        attackers = () if block_reason else read_attackers(table.schema, cells)
        for album, part in split_albums(table):
            reason = block_reason or attempt.reason_to_skip(album)
            if not reason:
                attempt.start_album(album)
                row, letters = solve(album, part, attackers, settings)
            else:
                row, letters = broken_row(album, part.num_rows, None, "crash", reason)
            set_digest(row, letters, album_digest(settings.basis, part))
            results.append((row | carried_values(part), letters))
        carried = [field for field in table.schema if field.name.startswith(CARRIED)]
        _write(job, results, carried, settings)
    return result_of(job, unchanged)


def _find_unchanged(
    job: Job, dataset: str, settings: Settings, rows: int
) -> tuple[list[AlbumResult], tuple[Range, ...]]:
    source, storage = _source(dataset, settings), _cached_storage(settings.output)
    files = _photo_files(settings.input, settings.run)
    return find_unchanged(job, source, storage, settings.basis, files, rows_at_once=rows)


def store_slice(job: Job, content: Any, settings: Settings) -> JobResult:
    """Store the partial rows of a slice until the other slices are done."""
    _cached_storage(settings.output).write(f"{SLICES}/{job.name}.arrow", content)
    return result_of(job)


def _write(job: Job, results: list[AlbumResult], carried: list[Any], settings: Settings) -> None:
    pa = arrow()
    storage = _cached_storage(settings.output)
    path = f"{LETTERS}/{job.name}.parquet"
    records = [
        {k: v and storable(v) for k, v in letter._asdict().items()}
        | {"input_digest": row["input_digest"]}
        for row, letters in results
        for letter in letters
    ]
    if records:
        table = _with_album_type(pa.Table.from_pylist(records, dead_letters()), settings)
        storage.write(path, _parquet(table))
    else:
        storage.remove(path)  # of an attempt that died before it wrote its albums
    table = _with_album_type(rows_table([row for row, _ in results], carried), settings)
    storage.write(f"{BLOCKS}/{job.name}.parquet", _parquet(table))


def _with_album_type(table: Any, settings: Settings) -> Any:
    """A table of the output whose album ids have the input's type; a missing id is null."""
    from pyarrow import compute

    kind = album_type(parse_schema(settings.schema)) if settings.schema else arrow().string()
    if kind == arrow().string():
        return table
    names = table.column("album")
    names = compute.if_else(compute.equal(names, ""), None, names).cast(kind)
    return table.set_column(0, arrow().field("album", kind), names)


def _parquet(table: Any) -> Any:
    from pyarrow import parquet

    sink = arrow().BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def _source(dataset: str, settings: Settings) -> Source:
    """The dataset; the driver's schema is not that of scattered rows brought together."""
    is_input = dataset == settings.input
    return _cached_source(
        dataset, settings.carried, settings.schema if is_input else "", settings.run
    )


@lru_cache(maxsize=4)
def _cached_source(dataset: str, carry: tuple[str, ...], schema: str, run: str) -> Source:
    return Source(dataset, carry, schema)


@lru_cache(maxsize=4)
def _photo_files(dataset: str, run: str) -> PhotoFiles:
    """The photos of a dataset, as one run finds them."""
    return PhotoFiles(dataset)


_cached_storage = lru_cache(maxsize=4)(Storage)
