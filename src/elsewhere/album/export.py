"""Export: names for the files of a copy, and the copy itself, proved before it gets its name.

A name tells: IMG_20230714_153000 says when, IMG_0041 beside IMG_0043 that one is missing. So files
are numbered without a gap in random order, unless the user asks otherwise. Names that are kept are
made harmless for every system that the copy may be unpacked on.

Nothing unproved ever has the target's name. The copy is written to a staging folder, flushed, read
back and compared byte by byte, proved by the caller, and only then renamed. A failure before leaves
nothing. Originals are not known here.

The staging folder lies beside the target, on the same disk. Its name is hidden and random, and a
lock file in it is held by its owner: the system releases the lock even after `kill -9`. The next
export removes the folders that nobody holds, and nothing else.

A plain rename would replace a file, or an empty folder, so the system is asked for one that
replaces nothing. Where it has none, the name is checked first.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import random
import re
import secrets
import shutil
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Literal

from elsewhere.album.copies import ZIP, Copy, open_copy, write_archive
from elsewhere.album.files import PHOTO_SUFFIXES, RAW_SUFFIXES, SIDECAR_SUFFIXES, VIDEO_SUFFIXES
from elsewhere.album.renditions import NotJpegError, Rendition, reject_trailing_data
from elsewhere.errors import CheckError, FileError, InputError
from elsewhere.platform.files import (
    UNSUPPORTED_ERRORS,
    new_file,
    open_to_owner,
    sync_folder,
    take,
)

Order = Literal["shuffled", "album"]
Names = Literal["neutral", "keep"]

SUFFIX = ".jpg"
_MIN_DIGITS = 3
_MAX_NAME_BYTES = 120
"""Of a kept name, in UTF-8: leaves room for a number and the suffix on every file system."""
_FORBIDDEN = frozenset('<>:"/\\|?*')
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"})
_RESERVED = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.I)
"""Names of devices on Windows, whatever follows their first dot."""
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d([-_. ]?)(?:0[1-9]|1[0-2])\1(?:0[1-9]|[12]\d|3[01])")
_FILE_SUFFIXES = (
    PHOTO_SUFFIXES
    | RAW_SUFFIXES
    | VIDEO_SUFFIXES
    | SIDECAR_SUFFIXES
    | {".gif", ".tar", ".gz", ".tgz", ".7z", ".rar", ".pdf", ".html", ".txt", ".csv"}
)
"""A target that ends like this is not meant to be a folder."""
_FILE_MODE = 0o644
FILE_TIME = 315_532_800
"""The time of all exported files: midnight of 1 January 1980, UTC."""
_ERRORS = {
    errno.ENOSPC: "the disk is full: make room or choose another disk",
    errno.EDQUOT: "your share of the disk is used up: make room or choose another disk",
    errno.EFBIG: "the file would be larger than is allowed here: choose another disk",
    errno.EROFS: "the disk can only be read: choose another place",
    errno.EACCES: "you may not write there: choose another place",
    errno.EPERM: "you may not write there: choose another place",
    errno.ENAMETOOLONG: "the name is too long: choose a shorter one",
    errno.EEXIST: "it exists already, and nothing is written over: choose a new name",
    errno.ENOTEMPTY: "it exists already, and nothing is written over: choose a new name",
}


def choose_names(
    ids: Sequence[str], order: Order = "shuffled", names: Names = "neutral"
) -> list[str]:
    """A file name for each photo, by the position of its id.

    Kept names are portable, and differ even where case does not count. An unknown order or way of
    naming is refused.

    >>> choose_names(["b/IMG_1.HEIC", "c.png"], order="album")
    ['001.jpg', '002.jpg']
    >>> choose_names(["b/IMG_1.HEIC", "c/img_1.jpg"], names="keep")
    ['IMG_1.jpg', 'img_1-2.jpg']
    """
    if order not in ("shuffled", "album"):
        raise InputError(f"there is no order {order!r}: choose shuffled or album")
    if names not in ("neutral", "keep"):
        raise InputError(f"names cannot be {names!r}: choose neutral or keep")
    if names == "neutral":
        width = max(_MIN_DIGITS, len(str(len(ids))))
        numbers = list(range(1, len(ids) + 1))
        if order == "shuffled":
            random.SystemRandom().shuffle(numbers)
        return [f"{number:0{width}}{SUFFIX}" for number in numbers]

    def folded(name: str) -> str:
        """Equal for names that some file system takes for the same."""
        return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())

    used: set[str] = set()
    result = []
    for photo in ids:
        stem = portable_name(PurePosixPath(photo).stem)
        name, number = stem, 2
        while folded(name) in used:
            name, number = f"{stem}-{number}", number + 1
        used.add(folded(name))
        result.append(name + SUFFIX)
    return result


def kept_names_warning(names: Sequence[str]) -> str:
    """The warning about names that were kept."""
    dated = [name for name in names if _DATE.search(name)]
    if dated:
        some = "1 of them holds" if len(dated) == 1 else f"{len(dated)} of them hold"
        return (
            f"the names were kept, and {some} what looks like a date ({dated[0]}): "
            "names tell when photos were taken, in which order, which ones are missing, "
            "and the place where they name it"
        )
    return (
        "the names were kept: they can tell in which order photos were taken, by which camera, "
        "which ones are missing, and the place where they name it"
    )


def portable_name(stem: str) -> str:
    """A name without its suffix as every file system accepts it, in one piece.

    >>> portable_name("..\\\\con"), portable_name("nul.tar"), portable_name(" -rf ")
    ('_con', '_nul.tar', '_rf')
    >>> portable_name("Ætt\\u202e")
    'Ætt_'
    """
    name = "".join(
        "_"
        if mark in _FORBIDDEN or (mark != " " and unicodedata.category(mark) in _INVISIBLE)
        else mark
        for mark in unicodedata.normalize("NFC", stem)
    )
    while len(name.encode("utf-8")) > _MAX_NAME_BYTES:
        name = name[:-1]
    name = name.strip(" .")
    if name.startswith(("-", "~")):
        name = "_" + name[1:]
    if _RESERVED.fullmatch(name):
        name = "_" + name
    return name or "photo"


@dataclass(frozen=True)
class OutgoingFile:
    """A file to export: its name in the copy and its rendition."""

    name: str
    rendition: Rendition


def check_target(target: Path, folders: Sequence[Path] = (), *, file: bool = False) -> None:
    """Raise where nothing can be exported to `target`, before any work is done.

    With `file` it may have a file's name: a report, not a copy. `folders` are those that the album
    was read from: a copy among the originals would be taken for one of them the next time.
    """
    with _explain_errors(target):
        try:
            target.lstat()
        except FileNotFoundError:
            pass
        except NotADirectoryError:
            raise InputError(f"{target.parent} is not a folder: choose another place") from None
        except ValueError:  # a zero byte
            raise InputError(f"{str(target)!r} cannot be a name: choose another") from None
        else:
            raise InputError(
                f"{target} exists already, and nothing is written over: "
                "choose a new name or remove it first"
            )
    if not file and target.suffix.lower() in _FILE_SUFFIXES:
        raise InputError(
            f"{target} would be a folder named like a file: name a new folder or a .zip"
        )
    if not target.parent.is_dir():
        raise InputError(f"the folder {target.parent} does not exist: make it first")
    for folder in folders:
        if not are_separate(target, folder):
            raise InputError(
                f"{target} would lie among the originals in {folder}: choose a place outside"
            )
    with _explain_errors(target):
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def are_separate(first: Path, second: Path) -> bool:
    """Whether neither path is the other or lies inside it, however they are written."""
    first, second = Path(os.path.realpath(first)), Path(os.path.realpath(second))
    for path, folder in ((first, second), (second, first)):
        if path.is_relative_to(folder):
            return False
        with suppress(OSError):
            # the same folder under another spelling: where case does not count, or mounted twice
            parents = [path, *path.parents]
            if any(parent.samefile(folder) for parent in parents if parent.exists()):
                return False
    return True


def export(
    files: Sequence[OutgoingFile],
    target: Path,
    prove: Callable[[Copy], None],
    *,
    written: Callable[[int, str], None] = lambda done, name: None,
) -> None:
    """Write `files` to the folder or zip `target`, which must not exist yet.

    `prove` is given the finished copy, as it lies on the disk under a name that nobody knows. It
    raises where the copy must not be handed out, and then there is none.
    """
    if not files:
        raise InputError("there is no photo to export")
    check_target(target)
    ordered = sorted(files, key=lambda file: file.name)

    def contents() -> Iterator[tuple[str, bytes]]:
        """The bytes of each file, proved to be a picture and nothing more."""
        for number, file in enumerate(ordered, 1):
            content, rendition = file.rendition.content, file.rendition
            try:
                reject_trailing_data(content, (rendition.width, rendition.height))
            except NotJpegError as problem:
                raise FileError(
                    f"nothing is written, because {file.name} would not be a bare picture: "
                    f"{problem}; its photo may have been made to do harm: leave it out"
                ) from None
            yield file.name, content
            written(number, file.name)

    with _explain_errors(target):
        sweep(target.parent)
        with Staging(target.parent) as staging:
            if target.suffix.lower() == ZIP:
                path = staging.folder / "copy.zip"
                with new_file(path, mode=_FILE_MODE) as stream:
                    write_archive(stream, contents())
            else:
                path = staging.folder / "copy"
                path.mkdir(mode=0o755)
                open_to_owner(path, 0o700)
                for name, content in contents():
                    with new_file(path / name, mode=_FILE_MODE) as stream:
                        stream.write(content)
                sync_folder(path)
            copy = open_copy(path)
            if list(copy.names) != [file.name for file in ordered]:
                raise CheckError(
                    "the copy does not hold the files that were written: check the disk"
                )
            for file in ordered:
                if sha256(copy.read(file.name)).hexdigest() != file.rendition.digest:
                    raise CheckError(
                        f"{file.name} is not on the disk as it was written: see whether the disk "
                        "is failing, and export again"
                    )
            prove(copy)
            # one time for all, the folder last because touching its files changes its own
            for part in [*(path.iterdir() if path.is_dir() else []), path]:
                os.utime(part, (FILE_TIME, FILE_TIME))
            rename_new(path, target)
            with suppress(OSError):  # the copy has its name; a failing flush changes nothing
                sync_folder(target.parent)


@contextmanager
def _explain_errors(target: Path) -> Iterator[None]:
    """Turn errors of the system into one sentence about the target."""
    try:
        yield
    except OSError as problem:
        why = _ERRORS.get(
            problem.errno or 0, f"{problem.strerror or problem}: choose another place"
        )
        raise FileError(f"{target} cannot be written, and nothing was written: {why}") from None


_NAME = re.compile(r"\.elsewhere-[0-9a-f]{16}")
_LOCK = "lock"
_MARK = b"elsewhere: an export that is being made; it is taken away when nobody holds it.\n"
_MAX_TRIES = 8


def rename_new(old: Path, new: Path) -> None:
    """Rename a file or folder to a name that is free; FileExistsError where it is not."""
    import ctypes

    failed = -1
    error = errno.ENOSYS  # where the system has no rename that replaces nothing
    with suppress(AttributeError, OSError):  # an older system library
        if sys.platform.startswith("linux"):
            rename = ctypes.CDLL(None, use_errno=True).renameat2
            here = ctypes.c_int(-100)  # AT_FDCWD: relative paths start at the working directory
            failed = rename(here, os.fsencode(old), here, os.fsencode(new), ctypes.c_uint(1))
            error = ctypes.get_errno()
        elif sys.platform == "darwin":
            rename = ctypes.CDLL(None, use_errno=True).renamex_np
            failed = rename(os.fsencode(old), os.fsencode(new), ctypes.c_uint(4))
            error = ctypes.get_errno()
    if not failed:
        return
    if error not in UNSUPPORTED_ERRORS:
        raise OSError(error, os.strerror(error), str(new))
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    old.rename(new)


class Staging(contextlib.AbstractContextManager["Staging"]):
    """A private folder for one export; removed at the end with all that is in it."""

    def __init__(self, beside: Path) -> None:
        for _ in range(_MAX_TRIES):
            self.folder = beside / f".elsewhere-{secrets.token_hex(8)}"
            file = self.folder / _LOCK
            self.folder.mkdir(mode=0o700)
            try:
                open_to_owner(self.folder, 0o700)
                self._lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            except FileNotFoundError:  # swept while it was still empty
                continue
            try:
                open_to_owner(file, 0o600)
                if take(self._lock) is not False and file.exists():
                    owner = f"{os.getpid()} {platform.node()}\n"
                    os.write(self._lock, _MARK + owner.encode())
                    return
            except FileNotFoundError:  # swept just before it was locked
                pass
            except BaseException:
                os.close(self._lock)
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            os.close(self._lock)
        raise FileError(f"{beside} is being cleared by another program: try again")

    def __exit__(self, *problem: object) -> None:
        with suppress(OSError):
            _remove_contents(self.folder)
        os.close(self._lock)
        with suppress(OSError):
            (self.folder / _LOCK).unlink(missing_ok=True)
            self.folder.rmdir()


def sweep(beside: Path) -> int:
    """Remove the folders that killed exports left; how many remain because they are held."""
    held = 0
    with suppress(OSError), os.scandir(beside) as entries:
        for entry in entries:
            if not _NAME.fullmatch(entry.name):
                continue
            with suppress(OSError):
                known = entry.stat(follow_symlinks=False)
                user = getattr(os, "getuid", lambda known=known: known.st_uid)()
                if stat.S_ISDIR(known.st_mode) and known.st_uid == user:
                    held += 1
                    held -= _remove_if_abandoned(Path(entry.path))
    return held


def _remove_if_abandoned(folder: Path) -> bool:
    """Remove a staging folder whose owner is gone."""
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        folder.rmdir()  # killed before its lock was there: then it is empty, or not ours
        return True
    try:
        text = os.read(lock, 4096)
        if not text.startswith(_MARK) and text:  # empty: killed just before it was written
            return False
        taken = take(lock)
        if taken is False or (taken is None and not _has_ended(text[len(_MARK) :])):
            return False
        _remove_contents(folder)
    finally:
        os.close(lock)
    (folder / _LOCK).unlink(missing_ok=True)
    folder.rmdir()
    return not folder.exists()


def _remove_contents(folder: Path) -> None:
    """Remove everything but the lock, so that an interrupted sweep can be continued."""
    for path in list(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != _LOCK:
            path.unlink(missing_ok=True)


def _has_ended(owner: bytes) -> bool:
    """Whether the process named in a lock has ended; for disks without locks.

    A process of another machine never counts as ended.
    """
    number, _, host = owner.decode("utf-8", "replace").strip().partition(" ")
    if sys.platform == "win32" or host != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
