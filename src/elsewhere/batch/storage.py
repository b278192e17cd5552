"""Files here or anywhere that pyarrow or fsspec reaches, each written whole or not at all.

A run may be killed at any moment and its workers may do the same block twice. So a file has its
name only when all of it is there: here by renaming, on an object store because that is how one
writes; writing the same file again is no harm.
"""

from __future__ import annotations

import contextlib
import copy
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from elsewhere.batch.schemas import arrow
from elsewhere.errors import FileError

_WHOLE = {"s3", "gcs", "abfs"}
"""pyarrow's own object stores: a file is there when it is closed, or never."""

_FOLDER, _FILE = 0o700, 0o600
_BINARY = getattr(os, "O_BINARY", 0)


class Storage:
    """A folder on some filesystem; names are below it, with slashes."""

    def __init__(self, where: str) -> None:
        """`where` is a folder or file here, or an address such as s3://bucket/albums."""
        from pyarrow import fs

        self.where = where
        self.fs, self.root = _opened(where)
        self.here = isinstance(self.fs, fs.LocalFileSystem)

    def path(self, name: str) -> str:
        """The full path on the filesystem."""
        return f"{self.root}/{name}" if name else self.root

    def below(self, name: str) -> str:
        """The address of what lies below; the options of an address stay behind it."""
        if "://" not in self.where:
            return f"{self.where.rstrip('/')}/{name}"
        address, mark, options = self.where.partition("?")
        return f"{address.rstrip('/')}/{name}{mark}{options}"

    def beside(self) -> Storage:
        """The folder that this file lies in."""
        folder = copy.copy(self)
        folder.root = self.root.rpartition("/")[0]
        return folder

    def names(self, folder: str = "") -> list[str]:
        """The plain files of a folder, sorted; those that are only half there have a dot."""
        from pyarrow import fs

        with told(self.where):
            found = self.fs.get_file_info(fs.FileSelector(self.path(folder), allow_not_found=True))
        files = (one.base_name for one in found if one.type == fs.FileType.File)
        return sorted(name for name in files if not name.startswith((".", "_")))

    def entries(self) -> list[str]:
        """All that lies directly in the folder: files, folders, and what is only half there."""
        from pyarrow import fs

        with told(self.where):
            found = self.fs.get_file_info(fs.FileSelector(self.root, allow_not_found=True))
        return sorted(one.base_name for one in found)

    def is_file(self, name: str = "") -> bool:
        """Whether there is such a file."""
        from pyarrow import fs

        with told(self.where):
            return bool(self.fs.get_file_info(self.path(name)).type == fs.FileType.File)

    def size(self, name: str = "") -> int:
        """How many bytes a file has."""
        return int(self.fs.get_file_info(self.path(name)).size or 0)

    def modified(self, name: str = "") -> int | None:
        """When a file was written, in nanoseconds; None where the filesystem does not say."""
        written: int | None = self.fs.get_file_info(self.path(name)).mtime_ns
        return written

    def ends(self, name: str, most: int) -> bytes:
        """So many bytes of a file's beginning, and of its end."""
        with told(self.path(name)), self.fs.open_input_file(self.path(name)) as file:
            size = file.size()
            first = bytes(file.read(min(most, size)))
            file.seek(max(0, size - most))
            return first + bytes(file.read(min(most, size)))

    def read(self, name: str, most: int | None = None) -> bytes:
        """All of a file, or so many bytes of it at most."""
        with told(self.path(name)), self.fs.open_input_stream(self.path(name)) as stream:
            return bytes(stream.read(most))

    def write(self, name: str, content: Any) -> None:
        """A file, all at once; one of that name is written over."""
        with self.create(name) as stream:
            stream.write(content)

    @contextmanager
    def create(self, name: str) -> Iterator[Any]:
        """Within, a file is written bit by bit; it has its name when all of it is there."""
        path = self.path(name)
        folder, _, base = path.rpartition("/")
        with told(path):
            if self.here:
                with _created(Path(folder), base) as file:
                    yield file
                return
            self.fs.create_dir(folder, recursive=True)
            at_once = self.fs.type_name in _WHOLE
            part = path if at_once else f"{folder}/.{base}.{uuid.uuid4().hex}"
            with self.fs.open_output_stream(part) as stream:
                yield stream
            if not at_once:
                self.fs.move(part, path)

    def own(self) -> None:
        """Make the folder, or make sure of it, and let nobody but its owner in."""
        if self.here:
            with told(self.root):
                folder = Path(self.root)
                _make(folder)
                with contextlib.suppress(OSError):  # a filesystem without modes
                    folder.chmod(_FOLDER)

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with contextlib.suppress(OSError):
            self.fs.delete_file(self.path(name))

    def forget(self, folder: str) -> None:
        """Delete a folder, if it is there."""
        with contextlib.suppress(OSError):
            self.fs.delete_dir(self.path(folder))


def _opened(where: str) -> tuple[Any, str]:
    """The filesystem and the path on it."""
    from pyarrow import fs

    if "://" not in where:
        return fs.LocalFileSystem(), Path(where).absolute().as_posix()
    try:
        system, path = fs.FileSystem.from_uri(where)
        return system, path.rstrip("/")
    except arrow().ArrowInvalid:
        pass  # not one of pyarrow's own
    except OSError as problem:
        raise FileError(f"{where} cannot be reached: {problem}") from None
    try:
        open_with = import_module("fsspec.core").url_to_fs
    except ImportError:
        raise FileError(f"{where} needs fsspec: pip install fsspec") from None
    try:
        found, path = open_with(where)
    except ImportError as problem:
        raise FileError(f"{where} needs a package that is not here: {problem}") from None
    except (ValueError, OSError) as problem:
        raise FileError(f"{where} cannot be reached: {problem}") from None
    return fs.PyFileSystem(fs.FSSpecHandler(found)), path.rstrip("/")


def _make(folder: Path) -> None:
    """A folder and those above it; Python's own way would leave those above it to all."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=_FOLDER, exist_ok=True)


@contextmanager
def _created(folder: Path, base: str) -> Iterator[Any]:
    _make(folder)
    part = folder / f".{base}.{uuid.uuid4().hex}"
    try:
        # what is written names places, or could: it is its owner's alone from the first byte
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, _FILE)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(folder / base)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def told(what: str) -> Iterator[None]:
    """Within, what a filesystem complains about becomes one sentence that names the file."""
    try:
        yield
    except OSError as problem:
        why = problem.strerror or str(problem).splitlines()[0]
        raise FileError(
            f"{what} cannot be used ({why}): check the address and what is there"
        ) from None
