"""Locks between processes, which the system releases when their holder ends, however it ends.

The caller decides what to do when another process holds the lock or the disk has no locks: the
ledger waits, a sweep moves on, a batch run writes a heartbeat file instead.
"""

from __future__ import annotations


def take(lock: int) -> bool | None:
    """Lock an open file until it is closed; False: another holds it, None: the disk has no locks.

    `filelock.FileLock` opens and creates the file itself. Here the file is open already: staging
    folders have to create theirs exclusively, and a sweep must never create one.
    """
    from filelock import lock_descriptor

    try:
        return lock_descriptor(lock, blocking=False)
    except OSError:  # usually a network disk
        return None
