"""From an address to the filesystem that it is on, and what that one complains about, in words.

pyarrow opens what it knows by itself (disks, s3, gs, abfs, hdfs), fsspec the rest. Each has its own
idea of an error, and a word too many in an address is written into files and logs: both are
settled here, once.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from elsewhere.batch.schemas import arrow
from elsewhere.errors import ElsewhereError, FileError, InputError

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
def told(what: str) -> Iterator[None]:
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
