"""Files here or anywhere that pyarrow or fsspec reaches, each written whole or not at all.

pyarrow opens what it knows (disks, s3, gs, abfs, hdfs), fsspec the rest. Their errors become one
sentence here, and passwords in addresses are refused, for addresses are written down.

A run may be killed at any moment, and workers may do the same block twice. So a file has its name
only when it is complete: on a disk by renaming; on pyarrow's object stores because an upload is
complete or absent; elsewhere by moving it from another name.
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

_OBJECT_STORES = {"s3", "s3a", "gcs", "gs", "abfs", "abfss", "az", "adl", "oss", "oci", "r2",
                  "cos", "obs"}  # fmt: skip
"""Object stores, by their names in pyarrow and fsspec; they have no real folders."""
_ATOMIC_STORES = {"s3", "gcs", "abfs"}  # pyarrow's own object stores: a file is complete or absent
_DELAYED_OPEN = "allow_delayed_open=true"
"""One request instead of three for a small file, and no upload left open after a kill."""
_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PASSWORD = re.compile(r"([\w+.-]+://)[^/?#]*:[^/?#]*@")


class HaltError(FileError):
    """An error that every photo would meet, such as a full disk: it ends the run."""


class CollapseError(FileError):
    """The whole engine died; its jobs may be to blame, as when a run is killed."""


def open_filesystem(address: str) -> tuple[Any, str]:
    """The filesystem and the path on it; InputError or FileError where there is none."""
    from pyarrow import fs

    if "://" not in address:
        return fs.LocalFileSystem(), Path(address).absolute().as_posix()
    if _PASSWORD.match(address):
        shown = _PASSWORD.sub(r"\1…@", address)
        raise InputError(
            f"{shown} holds a password, and addresses are recorded: pass it in the environment, "
            "such as AWS_SECRET_ACCESS_KEY, or in the store's own files"
        )
    if not address.startswith("fsspec+") and "::" not in address:
        try:
            mark = "&" if "?" in address else "?"
            delayed = f"{mark}{_DELAYED_OPEN}" if address.startswith("s3://") else ""
            system, path = fs.FileSystem.from_uri(f"{address}{delayed}")
            return system, path.rstrip("/")
        except arrow().ArrowInvalid:
            pass  # not one of pyarrow's own
        except OSError as problem:
            raise FileError(f"{address} cannot be reached: {problem}") from None
    return _open_with_fsspec(address)


def _open_with_fsspec(address: str) -> tuple[Any, str]:
    from pyarrow import fs

    try:
        url_to_fs = import_module("fsspec.core").url_to_fs
    except ImportError:
        raise FileError(f"{address} needs fsspec: pip install fsspec") from None
    try:
        # without its cache: what others write must be seen
        system, path = url_to_fs(address.removeprefix("fsspec+"), use_listings_cache=False)
    except ImportError as problem:
        raise FileError(f"{address} needs a package that is not installed: {problem}") from None
    except Exception as problem:  # each of fsspec's packages has its own
        raise FileError(f"{address} cannot be reached: {_reason_of(problem)}") from None
    if "local" in _protocols(system):
        return fs.LocalFileSystem(), Path(path).absolute().as_posix()
    return fs.PyFileSystem(fs.FSSpecHandler(system)), path.rstrip("/")


def _protocols(system: Any) -> set[str]:
    """The names of an fsspec filesystem."""
    protocol = system.protocol
    return {protocol} if isinstance(protocol, str) else set(protocol)


def has_folders(system: Any) -> bool:
    """Whether folders must be made before their files."""
    handler = getattr(system, "handler", None)
    names = {system.type_name} if handler is None else _protocols(handler.fs)
    return not names & _OBJECT_STORES


def writes_whole(system: Any) -> bool:
    """Whether a file appears only when it is complete."""
    return system.type_name in _ATOMIC_STORES


def check_output(address: str) -> None:
    """InputError where several processes cannot write."""
    if "::" in address:
        raise InputError(
            f"{address} is an archive or a copy of something else, and several workers cannot "
            "write into one: name a folder"
        )
    if re.match(r"(fsspec\+)?https?://", address):
        raise InputError(f"{address} can only be read: name a folder, or a store such as s3://…")


def check_shared(address: str) -> None:
    """InputError where other processes do not see the same files."""
    if re.match(r"(fsspec\+)?memory:", address):
        raise InputError(
            f"{address} exists in this process only, and workers cannot see it: name a folder"
        )


@contextmanager
def store_errors(path: str) -> Iterator[None]:
    """Turn a filesystem's errors into one sentence that names the file."""
    try:
        yield
    except ElsewhereError:
        raise
    except Exception as problem:
        if not is_store_error(problem):
            raise
        if getattr(problem, "errno", None) in _DISK_FULL:
            raise HaltError(
                f"{path} cannot be written ({_reason_of(problem)}): make room there and "
                "repeat the command to resume"
            ) from None
        raise FileError(
            f"{path} cannot be used ({_reason_of(problem)}): check the address and what is there"
        ) from None


def is_store_error(problem: BaseException) -> bool:
    """Whether an exception comes from a store: an OSError, or one of its own package."""
    if isinstance(problem, OSError | NotImplementedError):
        return True
    package = type(problem).__module__.partition(".")[0]
    return package not in {"builtins", "elsewhere", "numpy", "pyarrow"}


def _reason_of(problem: Exception) -> str:
    text = getattr(problem, "strerror", None) or str(problem).strip() or type(problem).__name__
    return str(text).splitlines()[0].rstrip(".")


_FOLDER_MODE = 0o700
_PARTIAL_NAME = re.compile(r"\..+\.[0-9a-f]{32}")  # the name of an incomplete file


class Storage:
    """A folder on some filesystem; names are below it, with slashes."""

    def __init__(self, address: str) -> None:
        """`address` is a local folder or file, or an address such as s3://bucket/albums."""
        arrow()  # refuse here where pyarrow is missing
        from pyarrow import fs

        self.address = address
        self.fs, self.root = open_filesystem(address)
        self.is_local = isinstance(self.fs, fs.LocalFileSystem)

    def path(self, name: str) -> str:
        """The full path on the filesystem."""
        if not self.root and not self.is_local:  # the top of an archive
            return name
        return f"{self.root}/{name}" if name else self.root

    def address_below(self, name: str) -> str:
        """The address of a name below; options stay at the end."""
        if "://" not in self.address:
            return f"{self.address.rstrip('/')}/{name}"
        base, mark, options = self.address.partition("?")
        return f"{base.rstrip('/')}/{name}{mark}{options}"

    def parent_folder(self) -> Storage:
        """The folder of this file."""
        folder = copy.copy(self)
        folder.root = self.root.rpartition("/")[0]
        return folder

    def names(self, folder: str = "", *, recursive: bool = False) -> list[str]:
        """The complete files of a folder, sorted; `recursive`: of its folders too, as paths."""
        from pyarrow import fs

        paths = [
            entry.path.removeprefix(self.path(folder)).lstrip("/")
            for entry in self._list(folder, recursive)
            if entry.type == fs.FileType.File  # an object store may have one for the folder itself
            and entry.base_name
        ]
        return sorted(
            path for path in paths if not any(part[:1] in {".", "_"} for part in path.split("/"))
        )

    def total_size(self, folder: str) -> int:
        """The bytes of all files of a folder."""
        return sum(entry.size or 0 for entry in self._list(folder))

    def entries(self) -> list[str]:
        """All entries of the folder: files, incomplete files, folders."""
        return sorted(entry.base_name for entry in self._list("") if entry.base_name)

    def _list(self, folder: str, recursive: bool = False) -> list[Any]:
        from pyarrow import fs

        selector = fs.FileSelector(self.path(folder), allow_not_found=True, recursive=recursive)
        with store_errors(self.address):
            try:
                return list(self.fs.get_file_info(selector))
            except NotADirectoryError:
                # pyarrow asks fsspec twice, and the folder may be made in between
                return list(self.fs.get_file_info(selector))

    def is_file(self, name: str = "") -> bool:
        """Whether the file exists."""
        from pyarrow import fs

        return bool(self._info(name).type == fs.FileType.File)

    def size(self, name: str = "") -> int:
        """The file's size in bytes."""
        return int(self._info(name).size or 0)

    def modified(self, name: str = "") -> int | None:
        """When a file was written, in nanoseconds; None where the filesystem does not say."""
        modified: int | None = self._info(name).mtime_ns
        return modified

    def _info(self, name: str) -> Any:
        with store_errors(self.address):
            return self.fs.get_file_info(self.path(name))

    def sample(self, name: str, length: int) -> bytes:
        """The first and the last bytes of a file."""
        with store_errors(self.path(name)), self.fs.open_input_file(self.path(name)) as file:
            size = file.size()
            start = bytes(file.read(min(length, size)))
            file.seek(max(0, size - length))
            return start + bytes(file.read(min(length, size)))

    def read(self, name: str, limit: int | None = None) -> bytes:
        """The file's bytes, at most `limit`."""
        with (
            store_errors(self.path(name)),
            self.fs.open_input_stream(self.path(name), compression=None) as stream,
        ):
            return bytes(stream.read(limit))

    def write(self, name: str, content: Any) -> None:
        """Write a whole file, over one of that name."""
        with self.create(name) as stream:
            stream.write(content)

    @contextmanager
    def create(self, name: str) -> Iterator[Any]:
        """Write a file piece by piece; it gets its name when it is complete."""
        path = self.path(name)
        folder, _, base = path.rpartition("/")
        with store_errors(path):
            if self.is_local:
                with _create_local(Path(folder), base) as file:
                    yield file
                return
            if has_folders(self.fs):
                self.fs.create_dir(folder, recursive=True)
            atomic = writes_whole(self.fs)
            partial = path if atomic else f"{folder}/.{base}.{uuid.uuid4().hex}"
            try:
                with self.fs.open_output_stream(partial, compression=None) as stream:
                    yield stream
                if not atomic:
                    self.fs.move(partial, path)
            except BaseException as problem:
                # pyarrow cannot cancel an upload: it completes a file that is not complete
                if not atomic or not is_store_error(problem):
                    with contextlib.suppress(Exception):
                        self.fs.delete_file(partial)
                raise

    def make_private(self) -> None:
        """Make the folder, and close it to other users."""
        if self.is_local:
            with store_errors(self.root):
                folder = Path(self.root)
                _make_folders(folder)
                with contextlib.suppress(OSError):  # a filesystem without modes
                    folder.chmod(_FOLDER_MODE)

    def remove(self, name: str) -> None:
        """Delete a file, if it exists."""
        with contextlib.suppress(FileError), store_errors(self.address):
            self.fs.delete_file(self.path(name))

    def sweep(self, folder: str) -> None:
        """Delete the incomplete files of killed workers."""
        for entry in self._list(folder, recursive=True):
            if _PARTIAL_NAME.fullmatch(entry.base_name):
                with contextlib.suppress(FileError), store_errors(self.address):
                    self.fs.delete_file(entry.path)

    def remove_folder(self, folder: str) -> None:
        """Delete a folder, if it exists."""
        with contextlib.suppress(FileError), store_errors(self.address):
            self.fs.delete_dir(self.path(folder))


def _make_folders(folder: Path) -> None:
    """Make a folder and its parents, all private; mkdir would open the parents to others."""
    if not folder.is_dir():
        _make_folders(folder.parent)
        folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)


@contextmanager
def _create_local(folder: Path, base: str) -> Iterator[Any]:
    """A new private file; what a killed run leaves of it has a name that `sweep` knows."""
    _make_folders(folder)
    partial = folder / f".{base}.{uuid.uuid4().hex}"
    try:
        with new_file(partial, private=True) as stream:
            yield stream
        partial.replace(folder / base)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
