"""The path chooser: names of folders below the user's own, and nothing of what is in their files.

What a path leads to is decided after every link in it was followed; whatever then lies outside
the user's home, and outside what was opened already, is not there.

Photos that were dropped on the page: in a folder of ours that nobody else can enter.

They are read from there by the album's workers, with the same limits as any other file, and the
folder goes when the album does, or when the server ends; what a killed one left is taken away by
the next (`album.staging` holds a lock in it). A name that came with a file is taken for a name
only: whatever could lead somewhere is left out of it.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from elsewhere.album.files import PHOTO_SUFFIXES, natural_key
from elsewhere.album.staging import Staging, sweep
from elsewhere.app.api import models
from elsewhere.errors import FileError, InputError
from elsewhere.values.wording import printable

MOST = 2000
"""More folders than anybody looks through; more entries are not even read."""
_NOT_THERE = "there is no folder of yours at this path: choose one below your home"


def folders(path: str, opened: Sequence[Path] = ()) -> models.FoldersModel:
    """The folders in a folder; "" stands for the user's home."""
    home = Path.home().resolve()
    roots = [home, *_resolved(opened)]
    where = _real(path, home)
    root = next((one for one in roots if where.is_relative_to(one)), None)
    if root is None:
        raise InputError(_NOT_THERE)
    names, photos = [], 0
    try:
        with os.scandir(where) as entries:
            for number, entry in enumerate(entries):
                if number >= 50 * MOST:
                    break
                if entry.name.startswith(".") or entry.is_symlink() or _unsaid(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                elif Path(entry.name).suffix.lower() in PHOTO_SUFFIXES:
                    photos += 1
    except OSError:
        raise InputError(_NOT_THERE) from None
    names.sort(key=natural_key)
    parent = None if where == root else str(where.parent)
    return models.FoldersModel(path=str(where), parent=parent, folders=names[:MOST], photos=photos)


def _resolved(paths: Sequence[Path]) -> list[Path]:
    """Where they lead; a loop of links leads nowhere."""
    found = []
    for one in paths:
        with suppress(OSError, ValueError, RuntimeError):
            found.append(one.resolve(strict=True))
    return found


def _real(path: str, home: Path) -> Path:
    """Where a path leads, with every link followed."""
    try:
        given = Path(path).expanduser() if path else home
        where = (home / given).resolve(strict=True)
        if not where.is_dir():
            raise InputError(_NOT_THERE)
        return where
    except (OSError, ValueError, RuntimeError):
        raise InputError(_NOT_THERE) from None


def _unsaid(name: str) -> bool:
    """Whether a name is no text, so that it could not be sent and come back."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


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
