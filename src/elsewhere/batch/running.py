"""The whole run: find the albums, do those that are not done, count what came of it.

Everything that is kept lies beside the output, in files that are there whole or not at all. So it
does not matter when a run was killed, or with which engine it is gone on with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from elsewhere.batch import local
from elsewhere.batch.grouping import Grouped, Job, group
from elsewhere.batch.page import page
from elsewhere.batch.regrouping import must_regroup, regrouped
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.state import SUMMARY, begun
from elsewhere.batch.storage import Storage
from elsewhere.batch.summary import Summary, summary
from elsewhere.batch.work import ALBUMS, SLICES, Done
from elsewhere.errors import FileError

REPORT = "report.html"


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

    def run(
        self, jobs: Sequence[Job], source: Source, settings: Settings, then: local.Then
    ) -> Iterator[Done]:
        """Do the jobs."""
        dataset, told = source.storage.where, settings.to_json()
        if self.name == "local":
            return local.run(
                jobs, dataset, told, scored=source.scored, workers=self.workers, then=then
            )
        from elsewhere.batch import on_ray

        return on_ray.run(
            jobs,
            dataset,
            told,
            scored=source.scored,
            workers=self.workers,
            then=then,
            address=self.address,
            gpus=self.gpus,
        )


def run(
    settings: Settings, engine: Engine | None = None, watch: Watch = lambda step: None
) -> Summary:
    """Do all albums that are not done yet, on this engine; what came of all of them."""
    source, storage = Source(settings.input), Storage(settings.output)
    settings = begun(settings, storage, source.fingerprint())
    if not storage.is_file(SUMMARY):
        watch(Step("grouping"))
        source, found = _grouped(source, storage, settings)
        if not source.scored:
            _refuse_unknown(settings)
        _work(source, found, storage, settings, engine=engine or Engine(), watch=watch)
        watch(Step("counting", found.albums, found.albums))
        counted = summary(storage)
        if counted.albums != found.albums:
            raise FileError(
                f"{settings.output} holds {counted.albums} albums where the dataset has "
                f"{found.albums}: files were taken away or added meanwhile; name a new folder"
            )
        storage.write(REPORT, page(counted).encode())
        storage.write(SUMMARY, counted.to_json().encode())
        storage.forget("_work")
        return counted
    return summary(storage)


def _grouped(source: Source, storage: Storage, settings: Settings) -> tuple[Source, Grouped]:
    """The dataset as it can be worked on, and what there is to do."""
    found = group(source, settings.block)
    if must_regroup(source, found.scattered, settings.block):
        source = regrouped(source, storage, settings.block)
        found = group(source, settings.block)
    return source, found


def _refuse_unknown(settings: Settings) -> None:
    """A scorer that cannot be had is found out here, and not by every worker."""
    from elsewhere.scorers import find

    for word in settings.scorers:
        find(word).load()


def _work(
    source: Source,
    found: Grouped,
    storage: Storage,
    settings: Settings,
    *,
    engine: Engine,
    watch: Watch,
) -> None:
    albums = {name.removesuffix(".parquet") for name in storage.names(ALBUMS)}
    slices = {name.removesuffix(".arrow") for name in storage.names(SLICES)}
    joins = {job.name: job for job in found.joins if job.name not in albums}
    missing = Counter({
        name: sum(one not in slices for one in job.slices) for name, job in joins.items()
    })  # fmt: skip
    jobs = [job for job in found.jobs if job.kind == "albums" and job.name not in albums]
    jobs += [job for job in found.jobs if job.giant in joins and job.name not in slices]
    jobs += [job for name, job in joins.items() if not missing[name]]

    def then(done: Done) -> list[Job]:
        if not done.giant:
            return []
        missing[done.giant] -= 1
        return [joins[done.giant]] if not missing[done.giant] else []

    many = sum(job.albums for job in found.ends if job.name in albums)
    photos = 0
    watch(Step("working", many, found.albums))
    if not jobs:
        return
    for done in engine.run(jobs, source, settings, then):
        many += done.albums
        photos += done.photos if done.kind != "join" else 0
        watch(Step("working", many, found.albums, photos))
