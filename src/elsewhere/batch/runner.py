"""The whole run: find the albums, do those that are not done, count what came of it.

Everything that is kept lies beside the output, in files that are there whole or not at all. So it
does not matter when a run was killed, or with which engine it is gone on with.
"""

from __future__ import annotations

import uuid
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from typing import Literal

from elsewhere.batch import local_engine
from elsewhere.batch.blocks import ALBUMS, DEAD, SLICES, JobResult
from elsewhere.batch.crash_blame import CrashSuspects, alone_at, outlived, suspects
from elsewhere.batch.grouping import Grouped, Job, block_for, group, must_regroup, regrouped
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.state import SUMMARY, RunLock, alone_in, begun, refuse_foreign
from elsewhere.batch.storage import Storage, refuse_as_output, refuse_private
from elsewhere.batch.summary import Summary, page, summary
from elsewhere.errors import FileError, InputError
from elsewhere.service import describe_scorer

REPORT, WORK = "report.html", "_work"


@dataclass(frozen=True)
class Step:
    """How far a run is."""

    stage: Literal["grouping", "working", "counting"]
    albums: int = 0
    """Done so far, those of earlier runs included."""
    total: int = 0
    photos: int = 0
    """Looked at or planned in this run."""


Watch = Callable[[Step], None]


@dataclass(frozen=True)
class Engine:
    """Where the work is done."""

    name: Literal["local", "ray"] = "local"
    workers: int | None = None
    address: str | None = None
    gpus: float | None = None
    """Of each worker on Ray that looks at photos; what the device asks for unless told."""
    one_by_one: bool = False
    """Whether nothing may be under way but one job, on the whole cluster."""

    def run(
        self, jobs: Sequence[Job], source: Source, settings: Settings, then: local_engine.Then
    ) -> Generator[JobResult]:
        """Do the jobs."""
        dataset, told = source.storage.where, settings.to_json()
        if self.name == "local":
            return local_engine.run(
                jobs, dataset, told, scored=source.scored, workers=self.workers, then=then
            )
        from elsewhere.batch import ray_engine

        return ray_engine.run(
            jobs,
            dataset,
            told,
            scored=source.scored,
            workers=self.workers,
            then=then,
            address=self.address,
            gpus=self.gpus,
            one_by_one=self.one_by_one,
        )


def run(
    settings: Settings, engine: Engine | None = None, watch: Watch = lambda step: None
) -> Summary:
    """Do all albums that are not done yet, on this engine; what came of all of them."""
    engine = engine or Engine()
    refuse_as_output(settings.output)
    source, storage = Source(settings.input), Storage(settings.output)
    refuse_useless(settings, engine, source)
    refuse_foreign(storage)
    storage.own()  # before the first file is written
    with alone_in(storage) as held:
        dataset = source.fingerprint()
        settings = begun(settings, storage, dataset, {} if source.scored else _models(settings))
        if storage.is_file(SUMMARY):
            return summary(storage)
        settings = replace(settings, run=uuid.uuid4().hex)
        watch(Step("grouping"))
        worked, found = _grouped(source, storage, settings)
        with outlived(storage, settings.run):
            _work(worked, found, storage, settings, engine=engine, watch=watch, held=held)
        watch(Step("counting", found.albums, found.albums))
        counted = summary(storage)
        held.refuse_lost()
        _refuse_change(settings, dataset, counted, found)
        for folder in (ALBUMS, DEAD):
            storage.sweep(folder)
        storage.write(REPORT, page(counted).encode())
        storage.write(SUMMARY, counted.to_json().encode())
        storage.forget(WORK)
        return counted


def refuse_useless(settings: Settings, engine: Engine, source: Source) -> None:
    """InputError where something was asked for that would be ignored; FileError without Ray."""
    for where in (settings.input, settings.output):
        refuse_private(where)
    if source.scored and settings.scorers != Settings.scorers:
        raise InputError(
            f"{settings.input} holds scores, so no scorer is asked: give photos, or no scorer"
        )
    if engine.name == "local" and (engine.address is not None or engine.gpus is not None):
        raise InputError("--address and --gpus are for Ray: give --engine ray with them")
    if engine.name == "ray":
        from elsewhere.batch.ray_engine import refuse_missing

        refuse_missing()


def _refuse_change(settings: Settings, dataset: str, counted: Summary, found: Grouped) -> None:
    """FileError where dataset or output were changed by somebody else while the run went on."""
    if Source(settings.input).fingerprint() != dataset:
        raise FileError(
            f"{settings.input} was changed while it was worked on: rows of both may be in "
            f"{settings.output}; name a new folder"
        )
    if counted.albums != found.albums:
        raise FileError(
            f"{settings.output} holds {counted.albums} albums where the dataset has "
            f"{found.albums}: files were taken away or added meanwhile; name a new folder"
        )


def _grouped(source: Source, storage: Storage, settings: Settings) -> tuple[Source, Grouped]:
    """The dataset as it can be worked on, and what there is to do."""
    block = block_for(source, settings.block)
    found = group(source, block)
    if must_regroup(source, found.scattered, settings.block):
        source = regrouped(source, storage, block)
        found = group(source, block)
    return source, found


def _models(settings: Settings) -> dict[str, str]:
    """The fingerprint of each scorer's model; one that cannot be had is found out here.

    Otherwise every worker would; and a run must not go on with another model of the same name.
    """
    return {spec: describe_scorer(spec).fingerprint for spec in settings.scorers}


def _work(
    source: Source,
    found: Grouped,
    storage: Storage,
    settings: Settings,
    *,
    engine: Engine,
    watch: Watch,
    held: RunLock,
) -> None:
    """Do what is not done: first all that may be done together, then what must be done alone."""
    course = _Course(found, storage, source)
    many = course.albums_done
    photos = 0
    watch(Step("working", many, found.albums))
    with closing(course.run(engine, settings)) as jobs:  # whatever is raised, its workers end first
        for done in jobs:
            many += done.albums
            photos += done.photos if done.kind != "join" else 0
            watch(Step("working", many, found.albums, photos))
            held.refuse_lost()


class _Course:
    """The jobs that are left, in the order in which they are done."""

    def __init__(self, found: Grouped, storage: Storage, source: Source) -> None:
        self._storage, self._source = storage, source
        self._known: CrashSuspects = suspects(storage)
        albums = {name.removesuffix(".parquet") for name in storage.names(ALBUMS)}
        slices = {name.removesuffix(".arrow") for name in storage.names(SLICES)}
        self._joins = {job.name: job for job in found.joins if job.name not in albums}
        self._missing = Counter({
            name: sum(one not in slices for one in job.slices)
            for name, job in self._joins.items()
        })  # fmt: skip
        jobs = [job for job in found.jobs if job.kind == "albums" and job.name not in albums]
        jobs += [job for job in found.jobs if job.giant in self._joins and job.name not in slices]
        jobs += [job for name, job in self._joins.items() if not self._missing[name]]
        self._together, alone = self._known.parted(jobs, source, albums)
        self._alone = deque(alone)
        left = [*self._together, *self._alone]
        self.albums_done = found.albums - sum(job.albums for job in left)
        self.albums_done -= sum(self._missing[name] > 0 for name in self._joins)

    def run(self, engine: Engine, settings: Settings) -> Generator[JobResult]:
        """Do them; each is told when it is done."""
        if self._together:
            jobs = engine.run(self._together, self._source, settings, self._then)
            with closing(jobs):
                yield from jobs
        if not self._alone:
            return
        engine = replace(engine, workers=1, one_by_one=True)
        with ExitStack() as note:

            def following(done: JobResult) -> list[Job]:
                self._alone.extend(self._then(done))
                return self._next(settings, note)

            jobs = engine.run(self._next(settings, note), self._source, settings, following)
            with closing(jobs):
                yield from jobs

    def _then(self, done: JobResult) -> list[Job]:
        """The join of a giant, when its last slice is done."""
        if not done.giant:
            return []
        self._missing[done.giant] -= 1
        if self._missing[done.giant]:
            return []
        together, alone = self._known.parted([self._joins[done.giant]], self._source, set())
        self._alone.extend(alone)
        return together

    def _next(self, settings: Settings, note: ExitStack) -> list[Job]:
        """The next job that is done alone, with a note that it is; the last one's is taken back."""
        note.close()
        if not self._alone:
            return []
        job = self._alone.popleft()
        note.enter_context(alone_at(self._storage, settings.run, job))
        return [job]
