"""Inside a worker: all that is done with one file, from its path to its rendition.

This is the task that `album.py` gives to the workers. The file is read once; what it carries and
what lies beside it is read too; its picture is rendered. What comes back is plain JSON and the
bytes of a bare JPEG.

Inside a worker process: take one file after another, under limits, until nobody asks.

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
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from elsewhere.album import decode, sidecars
from elsewhere.album.exif import read_embedded
from elsewhere.album.files import HEAD_BYTES, PHOTO_KINDS, NotPlainError, file_kind, read_file
from elsewhere.album.frames import BadFrameError, receive, send
from elsewhere.album.jpeg import encode_jpeg
from elsewhere.album.metadata import Metadata, make_leaks, time_in_name, to_json
from elsewhere.values.wording import printable

warm_up = decode.warm_up

_MAX_SIDECARS = 8


def read(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """Render one photo and tell what is known about it, or the word for why not."""
    try:
        return _read(Path(request["path"]), request)
    except decode.RefusedError as refusal:
        return {"failed": refusal.kind, "detail": str(refusal)}, []


def _read(path: Path, request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    content = _bytes(path, request.get("content"))
    kind = file_kind(content[:HEAD_BYTES], path.suffix)
    if kind not in PHOTO_KINDS:  # it is another file than the one that was found
        raise decode.RefusedError("foreign")
    try:
        image = decode.open_image(content, kind)
        picture = decode.render_pixels(image, request["max_side"], request["pixels"])
    except (MemoryError, decode.RefusedError):
        raise
    except Exception as problem:  # a decoder may raise anything at all on a damaged file
        raise _refusal(problem) from None
    value = read_embedded(image, content)  # before it is encoded, which takes its notes away
    for note in request["sidecars"][:_MAX_SIDECARS]:
        value = value.completed_by(_note(Path(note)))
    value = value.completed_by(_name(path.name))
    return {"metadata": to_json(value)}, [encode_jpeg(picture)]


def _bytes(path: Path, given: bytes | None) -> bytes:
    """What is in a file; or what was given in its place, for a path that is only a name then."""
    try:
        content = read_file(path) if given is None else given
    except NotPlainError:
        raise decode.RefusedError("special") from None
    except OSError as problem:
        reason = f"it cannot be read ({problem.strerror}): check it and its permissions"
        raise decode.RefusedError("unreadable", reason) from None
    if content is None:
        raise decode.RefusedError("large")
    if not content:
        raise decode.RefusedError("empty")
    return content


def _refusal(problem: Exception) -> decode.RefusedError:
    """The right word for what a decoder complained about."""
    said = " ".join(str(problem).split()) or type(problem).__name__
    if "memory" in said.lower() and "security limit" not in said.lower():
        return decode.RefusedError("memory")
    if "truncated" in said.lower():
        return decode.RefusedError("damaged", "it is cut short: copy it anew")
    return decode.RefusedError(
        "damaged", f"it is damaged ({said[:200]}): leave it out or copy it anew"
    )


def _note(path: Path) -> Metadata:
    """What a sidecar says; one that cannot be read says nothing, and costs nothing."""
    value = Metadata()
    with suppress(OSError, ValueError):
        if path.suffix.lower() == ".xmp":
            value = sidecars.read_xmp(read_file(path, sidecars.MAX_BYTES) or b"")
        else:
            value = sidecars.read_takeout(read_file(path, sidecars.TAKEOUT_MAX_BYTES) or b"")
    return value.completed_by(Metadata(leaks=make_leaks([("sidecar", printable(path.name))])))


def _name(name: str) -> Metadata:
    when = time_in_name(name)
    if when is None:
        return Metadata()
    return Metadata(time=when, leaks=make_leaks([("file name", f"{when:%Y-%m-%d} in {name}")]))


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
