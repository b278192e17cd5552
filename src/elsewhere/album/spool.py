"""Where renditions wait: one file without a name, gone when nobody holds it any more.

A few hundred renditions would fill the memory of a small machine. A temporary file that has no
name in any folder cannot be opened by others and leaves nothing behind, not even after `kill -9`
(where the system has no such file, it is deleted when it is closed). Whoever needs bytes no longer
gives their room back, and it is written over: thousands of photos that only pass through take no
more room than the few that are under way.
"""

from __future__ import annotations

import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from elsewhere.errors import FileError


class Spool:
    """Bytes in, a ticket out; the ticket gives the bytes back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[int, int] = {}
        """Where what is kept begins, and how long it is."""
        self._gaps: list[tuple[int, int]] = []
        """What was given back, from the front on: where it begins, where it ends."""
        self.size = 0
        """How many bytes the file has on the disk."""
        try:
            self._file = tempfile.TemporaryFile("w+b", prefix="elsewhere-")  # noqa: SIM115
        except OSError as problem:
            raise _no_room(problem) from None

    def put(self, content: bytes) -> Ticket:
        """Keep these bytes."""
        with self._lock:
            start = self._room(len(content))
            try:
                self._file.seek(start)
                self._file.write(content)
                self._file.flush()
            except OSError as problem:
                raise _no_room(problem) from None
            if content:
                self._held[start] = len(content)
            self.size = max(self.size, start + len(content))
        return Ticket(self, start, len(content))

    def get(self, start: int, length: int) -> bytes:
        """The bytes of a ticket that nobody gave back."""
        with self._lock:
            if length and self._held.get(start) != length:
                raise FileError("a rendition was asked for after it was given up")
            self._file.seek(start)
            return self._file.read(length)

    def forget(self, start: int, length: int) -> None:
        """Give the room of a ticket back; what lies there is written over."""
        with self._lock:
            if self._held.get(start) != length:
                return
            del self._held[start]
            joined: list[tuple[int, int]] = []
            for begin, end in sorted([*self._gaps, (start, start + length)]):
                if joined and joined[-1][1] == begin:
                    joined[-1] = (joined[-1][0], end)
                else:
                    joined.append((begin, end))
            self._gaps = joined

    def _room(self, length: int) -> int:
        """Where so many bytes fit: in the first gap that is large enough, else at the end."""
        for number, (begin, end) in enumerate(self._gaps):
            if end - begin >= length:
                self._gaps[number : number + 1] = [(begin + length, end)] * (end > begin + length)
                return begin
        if self._gaps and self._gaps[-1][1] == self.size:  # the last gap grows with the file
            return self._gaps.pop()[0]
        return self.size

    def close(self) -> None:
        """Forget everything now."""
        with self._lock:
            self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):  # there may have been no room for it
            self._file.close()


def _no_room(problem: OSError) -> FileError:
    where = "make room there"
    with suppress(OSError):  # there may be no folder at all
        where = f"make room in {tempfile.gettempdir()}"
    return FileError(
        f"the folder for temporary files takes no more ({problem.strerror or problem}): {where} "
        "or set TMPDIR to another folder"
    )


@dataclass(frozen=True)
class Ticket:
    """Some bytes in a spool."""

    spool: Spool = field(repr=False, compare=False)
    start: int
    length: int

    def read(self) -> bytes:
        """The bytes again."""
        return self.spool.get(self.start, self.length)

    def forget(self) -> None:
        """Nobody will ask for them any more."""
        self.spool.forget(self.start, self.length)
