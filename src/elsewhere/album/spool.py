"""Where renditions wait: one file without a name, gone when nobody holds it any more.

A few hundred renditions would fill the memory of a small machine. A temporary file that has no
name in any folder cannot be opened by others and leaves nothing behind, not even after `kill -9`
(where the system has no such file, it is deleted when it is closed).
"""

from __future__ import annotations

import tempfile
import threading
from dataclasses import dataclass, field

from elsewhere.errors import FileError


class Spool:
    """Bytes in, a ticket out; the ticket gives the bytes back."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end = 0
        self._file = tempfile.TemporaryFile("w+b", prefix="elsewhere-")  # noqa: SIM115

    def put(self, content: bytes) -> Ticket:
        """Keep these bytes."""
        with self._lock:
            start = self._end
            try:
                self._file.seek(start)
                self._file.write(content)
                self._file.flush()
            except OSError as problem:
                raise FileError(
                    f"the folder for temporary files takes no more ({problem.strerror}): "
                    f"make room in {tempfile.gettempdir()} or set TMPDIR to another folder"
                ) from None
            self._end += len(content)
        return Ticket(self, start, len(content))

    def get(self, start: int, length: int) -> bytes:
        """The bytes of a ticket."""
        with self._lock:
            self._file.seek(start)
            return self._file.read(length)

    def close(self) -> None:
        """Forget everything now."""
        with self._lock:
            self._file.close()

    def __del__(self) -> None:
        self._file.close()


@dataclass(frozen=True)
class Ticket:
    """Some bytes in a spool."""

    spool: Spool = field(repr=False, compare=False)
    start: int
    length: int

    def read(self) -> bytes:
        """The bytes again."""
        return self.spool.get(self.start, self.length)
