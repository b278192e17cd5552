"""What may be written over: a plain file or nothing, never a device, a pipe, a folder or a link.

Files appear all at once, by renaming. Renaming asks nobody: done by root it would put a file in
the place of /dev/null, and done to a link it would take the link away.
"""

from __future__ import annotations

import stat
from pathlib import Path

from elsewhere.errors import FileError

_KINDS = (
    (stat.S_ISDIR, "it is a folder"),
    (stat.S_ISLNK, "it is a symbolic link: name the file itself"),
    (stat.S_ISFIFO, "it is a pipe, not a plain file"),
)


def refuse_unless_plain(file: Path) -> None:
    """Raise a FileError where `file` is there already and is no plain file.

    >>> refuse_unless_plain(Path("."))
    Traceback (most recent call last):
    elsewhere.errors.FileError: . cannot be written: it is a folder
    """
    try:
        mode = file.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as wrong:
        raise FileError(f"{file} cannot be written: {wrong.strerror or wrong}") from None
    if not stat.S_ISREG(mode):
        kind = next((told for is_it, told in _KINDS if is_it(mode)), "it is not a plain file")
        raise FileError(f"{file} cannot be written: {kind}")
