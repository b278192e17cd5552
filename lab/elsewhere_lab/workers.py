"""Processes that measure parts, and end at once when nobody waits for their rows any more.

A part may take many seconds, and whoever presses Ctrl-C waits for none of them: its rows would be
thrown away. So every worker holds the end of a line to whoever hands out the work, and ends when
the line is cut: by a run that was stopped, by an error, or because the run itself was killed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from elsewhere.platform.processes import interrupts_blocked, single_threaded

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
            with single_threaded(), interrupts_blocked():  # this is when workers are started
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
