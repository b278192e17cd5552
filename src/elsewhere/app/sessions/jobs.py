"""Long work in threads, whose events any number of listeners can follow from the start.

Of events that only move a progress bar, the last of each stage is kept.
"""

from __future__ import annotations

import asyncio
import ctypes
import secrets
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from elsewhere.app.api.models import EventModel, JobModel
from elsewhere.app.security.guard import INTERNAL_ERROR
from elsewhere.app.sessions.presenter import skipped_file_models
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.platform.threads import start_thread
from elsewhere.service import Step

Kind = Literal["reading", "scoring", "text", "proof", "frontier", "prices", "export", "verify"]
Work = Callable[["AppJob"], None]
MAX_JOBS = 16  # jobs that are kept; the oldest that ended goes first


class CancelledError(Exception):
    """Raised inside a job that is cancelled."""


class BusyError(InputError):
    """Something cannot be done while a copy is written."""

    def __init__(self) -> None:
        super().__init__("a copy is being written: wait for it, or stop it")


class AppJob:
    """One piece of work. Its `work` is called in a thread with the job itself."""

    def __init__(self, kind: Kind, work: Work, subject: object = None) -> None:
        self.id = secrets.token_hex(8)
        self.kind = kind
        self.subject = subject  # what it works on: the same is not started twice
        self.state: Literal["running", "done", "failed", "cancelled"] = "running"
        self.cancelled = threading.Event()
        self._work: Work | None = work
        self._interruptible: int | None = None  # the thread that may be interrupted
        self._streams_ended = False
        self._lock = threading.Lock()
        self._events: list[EventModel | None] = []  # None where a progress bar has moved on
        self._progress: dict[str, int] = {}  # by stage, the position of its last progress
        self._listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._stage_start: dict[str, float] = {}
        self._over = threading.Event()

    def start(self) -> None:
        """Do the work in a thread; where none can be started, the job has failed."""
        try:
            start_thread(self._run)
        except MemoryError as problem:
            self._end("failed", EventModel(error=problem_message(problem)))

    def cancel(self) -> None:
        """Stop it at its next step, or at once where it is interruptible."""
        self.cancelled.set()
        with self._lock:
            if self._interruptible is not None:
                _raise_in(self._interruptible, CancelledError)
                self._interruptible = None  # once is enough

    def join(self, seconds: float | None = None) -> None:
        """Wait until it has ended."""
        self._over.wait(seconds)

    @property
    def ended(self) -> bool:
        """Whether it is over, however it went."""
        return self.state != "running"

    def to_model(self) -> JobModel:
        """The job for the page."""
        return JobModel(id=self.id, kind=self.kind, state=self.state)

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let `cancel` end what is done in here at once, in whatever loop it is.

        As Ctrl-C would: CancelledError is raised between two steps of the interpreter. So only work
        that may be left at any point belongs in here, and no job waits for a solver's own checks.
        """
        with self._lock:
            self._interruptible = threading.get_ident()
        try:
            self.check_cancelled()
            yield
        finally:
            with self._lock:
                self._interruptible = None
                _raise_in(threading.get_ident(), None)  # what was not raised in here never is
        self.check_cancelled()

    def check_cancelled(self) -> bool:
        """Raise CancelledError once the job is cancelled; False before, as a solver's `stopped`.

        The solver would finish with care what it has, while the next click waits.
        """
        if self.cancelled.is_set():
            raise CancelledError
        return False

    def report_progress(self, step: Step) -> None:
        """Publish how far the job is, with its speed and the time that is left."""
        self.check_cancelled()
        now = time.monotonic()
        start = self._stage_start.setdefault(step.stage, now)
        speed = step.done / (now - start) if step.done > 1 and now > start else None
        seconds = (step.total - step.done) / speed if speed else None
        self.publish(
            EventModel(
                stage=step.stage,
                count=step.done,
                total=step.total,
                name=step.name,
                per_second=None if speed is None else round(speed, 2),
                left_s=None if seconds is None else round(seconds, 1),
                left=skipped_file_models(step.skipped),
            )
        )

    def publish(self, event: EventModel) -> None:
        """Send an event to all listeners, now and later."""
        with self._lock:
            if event.stage is not None and not event.left and event.photo is None:
                before = self._progress.get(event.stage)
                if before is not None:
                    self._events[before] = None
                self._progress[event.stage] = len(self._events)
            self._events.append(event)
            self._wake_listeners()

    async def events(self) -> AsyncIterator[EventModel]:
        """All events from the start, and then as they come, until the job is over."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            self._listeners.add((loop, changed))
        position = 0
        try:
            while True:
                changed.clear()
                with self._lock:
                    fresh, position = self._events[position:], len(self._events)
                    over = self.ended or self._streams_ended
                for event in fresh:
                    if event is not None:
                        yield event
                if over:
                    return
                await changed.wait()
        finally:
            with self._lock:
                self._listeners.discard((loop, changed))

    def end_streams(self) -> None:
        """Send nothing more: the server ends, and its streams must end first."""
        with self._lock:
            self._streams_ended = True
            self._wake_listeners()

    def _run(self) -> None:
        state: Literal["done", "failed", "cancelled"] = "failed"
        # an ended job is kept for its events, not for the album that it worked on
        work, self._work = self._work, None
        assert work is not None
        try:
            work(self)
            state, last = "done", EventModel(done=True)
        except BaseException as problem:
            state = "cancelled" if isinstance(problem, CancelledError) else "failed"
            message = problem_message(problem)
            last = EventModel(error=message or INTERNAL_ERROR, stopped=state == "cancelled")
            if message is None:  # for whoever started the server
                traceback.print_exc(file=sys.stderr)
        del work
        self._end(state, last)

    def _end(self, state: Literal["done", "failed", "cancelled"], last: EventModel) -> None:
        self._work = None
        with self._lock:
            self._events.append(last)
            self.state = state
            self._wake_listeners()
        self._over.set()

    def _wake_listeners(self) -> None:
        for loop, changed in self._listeners:
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Raise an error in another thread, or take one back that was not raised yet."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)


def report_ignored(ignored: sys.UnraisableHookArgs) -> None:
    """For `sys.unraisablehook`: a job that was stopped inside a finalizer is no news.

    Python forgets what is raised in there; the job then ends at its own next look.
    """
    if not isinstance(ignored.exc_value, CancelledError):
        sys.__unraisablehook__(ignored)


class Jobs:
    """All jobs of a server, by id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: OrderedDict[str, AppJob] = OrderedDict()

    def start(
        self, kind: Kind, work: Work, subject: object = None, *, exclusive: bool = False
    ) -> AppJob:
        """Start a job; BusyError where it is exclusive and another one of its kind is running."""
        job = AppJob(kind, work, subject)
        with self._lock:
            jobs = list(self._jobs.values())
            if exclusive and any(other.kind == kind and not other.ended for other in jobs):
                raise BusyError
            self._jobs[job.id] = job
            ended = [other for other in jobs if other.ended]
            for old in ended[: max(0, len(self._jobs) - MAX_JOBS)]:
                del self._jobs[old.id]
        job.start()
        return job

    def get(self, job_id: str) -> AppJob | None:
        """The job of this id."""
        with self._lock:
            return self._jobs.get(job_id)

    def running(self, *kinds: Kind) -> list[AppJob]:
        """The running jobs of these kinds, or of all, the latest last."""
        with self._lock:
            jobs = list(self._jobs.values())
        return [job for job in jobs if not job.ended and (not kinds or job.kind in kinds)]

    def cancel(self, *kinds: Kind) -> None:
        """Cancel the jobs of these kinds, or all."""
        for job in self.running(*kinds):
            job.cancel()

    def close(self, seconds: float = 1.0) -> None:
        """Cancel all jobs, wait a little for them, and forget those that ended."""
        running = self.running()
        self.cancel()
        deadline = time.monotonic() + seconds
        for job in running:
            job.join(max(0.0, deadline - time.monotonic()))
        with self._lock:
            for job in [job for job in self._jobs.values() if job.ended]:
                del self._jobs[job.id]

    def end_streams(self) -> None:
        """End every stream."""
        for job in self.running():
            job.end_streams()


def problem_message(problem: BaseException) -> str | None:
    """What went wrong in a job, for people; None for a fault of our own."""
    if isinstance(problem, CancelledError):
        return "it was stopped"
    if isinstance(problem, ElsewhereError):
        return str(problem)
    if isinstance(problem, MemoryError):
        return "there is not enough memory for this: open fewer photos"
    if isinstance(problem, OSError):
        return f"a file cannot be used ({problem.strerror or 'unknown reason'})"
    return None
