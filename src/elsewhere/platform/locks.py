"""One process at a time: a lock that the system lets go of when its holder ends, however it ends.

What to do where another holds it, or where the disk knows no locks, is for those who ask: some
wait, some leave, some give signs of life instead.
"""

from __future__ import annotations

import os
import sys

_FAR = 1 << 20
"""Where Windows locks a byte: behind everything that is written, for others cannot read it."""


def take(lock: int) -> bool | None:
    """Hold an open file until it is closed; False where another does, None: no locks there."""
    if sys.platform == "win32":
        import msvcrt

        os.lseek(lock, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(lock, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a network disk, as a rule
        return None
    return True
