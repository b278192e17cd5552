"""From an address to the filesystem that it is on, and what that one complains about, in words.

pyarrow opens what it knows by itself (disks, s3, gs, abfs, hdfs), fsspec the rest. Each has its own
idea of an error, and a word too many in an address is written into files and logs: both are
settled here, once.

Files here or anywhere that pyarrow or fsspec reaches, each written whole or not at all.

A run may be killed at any moment and its workers may do the same block twice. So a file has its
name only when all of it is there: here by renaming; on pyarrow's object stores because an upload
is there when it is complete, or never; elsewhere under another name first, which is then moved.
Writing the same file again is no harm.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from elsewhere.batch.columns import arrow
from elsewhere.errors import ElsewhereError, FileError, InputError
from elsewhere.platform.files import new_file

_OBJECTS = {
    "s3",
    "s3a",
    "gcs",
    "gs",
    "abfs",
    "abfss",
    "az",
    "adl",
    "oss",
    "oci",
    "r2",
    "cos",
    "obs",
}
"""Object stores by their names in pyarrow and fsspec: folders are only in their files' names."""
_AT_ONCE = {"s3", "gcs", "abfs"}
"""pyarrow's own object stores: a file is there when it is closed, or never."""
_DELAYED = "allow_delayed_open=true"
"""A small file is one request and not three, and none is left open by whoever is killed."""
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_SECRET = re.compile(r"[\w+.-]+://[^/?#]*:[^/?#]*@")


class HaltError(FileError):
    """Something that every photo would meet, a full disk say: it ends the run and blames none."""


class CollapseError(FileError):
    """The whole engine died: whoever was at work may be to blame, as if the run had been killed."""


def opened(where: str) -> tuple[Any, str]:
    """The filesystem and the path on it; InputError or FileError where there is none."""
    from pyarrow import fs

    if "://" not in where:
        return fs.LocalFileSystem(), Path(where).absolute().as_posix()
    if _SECRET.match(where):
        raise InputError(
            f"{_SECRET.sub(_hidden, where)} holds a password, and addresses are written down: give "
            "it by the environment, such as AWS_SECRET_ACCESS_KEY, or by the store's own files"
        )
    if not where.startswith("fsspec+") and "::" not in where:
        try:
            system, path = fs.FileSystem.from_uri(_delayed(where))
            return system, path.rstrip("/")
        except arrow().ArrowInvalid:
            pass  # not one of pyarrow's own
        except OSError as problem:
            raise FileError(f"{where} cannot be reached: {problem}") from None
    return _by_fsspec(where)


def _hidden(match: re.Match[str]) -> str:
    return match[0].partition("://")[0] + "://…@"


def _delayed(where: str) -> str:
    if not where.startswith("s3://"):
        return where
    return f"{where}{'&' if '?' in where else '?'}{_DELAYED}"


def _by_fsspec(where: str) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        open_with = import_module("fsspec.core").url_to_fs
    except ImportError:
        raise FileError(f"{where} needs fsspec: pip install fsspec") from None
    try:
        # what others have written must be seen, and fsspec remembers what was there before
        found, path = open_with(where.removeprefix("fsspec+"), use_listings_cache=False)
    except ImportError as problem:
        raise FileError(f"{where} needs a package that is not here: {problem}") from None
    except Exception as problem:  # every one of fsspec's packages has its own
        raise FileError(f"{where} cannot be reached: {_why(problem)}") from None
    if "local" in _protocols(found):
        return fs.LocalFileSystem(), Path(path).absolute().as_posix()
    return fs.PyFileSystem(fs.FSSpecHandler(found)), path.rstrip("/")


def _protocols(found: Any) -> set[str]:
    """What an fsspec filesystem is called."""
    named = found.protocol
    return {named} if isinstance(named, str) else set(named)


def has_folders(system: Any) -> bool:
    """Whether a folder must be made before there is a file in it."""
    handler = getattr(system, "handler", None)
    names = {system.type_name} if handler is None else _protocols(handler.fs)
    return not names & _OBJECTS


def at_once(system: Any) -> bool:
    """Whether a file appears all at once when it is closed."""
    return system.type_name in _AT_ONCE


def refuse_as_output(where: str) -> None:
    """InputError where several processes cannot write, whatever the filesystem says."""
    if "::" in where:
        raise InputError(
            f"{where} is an archive or a copy of something else, and several workers cannot write "
            "into one: name a folder"
        )
    if re.match(r"(fsspec\+)?https?://", where):
        raise InputError(f"{where} can only be read: name a folder, or a store such as s3://…")


def refuse_private(where: str) -> None:
    """InputError where other processes do not see the same files."""
    if re.match(r"(fsspec\+)?memory:", where):
        raise InputError(
            f"{where} lies in this process alone, and workers are others: name a folder"
        )


@contextmanager
def store_errors(what: str) -> Iterator[None]:
    """Within, what a filesystem complains about becomes one sentence that names the file."""
    try:
        yield
    except ElsewhereError:
        raise
    except Exception as problem:
        if not of_a_store(problem):
            raise
        if getattr(problem, "errno", None) in _FULL:
            raise HaltError(
                f"{what} cannot be written ({_why(problem)}): make room there and give the same "
                "command again, and it goes on"
            ) from None
        raise FileError(
            f"{what} cannot be used ({_why(problem)}): check the address and what is there"
        ) from None


def of_a_store(problem: BaseException) -> bool:
    """Stores complain by an OSError, or by an exception of a package of their own."""
    if isinstance(problem, OSError | NotImplementedError):
        return True
    package = type(problem).__module__.partition(".")[0]
    return package not in {"builtins", "elsewhere", "numpy", "pyarrow"}


def _why(problem: Exception) -> str:
    said = getattr(problem, "strerror", None) or str(problem).strip() or type(problem).__name__
    return str(said).splitlines()[0].rstrip(".")


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
        with store_errors(self.where):
            try:
                return list(self.fs.get_file_info(what))
            except NotADirectoryError:
                # pyarrow asks fsspec twice, and a folder may come to be in between
                return list(self.fs.get_file_info(what))

    def is_file(self, name: str = "") -> bool:
        """Whether there is such a file."""
        from pyarrow import fs

        with store_errors(self.where):
            return bool(self.fs.get_file_info(self.path(name)).type == fs.FileType.File)

    def size(self, name: str = "") -> int:
        """How many bytes a file has."""
        with store_errors(self.where):
            return int(self.fs.get_file_info(self.path(name)).size or 0)

    def modified(self, name: str = "") -> int | None:
        """When a file was written, in nanoseconds; None where the filesystem does not say."""
        with store_errors(self.where):
            written: int | None = self.fs.get_file_info(self.path(name)).mtime_ns
        return written

    def ends(self, name: str, most: int) -> bytes:
        """So many bytes of a file's beginning, and of its end."""
        with store_errors(self.path(name)), self.fs.open_input_file(self.path(name)) as file:
            size = file.size()
            first = bytes(file.read(min(most, size)))
            file.seek(max(0, size - most))
            return first + bytes(file.read(min(most, size)))

    def read(self, name: str, most: int | None = None) -> bytes:
        """All of a file, or so many bytes of it at most."""
        with (
            store_errors(self.path(name)),
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
        with store_errors(path):
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
            with store_errors(self.root):
                folder = Path(self.root)
                _make(folder)
                with contextlib.suppress(OSError):  # a filesystem without modes
                    folder.chmod(_FOLDER)

    def remove(self, name: str) -> None:
        """Delete a file, if it is there."""
        with contextlib.suppress(FileError), store_errors(self.where):
            self.fs.delete_file(self.path(name))

    def sweep(self, folder: str) -> None:
        """Delete what is only half there: whoever was at it was killed."""
        for one in self._listed(folder):
            if _PART.fullmatch(one.base_name):
                self.remove(f"{folder}/{one.base_name}")

    def forget(self, folder: str) -> None:
        """Delete a folder, if it is there."""
        with contextlib.suppress(FileError), store_errors(self.where):
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
