"""Which albums kill workers or whole runs, so that no album stops a run for ever.

A worker leaves a note beside the output while it works on a block, and removes it at the end,
however that comes. A note that is found belongs to a worker that died.

Deaths of workers within one run: the block is done again. From the third attempt on, a note names
the album that is worked on, one at a time. An album with two deaths is skipped, with a dead letter.

Deaths of whole runs, when a container runs out of memory, for example: one death says little, for a
run can be killed from outside. So:

1. Blocks that were interrupted go to the end. One that was interrupted twice is done last, alone.
2. While it is done alone, the driver leaves a note too. That note counts only if a worker had begun
   on the block: most of a short run is the start of its workers.
3. A block over which a run died alone is split into its albums, each of which is done alone.
4. An album over which three runs died alone is skipped, with a dead letter.
"""

from __future__ import annotations

import json
import os
import platform
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

from elsewhere.batch.grouping import Job, split_block
from elsewhere.batch.source import Source
from elsewhere.batch.storage import CollapseError, Storage
from elsewhere.errors import FileError

ATTEMPTS = "_work/tries"
CAREFUL_AFTER = 2  # deaths after which notes name the album
MAX_ALBUM_DEATHS = 2  # deaths over one album after which it is skipped
MAX_UNNAMED_DEATHS = 10  # deaths without a name after which all albums of a block are skipped
ALL_ALBUMS = ""  # stands for all albums of a block
_WORKER_REASON = (
    "whoever worked on it died, {} times: look at its size, and at the memory of the workers"
)


class Attempt(AbstractContextManager["Attempt"]):
    """One attempt at one block of one run, as a `with` block."""

    def __init__(self, storage: Storage, run: str, job: str) -> None:
        self._storage = storage
        folder = f"{ATTEMPTS}/{run or 'one'}/{job}"
        albums = [_noted_album(storage, f"{folder}/{name}") for name in storage.names(folder)]
        self.careful = len(albums) >= CAREFUL_AFTER
        """Whether notes name the album; then albums are done one at a time."""
        self._named = ""
        self._note = f"{folder}/{uuid.uuid4().hex}"
        deaths = Counter(album for album in albums if album)
        self.skip: Mapping[str, str] = {
            album: _WORKER_REASON.format(times)
            for album, times in deaths.items()
            if times >= MAX_ALBUM_DEATHS
        }
        """Albums that are skipped, with the reason."""
        unnamed = albums.count("")
        if unnamed >= MAX_UNNAMED_DEATHS:
            self.skip = {ALL_ALBUMS: _WORKER_REASON.format(unnamed)}
        self._write("")

    def __exit__(self, *_: object) -> None:
        self._storage.remove(self._note)

    def start_album(self, album: str) -> None:
        """Note that this album is worked on."""
        if self.careful and album != self._named:
            self._named = album
            self._write(album)

    def reason_to_skip(self, album: str) -> str | None:
        """Why an album is skipped; None where it is not."""
        return self.skip.get(ALL_ALBUMS) or self.skip.get(album)

    def _write(self, album: str) -> None:
        note = {"host": platform.node(), "process": os.getpid(), "album": album}
        self._storage.write(self._note, json.dumps(note).encode())


def _noted_album(storage: Storage, note: str) -> str:
    """The album that a note names; empty where the note was just removed."""
    try:
        return str(json.loads(storage.read(note))["album"])
    except (FileError, ValueError, KeyError):
        return ""


ISOLATED = "_work/alone"
ISOLATE_AFTER = 2  # killed runs after which a block that they were working on is done alone
MAX_RUN_DEATHS = 3  # runs killed over one album alone after which it is skipped
_RUN_REASON = (
    "the whole run was killed, {} times, while it worked on this and nothing else: look at its "
    "size, and at the memory of the machine"
)


@dataclass
class CrashSuspects:
    """What killed runs were working on."""

    interrupted: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed during it."""
    alone: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed while they did nothing else."""

    def split_jobs(
        self, jobs: Iterable[Job], source: Source, done: set[str]
    ) -> tuple[list[Job], list[Job]]:
        """Jobs to do together, and jobs to do alone; the least suspected come first.

        `done` are the names of blocks that are written; a block may be written album by album.
        """
        together: list[Job] = []
        isolated: list[tuple[int, Job]] = []
        for job in jobs:
            deaths = self.alone[job.name]
            if job.kind == "albums" and job.albums > 1 and deaths:
                for part in split_block(source, job):
                    if part.name in done:
                        continue
                    if self._is_given_up(part):
                        together.append(self._with_skip_reason(part))
                    else:
                        isolated.append((deaths + self.alone[part.name], part))
            elif self._is_given_up(job):
                together.append(self._with_skip_reason(job))
            elif deaths or self.interrupted[job.name] >= ISOLATE_AFTER:
                isolated.append((deaths, job))
            else:
                together.append(job)
        together.sort(key=lambda job: self.interrupted[job.name])
        isolated.sort(key=lambda pair: pair[0])
        return together, [job for _, job in isolated]

    def _is_given_up(self, job: Job) -> bool:
        return job.albums <= 1 and self.alone[job.name] >= MAX_RUN_DEATHS

    def _with_skip_reason(self, job: Job) -> Job:
        return replace(job, skip_reason=_RUN_REASON.format(self.alone[job.name]))


def find_suspects(storage: Storage) -> CrashSuspects:
    """Read the notes that killed runs have left."""
    notes = [path.split("/") for path in storage.names(ATTEMPTS, recursive=True)]
    attempted = {(note[0], note[-2].removesuffix("-look")) for note in notes if len(note) > 2}
    notes = [path.split("/", 1) for path in storage.names(ISOLATED, recursive=True)]
    isolated = {(run, job) for job, run in notes}
    return CrashSuspects(
        Counter(job for _, job in attempted), Counter(job for _, job in isolated & attempted)
    )


@contextmanager
def attempts_cleared(storage: Storage, run: str) -> Iterator[None]:
    """Remove a run's notes when it ends by itself: then no block is to blame."""
    with _unless_collapsed(lambda: storage.remove_folder(f"{ATTEMPTS}/{run}")):
        yield


@contextmanager
def isolation_noted(storage: Storage, run: str, job: Job) -> Iterator[None]:
    """Keep a note while one job is done alone."""
    note = f"{ISOLATED}/{job.name}/{run or 'one'}"
    storage.write(note, platform.node().encode())
    with _unless_collapsed(lambda: storage.remove(note)):
        yield


@contextmanager
def _unless_collapsed(clean_up: Callable[[], None]) -> Iterator[None]:
    """Clean up at the end, except where the whole engine died: then its notes must stay."""
    try:
        yield
    except CollapseError:
        raise
    except BaseException:
        clean_up()
        raise
    clean_up()
