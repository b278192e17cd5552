"""A copy as it lies on the disk, a folder or a zip: what is in it, and its bytes.

Read by whoever has to prove something of it, so nothing is passed over: a hidden file, a link or
a folder inside is listed like any other entry, but only plain files are ever read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from elsewhere.album.archive import Entry, read_entries, read_entry
from elsewhere.album.file_names import printable
from elsewhere.album.files import NotPlainError, whole
from elsewhere.errors import FileError

ZIP = ".zip"


@dataclass(frozen=True)
class Copy:
    """What lies at a path: the names in it, whatever they are."""

    path: Path
    names: tuple[str, ...]
    """Every entry, sorted."""
    _entries: Mapping[str, Entry] | None = None
    """For an archive, where each is; None for a folder."""

    def read(self, name: str) -> bytes:
        """The bytes of one of the names, from the disk; a FileError where it has none."""
        try:
            if self._entries is not None:
                return read_entry(self.path, self._entries[name])
            file = self.path / name
            content = None if file.is_symlink() else whole(file)
        except NotPlainError:
            content = None
        except OSError as problem:
            raise FileError(
                f"{printable(name)} cannot be read ({problem.strerror or problem}): "
                f"check {self.path}"
            ) from None
        if content is None:
            raise FileError(f"{printable(name)} is not a photo's file: take it out of {self.path}")
        return content


def is_archive(target: Path) -> bool:
    """Whether a name asks for a zip rather than for a folder."""
    return target.suffix.lower() == ZIP


def open_copy(path: Path) -> Copy:
    """The copy at a path; a FileError where there is none, or no telling what it is."""
    try:
        if path.is_dir():
            with os.scandir(path) as listing:
                return Copy(path, tuple(sorted(entry.name for entry in listing)))
        if not path.exists():
            raise FileError(f"{path} does not exist: give the folder or zip that was exported")
        if not path.is_file():
            raise FileError(f"{path} is neither a folder nor a zip: give what was exported")
        entries = {entry.name: entry for entry in read_entries(path)}
    except OSError as problem:
        raise FileError(
            f"{path} cannot be read ({problem.strerror or problem}): check its permissions"
        ) from None
    return Copy(path, tuple(sorted(entries)), entries)
