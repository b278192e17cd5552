"""Files here or anywhere that pyarrow or fsspec reaches, each written whole or not at all.

A run may be killed at any moment and its workers may do the same block twice. So a file has its
name only when all of it is there: here by renaming; on pyarrow's object stores because an upload
is there when it is complete, or never; elsewhere under another name first, which is then moved.
Writing the same file again is no harm.
"""

from __future__ import annotations

import contextlib
import copy
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elsewhere.batch.schemas import arrow
from elsewhere.batch.stores import at_once, has_folders, of_a_store, opened, told
from elsewhere.errors import FileError
from elsewhere.platform.files import new_file

_FOLDER = 0o700
_PART = re.compile(r"\..+\.[0-9a-f]{32}")
"""The name of a file that is not all there."""


class Storage:
    """A folder on some filesystem; names are below it, with slashes."""

    def __init__(self, where: str) -> None:
        """`where` is a folder or file here, or an address such as s3://bucket/albums."""
        arrow()  # the first thing that batch needs of it: say here how to get it
        from pyarrow import fs

        self.where = where
        self.fs, self.root = opened(where)
        self.here = isinstance(self.fs, fs.LocalFileSystem)

    def path(self, name: str) -> str:
        """The full path on the filesystem."""
        if not self.root and not self.here:  # the top of an archive
            return name
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
        return sorted(one.base_name for one in self._files(folder, recursive=False))

    def below_all(self, folder: str) -> list[str]:
        """All whole files below a folder, however deep: their paths from there, sorted."""
        files = self._files(folder, recursive=True)
        return sorted(one.path.rpartition(f"{folder}/")[2] for one in files)

    def entries(self) -> list[str]:
        """All that lies directly in the folder: files, folders, and what is only half there."""
        return sorted(one.base_name for one in self._listed("") if one.base_name)

    def _files(self, folder: str, *, recursive: bool) -> list[Any]:
        """Files that have their name; an object store may have an empty one for the folder."""
        from pyarrow import fs

        found = (one for one in self._listed(folder, recursive) if one.type == fs.FileType.File)
        return [one for one in found if one.base_name and one.base_name[0] not in "._"]

    def _listed(self, folder: str, recursive: bool = False) -> list[Any]:
        from pyarrow import fs

        what = fs.FileSelector(self.path(folder), allow_not_found=True, recursive=recursive)
        with told(self.where):
            try:
                return list(self.fs.get_file_info(what))
            except NotADirectoryError:
                # pyarrow asks fsspec twice, and a folder may come to be in between
                return list(self.fs.get_file_info(what))

    def is_file(self, name: str = "") -> bool:
        """Whether there is such a file."""
        from pyarrow import fs

        with told(self.where):
            return bool(self.fs.get_file_info(self.path(name)).type == fs.FileType.File)

    def size(self, name: str = "") -> int:
        """How many bytes a file has."""
        with told(self.where):
            return int(self.fs.get_file_info(self.path(name)).size or 0)

    def modified(self, name: str = "") -> int | None:
        """When a file was written, in nanoseconds; None where the filesystem does not say."""
        with told(self.where):
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
        with (
            told(self.path(name)),
            self.fs.open_input_stream(self.path(name), compression=None) as stream,
        ):
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
            if has_folders(self.fs):
                self.fs.create_dir(folder, recursive=True)
            whole = at_once(self.fs)
            part = path if whole else f"{folder}/.{base}.{uuid.uuid4().hex}"
            try:
                with self.fs.open_output_stream(part, compression=None) as stream:
                    yield stream
                if not whole:
                    self.fs.move(part, path)
            except BaseException as problem:
                # pyarrow cannot call an upload off: unless the store itself failed it completes
                # what there was to write, and that is not all
                if not whole or not of_a_store(problem):
                    with contextlib.suppress(Exception):
                        self.fs.delete_file(part)
                raise

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
        with contextlib.suppress(FileError), told(self.where):
            self.fs.delete_file(self.path(name))

    def sweep(self, folder: str) -> None:
        """Delete what is only half there: whoever was at it was killed."""
        for one in self._listed(folder):
            if _PART.fullmatch(one.base_name):
                self.remove(f"{folder}/{one.base_name}")

    def forget(self, folder: str) -> None:
        """Delete a folder, if it is there."""
        with contextlib.suppress(FileError), told(self.where):
            self.fs.delete_dir(self.path(folder))


def _make(folder: Path) -> None:
    """A folder and those above it; Python's own way would leave those above it to all."""
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(mode=_FOLDER, exist_ok=True)


@contextmanager
def _created(folder: Path, base: str) -> Iterator[Any]:
    """As `machine.writing.whole`, but what a killed run leaves has a name that `sweep` knows."""
    _make(folder)
    part = folder / f".{base}.{uuid.uuid4().hex}"
    try:
        # what is written names places, or could: it is its owner's alone from the first byte
        with new_file(part, private=True) as stream:
            yield stream
        part.replace(folder / base)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
