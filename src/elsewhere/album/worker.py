"""Inside a worker process: read and render one photo after another, in a cage and under limits.

Before the first byte of a photo arrives, everything is loaded that decoding needs. Then the cage is
closed, and memory and open files are limited: photos and answers come and go through two pipes. A
platform that lacks a limit uses those it has. What decoders print is discarded.

Parent and worker exchange frames: one JSON object and some blobs of bytes, here the bare JPEG.
Never a pickle: a worker that a hostile file has taken over could make its parent run anything.
Lengths are limited, so that it cannot fill the parent's memory either.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from elsewhere.album import decode
from elsewhere.album.edits import Spread, apply_edit
from elsewhere.album.files import HEAD_BYTES, PHOTO_KINDS, file_kind
from elsewhere.album.metadata import Metadata, make_leaks, time_in_name, to_json
from elsewhere.album.metadata_readers import (
    TAKEOUT_MAX_BYTES,
    read_embedded,
    read_takeout,
    read_xmp,
)
from elsewhere.album.renditions import encode_jpeg
from elsewhere.formats.validation import kind_of
from elsewhere.platform.cage import Cage, close_cage
from elsewhere.values.versions import Edit
from elsewhere.values.wording import printable

warm_up = decode.warm_up

_EDITS = kind_of(tuple[Edit, ...])

Answer = tuple[dict[str, Any], list[bytes]]
Task = Callable[[dict[str, Any]], Answer]


def read(request: dict[str, Any]) -> Answer:
    """Render one photo and read its metadata, or answer with the kind of failure.

    With `edits` it is rendered once for each of them, and no metadata is read.
    """
    path, *sidecars = map(Path, request["files"])
    content, *sidecar_contents = request["contents"]
    try:
        kind = file_kind(content[:HEAD_BYTES], path.suffix)
        if kind not in PHOTO_KINDS:  # the file changed since it was found
            raise decode.RefusedError("foreign")
        try:
            image = decode.open_image(content, kind)
            size = image.size
            picture = decode.render_pixels(image, request["max_side"], request["pixels"])
        except (MemoryError, decode.RefusedError):
            raise
        except Exception as problem:  # a decoder may raise anything at all on a damaged file
            raise _refusal(problem) from None
    except decode.RefusedError as refusal:
        return {"failed": refusal.kind, "detail": str(refusal)}, []
    if "edits" in request:
        if image.format == "TIFF":
            size = image.size  # it was turned while it was loaded
        spread = Spread.of(image, size, decode.read_orientation(image))
        edits = _EDITS.read(request["edits"], "edits")
        versions = (apply_edit(picture, spread, edit) for edit in edits)  # one at a time
        return {}, [encode_jpeg(version) if version else b"" for version in versions]
    metadata = read_embedded(image, content)  # before encoding, which clears it
    for sidecar, text in zip(sidecars, sidecar_contents, strict=True):
        metadata = metadata.completed_by(_read_sidecar(sidecar, text))
    if (time := time_in_name(path.name)) is not None:
        leaks = make_leaks([("file name", f"{time:%Y-%m-%d} in {path.name}")])
        metadata = metadata.completed_by(Metadata(time=time, leaks=leaks))
    return {"metadata": to_json(metadata)}, [encode_jpeg(picture)]


def _refusal(problem: Exception) -> decode.RefusedError:
    """The kind of failure behind a decoder's message, the only thing that decoders tell."""
    message = " ".join(str(problem).split()) or type(problem).__name__
    if "memory" in message.lower() and "security limit" not in message.lower():
        return decode.RefusedError("memory")
    # what a decoder says of a damaged file, often a number, helps nobody
    return decode.RefusedError(
        "damaged", "it is cut short: copy it anew" if "truncated" in message.lower() else ""
    )


def _read_sidecar(path: Path, content: bytes) -> Metadata:
    """The metadata in a sidecar; one that cannot be read has none."""
    metadata = Metadata()
    with suppress(ValueError):
        if path.suffix.lower() == ".xmp":
            metadata = read_xmp(content)
        elif len(content) <= TAKEOUT_MAX_BYTES:
            metadata = read_takeout(content)
    return metadata.completed_by(Metadata(leaks=make_leaks([("sidecar", printable(path.name))])))


OUT_OF_MEMORY = 86
"""Exit status of a worker that ended itself because it grew too large."""
_MEMORY_CHECK_SECONDS = 0.05


def main(settings: dict[str, Any]) -> None:
    """Answer requests until the pipe is closed; `settings` come from `workers.Workers`."""
    # the pipes from and to the parent, out of reach of code that prints or reads
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.close(null)
    # Ctrl-C goes to the whole group of processes; the parent decides when a worker ends.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    module, _, name = settings["task"].partition(":")
    task: Task = getattr(importlib.import_module(module), name)
    getattr(sys.modules[module], "warm_up", lambda: None)()
    cage = _confine(settings["memory"], settings["watch"])
    with suppress(BadFrameError, OSError):
        send(outbox, {"cage": asdict(cage)})
        while (frame := receive(inbox)) is not None:
            _limit_time(settings["seconds"])
            request, contents = frame
            answer, blobs = _run(task, {**request, "contents": contents})
            send(outbox, answer, blobs)
    # At once: nothing may keep a worker alive whose parent is gone.
    os._exit(0)


def _run(task: Task, request: dict[str, Any]) -> Answer:
    """One task, with everything that it can raise turned into an answer."""
    try:
        return task(request)
    except MemoryError:
        return {"failed": "memory"}, []
    except RecursionError:
        return {"failed": "damaged", "detail": "it is nested too deep"}, []
    except Exception:  # a decoder may raise anything at all
        return {"failed": "damaged"}, []


def _confine(memory: int, watch: bool) -> Cage:
    """Close the cage, limit the memory and forbid opening files, as far as the platform can."""
    try:
        import resource
    except ImportError:  # Windows: the parent's clock and the limit on pixels remain
        return close_cage()
    cage = close_cage()  # before a thread is started, and while files can be opened
    limits = [(resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    if sys.platform == "linux":  # elsewhere even asking for the current folder opens it
        limits.append((resource.RLIMIT_NOFILE, 0))
    if not watch:
        limits.append((resource.RLIMIT_AS, memory))
    for limit, value in limits:
        with suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))
    if watch:
        threading.Thread(target=_watch_memory, args=(memory,), daemon=True).start()
    return cage


def _watch_memory(memory: int) -> None:
    """End this process when it grows too large, where the system does not enforce its limit."""
    import resource

    def peak() -> int:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit

    # On some systems a process inherits the peak of the one that started it.
    memory = max(memory, peak())
    while peak() <= memory:
        time.sleep(_MEMORY_CHECK_SECONDS)
    os._exit(OUT_OF_MEMORY)


def _limit_time(seconds: float) -> None:
    """Limit the processor time, for when the parent is gone and cannot end a decoder that spins."""
    try:
        import resource
    except ImportError:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime + 2 * seconds + 2)
    hard_limit = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (limit, hard_limit))


MAX_TEXT = 4 << 20
MAX_BLOB = 288 << 20
"""Bytes of all blobs of a frame: the largest photo and its sidecars."""
_LENGTHS = struct.Struct(">II")


class BadFrameError(Exception):
    """The frame is cut short, too long or malformed."""


def send(pipe: IO[bytes], value: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
    """Send one frame."""
    text = json.dumps([value, [len(blob) for blob in blobs]]).encode("ascii")
    pipe.write(_LENGTHS.pack(len(text), sum(map(len, blobs))) + text)
    for blob in blobs:
        pipe.write(blob)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[dict[str, Any], list[bytes]] | None:
    """Receive one frame; None where the other side has closed the pipe."""
    head = pipe.read(_LENGTHS.size)
    if not head:
        return None
    if len(head) < _LENGTHS.size:
        raise BadFrameError("cut short")
    text_length, blob_length = _LENGTHS.unpack(head)
    if text_length > MAX_TEXT or blob_length > MAX_BLOB:
        raise BadFrameError("too long")
    text = pipe.read(text_length)
    if len(text) < text_length:
        raise BadFrameError("cut short")
    try:
        value, lengths = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise BadFrameError("malformed") from None
    if not isinstance(value, dict) or not isinstance(lengths, list):
        raise BadFrameError("malformed")
    if any(type(length) is not int or length < 0 for length in lengths):
        raise BadFrameError("malformed")
    if sum(lengths) != blob_length:
        raise BadFrameError("malformed")
    blobs = [pipe.read(length) for length in lengths]
    if sum(map(len, blobs)) < blob_length:
        raise BadFrameError("cut short")
    return value, blobs
