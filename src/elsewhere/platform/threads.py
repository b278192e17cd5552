"""Threads whose start always ends: they run, or MemoryError says that they cannot.

`threading.Thread.start` waits for the thread to say that it runs. One that has no memory to begin
dies without a word, and its starter waits for ever (CPython issue 140746). `ThreadPoolExecutor` and
`threading.Timer` start their threads like that.
"""

from __future__ import annotations

import atexit
import mmap
import weakref
from _thread import LockType, allocate_lock, start_new_thread
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_POLL_SECONDS = 0.02
_MIN_FREE_BYTES = 12 << 20
"""For the stack of a thread, which is 8 MB on most systems, and its first objects."""


def start_thread(run: Callable[[], None]) -> None:
    """Start a thread, and return when it runs; MemoryError where it cannot.

    The interpreter does not wait for it at its end.
    """
    started = allocate_lock()
    started.acquire()

    def begin() -> None:
        started.release()
        run()

    begin_alive = weakref.ref(begin)
    try:
        mmap.mmap(-1, _MIN_FREE_BYTES).close()  # fails here, and not in the thread
        start_new_thread(begin, ())
    except (OSError, RuntimeError):
        raise MemoryError("no thread can be started") from None
    del begin  # only the thread holds it now, for as long as it lives
    while not started.acquire(timeout=_POLL_SECONDS):
        if begin_alive() is None and not started.acquire(blocking=False):
            raise MemoryError("a thread ended before it could begin")


class ThreadPool(Executor):
    """Up to `limit` threads that run calls in the order given; fewer where memory is short."""

    def __init__(self, limit: int) -> None:
        self._limit, self._closed = limit, False
        self._calls: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._running: list[LockType] = []
        """A lock for each thread, released at its end."""
        atexit.register(self.shutdown)  # a thread in native code must not see the program's end

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call in one of the threads; MemoryError where there is none and none starts."""
        if self._closed:
            raise RuntimeError("the threads have been ended")
        if len(self._running) < self._limit:
            running = allocate_lock()
            running.acquire()
            try:
                start_thread(partial(self._work, running))
                self._running.append(running)
            except MemoryError:
                if not self._running:
                    raise
        future: Future[T] = Future()
        self._calls.put((future, partial(fn, *args, **kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the threads when all calls are done, or those that have begun."""
        self._closed = True
        if cancel_futures:
            with suppress(Empty):
                while True:
                    if (call := self._calls.get_nowait()) is not None:
                        call[0].cancel()
        self._calls.put(None)
        if wait:
            for running in self._running:
                with running:
                    pass
            atexit.unregister(self.shutdown)

    def _work(self, running: LockType) -> None:
        try:
            while (call := self._calls.get()) is not None:
                _run(*call)
                del call  # its photo is not held while the next one is waited for
            # For the next thread. After a Ctrl-C there may be one that nobody has counted.
            self._calls.put(None)
        finally:
            running.release()


def _run(future: Future[T], call: Callable[[], T]) -> None:
    try:
        if future.set_running_or_notify_cancel():
            future.set_result(call())
    except BaseException as problem:
        future.set_exception(problem)
        del future, call  # the problem's traceback holds them
