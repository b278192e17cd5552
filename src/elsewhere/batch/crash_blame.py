"""Which albums killed a whole run: the driver too, as when a container runs out of memory.

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

import platform
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from elsewhere.batch.attempts import TRIES
from elsewhere.batch.grouping import Job, singles
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from elsewhere.batch.stores import CollapseError

ALONE = "_work/alone"
TWICE = 2
"""A block that was under way when so many runs were killed is done alone."""
ENOUGH = 3
"""After so many runs that were killed over one album alone, it is left alone."""
_LOOK = "-look"
_REASON = (
    "the whole run was killed, {} times, while it worked on this and nothing else: look at its "
    "size, and at the memory of the machine"
)


@dataclass
class CrashSuspects:
    """What earlier runs died over; nothing where none was killed."""

    under_way: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed while it was under way."""
    alone: Counter[str] = field(default_factory=Counter)
    """By job: how many runs were killed while it, and nothing else, was under way."""

    def parted(
        self, jobs: Iterable[Job], source: Source, done: set[str]
    ) -> tuple[list[Job], list[Job]]:
        """Jobs that are done together, and those to be done alone; the least suspected come first.

        `done` are the names of the blocks that are written: a block may be written album by album.
        """
        together: list[Job] = []
        alone: list[tuple[int, Job]] = []
        for job in jobs:
            deaths = self.alone[job.name]
            if job.kind == "albums" and job.albums > 1 and deaths:
                parts = [one for one in singles(source, job) if one.name not in done]
                fatal = [one for one in parts if self._is_hopeless(one)]
                together += [self._judged(one) for one in fatal]
                alone += [(deaths + self.alone[one.name], one) for one in parts if one not in fatal]
            elif self._must_be_alone(job):
                alone.append((deaths, job))
            else:
                together.append(self._judged(job))
        together.sort(key=lambda job: self.under_way[job.name])
        alone.sort(key=lambda pair: pair[0])
        return together, [job for _, job in alone]

    def _must_be_alone(self, job: Job) -> bool:
        if self._is_hopeless(job):
            return False
        return self.under_way[job.name] >= TWICE or self.alone[job.name] > 0

    def _is_hopeless(self, job: Job) -> bool:
        return job.albums <= 1 and self.alone[job.name] >= ENOUGH

    def _judged(self, job: Job) -> Job:
        if not self._is_hopeless(job):
            return job
        return replace(job, hopeless=_REASON.format(self.alone[job.name]))


def suspects(storage: Storage) -> CrashSuspects:
    """What the notes say that killed runs have left."""
    notes = (path.split("/") for path in storage.below_all(TRIES))
    tried = {(note[0], note[-2].removesuffix(_LOOK)) for note in notes if len(note) > 2}
    alone = {(run, job) for job, _, run in (p.partition("/") for p in storage.below_all(ALONE))}
    return CrashSuspects(Counter(job for _, job in tried), Counter(job for _, job in alone & tried))


@contextmanager
def outlived(storage: Storage, run: str) -> Iterator[None]:
    """Within, a run works; who leaves this was not killed, and what was under way is not to blame.

    Unless all of the engine died and only the driver lived on: then notes stay.
    """
    try:
        yield
    except CollapseError:
        raise
    except BaseException:
        storage.forget(f"{TRIES}/{run}")
        raise
    storage.forget(f"{TRIES}/{run}")


@contextmanager
def alone_at(storage: Storage, run: str, job: Job) -> Iterator[None]:
    """Within, one job and no other is under way; who leaves this was not killed over it."""
    note = f"{ALONE}/{job.name}/{run or 'one'}"
    storage.write(note, platform.node().encode())
    try:
        yield
    except CollapseError:
        raise
    except BaseException:
        storage.remove(note)
        raise
    storage.remove(note)
