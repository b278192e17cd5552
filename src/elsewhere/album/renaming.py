"""Giving a name only where nobody has it: in one step, wherever the system can.

A plain rename puts a file in another's place and a folder in an empty one's. Between looking and
renaming somebody may take the name, so the system is asked to do both at once; where it cannot,
looking first is the best there is.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM}
"""What file systems answer that do not know the question."""


def rename_new(old: Path, new: Path) -> None:
    """Rename `old`, a file or folder, to a name that is free; FileExistsError where it is not."""
    number = _asked(old, new)
    if number == 0:
        return
    if number is not None and number not in _CANNOT:
        raise OSError(number, os.strerror(number), str(new))
    if os.path.lexists(new):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(new))
    old.rename(new)


def _asked(old: Path, new: Path) -> int | None:
    """The system's own rename that replaces nothing: 0, an error number, or None: there is none."""
    import ctypes

    try:
        if sys.platform.startswith("linux"):
            call, flag = ctypes.CDLL(None, use_errno=True).renameat2, 1
            here = ctypes.c_int(-100)  # AT_FDCWD: paths are as they are written
            done = call(here, os.fsencode(old), here, os.fsencode(new), ctypes.c_uint(flag))
        elif sys.platform == "darwin":
            call = ctypes.CDLL(None, use_errno=True).renamex_np
            done = call(os.fsencode(old), os.fsencode(new), ctypes.c_uint(4))
        else:
            return None
    except (AttributeError, OSError):  # an older system's library
        return None
    return ctypes.get_errno() if done else 0
