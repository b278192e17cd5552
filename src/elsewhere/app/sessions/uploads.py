"""Photos that were dropped on the page: in a folder of ours that nobody else can enter.

They are read from there by the album's workers, with the same limits as any other file, and the
folder goes when the album does, or when the server ends; what a killed one left is taken away by
the next (`album.staging` holds a lock in it). A name that came with a file is taken for a name
only: whatever could lead somewhere is left out of it.
"""

from __future__ import annotations

import re
import tempfile
import threading
from pathlib import Path
from typing import BinaryIO

from elsewhere.album.file_names import printable
from elsewhere.album.staging import Staging, sweep
from elsewhere.errors import FileError, InputError

MOST_FILES = 5000
CALLED = "photos"
"""What an album of dropped photos is called, for it has no name of its own."""
_DEPTH, _LENGTH = 4, 120


class UploadFolder:
    """A folder of dropped photos, filled file by file."""

    def __init__(self) -> None:
        self._staging = Staging(Path(tempfile.gettempdir()))
        self.folder = self._staging.folder / CALLED
        self.folder.mkdir(mode=0o700)
        self._lock = threading.Lock()
        self._forgotten = False
        self._count = 0
        self._taken: dict[str, int] = {}

    def create(self, name: str) -> BinaryIO:
        """A new file, to be written and closed."""
        with self._lock:
            self._wanted()
            self._count += 1
            if self._count > MOST_FILES:
                raise InputError(
                    f"more than {MOST_FILES} files at once: open the folder by its path"
                )
            try:
                return self._free(name).open("xb")
            except OSError as problem:
                raise _full(problem) from None

    def write(self, file: BinaryIO, content: bytes) -> None:
        """The next bytes of a file."""
        with self._lock:
            self._wanted()
            try:
                file.write(content)
            except OSError as problem:
                raise _full(problem) from None

    def forget(self) -> None:
        """Delete everything; whoever is still writing is stopped first, and writes no more."""
        with self._lock:
            if not self._forgotten:
                self._forgotten = True
                self._staging.__exit__()

    def _wanted(self) -> None:
        if self._forgotten:
            raise InputError("the photos are not wanted any more: drop them again")

    def _free(self, name: str) -> Path:
        """A path inside the folder that is not taken."""
        *folders, last = parts(name)
        inside = self.folder
        for folder in folders:
            inside /= folder
            inside.mkdir(mode=0o700, exist_ok=True)
        stem, dot, suffix = last.rpartition(".")
        while True:
            key = str(inside / last)
            number = self._taken[key] = self._taken.get(key, 0) + 1
            told = f" ({number})" if number > 1 else ""
            path = inside / (f"{stem}{told}{dot}{suffix}" if dot else f"{last}{told}")
            if not path.exists():
                return path


def _full(problem: OSError) -> FileError:
    return FileError(
        f"the folder for temporary files takes no more ({problem.strerror}): "
        "open the album by its path instead"
    )


def parts(name: str) -> list[str]:
    r"""A name as plain parts: no root, no way up, nothing that a terminal or a system minds.

    >>> parts("../../etc/passwd"), parts("C:\\trip\\a.jpg"), parts("..")
    (['etc', 'passwd'], ['C_', 'trip', 'a.jpg'], ['photo'])
    """
    found = [re.sub(r'[<>:"|?*\x00-\x1f\\]', "_", part) for part in re.split(r"[/\\]+", name)]
    kept = [_short(printable(part)) for part in found if part.strip(". ")]
    return kept[-_DEPTH:] or ["photo"]


def _short(part: str) -> str:
    """At most so many bytes, its ending kept."""
    part = part.replace("\\", "_")
    stem, dot, suffix = part.rpartition(".")
    if len(part.encode()) <= _LENGTH:
        return part
    room = _LENGTH - len(suffix.encode()[:20]) - 1
    cut = (stem if dot else part).encode()[:room].decode("utf-8", "ignore")
    return f"{cut}.{suffix.encode()[:20].decode('utf-8', 'ignore')}" if dot else cut


def sweep_uploads() -> None:
    """Take away what servers left that were killed."""
    sweep(Path(tempfile.gettempdir()))
