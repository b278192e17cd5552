"""Zip archives of photos, such as Google Takeout writes, read where they are.

Nothing is unpacked to the disk. An entry has the path of its archive followed by its name, and is
unpacked as it is read, within the limits of a file. A path is only ever looked up among the names
of the archive, so none can lead out of it.

Archives come from strangers. The directory has a limit before it is read; entries may not claim
more packed bytes than the archive has, nor far more unpacked ones than it can hold. What is
encrypted, a link, or packed by another method than deflate is skipped by name, and a zip inside a
zip is not opened.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from elsewhere.album.copies import LOCAL_HEADER
from elsewhere.album.files import SkipKind, byte_count, open_readonly

ARCHIVE_SUFFIX = ".zip"
MAX_DIRECTORY_BYTES = 8 << 20
"""Of the list of entries: about 50,000 of them."""
MAX_ENTRIES = 100_000
MAX_RATIO = 50
"""How many bytes an archive may claim for each of its own. Photos hardly shrink."""
_FREE_BYTES = 256 << 20
"""Claimed by small archives whatever their ratio."""
_PIECE_BYTES = 1 << 16
_ENCRYPTED = 0x1
_TOO_MANY = "it has too many entries: unpack it first"
_BROKEN = "it is cut short or damaged, or no zip: download or copy it again"


class BadArchiveError(Exception):
    """The archive cannot be read, or is not to be trusted; the text says why."""


@dataclass(frozen=True)
class Entry:
    """One file in an archive."""

    name: str
    """Its path in the archive, without any way up."""
    packed: zipfile.ZipInfo | None = None
    kind: SkipKind | None = None
    """Why it cannot be read, where that is known already."""
    reason: str = ""


class _Stamp(NamedTuple):
    """Tells whether an archive is the file that it was."""

    device: int
    number: int
    size: int
    changed: int


def is_archive(path: Path) -> bool:
    """Whether a path that the user gave is an archive, by its name."""
    return path.suffix.lower() == ARCHIVE_SUFFIX and path.is_file()


def list_entries(path: Path) -> Iterator[Entry]:
    """Every file of an archive; BadArchiveError where it cannot be read at all."""
    try:
        entries = _directory(str(path), _stamp(path))
    except OSError as problem:
        raise BadArchiveError(
            f"it cannot be read ({problem.strerror or problem}): check it and its permissions"
        ) from None
    return iter(entries)


def open_entry(path: Path) -> io.BufferedReader | None:
    """The file that a path below an archive means; None where no archive is above it."""
    for archive in path.parents:
        if archive.is_dir():
            return None
        if archive.is_file():
            break
    else:
        return None
    name = path.relative_to(archive).as_posix()
    try:
        entries = _by_name(str(archive), _stamp(archive))
    except BadArchiveError as problem:
        raise OSError(errno.EIO, str(problem)) from None
    if (packed := entries.get(name)) is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    return io.BufferedReader(_EntryReader(archive, packed), _PIECE_BYTES)


def _stamp(path: Path) -> _Stamp:
    about = path.stat()
    return _Stamp(about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=8)
def _by_name(path: str, stamp: _Stamp) -> dict[str, zipfile.ZipInfo]:
    entries = _directory(path, stamp)
    return {entry.name: entry.packed for entry in entries if entry.packed and not entry.kind}


@lru_cache(maxsize=8)
def _directory(path: str, stamp: _Stamp) -> tuple[Entry, ...]:
    """What is in an archive; of two entries with one name the last, as when it is unpacked."""
    try:
        with open_readonly(path) as file, zipfile.ZipFile(_LimitedFile(file)) as archive:
            packed = [one for one in archive.infolist() if not one.is_dir()]
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, EOFError) as problem:
        large = isinstance(problem, _LargeDirectoryError)
        raise BadArchiveError(_TOO_MANY if large else _BROKEN) from None
    if len(packed) > MAX_ENTRIES:
        raise BadArchiveError(_TOO_MANY)
    if any(not 0 <= one.header_offset < stamp.size for one in packed):
        raise BadArchiveError("its list of entries is damaged: download or copy it again")
    if sum(one.compress_size for one in packed) > stamp.size:
        raise BadArchiveError(
            "its entries claim more packed bytes than it has, so it is no archive of photos: "
            "leave it out"
        )
    if sum(one.file_size for one in packed) > MAX_RATIO * stamp.size + _FREE_BYTES:
        raise BadArchiveError(
            "it claims far more bytes than photos have: leave it out, or unpack it first"
        )
    entries: dict[str, Entry] = {}
    aside: list[Entry] = []
    for one in packed:
        entry = _entry(one)
        if entry.kind is not None:
            aside.append(entry)
            continue
        if (before := entries.pop(entry.name, None)) is not None:
            reason = "another file of the archive has the same name, and that one is read"
            aside.append(Entry(before.name, None, "unreadable", reason))
        entries[entry.name] = entry
    number = 1
    for entry in aside:  # which never takes the name of a file that is read
        name = entry.name
        while name in entries:
            number += 1
            name = f"{entry.name} ({number})"
        entries[name] = replace(entry, name=name)
    return tuple(entries.values())


def _entry(packed: zipfile.ZipInfo) -> Entry:
    parts = PurePosixPath(packed.filename).parts
    name = "/".join(part for part in parts if part.strip("/") and part != "..") or "nameless"
    if not parts or packed.filename.startswith(("/", "\\")) or _leads_out(name, packed.filename):
        reason = "its name leads out of the archive: leave it out"
        return Entry(name.replace(":", "_"), None, "unreadable", reason)
    if stat.S_ISLNK(packed.external_attr >> 16):
        return Entry(name, None, "link", "it is a link: unpack the archive and name what it means")
    if packed.flag_bits & _ENCRYPTED:
        reason = "it is encrypted: unpack the archive with its password first"
        return Entry(name, None, "unreadable", reason)
    if packed.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        reason = "it is packed by a rare method: unpack the archive first"
        return Entry(name, None, "unreadable", reason)
    return Entry(name, packed)


def _leads_out(name: str, full_name: str) -> bool:
    """Whether a name has a drive or a way up, also as Windows reads it."""
    climbs = any(not part.strip(". ") for part in PureWindowsPath(full_name).parts)
    return climbs or bool(PureWindowsPath(name).drive)


class _LargeDirectoryError(zipfile.BadZipFile):
    """The list of entries is larger than is read."""


class _LimitedFile(io.RawIOBase):
    """An archive of which no piece larger than a directory may be is read at once."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            size = byte_count(self._file) - self._file.tell()
        if size > MAX_DIRECTORY_BYTES:
            raise _LargeDirectoryError
        return self._file.read(size)


class _EntryReader(io.RawIOBase):
    """The bytes of an entry, unpacked as they are read, and compared with its checksum."""

    def __init__(self, archive: Path, packed: zipfile.ZipInfo) -> None:
        self.size = packed.file_size
        """As the archive claims; it is never exceeded."""
        self._file = open_readonly(archive)
        self._checksum = packed.CRC
        self._packed_left, self._left, self._sum = packed.compress_size, packed.file_size, 0
        self._unpacker = (
            zlib.decompressobj(-zlib.MAX_WBITS)
            if packed.compress_type == zipfile.ZIP_DEFLATED
            else None
        )
        self._tail = b""
        try:
            self._file.seek(packed.header_offset)
            header = self._file.read(LOCAL_HEADER.size)
            if len(header) < LOCAL_HEADER.size or not header.startswith(b"PK\x03\x04"):
                raise _damaged()
            name_length, extra_length = LOCAL_HEADER.unpack(header)[-2:]
            self._file.seek(name_length + extra_length, os.SEEK_CUR)
        except BaseException:
            self._file.close()
            raise

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        wanted = min(len(buffer), self._left)
        content = self._next(wanted) if wanted else b""
        self._left -= len(content)
        self._sum = zlib.crc32(content, self._sum)
        if (wanted and not content) or (not self._left and self._sum != self._checksum):
            raise _damaged()
        buffer[: len(content)] = content
        return len(content)

    def _next(self, wanted: int) -> bytes:
        if self._unpacker is None:
            return self._piece(wanted)
        try:
            while not self._unpacker.eof:
                piece = self._tail or self._piece(_PIECE_BYTES)
                content = self._unpacker.decompress(piece, wanted)
                self._tail = self._unpacker.unconsumed_tail
                if content or not piece:
                    return content
        except zlib.error:
            raise _damaged() from None
        return b""

    def _piece(self, wanted: int) -> bytes:
        piece = self._file.read(min(wanted, self._packed_left))
        self._packed_left -= len(piece)
        return piece


def _damaged() -> OSError:
    return OSError(errno.EIO, "it is damaged in its archive")
