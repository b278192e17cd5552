"""Addresses: which filesystem they are on, what is refused, and how it complains."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from elsewhere.batch.storage import (
    HaltError,
    Storage,
    check_output,
    check_shared,
    has_folders,
    open_filesystem,
    store_errors,
)
from elsewhere.errors import FileError, InputError


@pytest.mark.parametrize("address", ["file://{}", "local://{}", "{}", "fsspec+file://{}"])
def test_a_disk_is_a_disk_by_whatever_name(address: str, tmp_path: Path) -> None:
    """So that it is locked, and that its files are their owner's alone."""
    pytest.importorskip("fsspec")
    storage = Storage(address.format(tmp_path))
    assert storage.is_local and storage.root == tmp_path.as_posix()


@pytest.mark.parametrize(
    "address", ["s3://key:secret@bucket/out", "sftp://me:secret@host/out", "s3://k:s%40@b"]
)
def test_passwords_are_not_for_addresses(address: str) -> None:
    with pytest.raises(InputError, match=r"://…@.* holds a password") as refused:
        open_filesystem(address)
    assert ":secret" not in str(refused.value)


def test_what_cannot_be_written_together_is_no_output() -> None:
    for address in ("zip://a::b.zip", "simplecache::s3://b/a", "https://host/out"):
        with pytest.raises(InputError):
            check_output(address)
    for address in ("memory://a", "fsspec+memory://a"):
        with pytest.raises(InputError):
            check_shared(address)
    for address in ("s3://b/a", "out", "httpd/out", "memory"):
        check_output(address)
        check_shared(address)


def test_a_full_disk_ends_the_run_and_says_so() -> None:
    full = r"out/a cannot be written \(No space left.*make room"
    with pytest.raises(HaltError, match=full), store_errors("out/a"):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_stores_complain_in_their_own_words() -> None:
    class ThrottledError(Exception):
        __module__ = "somebodys.store"

    with pytest.raises(FileError, match=r"a cannot be used \(too fast\)"), store_errors("a"):
        raise ThrottledError("too fast.\nand more")
    with pytest.raises(KeyError), store_errors("a"):
        raise KeyError("ours")  # a bug is a bug


def test_folders_are_made_where_there_are_some() -> None:
    pytest.importorskip("fsspec")
    assert has_folders(open_filesystem("memory://a")[0]) and has_folders(open_filesystem("/tmp")[0])


def test_a_folder_that_comes_to_be_while_it_is_listed() -> None:
    """pyarrow asks whether it is a folder, then whether it is there, and believes both."""
    pytest.importorskip("fsspec")
    storage = Storage("memory://late")
    real = storage.fs.handler.fs
    late = Late(real, storage)
    storage.fs.handler.fs = late
    assert storage.names("albums") == ["a.parquet"]
    assert late.asked == 2


class Late:
    """A filesystem in which a file is written between two questions."""

    def __init__(self, real: Any, storage: Storage) -> None:
        self._real, self._storage = real, storage
        self.asked = 0

    def isdir(self, path: str) -> bool:
        self.asked += 1
        found = bool(self._real.isdir(path))
        with self._real.open(f"{path}/a.parquet", "wb") as file:
            file.write(b"whole")
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)
