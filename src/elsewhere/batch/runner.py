"""The whole run: find the albums, do those that are not done, count the results.

All state lies beside the output, in files that are complete or absent. So a run can be killed at
any time, and continued with either engine.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from typing import Literal

from elsewhere.batch import local_engine
from elsewhere.batch.blocks import SLICES, JobResult, is_done, perform
from elsewhere.batch.columns import ALBUMS, BLOCKS, DEAD
from elsewhere.batch.crash_blame import attempts_cleared, find_suspects, isolation_noted
from elsewhere.batch.grouping import Grouping, Job, block_size, group, must_regroup, regroup
from elsewhere.batch.local_engine import NextJobs
from elsewhere.batch.merging import merged, plan_merges
from elsewhere.batch.photo_files import PhotoFiles
from elsewhere.batch.schemas import serialize_schema
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.state import (
    SUMMARY,
    WORK_FOLDER,
    RunLock,
    begin_or_resume,
    check_folder,
    run_lock,
)
from elsewhere.batch.storage import Storage, check_output, check_shared
from elsewhere.batch.summary import Summary, summary_page
from elsewhere.batch.unchanged import attach_previous
from elsewhere.errors import FileError, InputError
from elsewhere.service import describe_scorer, require_gpu

REPORT = "report.html"
_GPU_BLOCK = 4096  # photos in a block, at most, where each is kept until its plan is proved


@dataclass(frozen=True)
class BatchStep:
    """How far a run is."""

    stage: Literal["grouping", "working", "counting"]  # counting: blocks become files, too
    albums: int = 0  # done so far, in earlier runs too
    total: int = 0
    photos: int = 0  # scored, planned or found unchanged in this run
    unchanged: int = 0  # albums whose rows an earlier run had made


ProgressCallback = Callable[[BatchStep], None]


@dataclass(frozen=True)
class Engine:
    """Where the work is done."""

    name: Literal["local", "ray"] = "local"
    workers: int | None = None
    address: str | None = None
    gpus: float | None = None  # GPUs of each scoring worker on Ray; by default the device decides
    one_by_one: bool = False  # whether only one job may run at a time, on the whole cluster

    def connection(self) -> AbstractContextManager[None]:
        """Within, the cluster is at hand."""
        if self.name == "local":
            return nullcontext()
        from elsewhere.batch import ray_engine

        return ray_engine.connection(self.workers, self.address)

    def has_gpu(self, settings: Settings) -> bool:
        """Whether the embedded model runs on a GPU; ScorerError where it must and cannot.

        Only where that is asked for: every plan is proved again on the processor, which by itself
        was the faster of the two where both were measured.
        """
        if settings.device != "cuda" or not settings.has_embedded:
            return False
        if self.name == "local":
            require_gpu()
            return True
        from elsewhere.batch import ray_engine

        return ray_engine.has_gpu(self.gpus)

    def run(
        self, jobs: Sequence[Job], source: Source, settings: Settings, next_jobs: NextJobs
    ) -> Generator[JobResult]:
        """Do the jobs."""
        workers = self.workers
        if self.name == "local" and settings.gpu and not source.scored:
            workers, decoders = local_engine.gpu_workers(workers)
            settings = replace(settings, decoders=decoders)
        arguments = {"dataset": source.storage.address, "settings": settings.to_json()}
        if self.name == "local":
            return local_engine.run(jobs, arguments, source.scored, workers, next_jobs)
        from elsewhere.batch import ray_engine

        return ray_engine.run(self, jobs, arguments, source.scored, next_jobs)


def run(
    settings: Settings, engine: Engine | None = None, progress: ProgressCallback = lambda step: None
) -> Summary:
    """Do all albums that are not done yet; the summary of all."""
    engine = engine or Engine()
    check_output(settings.output)
    source, storage = Source(settings.input, settings.carried), Storage(settings.output)
    check_options(settings, engine, source)
    check_folder(storage)
    with engine.connection():  # a cluster that refuses us must leave nothing behind
        return _run(settings, engine, progress, source, storage)


def _run(
    settings: Settings,
    engine: Engine,
    progress: ProgressCallback,
    source: Source,
    storage: Storage,
) -> Summary:
    storage.make_private()  # before the first file is written
    with run_lock(storage) as lock:
        dataset = source.fingerprint()
        # a scorer that cannot be loaded is refused here, and not by every worker
        specs = () if source.scored else settings.scorers
        settings = replace(settings, gpu=bool(specs) and engine.has_gpu(settings))
        models = {spec: _describe_rows(spec, settings) for spec in specs}
        settings = begin_or_resume(settings, storage, dataset, models)
        if storage.is_file(SUMMARY):
            storage.remove_folder(WORK_FOLDER)
            return Summary.from_json(storage.read(SUMMARY))
        settings = replace(
            settings,
            run=uuid.uuid4().hex,
            schema=serialize_schema(source.schema),
            basis=settings.fingerprint(models, source.describe_scores()),
        )
        progress(BatchStep("grouping"))
        grouped_source, grouping = _group(source, storage, settings)
        files = PhotoFiles(settings.input)
        attach_previous(grouping, storage, grouped_source, settings.basis, files)
        with attempts_cleared(storage, settings.run):
            schedule = _Schedule(grouping, storage, grouped_source)
            _run_jobs(schedule, settings, engine, progress, lock)
        progress(BatchStep("counting", grouping.albums, grouping.albums))
        result, written = _merge(grouping, storage, grouped_source, settings, engine, lock)
        result = replace(result, files=source.faults | source.damaged_ids)
        result = replace(result, dropped_keys=source.dropped_keys)
        _check_unchanged(settings, dataset, result, grouping)
        _remove_others(storage, written)
        storage.write(REPORT, summary_page(result).encode())
        storage.write(SUMMARY, result.to_json().encode())
        storage.remove_folder(WORK_FOLDER)
        return result


def _describe_rows(spec: str, settings: Settings) -> str:
    """Changes with the rows that a scorer makes: with its model, or the file that it reads."""
    about = describe_scorer(spec, gpu=settings.gpu)
    return f"{about.fingerprint} {about.content}".rstrip()


def check_options(settings: Settings, engine: Engine, source: Source) -> None:
    """InputError for an option that would be ignored; FileError without Ray."""
    for address in (settings.input, settings.output):
        check_shared(address)
    if source.scored and settings.scorers != Settings.scorers:
        raise InputError(
            f"{settings.input} holds scores, so no scorer is used: leave out --scorer, "
            "or give photos"
        )
    if engine.name == "local" and (engine.address is not None or engine.gpus is not None):
        raise InputError("--address and --gpus are for Ray: give --engine ray with them")
    if engine.name == "ray":
        from elsewhere.batch.ray_engine import check_installed

        check_installed()


def _check_unchanged(
    settings: Settings, dataset: str, summary: Summary, grouping: Grouping
) -> None:
    """FileError where others changed the dataset or the output during the run."""
    if Source(settings.input, settings.carried).fingerprint() != dataset:
        raise FileError(
            f"{settings.input} was changed during the run: rows of the old and the new one may be "
            f"in {settings.output}; name a new folder"
        )
    if summary.albums != grouping.albums:
        raise FileError(
            f"{settings.output} holds {summary.albums} albums where the dataset has "
            f"{grouping.albums}: files were taken away or added meanwhile; name a new folder"
        )


def _group(source: Source, storage: Storage, settings: Settings) -> tuple[Source, Grouping]:
    """The dataset, regrouped where it must be, and its jobs."""
    block = block_size(source, settings.block)
    if settings.gpu and settings.block is None:  # pictures wait for their proof
        block = min(block, _GPU_BLOCK)
    grouping = group(source, block)
    if must_regroup(source, grouping.scattered, settings.block or block):
        source = regroup(source, storage, block)
        grouping = group(source, block)
    return source, grouping


def _run_jobs(
    schedule: _Schedule,
    settings: Settings,
    engine: Engine,
    progress: ProgressCallback,
    lock: RunLock,
) -> None:
    """Do the jobs, and report progress."""
    albums, photos, unchanged = schedule.albums_done, 0, 0
    progress(BatchStep("working", albums, schedule.albums))
    # whatever is raised, the workers end first
    with closing(schedule.run(engine, settings)) as results:
        for result in results:
            albums += result.albums
            photos += result.photos if result.kind != "join" else 0
            unchanged += result.unchanged
            progress(BatchStep("working", albums, schedule.albums, photos, unchanged))
            lock.check_held()


def _merge(  # noqa: PLR0917 - all that a run has
    grouping: Grouping,
    storage: Storage,
    source: Source,
    settings: Settings,
    engine: Engine,
    lock: RunLock,
) -> tuple[Summary, set[str]]:
    """Make files of a sane size of all blocks: the summary, and the names of the files."""
    order = [job.name for job in (*grouping.jobs, *grouping.joins)]
    merges = plan_merges(storage, order, settings.run)
    if len(merges) == 1:  # no more than a file's worth
        perform(merges[0], settings.input, settings, None)
    else:
        todo = [job for job in merges if not is_done(job, settings)]
        with closing(engine.run(todo, source, settings, lambda result: ())) as results:
            for _ in results:
                lock.check_held()
    lock.check_held()
    return merged(storage, merges)


def _remove_others(storage: Storage, files: set[str]) -> None:
    """Remove what killed workers and earlier runs have left beside the files of the output.

    Albums go first: while the rows of an earlier run are there, so are their dead letters.
    """
    for folder in (ALBUMS, DEAD):
        storage.sweep(folder)
        for name in storage.names(folder, recursive=True):
            if f"{folder}/{name}" not in files:
                storage.remove(f"{folder}/{name}")


class _Schedule:
    """The jobs that are not done: first those done together, then those done alone."""

    def __init__(self, grouping: Grouping, storage: Storage, source: Source) -> None:
        self._storage, self._source = storage, source
        self._suspects = find_suspects(storage)
        albums = {name.removesuffix(".parquet") for name in storage.names(BLOCKS)}
        slices = {name.removesuffix(".arrow") for name in storage.names(SLICES)}
        self._joins = {job.name: job for job in grouping.joins if job.name not in albums}
        self._missing = {n: len(set(job.slices) - slices) for n, job in self._joins.items()}
        jobs = [job for job in grouping.jobs if job.kind == "albums" and job.name not in albums]
        all_slices = [job for job in grouping.jobs if job.join_name in self._joins]
        jobs += [job for job in all_slices if job.name not in slices]
        jobs += [job for name, job in self._joins.items() if not self._missing[name]]
        self._together, isolated = self._suspects.split_jobs(jobs, source, albums)
        self._isolated = deque(isolated)
        self.albums = grouping.albums
        waiting = sum(missing > 0 for missing in self._missing.values())
        self.albums_done = self.albums - waiting - sum(job.albums for job in self._together)
        self.albums_done -= sum(job.albums for job in self._isolated)

    def run(self, engine: Engine, settings: Settings) -> Generator[JobResult]:
        """Do the jobs; yield each result."""
        if self._together:
            jobs = engine.run(self._together, self._source, settings, self._next_jobs)
            with closing(jobs):
                yield from jobs
        if not self._isolated:
            return
        engine = replace(engine, workers=1, one_by_one=True)
        with ExitStack() as note:

            def following(result: JobResult) -> list[Job]:
                self._isolated.extend(self._next_jobs(result))
                return self._next_isolated(settings, note)

            first = self._next_isolated(settings, note)
            jobs = engine.run(first, self._source, settings, following)
            with closing(jobs):
                yield from jobs

    def _next_jobs(self, result: JobResult) -> list[Job]:
        """The join of a large album, when its last slice is done."""
        if not result.join_name:
            return []
        self._missing[result.join_name] -= 1
        if self._missing[result.join_name]:
            return []
        join = self._joins[result.join_name]
        together, isolated = self._suspects.split_jobs([join], self._source, set())
        self._isolated.extend(isolated)
        return together

    def _next_isolated(self, settings: Settings, note: ExitStack) -> list[Job]:
        """The next job to do alone; its note replaces that of the last one."""
        note.close()
        if not self._isolated:
            return []
        job = self._isolated.popleft()
        note.enter_context(isolation_noted(self._storage, settings.run, job))
        return [job]
