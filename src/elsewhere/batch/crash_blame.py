"""How often somebody died over a block, and over which album: so that no album kills a run.

A node may die under a block, which is then done again. But an album may itself kill whoever works
on it, by asking for more memory than there is, say, and would do so again and again. So each try
leaves a note of who makes it and takes it back when it ends, well or not: the notes that are found
are of those who died. From the third try on a note names the album that is being worked on, too;
an album over which two died while they worked on it alone is left alone from then on, with a dead
letter. Notes lie beside the output, where every node sees them, whichever engine it is.

Only deaths in one and the same run count here. When the run itself is killed all its workers die,
most often for reasons of their own: whoever goes on with it counts from the beginning, and what is
made of the notes that were left is in `suspects`.

Which albums killed a whole run: the driver too, as when a container runs out of memory.

A run that is killed from outside dies over albums that are well, so no single death says anything.
But a run that goes on and dies over the same album again, and again, never ends. So:

1. The notes of a killed run stay (see `tries`), and say which blocks were under way. Such a block
   is done behind all others; one that was under way twice is done when all else is, alone.
2. Before that the driver itself leaves a note, and takes it back when the block is done or when the
   run ends of its own accord, be it by Ctrl-C. A note that is found is of a death; it counts where
   a worker had begun on the block, for most of a short run is the start of its workers.
3. A block over which a run died alone is cut into its albums, each of which is done alone.
4. An album over which three runs died alone is left alone, with a dead letter; the rest goes on.

Notes lie with the output and not in a process: that is what is left when all of them are killed.
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
CAREFUL_AFTER = 2
"""After so many deaths, albums are named."""
MAX_ALBUM_DEATHS = 2
"""After so many deaths over one album, it is left alone."""
MAX_UNNAMED_DEATHS = 10
"""After so many that name none, nobody knows which album it is: all of the block are left alone."""
ALL_ALBUMS = ""
"""Stands for all albums of a block."""
_WORKER_REASON = (
    "whoever worked on it died, {} times: look at its size, and at the memory of the workers"
)


class Attempt(AbstractContextManager["Attempt"]):
    """One try at one block of one run, in a `with` block: who leaves that did not die."""

    def __init__(self, storage: Storage, run: str, job: str) -> None:
        self._storage = storage
        folder = f"{ATTEMPTS}/{run or 'one'}/{job}"
        albums = [_noted_album(storage, f"{folder}/{name}") for name in storage.names(folder)]
        self.careful = len(albums) >= CAREFUL_AFTER
        """Whether albums are named: who names them must work on one at a time."""
        self._named = ""
        self._note = f"{folder}/{uuid.uuid4().hex}"
        deaths = Counter(album for album in albums if album)
        self.skip: Mapping[str, str] = {
            album: _WORKER_REASON.format(times)
            for album, times in deaths.items()
            if times >= MAX_ALBUM_DEATHS
        }
        """Albums that are left alone, with the reason."""
        unnamed = albums.count("")
        if unnamed >= MAX_UNNAMED_DEATHS:
            self.skip = {ALL_ALBUMS: _WORKER_REASON.format(unnamed)}
        self._write("")

    def __exit__(self, *_: object) -> None:
        self._storage.remove(self._note)

    def start_album(self, album: str) -> None:
        """This album is next, or still."""
        if self.careful and album != self._named:
            self._named = album
            self._write(album)

    def reason_to_skip(self, album: str) -> str | None:
        """Why an album is left alone, if it is."""
        return self.skip.get(ALL_ALBUMS) or self.skip.get(album)

    def _write(self, album: str) -> None:
        note = {"host": platform.node(), "process": os.getpid(), "album": album}
        self._storage.write(self._note, json.dumps(note).encode())


def _noted_album(storage: Storage, note: str) -> str:
    """The album that a note names; nothing where its author has just taken it back."""
    try:
        return str(json.loads(storage.read(note))["album"])
    except (FileError, ValueError, KeyError):
        return ""


ISOLATED = "_work/alone"
ISOLATE_AFTER = 2
"""A block that was under way when so many runs were killed is done alone."""
MAX_RUN_DEATHS = 3
"""After so many runs that were killed over one album alone, it is left alone."""
_RUN_REASON = (
    "the whole run was killed, {} times, while it worked on this and nothing else: look at its "
    "size, and at the memory of the machine"
)


@dataclass
class CrashSuspects:
    """What earlier runs died over; nothing where none was killed."""

    interrupted: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed while it was under way."""
    alone: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed while it, and nothing else, was under way."""

    def split_jobs(
        self, jobs: Iterable[Job], source: Source, done: set[str]
    ) -> tuple[list[Job], list[Job]]:
        """Jobs that are done together, and those to be done alone; the least suspected come first.

        `done` are the names of the blocks that are written: a block may be written album by album.
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
    """What the notes say that killed runs have left."""
    notes = [path.split("/") for path in storage.names(ATTEMPTS, recursive=True)]
    attempted = {(note[0], note[-2].removesuffix("-look")) for note in notes if len(note) > 2}
    notes = [path.split("/", 1) for path in storage.names(ISOLATED, recursive=True)]
    isolated = {(run, job) for job, run in notes}
    return CrashSuspects(
        Counter(job for _, job in attempted), Counter(job for _, job in isolated & attempted)
    )


@contextmanager
def attempts_cleared(storage: Storage, run: str) -> Iterator[None]:
    """Within, a run works; who leaves this was not killed, and what was under way is not to blame.

    Unless all of the engine died and only the driver lived on: then notes stay.
    """
    with _unless_collapsed(lambda: storage.remove_folder(f"{ATTEMPTS}/{run}")):
        yield


@contextmanager
def isolation_noted(storage: Storage, run: str, job: Job) -> Iterator[None]:
    """Within, one job and no other is under way; who leaves this was not killed over it."""
    note = f"{ISOLATED}/{job.name}/{run or 'one'}"
    storage.write(note, platform.node().encode())
    with _unless_collapsed(lambda: storage.remove(note)):
        yield


@contextmanager
def _unless_collapsed(clean_up: Callable[[], None]) -> Iterator[None]:
    """Clean up in the end, however it comes; not when the whole engine died."""
    try:
        yield
    except CollapseError:
        raise
    except BaseException:
        clean_up()
        raise
    clean_up()
