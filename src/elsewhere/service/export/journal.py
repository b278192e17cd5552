"""Where exports were begun, so that the next one takes away what a killed one left anywhere.

The export sweeps the folder that it works in. But whoever is killed while writing to one disk may
export to another the next time; so a note of the folder is made before, in the user's own data
directory, and taken away after. A note is a convenience: where none can be written, nothing fails.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from elsewhere.album.files import whole
from elsewhere.album.staging import sweep
from elsewhere.errors import FileError
from elsewhere.platform.machine import data_folder
from elsewhere.service.export.private_files import make_private, write_private

FOLDER = "begun"
_MOST_BYTES = 1 << 16


@contextmanager
def record_staging(beside: Path) -> Iterator[None]:
    """Sweep what earlier exports left, and note where this one works for as long as it does."""
    notes = data_folder() / FOLDER
    sweep_recorded(notes)
    note = notes / secrets.token_hex(8)
    with suppress(FileError):
        make_private(notes)
        write_private(note, str(beside.absolute()))
    try:
        yield
    finally:
        with suppress(OSError):
            note.unlink(missing_ok=True)
            notes.rmdir()


def sweep_recorded(notes: Path) -> None:
    """Sweep every folder that was noted, and forget those in which nothing of ours is left."""
    with suppress(OSError):
        for note in sorted(notes.iterdir()):
            with suppress(OSError, ValueError):
                told = (whole(note, _MOST_BYTES) or b"").decode("utf-8", "surrogateescape")
                if not sweep(Path(told)):
                    note.unlink(missing_ok=True)
