"""Processes that measure parts, and end at once when nobody waits for their rows any more.

A part may take many seconds, and whoever presses Ctrl-C waits for none of them: its rows would be
thrown away. So every worker holds the end of a line to whoever hands out the work, and ends when
the line is cut: by a run that was stopped, by an error, or because the run itself was killed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

_QUIET = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

Submit = Callable[..., Future[Any]]
"""Hands out a function and what it is given."""


@contextmanager
def working(count: int) -> Iterator[Submit]:
    """Within, so many processes work on what is handed out; an exception ends them at once."""
    # started afresh, not forked: it works alike everywhere, and one thread each is enough
    context = get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    with (
        theirs,
        ours,
        ProcessPoolExecutor(
            count, mp_context=context, initializer=end_with, initargs=(theirs,)
        ) as pool,
    ):

        def submit(work: Callable[..., Any], *given: Any) -> Future[Any]:
            with _one_thread_each(), _undisturbed():  # this is when workers are started
                return pool.submit(work, *given)

        try:
            yield submit
        except BaseException:
            ours.close()
            raise


def end_with(line: Connection) -> None:
    """Let this process not outlive whoever holds the other end of the line, even one killed."""

    def watch() -> None:
        try:
            line.recv_bytes()  # nothing is ever sent
        except (OSError, EOFError):
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _one_thread_each() -> Iterator[None]:
    before = {name: os.environ.get(name) for name in _QUIET}
    os.environ.update(dict.fromkeys(_QUIET, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Within, processes that are started hear no Ctrl-C: whoever hands out the work ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
