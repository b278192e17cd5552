"""How often somebody died over a block, and over which album: so that no album kills a run.

A node may die under a block, which is then done again. But an album may itself kill whoever works
on it, by asking for more memory than there is, say, and would do so again and again. So each try
leaves a note of who makes it and takes it back when it ends, well or not: the notes that are found
are of those who died. From the third try on a note names the album that is being worked on, too;
an album over which two died while they worked on it alone is left alone from then on, with a dead
letter. Notes lie beside the output, where every node sees them, whichever engine it is.

Only deaths in one and the same run count here. When the run itself is killed all its workers die,
most often for reasons of their own: whoever goes on with it counts from the beginning, and what is
made of the notes that were left is in `suspects`.
"""

from __future__ import annotations

import json
import os
import platform
import uuid
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Self

from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError

TRIES = "_work/tries"
CAREFUL = 2
"""After so many deaths, albums are named."""
NAMED = 2
"""After so many deaths over one album, it is left alone."""
HOPELESS = 10
"""After so many that name none, nobody knows which album it is: all of the block are left alone."""
EVERYTHING = ""
"""Stands for all albums of a block."""
_REASON = "whoever worked on it died, {} times: look at its size, and at the memory of the workers"


class Attempt:
    """One try at one block of one run, in a `with` block: who leaves that did not die."""

    def __init__(self, storage: Storage, run: str, job: str) -> None:
        self._storage = storage
        folder = f"{TRIES}/{run or 'one'}/{job}"
        before = [_album(storage, f"{folder}/{name}") for name in storage.names(folder)]
        self.careful = len(before) >= CAREFUL
        """Whether albums are named: who names them must work on one at a time."""
        self._named = ""
        self._note = f"{folder}/{uuid.uuid4().hex}"
        named = Counter(album for album in before if album)
        self.skip: Mapping[str, str] = {
            album: _REASON.format(times) for album, times in named.items() if times >= NAMED
        }
        """Albums that are left alone, with the reason."""
        nobody = before.count("")
        if nobody >= HOPELESS:
            self.skip = {EVERYTHING: _REASON.format(nobody)}
        self._write("")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._storage.remove(self._note)

    def at(self, album: str) -> None:
        """This album is next, or still."""
        if self.careful and album != self._named:
            self._named = album
            self._write(album)

    def reason(self, album: str) -> str | None:
        """Why an album is left alone, if it is."""
        return self.skip.get(EVERYTHING) or self.skip.get(album)

    def _write(self, album: str) -> None:
        told = {"host": platform.node(), "process": os.getpid(), "album": album}
        self._storage.write(self._note, json.dumps(told).encode())


def _album(storage: Storage, note: str) -> str:
    """The album that a note names; nothing where its author has just taken it back."""
    try:
        return str(json.loads(storage.read(note))["album"])
    except (FileError, ValueError, KeyError):
        return ""
