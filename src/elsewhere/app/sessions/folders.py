"""The path chooser: names of folders below the user's own, and nothing of what is in their files.

What a path leads to is decided after every link in it was followed; whatever then lies outside
the user's home, and outside what was opened already, is not there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from elsewhere.album.file_names import natural
from elsewhere.app.api import models
from elsewhere.errors import InputError

PHOTOS = frozenset({
    ".avif", ".heic", ".heif", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp",
})  # fmt: skip
MOST = 2000
"""More folders than anybody looks through; more entries are not even read."""
_NOT_THERE = "there is no folder of yours at this path: choose one below your home"


def folders(path: str, opened: Sequence[Path] = ()) -> models.Folders:
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
                elif Path(entry.name).suffix.lower() in PHOTOS:
                    photos += 1
    except OSError:
        raise InputError(_NOT_THERE) from None
    names.sort(key=natural)
    parent = None if where == root else str(where.parent)
    return models.Folders(path=str(where), parent=parent, folders=names[:MOST], photos=photos)


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
