"""Inside a worker process: take one file after another, under limits, until nobody asks.

What a file can do here is bounded before the first one is read: memory, processor time, and no
writing of any file at all. Decoders print what they like; it goes nowhere, because the pipe to
the parent is moved to a private number first. Platforms that lack a limit do with those they have.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any

from elsewhere.album.frames import BadFrameError, receive, send

OUT_OF_MEMORY = 86
"""Exit status of a worker that stopped itself because it had grown too large."""
_LOOK_EVERY = 0.05
"""Seconds between two looks at the memory in use."""

Task = Callable[[dict[str, Any]], tuple[dict[str, Any], list[bytes]]]


def main(settings: dict[str, Any]) -> None:
    """The whole life of a worker; `settings` come from `workers.Workers`."""
    inbox, outbox = _private_pipes()
    # Ctrl-C goes to the whole group of processes; the parent decides what becomes of us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module, _, name = settings["task"].partition(":")
    task: Task = getattr(importlib.import_module(module), name)
    getattr(sys.modules[module], "warm_up", lambda: None)()
    _bound(settings["memory"], settings["watch"])
    with contextlib.suppress(BadFrameError, OSError):
        send(outbox, {"ready": True})
        while (asked := receive(inbox)) is not None:
            _bound_time(settings["seconds"])
            told, blobs = asked
            told, blobs = _done(task, {**told, "content": blobs[0]} if blobs else told)
            send(outbox, told, blobs)
    # Straight out: a parent that is gone must not be kept waiting for.
    os._exit(0)


def _done(task: Task, asked: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """One task, with everything that it can raise turned into an answer."""
    try:
        return task(asked)
    except MemoryError:
        return {"failed": "memory"}, []
    except RecursionError:
        return {"failed": "damaged", "detail": "it is nested too deep"}, []
    except Exception as problem:  # a decoder may raise anything at all
        detail = f"{type(problem).__name__}: {problem}"
        return {"failed": "damaged", "detail": detail[:500]}, []


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """The pipes from and to the parent, out of reach of whoever prints or reads."""
    inbox, outbox = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    return os.fdopen(inbox, "rb"), os.fdopen(outbox, "wb")


def _bound(memory: int, watch: bool) -> None:
    """Bound the memory and forbid writing, with whatever this platform has for it."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock and the limit on pixels remain
        return
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    if not watch:
        limits.append((resource.RLIMIT_AS, memory))
    for limit, value in limits:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))
    if watch:
        threading.Thread(target=_watch, args=(memory,), daemon=True).start()


def _watch(memory: int) -> None:
    """Leave when we have grown too large: for systems that take a limit and do not keep it."""
    import resource

    def largest() -> int:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    # On some systems a process inherits the mark of the one that started it.
    memory = max(memory, largest())
    while largest() <= memory:
        time.sleep(_LOOK_EVERY)
    os._exit(OUT_OF_MEMORY)


def _bound_time(seconds: float) -> None:
    """A backstop for when the parent is gone and cannot end a decoder that spins."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + 2 * seconds + 2)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))
