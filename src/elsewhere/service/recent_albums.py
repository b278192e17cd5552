"""The albums that the app opened last, each with what was decided of it.

Kept in the user's data directory, for this user alone, and deleted with everything else. It names
places, so no more is kept than what brings an album back: its folders and the wishes. A file that
cannot be read or written costs nothing but the memory.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from elsewhere.album.files import read_file
from elsewhere.errors import FileError, InputError
from elsewhere.formats.validation import kind_of, parse
from elsewhere.platform.files import erase, write_zeros
from elsewhere.platform.machine import user_folder
from elsewhere.service.private_files import make_private, recent_file, write_private

MAX_ALBUMS = 12
MAX_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class RecentAlbum:
    """An album that was opened by path, and what was decided of it last."""

    paths: tuple[str, ...]
    """As they were opened: absolute."""
    name: str
    photos: int
    day: str
    """When it was last worked on: 2026-05-31."""
    wishes: str
    """The wishes as JSON; the app knows what is in them."""
    home: tuple[float, float] | None = None
    """The one place that was hidden, where it was one of several."""


_ALBUMS = kind_of(tuple[RecentAlbum, ...])


def recent_albums() -> tuple[RecentAlbum, ...]:
    """The last albums, the latest first; none where the file does not hold any."""
    with suppress(OSError, InputError):
        content = read_file(recent_file(), MAX_BYTES)
        if content is not None:
            return tuple(_ALBUMS.read(parse(content), "recent albums"))
    return ()


def remember_album(album: RecentAlbum) -> None:
    """Put an album first; the oldest ones go."""
    others = [other for other in recent_albums() if other.paths != album.paths]
    _write((album, *others)[:MAX_ALBUMS])


def forget_album(paths: tuple[str, ...]) -> None:
    """Forget one album, if need be with the others; see `_write` on what stays on the disk."""
    others = tuple(album for album in recent_albums() if album.paths != paths)
    if not others or not _write(others):
        for remove in (erase, Path.unlink):  # what cannot be written over is removed all the same
            with suppress(OSError):
                remove(recent_file())


def _write(albums: tuple[RecentAlbum, ...]) -> bool:
    """Write the file, or leave it as it was.

    What it held before is overwritten, but on Windows, where its bytes may stay on the disk.
    """
    file, old = recent_file(), None
    if sys.platform != "win32":  # Windows does not replace a file that is open
        with suppress(OSError):
            old = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        make_private(user_folder("data"))
        write_private(file, json.dumps(_ALBUMS.write(albums)))
        if old is not None:
            write_zeros(old)
    except (FileError, OSError):
        return False
    finally:
        if old is not None:
            os.close(old)
    return True


def said_home(albums: tuple[RecentAlbum, ...]) -> tuple[float, float] | None:
    """What the user last hid alone where an album has several places: probably home."""
    return next((album.home for album in albums if album.home is not None), None)
