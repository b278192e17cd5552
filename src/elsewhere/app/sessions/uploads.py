"""Files on the user's disk: the folder chooser, and photos that were dropped on the page.

The chooser names folders below the user's home and what was opened already, and nothing of what is
in their files. Every link in a path is followed before it is decided where the path leads.

Dropped photos go to a temporary folder that no other user can enter. The album's workers read them
there with the same limits as any other file. The folder is deleted with the album or when the
server ends; what a killed server left is deleted by the next. A name that came with a file is only
a name: whatever could lead somewhere is removed from it.
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

from elsewhere.app.api import models
from elsewhere.errors import FileError, InputError
from elsewhere.service import PHOTO_SUFFIXES, Staging, natural_key, sweep_staging
from elsewhere.values.wording import printable

MAX_FOLDERS = 2000
"""More folders than this are not shown."""
MAX_ENTRIES = 50 * MAX_FOLDERS
"""More entries of a folder than this are not read."""
MAX_FILES = 5000
ALBUM_NAME = "photos"
"""The name of an album of dropped photos."""
_MAX_DEPTH, _MAX_LENGTH = 4, 120
_NOT_THERE = "there is no folder of yours at this path: choose one below your home"


def list_folders(path: str, opened: Sequence[Path] = ()) -> models.FoldersModel:
    """The folders in a folder; "" stands for the user's home."""
    home = Path.home().resolve()
    folder, roots = _resolve_folder(path, home), [home]
    for opened_path in opened:
        with suppress(OSError, ValueError, RuntimeError):  # a loop of links leads nowhere
            roots.append(opened_path.resolve(strict=True))
    root = next((root for root in roots if folder.is_relative_to(root)), None)
    if root is None:
        raise InputError(_NOT_THERE)
    names, photos = [], 0
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= MAX_ENTRIES:
                    break
                if entry.name.startswith(".") or entry.is_symlink() or not _is_text(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                elif Path(entry.name).suffix.lower() in PHOTO_SUFFIXES:
                    photos += 1
    except OSError:
        raise InputError(_NOT_THERE) from None
    names.sort(key=natural_key)
    return models.FoldersModel(
        path=str(folder),
        parent=None if folder == root else str(folder.parent),
        folders=names[:MAX_FOLDERS],
        photos=photos,
    )


def _resolve_folder(path: str, home: Path) -> Path:
    """The folder that a path leads to, with every link followed."""
    with suppress(OSError, ValueError, RuntimeError):
        folder = (home / Path(path).expanduser()).resolve(strict=True)
        if folder.is_dir():
            return folder
    raise InputError(_NOT_THERE)


def _is_text(name: str) -> bool:
    """Whether a name can be sent to the page and come back."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


class UploadFolder:
    """A folder of dropped photos, filled file by file."""

    def __init__(self) -> None:
        self._staging = Staging(Path(tempfile.gettempdir()))
        self.folder = self._staging.folder / ALBUM_NAME
        self.folder.mkdir(mode=0o700)
        self._lock = threading.Lock()
        self._deleted = False
        self._count = 0
        self._used_names: dict[str, int] = {}

    def create(self, name: str) -> BinaryIO:
        """A new file, to be written and closed."""
        with self._lock:
            self._check_not_deleted()
            self._count += 1
            if self._count > MAX_FILES:
                raise InputError(
                    f"more than {MAX_FILES} files at once: open the folder by its path"
                )
            try:
                return self._free_path(name).open("xb")
            except OSError as problem:
                raise _disk_error(problem) from None

    def write(self, file: BinaryIO, content: bytes) -> None:
        """Write the next bytes of a file."""
        with self._lock:
            self._check_not_deleted()
            try:
                file.write(content)
            except OSError as problem:
                raise _disk_error(problem) from None

    def delete(self) -> None:
        """Delete the folder; nothing more can be written to it."""
        with self._lock:
            if not self._deleted:
                self._deleted = True
                self._staging.__exit__()

    def _check_not_deleted(self) -> None:
        if self._deleted:
            raise InputError("the photos are not wanted any more: drop them again")

    def _free_path(self, name: str) -> Path:
        """A path inside the folder that no file has yet."""
        *folders, last = safe_parts(name)
        inside = self.folder
        for folder in folders:
            inside /= folder
            inside.mkdir(mode=0o700, exist_ok=True)
        stem, dot, suffix = last.rpartition(".")
        while True:
            key = str(inside / last)
            number = self._used_names[key] = self._used_names.get(key, 0) + 1
            mark = f" ({number})" if number > 1 else ""
            path = inside / (f"{stem}{mark}{dot}{suffix}" if dot else f"{last}{mark}")
            if not path.exists():
                return path


def _disk_error(problem: OSError) -> FileError:
    return FileError(
        f"the folder for temporary files takes no more ({problem.strerror}): "
        "open the album by its path instead"
    )


def safe_parts(name: str) -> list[str]:
    r"""The parts of a name: no root, no way up, nothing that a system or terminal interprets.

    >>> safe_parts("../../etc/passwd"), safe_parts("C:\\trip\\a.jpg"), safe_parts("..")
    (['etc', 'passwd'], ['C_', 'trip', 'a.jpg'], ['photo'])
    """
    parts = [re.sub(r'[<>:"|?*\x00-\x1f\\]', "_", part) for part in re.split(r"[/\\]+", name)]
    shortened = [_shorten(printable(part)) for part in parts if part.strip(". ")]
    return shortened[-_MAX_DEPTH:] or ["photo"]


def _shorten(part: str) -> str:
    """The part within the limit of bytes, with its ending."""
    part = part.replace("\\", "_")
    stem, dot, suffix = part.rpartition(".")
    if len(part.encode()) <= _MAX_LENGTH:
        return part
    length = _MAX_LENGTH - len(suffix.encode()[:20]) - 1
    cut = (stem if dot else part).encode()[:length].decode("utf-8", "ignore")
    return f"{cut}.{suffix.encode()[:20].decode('utf-8', 'ignore')}" if dot else cut


def sweep_uploads() -> None:
    """Delete what killed servers left."""
    sweep_staging(Path(tempfile.gettempdir()))
