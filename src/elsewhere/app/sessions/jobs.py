"""Long work in threads, told as it goes, to whoever listens and whenever they come.

Everything that a job told is kept as long as the job is: a page that was loaded again hears it
from the start. Steps that only move a bar are kept once each, for nobody needs the ten thousand
before the last.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Literal

from elsewhere.album import SkippedFile
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.security.guard import INTERNAL_ERROR
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.service import Step

Kind = Literal["reading", "scoring", "proof", "frontier", "export", "verify"]
REMEMBERED = 16
"""Jobs whose events are kept; the oldest that ended goes first."""


class CancelledError(Exception):
    """Raised inside a job where somebody no longer wants it."""


class BusyError(InputError):
    """Something cannot be done while a copy is written."""

    def __init__(self) -> None:
        super().__init__("a copy is being written: wait for it, or stop it")


class EmptyError(InputError):
    """Something was asked of an album, and none lies on the table."""

    def __init__(self) -> None:
        super().__init__("no album is on the table yet: open one, or wait until it is read")


class Job:
    """One piece of work. Its `work` is called in a thread with the job itself."""

    def __init__(self, kind: Kind, work: Callable[[Job], None], about: object = None) -> None:
        self.id = secrets.token_hex(8)
        self.kind = kind
        self.about = about
        """What it was begun for; whoever wants the same need not begin it again."""
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.cancelled = threading.Event()
        self._work: Callable[[Job], None] | None = work
        self._ending = False
        self._lock = threading.Lock()
        self._events: list[EventModel | None] = []
        """None where a bar has moved on since."""
        self._bars: dict[str, int] = {}
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._begun: dict[str, float] = {}
        self._thread = threading.Thread(
            target=self._run, name=f"elsewhere-{kind}-{self.id}", daemon=True
        )

    def start(self) -> Job:
        """Begin."""
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Ask it to stop, at its next step."""
        self.cancelled.set()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it ended."""
        self._thread.join(seconds)

    @property
    def ended(self) -> bool:
        """Whether it is over, however it went."""
        return self.state != "running"

    def told(self) -> models.JobModel:
        """For the page."""
        return models.JobModel(id=self.id, kind=self.kind, state=self.state)

    def check_cancelled(self) -> bool:
        """Raise CancelledError once the job is cancelled; False before.

        The solver calls it as `stopped`. Returning True would let it finish with care what it
        has, while the next click waits for the processor.
        """
        if self.cancelled.is_set():
            raise CancelledError
        return False

    def step(self, step: Step) -> None:
        """A job's own word on how far it is, with its speed and what is left of it."""
        self.check_cancelled()
        now = time.monotonic()
        begun = self._begun.setdefault(step.stage, now)
        speed = step.done / (now - begun) if step.done > 1 and now > begun else None
        left = (step.total - step.done) / speed if speed else None
        self.say(
            EventModel(
                stage=step.stage,
                count=step.done,
                total=step.total,
                name=step.name,
                per_second=None if speed is None else round(speed, 2),
                left_s=None if left is None else round(left, 1),
                left=[left_of(one) for one in step.left],
            )
        )

    def say(self, event: EventModel) -> None:
        """Tell it to everybody, now and later."""
        with self._lock:
            if event.stage is not None and not event.left and event.photo is None:
                before = self._bars.get(event.stage)
                if before is not None:
                    self._events[before] = None
                self._bars[event.stage] = len(self._events)
            self._events.append(event)
            self._wake()

    async def events(self) -> AsyncIterator[EventModel]:
        """Everything from the start, and then as it comes, until the job is over."""
        loop, more = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._listeners.add((loop, more))
        at = 0
        try:
            while True:
                more.clear()
                with self._lock:
                    fresh, at = self._events[at:], len(self._events)
                    over = self.ended or self._ending
                for event in fresh:
                    if event is not None:
                        yield event
                if over:
                    return
                await more.wait()
        finally:
            with self._lock:
                self._listeners.discard((loop, more))

    def fall_silent(self) -> None:
        """Tell nobody anything more: the server ends, and streams must end before it."""
        with self._lock:
            self._ending = True
            self._wake()

    def _run(self) -> None:
        state: Literal["done", "failed", "cancelled"] = "failed"
        # an ended job is kept for what it told, not for the album that it worked on
        work, self._work = self._work, None
        assert work is not None
        try:
            work(self)
            state, last = "done", EventModel(done=True)
        except BaseException as problem:
            state = "cancelled" if isinstance(problem, CancelledError) else "failed"
            last = EventModel(error=sentence(problem))
            if last.error == INTERNAL_ERROR:  # nobody is told more, but whoever started us may look
                traceback.print_exc(file=sys.stderr)
        del work
        with self._lock:
            self._events.append(last)
            self.state = state
            self._wake()

    def _wake(self) -> None:
        for loop, more in self._listeners:
            if not loop.is_closed():
                loop.call_soon_threadsafe(more.set)


class Jobs:
    """All jobs of a server, by id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, Job] = OrderedDict()

    def start(
        self, kind: Kind, work: Callable[[Job], None], about: object = None, *, alone: bool = False
    ) -> Job:
        """Begin a job; one that must be alone of its kind is refused beside another."""
        job = Job(kind, work, about)
        with self._lock:
            if alone and any(one.kind == kind and not one.ended for one in self._jobs.values()):
                raise BusyError
            self._jobs[job.id] = job
            ended = [one for one in self._jobs.values() if one.ended]
            for old in ended[: max(0, len(self._jobs) - REMEMBERED)]:
                del self._jobs[old.id]
        return job.start()

    def get(self, job_id: str) -> Job | None:
        """The job of this id."""
        with self._lock:
            return self._jobs.get(job_id)

    def running(self, *kinds: Kind) -> list[Job]:
        """Those under way, the latest last."""
        with self._lock:
            found = list(self._jobs.values())
        return [job for job in found if not job.ended and (not kinds or job.kind in kinds)]

    def cancel(self, *kinds: Kind) -> None:
        """Ask all of these kinds to stop (all, where none is named)."""
        for job in self.running(*kinds):
            job.cancel()

    def close(self, seconds: float = 5.0) -> None:
        """Stop everything, wait a little for it, and forget what was told."""
        running = self.running()
        self.cancel()
        until = time.monotonic() + seconds
        for job in running:
            job.join(max(0.0, until - time.monotonic()))
        with self._lock:
            for job in [one for one in self._jobs.values() if one.ended]:
                del self._jobs[job.id]

    def fall_silent(self) -> None:
        """End every stream."""
        for job in self.running():
            job.fall_silent()


def sentence(problem: BaseException) -> str:
    """What went wrong in a job, for people."""
    if isinstance(problem, CancelledError):
        return "it was stopped"
    if isinstance(problem, ElsewhereError):
        return str(problem)
    if isinstance(problem, MemoryError):
        return "there is not enough memory for this: open fewer photos"
    if isinstance(problem, OSError):
        return f"a file cannot be used ({problem.strerror or 'unknown reason'})"
    return INTERNAL_ERROR


def left_of(one: SkippedFile) -> models.SkippedFileModel:
    """A file that was left out, for the page: without its path."""
    return models.SkippedFileModel(name=one.name, kind=one.kind, reason=one.reason, lost=one.lost)
