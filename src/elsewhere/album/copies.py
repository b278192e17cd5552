"""A zip as plain as one can be, and the proof that one is: no field tells anything.

All entries are alike: stored, dated 1980, with one mode, without extra fields or comments. The
reader accepts only what the writer could have written, byte for byte. So there is no place in an
archive for anything but the files, and nothing for bombs, false sizes, paths that lead out, or
encryption to work on.

A copy as it lies on the disk, a folder or a zip: what is in it, and its bytes.

Read by whoever has to prove something of it, so nothing is passed over: a hidden file, a link or
a folder inside is listed like any other entry, but only plain files are ever read.
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

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_NEEDED, _MADE_BY = 20, 3 << 8 | 20
_UTF8 = 1 << 11
_TIME, _DATE = 0, 1 << 5 | 1
"""Midnight of 1 January 1980, the earliest that the format can say."""
_MODE = 0o100644 << 16
_MOST = 0xFFFFFFFF
_MOST_ENTRIES = 0xFFFF
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Entry:
    """One file in an archive."""

    name: str
    size: int
    crc: int
    start: int
    """Where its header begins."""

    @property
    def _name(self) -> bytes:
        return self.name.encode("utf-8")

    @property
    def content(self) -> int:
        """Where its bytes begin."""
        return self.start + _LOCAL.size + len(self._name)

    def local(self) -> bytes:
        """The header before its bytes."""
        return (
            _LOCAL.pack(
                b"PK\3\4", _NEEDED, _UTF8, 0, _TIME, _DATE,
                self.crc, self.size, self.size, len(self._name), 0,
            )
            + self._name
        )  # fmt: skip

    def central(self) -> bytes:
        """Its line in the list at the end."""
        return (
            _CENTRAL.pack(
                b"PK\1\2", _MADE_BY, _NEEDED, _UTF8, 0, _TIME, _DATE,
                self.crc, self.size, self.size, len(self._name), 0, 0, 0, 0, _MODE, self.start,
            )
            + self._name
        )  # fmt: skip


def write_archive(file: BinaryIO, files: Iterable[tuple[str, bytes]]) -> None:
    """Write an archive of these files, in this order."""
    entries: list[Entry] = []
    at = 0
    for name, content in files:
        entry = Entry(name, len(content), zlib.crc32(content), at)
        at = entry.content + len(content)
        if at > _MOST or len(entries) == _MOST_ENTRIES:
            raise FileError(
                "a zip holds at most 4 GiB and 65,535 photos: name a folder to export to instead"
            )
        file.write(entry.local())
        file.write(content)
        entries.append(entry)
    file.write(_tail(entries, at))


def read_entries(path: Path) -> list[Entry]:
    """The entries of an archive that `write_archive` could have written; else a FileError."""
    with path.open("rb") as file:
        length = os.fstat(file.fileno()).st_size
        entries: list[Entry] = []
        at = 0
        while True:
            file.seek(at)
            head = file.read(_LOCAL.size)
            if head[:4] != b"PK\3\4" or len(head) < _LOCAL.size or len(entries) > _MOST_ENTRIES:
                break
            fields = _LOCAL.unpack(head)
            crc, size, long = fields[6], fields[7], fields[9]
            try:
                name = file.read(long).decode("utf-8")
            except UnicodeDecodeError:
                raise _foreign(path) from None
            entry = Entry(name, size, crc, at)
            if entry.local() != head + name.encode("utf-8") or entry.content + size > length:
                raise _foreign(path)
            entries.append(entry)
            at = entry.content + size
        file.seek(at)
        tail = _tail(entries, at) if at <= _MOST and len(entries) <= _MOST_ENTRIES else b""
        if length - at != len(tail) or file.read(len(tail)) != tail or not entries:
            raise _foreign(path)
    if len({entry.name for entry in entries}) < len(entries):
        raise _foreign(path)
    return entries


def read_entry(path: Path, entry: Entry) -> bytes:
    """The bytes of one entry, held against its checksum."""
    with path.open("rb") as file:
        file.seek(entry.content)
        content = file.read(entry.size)
    if len(content) != entry.size or zlib.crc32(content) != entry.crc:
        raise FileError(f"{path} is damaged: {entry.name} does not have its checksum")
    return content


def _tail(entries: list[Entry], at: int) -> bytes:
    """What follows the last file: the list of all, and where it is."""
    listing = b"".join(entry.central() for entry in entries)
    count = len(entries)
    return listing + _END.pack(b"PK\5\6", 0, 0, count, count, len(listing), at, 0)


def _foreign(path: Path) -> FileError:
    return FileError(
        f"{path} is not a zip as elsewhere writes them, so it may hold more than it shows: "
        "unpack it and look at the folder, or export again"
    )


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
