"""A copy on the disk, a folder or a zip: its entries and their bytes.

A copy is read to prove something about it, so nothing is passed over: a hidden file, a link or a
folder inside is listed like any other entry, but only plain files are read.

Zips are as plain as the format allows: every entry is stored, dated 1980, with one mode and without
extra fields or comments. The reader accepts only what the writer could have written, byte for byte.
So an archive has no place for anything but the files, and bombs, false sizes, paths that lead out
and encryption have nothing to work on.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from elsewhere.album.files import NotPlainError, read_file
from elsewhere.errors import FileError
from elsewhere.values.wording import printable

LOCAL_HEADER = struct.Struct("<4s5H3I2H")
"""What stands before each file of an archive."""
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_VERSION_NEEDED, _VERSION_MADE_BY = 20, 3 << 8 | 20
_UTF8 = 1 << 11
_TIME, _DATE = 0, 1 << 5 | 1
"""Midnight of 1 January 1980, the earliest time of the format."""
_MODE = 0o100644 << 16
_MAX_SIZE = 0xFFFFFFFF
_MAX_ENTRIES = 0xFFFF
ZIP = ".zip"
"""The suffix of a target that is to be a zip rather than a folder."""


@dataclass(frozen=True)
class ArchiveEntry:
    """One file in an archive."""

    name: str
    size: int
    crc: int
    start: int
    """Where its header begins."""

    @property
    def content_start(self) -> int:
        """Where its bytes begin."""
        return self.start + len(self.local_header())

    def local_header(self) -> bytes:
        """The header before its bytes."""
        name = self.name.encode("utf-8")
        fields = (
            b"PK\3\4", _VERSION_NEEDED, _UTF8, 0, _TIME, _DATE,
            self.crc, self.size, self.size, len(name), 0,
        )  # fmt: skip
        return LOCAL_HEADER.pack(*fields) + name

    def central_header(self) -> bytes:
        """Its line in the list at the end."""
        name = self.name.encode("utf-8")
        fields = (
            b"PK\1\2", _VERSION_MADE_BY, _VERSION_NEEDED, _UTF8, 0, _TIME, _DATE,
            self.crc, self.size, self.size, len(name), 0, 0, 0, 0, _MODE, self.start,
        )  # fmt: skip
        return _CENTRAL.pack(*fields) + name


def write_archive(file: BinaryIO, files: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive of these files, in this order."""
    entries: list[ArchiveEntry] = []
    at = 0
    for name, content in files:
        entry = ArchiveEntry(name, len(content), zlib.crc32(content), at)
        at = entry.content_start + len(content)
        if at > _MAX_SIZE or len(entries) == _MAX_ENTRIES:
            raise FileError(
                "a zip holds at most 4 GiB and 65,535 photos: name a folder to export to instead"
            )
        file.write(entry.local_header())
        file.write(content)
        entries.append(entry)
    file.write(_tail(entries, at))


def read_entries(path: Path) -> list[ArchiveEntry]:
    """The entries of an archive that `write_archive` could have written; else a FileError."""
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        entries: list[ArchiveEntry] = []
        at = 0
        while True:
            file.seek(at)
            header = file.read(LOCAL_HEADER.size)
            complete = header[:4] == b"PK\3\4" and len(header) == LOCAL_HEADER.size
            if not complete or len(entries) > _MAX_ENTRIES:
                break
            fields = LOCAL_HEADER.unpack(header)
            crc, size, name_length = fields[6], fields[7], fields[9]
            try:
                name = file.read(name_length).decode("utf-8")
            except UnicodeDecodeError:
                raise _foreign(path) from None
            entry = ArchiveEntry(name, size, crc, at)
            same = entry.local_header() == header + name.encode("utf-8")
            if not same or entry.content_start + size > length:
                raise _foreign(path)
            entries.append(entry)
            at = entry.content_start + size
        file.seek(at)
        tail = _tail(entries, at) if at <= _MAX_SIZE and len(entries) <= _MAX_ENTRIES else b""
        if length - at != len(tail) or file.read(len(tail)) != tail or not entries:
            raise _foreign(path)
    if len({entry.name for entry in entries}) < len(entries):
        raise _foreign(path)
    return entries


def read_entry(path: Path, entry: ArchiveEntry) -> bytes:
    """The bytes of one entry, compared with its checksum."""
    with path.open("rb") as file:
        file.seek(entry.content_start)
        content = file.read(entry.size)
    if len(content) != entry.size or zlib.crc32(content) != entry.crc:
        raise FileError(
            f"{path} is damaged: {entry.name} does not match its checksum, "
            "so copy or export it again"
        )
    return content


def _tail(entries: list[ArchiveEntry], at: int) -> bytes:
    """What follows the last file: the list of all files, and its position."""
    listing = b"".join(entry.central_header() for entry in entries)
    count = len(entries)
    return listing + _END.pack(b"PK\5\6", 0, 0, count, count, len(listing), at, 0)


def _foreign(path: Path) -> FileError:
    return FileError(
        f"{path} is not a zip as elsewhere writes them, so it may hold more than it shows: "
        "unpack it and look at the folder, or export again"
    )


@dataclass(frozen=True)
class Copy:
    """A folder or zip, and the names of all its entries."""

    path: Path
    names: tuple[str, ...]
    """All entries, sorted."""
    _entries: Mapping[str, ArchiveEntry] | None = None
    """The entries of an archive by name; None for a folder."""

    def read(self, name: str) -> bytes:
        """The bytes of one entry, from the disk; FileError where it is not a plain file."""
        try:
            if self._entries is not None:
                return read_entry(self.path, self._entries[name])
            file = self.path / name
            content = None if file.is_symlink() else read_file(file)
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


def open_copy(path: Path) -> Copy:
    """The copy at a path; FileError where there is none, or where it is not a copy of ours."""
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
