"""A pool of worker processes: a hostile file breaks one worker, for one file.

A worker is started as a program of its own, not forked: it inherits nothing of the parent but a
few harmless variables, works
the same on every platform, and needs no guard in the caller's script. Requests and answers go
through pipes. A worker that takes too long is killed, and one that died is replaced; its file
fails with the reason, and the others never notice.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
from _thread import LockType, allocate_lock
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from queue import LifoQueue
from typing import Any

from elsewhere.album.decode import RefusedError
from elsewhere.album.files import NotPlainError, read_file
from elsewhere.album.metadata_readers import XMP_MAX_BYTES
from elsewhere.album.worker import OUT_OF_MEMORY, BadFrameError, receive, send
from elsewhere.errors import FileError
from elsewhere.platform.cage import Cage
from elsewhere.platform.machine import bare_environment, worker_count
from elsewhere.platform.threads import ThreadPool, start_thread

_START_SECONDS = 120.0
"""How long a worker may take to start, also on a busy machine."""
_MAX_STARTS = 2
"""After so many starts without a frame the pool gives up."""

_MAX_SIDECARS = 8

_NO_WORKER = (
    "no worker process could be started with {} ({}): photos are decoded in processes of their "
    "own, see whether the system forbids them"
)

# The worker looks for modules where the parent does, never in the current folder, whose files may
# be untrusted. The package's `__init__` is not run, because it loads the solver.
_BOOT = """\
import json, sys, types
settings = json.loads(sys.argv[1])
sys.path[:] = settings["path"]
package = types.ModuleType("elsewhere")
package.__path__ = [settings["package"]]
sys.modules["elsewhere"] = package
from elsewhere.album.worker import main
main(settings)
"""


@dataclass(frozen=True)
class Limits:
    """Limits for one file."""

    seconds: float = 60.0
    """Elapsed time; a photo takes a tenth of a second, or ten on a slow machine."""
    memory: int = 2 << 30
    """Bytes; the largest photo that the limit on pixels allows takes about half."""
    watch: bool = sys.platform != "linux"
    """Let the worker watch its own memory, where the system does not enforce a limit."""


@dataclass(frozen=True)
class Reply:
    """The answer of a task with its blobs, or the kind of failure."""

    answer: dict[str, Any] = field(default_factory=dict)
    blobs: list[bytes] = field(default_factory=list, repr=False)
    failed: str = ""
    """Empty, "time", "memory", "crash", or the kind that the task itself failed with."""
    digest: str = ""
    """SHA-256 of the photo that the task was given."""


class Workers(contextlib.AbstractContextManager["Workers"]):
    """The pool. Use it in a `with` block: at its end no worker is left."""

    def __init__(self, task: str, limits: Limits | None = None, count: int | None = None) -> None:
        """`task` names a function as "package.module:function"; it runs in the workers."""
        self.limits = limits or Limits()
        self.count = count or worker_count()
        self.ended = False
        """Whether the pool was closed, by its user or because a caller of `each` was stopped."""
        self._idle: LifoQueue[_WorkerProcess] = LifoQueue()
        self._all: list[_WorkerProcess] = []
        try:
            for _ in range(self.count):
                worker = _WorkerProcess(task, self.limits)
                worker.start()  # it starts up while the files are being found
                self._all.append(worker)
                self._idle.put(worker)
        except BaseException:
            self.close()
            raise

    def cage(self) -> Cage:
        """What holds in the workers on this system; waits until one has started."""
        worker = self._idle.get()
        try:
            with worker.lock:
                return worker.wait() or Cage()
        finally:
            self._idle.put(worker)

    def close(self, *problem: object) -> None:
        """End all workers, also those that are at work."""
        self.ended = True
        for worker in self._all:
            worker.ended = True
            worker.process.kill()  # before the lock, to release a caller that waits for it
            with worker.lock:
                worker.discard()

    __exit__ = close

    def ask(self, request: dict[str, Any], content: bytes | None = None) -> Reply:
        """One task, in any free worker; safe to call from several threads.

        A worker opens no file: it gets the names of `request["files"]`, a photo and its sidecars,
        and their contents. `content` is a photo that is in no file; its path is only a name.
        """
        files = [Path(file) for file in request.get("files", ())]
        try:
            contents = _read_files(files, content)
        except RefusedError as refusal:
            return Reply({"detail": str(refusal)}, failed=refusal.kind)
        worker = self._idle.get()
        try:
            names = [file.name for file in files[: len(contents)]]
            reply = worker.ask({**request, "files": names}, contents)
            return replace(reply, digest=sha256(contents[0]).hexdigest()) if contents else reply
        finally:
            self._idle.put(worker)

    def each(self, requests: Iterable[dict[str, Any]]) -> Generator[Reply, None, None]:
        """The replies in the order of the requests; only a few are in progress at once."""
        in_progress: deque[Future[Reply]] = deque()
        complete = False
        threads = ThreadPool(self.count)
        try:
            for request in requests:
                in_progress.append(threads.submit(self.ask, request))
                if len(in_progress) >= 2 * self.count:
                    yield in_progress.popleft().result()
            while in_progress:
                yield in_progress.popleft().result()
            complete = True
        finally:
            if not complete:
                # The caller stopped: do not wait for replies that nobody wants.
                self.close()
            threads.shutdown(wait=True, cancel_futures=True)


def _read_files(files: Sequence[Path], content: bytes | None) -> list[bytes]:
    """The bytes of a photo and of its sidecars; a sidecar that cannot be read is empty."""
    if not files:
        return []
    try:
        content = read_file(files[0]) if content is None else content
    except NotPlainError:
        raise RefusedError("special") from None
    except MemoryError:
        raise RefusedError("memory") from None
    except (OSError, ValueError) as problem:  # a path from a dataset may have any characters
        found = getattr(problem, "strerror", problem)
        reason = f"it cannot be read ({found}): check it and its permissions"
        raise RefusedError("unreadable", reason) from None
    if not content:
        raise RefusedError("large" if content is None else "empty")
    contents = [content]
    for sidecar in files[1 : 1 + _MAX_SIDECARS]:
        contents.append(b"")
        with contextlib.suppress(OSError, MemoryError):
            contents[-1] = read_file(sidecar, XMP_MAX_BYTES) or b""
    return contents


@dataclass(eq=False)
class _WorkerProcess:
    """One place in the pool, and its current process."""

    task: str
    limits: Limits
    process: subprocess.Popen[bytes] = field(init=False)
    ended: bool = False
    _cage: Cage | None = None
    """What holds in the process; None while it starts."""
    _timed_out: bool = False
    _unanswered: LockType | None = None
    """Released when the answer to the current request has come."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    _timer_lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        """Start a process; its first frame is not waited for."""
        self._cage, self._timed_out = None, False
        settings = {
            "path": [str(Path(entry).resolve()) for entry in sys.path if entry],
            "package": str(Path(__file__).resolve().parent.parent),
            "task": self.task,
            "seconds": self.limits.seconds,
            "memory": self.limits.memory,
            "watch": self.limits.watch,
        }
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, json.dumps(settings)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=bare_environment(),
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except (OSError, TypeError) as problem:  # no program, no more processes
            raise FileError(_NO_WORKER.format(sys.executable, problem)) from None

    def wait(self) -> Cage | None:
        """Wait until the process is ready; what holds in it, or None if the pool has ended."""
        for _ in range(_MAX_STARTS):
            if self.ended or self._cage is not None:
                break
            if (first := self._exchange(None, _START_SECONDS)) is not None:
                self._cage = Cage(**first[0]["cage"])
            else:
                self.discard()
                self.start()
        if self._cage is None and not self.ended:
            raise FileError(_NO_WORKER.format(sys.executable, "it ended at once"))
        return None if self.ended else self._cage

    def ask(self, request: dict[str, Any], contents: list[bytes]) -> Reply:
        with self.lock:
            if self.wait() is None:
                return Reply(failed="crash")
            frame = self._exchange(request, self.limits.seconds, contents)
        if frame is not None:
            answer, blobs = frame
            reply = Reply(answer, blobs, str(answer.get("failed", "")))
        else:
            self.process.kill()
            status = self.process.wait()
            died = "memory" if status == OUT_OF_MEMORY else "crash"
            reply = Reply(failed="time" if self._timed_out else died)
        if frame is None or reply.failed == "memory":
            with self.lock:  # even one that is alive: its memory is fragmented
                self.discard()
                if not self.ended:
                    self.start()
        return reply

    def _exchange(
        self, request: dict[str, Any] | None, seconds: float, contents: Sequence[bytes] = ()
    ) -> tuple[dict[str, Any], list[bytes]] | None:
        """Send a request and receive its answer; None when the worker died or was killed."""
        process = self.process
        assert process.stdin and process.stdout
        unanswered = allocate_lock()
        unanswered.acquire()

        def watch() -> None:
            if not unanswered.acquire(timeout=seconds):
                self._time_out(process, unanswered)

        self._unanswered = unanswered
        start_thread(watch)
        try:
            if request is not None:
                send(process.stdin, request, contents)
            return receive(process.stdout)
        except (BadFrameError, OSError, ValueError):
            return None
        finally:
            with self._timer_lock:
                self._unanswered = None
            unanswered.release()

    def _time_out(self, process: subprocess.Popen[bytes], unanswered: LockType) -> None:
        with self._timer_lock:  # an answer just in time must not cost the next file
            if self._unanswered is unanswered:
                self._timed_out = True
                process.kill()

    def discard(self) -> None:
        """End the process, with its pipes."""
        process = self.process
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
