"""Photos that were dropped on the page: in a folder of ours that nobody else can enter.

They are read from there by the album's workers, with the same limits as any other file, and the
folder goes when the album does, or when the server ends. A name that came with a file is taken
for a name only: whatever could lead somewhere is left out of it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from elsewhere.album.names import printable
from elsewhere.errors import FileError, InputError

MOST_FILES = 5000
_DEPTH, _LENGTH = 4, 120


class Dropped:
    """A folder of dropped photos, filled file by file."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="elsewhere-dropped-"))
        self._count = 0

    def create(self, name: str) -> BinaryIO:
        """A new file, to be written and closed."""
        self._count += 1
        if self._count > MOST_FILES:
            raise InputError(f"more than {MOST_FILES} files at once: open the folder by its path")
        try:
            return self._free(name).open("xb")
        except OSError as problem:
            raise _full(problem) from None

    def write(self, file: BinaryIO, content: bytes) -> None:
        """The next bytes of a file."""
        try:
            file.write(content)
        except OSError as problem:
            raise _full(problem) from None

    def forget(self) -> None:
        """Delete everything."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _free(self, name: str) -> Path:
        """A path inside the folder that is not taken."""
        *folders, last = parts(name)
        inside = self.folder.joinpath(*folders)
        inside.mkdir(mode=0o700, parents=True, exist_ok=True)
        for number in _numbers():
            stem, dot, suffix = last.rpartition(".")
            told = f" ({number})" if number > 1 else ""
            path = inside / (f"{stem}{told}{dot}{suffix}" if dot else f"{last}{told}")
            if not path.exists():
                return path
        raise AssertionError("there is always another number")


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


def _numbers() -> Iterator[int]:
    number = 1
    while True:
        yield number
        number += 1
