"""One block, from its rows to its files: what both engines run, in whichever process.

A block is done when its file of albums is there; that file is written last. So a block that was
begun and not finished is simply done again, and one that is done twice leaves the same files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any

from elsewhere.batch.columns import albums_out, arrow, dead_letters
from elsewhere.batch.crash_blame import EVERYTHING, Attempt
from elsewhere.batch.grouping import Job
from elsewhere.batch.input_rows import Dead, albums, attackers, joined, packed, storable, unpacked
from elsewhere.batch.output_rows import Row, broken, solve
from elsewhere.batch.scoring import AT_A_TIME, RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage

ALBUMS, DEAD, SLICES = "albums", "dead", "_work/slices"


@dataclass(frozen=True)
class JobResult:
    """What became of one job."""

    job: str
    kind: str
    albums: int
    photos: int
    giant: str = ""


def perform(job: Job, dataset: str, settings: Settings, looking: RowScorer | None) -> JobResult:
    """All of a job; `looking` where there are photos to be looked at."""
    if is_done(job, settings):
        return done(job)
    if job.kind == "join":
        return join(job, settings)
    if looking is None:
        return plan(job, dataset, settings)
    content = look(job, dataset, settings, looking)
    if job.kind == "slice":
        return keep_slice(job, content, settings)
    return finish(job, unpacked(content), settings)


def is_done(job: Job, settings: Settings) -> bool:
    """Whether its last file is there."""
    name = f"{SLICES}/{job.name}.arrow" if job.kind == "slice" else f"{ALBUMS}/{job.name}.parquet"
    return _storage(settings.output).is_file(name)


def done(job: Job) -> JobResult:
    """What is told of a job that is done."""
    return JobResult(job.name, job.kind, job.albums, job.photos, job.giant)


def read(job: Job, dataset: str, *, small: bool = False) -> Any:
    """The rows of a job, from the dataset as it is worked on; `small` without photos and scores."""
    source = _source(dataset)
    return joined([source.read(*one, small=small) for one in job.ranges])


def look(job: Job, dataset: str, settings: Settings, looking: RowScorer) -> Any:
    """The partial rows of a job's photos, as bytes."""
    with Attempt(_storage(settings.output), settings.run, f"{job.name}-look") as tried:
        hopeless = job.hopeless or tried.reason(EVERYTHING)
        if hopeless:
            return packed(looking([read(job, dataset, small=True)], hopeless))
        pieces = (_source(dataset).pieces(*one, AT_A_TIME) for one in job.ranges)
        return packed(looking(chain.from_iterable(pieces), tried=tried))


def plan(job: Job, dataset: str, settings: Settings) -> JobResult:
    """Plan the albums of a block of scores and write its files."""
    with Attempt(_storage(settings.output), settings.run, job.name) as tried:
        small = bool(job.hopeless or tried.reason(EVERYTHING))
        return _finished(job, read(job, dataset, small=small), settings, tried)


def finish(job: Job, table: Any, settings: Settings) -> JobResult:
    """Plan the albums of a block that was looked at and write its files."""
    with Attempt(_storage(settings.output), settings.run, job.name) as tried:
        return _finished(job, table, settings, tried)


def _finished(job: Job, table: Any, settings: Settings, tried: Attempt) -> JobResult:
    rows: list[Row] = []
    dead: list[Dead] = []
    given_up = job.hopeless or tried.reason(EVERYTHING)
    known = () if given_up else attackers(table.schema)
    for album, part in albums(table):
        reason = given_up or tried.reason(album)
        if not reason:
            tried.at(album)
            row, letters = solve(album, part, known, settings)
        else:
            row, letters = broken(album, part.num_rows, None, "crash", reason)
        rows.append(row)
        dead += letters
    _write(job, rows, dead, settings)
    return done(job)


def keep_slice(job: Job, content: Any, settings: Settings) -> JobResult:
    """Keep the partial rows of a giant's slice until the others are there."""
    _storage(settings.output).write(f"{SLICES}/{job.name}.arrow", content)
    return done(job)


def join(job: Job, settings: Settings) -> JobResult:
    """Plan a giant from its slices."""
    storage = _storage(settings.output)
    parts = [unpacked(storage.read(f"{SLICES}/{name}.arrow")) for name in job.slices]
    return finish(job, joined(parts).combine_chunks(), settings)


def _write(job: Job, rows: list[Row], dead: list[Dead], settings: Settings) -> None:
    pa = arrow()
    storage = _storage(settings.output)
    letters = f"{DEAD}/{job.name}.parquet"
    if dead:
        told = [{k: v and storable(v) for k, v in one._asdict().items()} for one in dead]
        storage.write(letters, _parquet(pa.Table.from_pylist(told, dead_letters())))
    else:
        storage.remove(letters)  # of a try that died before its albums were written
    table = pa.Table.from_pylist(rows, albums_out())
    storage.write(f"{ALBUMS}/{job.name}.parquet", _parquet(table))


def _parquet(table: Any) -> Any:
    from pyarrow import parquet

    sink = arrow().BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


@lru_cache(maxsize=4)
def _source(where: str) -> Source:
    return Source(where)


@lru_cache(maxsize=4)
def _storage(where: str) -> Storage:
    return Storage(where)
