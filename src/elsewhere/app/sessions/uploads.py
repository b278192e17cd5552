"""Files on the user's disk: the chooser of folders and archives, and what was dropped on the page.

The chooser names only folders and zip archives below the user's home or below what was opened,
after every link in a path is followed. Dropped photos go to a temporary folder that no other user
can enter. It is deleted with the album or when the server ends; what a killed server left is
deleted by the next.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import AsyncIterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool

from elsewhere.app.api import models
from elsewhere.errors import FileError, InputError
from elsewhere.service import ARCHIVE_SUFFIX, PHOTO_SUFFIXES, Staging, natural_key, sweep_staging
from elsewhere.values.wording import printable

MAX_FOLDERS = 2000  # shown
MAX_ENTRIES = 50 * MAX_FOLDERS  # read
MAX_FILES = 5000
ALBUM_NAME = "photos"  # the name of an album of dropped photos
_MAX_DEPTH, _MAX_LENGTH = 4, 120
_MAX_BOUNDARY, _MAX_HEADER_BYTES = 200, 8192
_NOT_A_FORM = "what was sent is no form of files: drop the photos again"
_NOT_THERE = "there is no folder of yours at this path: choose one below your home"


def list_folders(path: str, opened: Sequence[Path] = ()) -> models.FoldersModel:
    """The folders and archives in a folder; "" stands for the user's home."""
    home = Path.home().resolve()
    roots, folder = [home], None
    with suppress(OSError, ValueError, RuntimeError):
        resolved = (home / Path(path).expanduser()).resolve(strict=True)
        folder = resolved if resolved.is_dir() else None
    if folder is None:
        raise InputError(_NOT_THERE)
    for opened_path in opened:
        with suppress(OSError, ValueError, RuntimeError):  # a loop of links leads nowhere
            roots.append(opened_path.resolve(strict=True))
    root = next((root for root in roots if folder.is_relative_to(root)), None)
    if root is None:
        raise InputError(_NOT_THERE)
    names, archives, photos = [], [], 0
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(entries):
                if number >= MAX_ENTRIES:
                    break
                is_text = entry.name.encode("utf-8", "ignore").decode() == entry.name
                if entry.name.startswith(".") or entry.is_symlink() or not is_text:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    names.append(entry.name)
                elif (suffix := Path(entry.name).suffix.lower()) in PHOTO_SUFFIXES:
                    photos += 1
                elif suffix == ARCHIVE_SUFFIX and entry.is_file(follow_symlinks=False):
                    archives.append(entry.name)
    except OSError:
        raise InputError(_NOT_THERE) from None
    names.sort(key=natural_key)
    return models.FoldersModel(
        path=str(folder),
        parent=None if folder == root else str(folder.parent),
        folders=names[:MAX_FOLDERS],
        archives=sorted(archives, key=natural_key)[:MAX_FOLDERS],
        photos=photos,
    )


class UploadFolder:
    """A folder of dropped photos, filled file by file."""

    def __init__(self) -> None:
        self._staging = Staging(Path(tempfile.gettempdir()))
        self.folder = self._staging.folder / ALBUM_NAME
        self.folder.mkdir(mode=0o700)
        self._archives = self._staging.folder / "archives"
        self._archives.mkdir(mode=0o700)
        self._lock = threading.Lock()
        self._deleted = False
        self._count = 0
        self._used_names: dict[str, int] = {}

    def create(self, name: str) -> BinaryIO:
        """A new file, to be written and closed."""
        with self._writing():
            self._count += 1
            if self._count > MAX_FILES:
                raise InputError(
                    f"more than {MAX_FILES} files at once: open the folder by its path"
                )
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return os.fdopen(os.open(self._free_path(name), flags, 0o600), "wb")

    def roots(self) -> list[Path]:
        """What to open: the folder, and each archive that was dropped by itself."""
        archives = sorted(self._archives.iterdir(), key=lambda path: natural_key(path.name))
        return [*([self.folder] if any(self.folder.iterdir()) else []), *archives]

    def write(self, file: BinaryIO, content: bytes) -> None:
        """Write the next bytes of a file."""
        with self._writing():
            file.write(content)

    def delete(self) -> None:
        """Delete the folder; nothing more can be written to it."""
        with self._lock:
            if not self._deleted:
                self._deleted = True
                self._staging.__exit__()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold the lock; InputError where the folder is deleted, FileError where it is full."""
        with self._lock:
            if self._deleted:
                raise InputError("this upload was stopped: drop the photos again")
            try:
                yield
            except OSError as problem:
                raise FileError(
                    f"the folder for temporary files cannot be written ({problem.strerror}): "
                    "open the album by its path instead"
                ) from None

    def _free_path(self, name: str) -> Path:
        """A path inside the folder that no file has yet."""
        *folders, last = safe_parts(name)
        is_archive = not folders and last.lower().endswith(ARCHIVE_SUFFIX)
        inside = self._archives if is_archive else self.folder
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


class UploadForm:
    """A form of files that is written to a folder as it arrives, each byte once.

    The web framework would write every file to a temporary one first, and leave it open where a
    body is cut off.
    """

    def __init__(self, content_type: str, upload: UploadFolder) -> None:
        media_type, options = parse_options_header(content_type)
        boundary = options.get(b"boundary", b"")
        if media_type != b"multipart/form-data" or not 0 < len(boundary) <= _MAX_BOUNDARY:
            raise InputError(_NOT_A_FORM)
        self._upload = upload
        self._file: BinaryIO | None = None
        self._count, self._complete = 0, False
        self._disposition = self._name = self._value = b""
        self._header_bytes = 0
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._add_to_name,
                "on_header_value": self._add_to_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._open_file,
                "on_part_data": self._write,
                "on_part_end": self._close_file,
                "on_end": self._end,
            },
        )

    async def save(self, body: AsyncIterable[bytes]) -> int:
        """Write the files; returns how many there were."""
        try:
            async for piece in body:
                if piece:
                    await run_in_threadpool(self._parser.write, piece)
            self._parser.finalize()
        except FormParserError:
            raise InputError(_NOT_A_FORM) from None
        finally:
            self._close_file()
        if not self._complete:
            raise InputError(_NOT_A_FORM)
        return self._count

    def _begin_part(self) -> None:
        self._disposition, self._header_bytes = b"", 0

    def _add_to_name(self, data: bytes, start: int, end: int) -> None:
        self._name += self._header_piece(data[start:end])

    def _add_to_value(self, data: bytes, start: int, end: int) -> None:
        self._value += self._header_piece(data[start:end])

    def _header_piece(self, piece: bytes) -> bytes:
        self._header_bytes += len(piece)
        if self._header_bytes > _MAX_HEADER_BYTES:
            raise InputError(_NOT_A_FORM)
        return piece

    def _end_header(self) -> None:
        if self._name.lower() == b"content-disposition":
            self._disposition = self._value
        self._name = self._value = b""

    def _open_file(self) -> None:
        self._close_file()
        _, options = parse_options_header(self._disposition)
        name = options.get(b"filename")
        if options.get(b"name") == b"files" and name is not None:
            self._count += 1
            self._file = self._upload.create(name.decode("utf-8", "replace"))

    def _write(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._upload.write(self._file, data[start:end])

    def _close_file(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None

    def _end(self) -> None:
        self._complete = True


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
