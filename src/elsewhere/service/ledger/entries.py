"""The ledger: what was shared of a place, so that the next album counts it too.

Only for those who ask for it (`--remember`), for it says where one has been. It lies in the job's
room because an entry joins what no other room may join: an export of an album, the places of its
photos and the rows of scorers.

An export and its entry cannot happen in one step, so the entry comes first, as pending, and is
confirmed once the copy has its name. A pending entry whose copy is there was finished; where it is
not, nobody can tell whether it was shared, and plans may rest on neither: the person is asked.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from random import Random

from elsewhere.album.copies import open_copy
from elsewhere.errors import FileError, InputError
from elsewhere.formats.ledger import Entry, Rows
from elsewhere.service.ledger.store import Store


@dataclass(frozen=True, eq=False)
class Given:
    """What an export gives away of one place, before it is written down."""

    places: tuple[tuple[float, float], ...]
    photos: tuple[str, ...]
    """SHA-256 of the renditions."""
    rows: tuple[Rows, ...]
    placed: bool = True


class Ledger:
    """What was shared before, on this machine, by this user."""

    def __init__(self, folder: Path | None = None) -> None:
        self._store = Store(folder)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._store.path

    def entries(self) -> tuple[Entry, ...]:
        """Everything that is remembered, oldest first; pending ones whose copy is there are
        confirmed first."""
        entries = self._store.read()
        landed = {
            entry.export for entry in entries if entry.pending and self._landed(entry, entries)
        }
        if landed:
            return self._store.change(
                lambda now, key: [_confirmed(one) if one.export in landed else one for one in now]
            )
        return entries

    def settled(self) -> tuple[Entry, ...]:
        """The same, but an export of which nobody knows whether it was shared is an error."""
        entries = self.entries()
        for number, entry in enumerate(entries, 1):
            if entry.pending:
                raise FileError(
                    f"the export to {entry.target} was interrupted on {entry.day}, and whether "
                    f"you shared it is not known: say `elsewhere ledger confirm {number}` if you "
                    f"did, `elsewhere ledger forget {number}` if not"
                )
        return entries

    def named(self, digest: str) -> str | None:
        """What the ledger calls a photo whose rendition has this SHA-256; None: it knows none."""
        key = self._store.key()
        return None if key is None else _named(digest, key)

    def steady(self, words: str) -> Random:
        """Random numbers that are the same each time for the same words, and nobody else's.

        They come from the ledger's key, which is made where there is none yet.
        """
        seal = hmac.new(self._store.make_key(), b"draw " + words.encode(), "sha256")
        return Random(seal.digest())

    @contextmanager
    def writing_down(self, given: Sequence[Given], target: Path) -> Iterator[None]:
        """Around the moment in which an export gets its name: remembered if and only if it does.

        Where an error comes out, the copy itself is asked whether it got its name. Where that
        cannot be written down any more the entry stays pending, and the copy is asked next time.
        """
        if not given:
            yield
            return
        export = self.begin(given, target)
        try:
            yield
        except BaseException:
            with suppress(FileError):
                self.settle(export)
            raise
        with suppress(FileError):
            self.settle(export, shared=True)

    def begin(self, given: Sequence[Given], target: Path) -> str:
        """Write down, as pending, what is about to appear at `target`; which export it is."""
        export = secrets.token_hex(16)
        day = datetime.now(UTC).astimezone().date().isoformat()
        whole = str(target.absolute())

        def with_it(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            new = [
                Entry(
                    export,
                    day,
                    one.places,
                    tuple(_named(photo, key) for photo in one.photos),
                    one.rows,
                    one.placed,
                    whole,
                )
                for one in given
            ]
            return [*entries, *new]

        self._store.change(with_it)
        return export

    def settle(self, export: str, *, shared: bool | None = None) -> None:
        """Confirm a pending export, or take it out again; None asks the copy itself."""

        def sure(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            mine = [entry for entry in entries if entry.export == export and entry.pending]
            landed = shared
            if landed is None:
                landed = bool(mine) and self._landed(mine[0], entries)
            if landed:
                return [_confirmed(one) if one in mine else one for one in entries]
            return [one for one in entries if one not in mine]

        self._store.change(sure, scrub=shared is not True)

    def confirm(self, number: int) -> Entry:
        """The person says that the pending entry (numbered from 1, as listed) was shared."""
        entry = self._numbered(number)
        if not entry.pending:
            raise InputError(f"entry {number} is not in doubt: there is nothing to confirm")
        self.settle(entry.export, shared=True)
        return entry

    def forget(self, which: Callable[[int, Entry], bool]) -> int:
        """Take out the entries that `which` picks (by number from 1); how many there were.

        Not a byte of their rows is left in the file.
        """
        gone = 0

        def without(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            nonlocal gone
            left = [one for number, one in enumerate(entries, 1) if not which(number, one)]
            gone = len(entries) - len(left)
            return left

        if self._store.exists():
            self._store.change(without, scrub=True)
        return gone

    def forget_all(self) -> None:
        """Take all of it away with its key, even where it is damaged."""
        self._store.delete()

    def _numbered(self, number: int) -> Entry:
        entries = self._store.read()
        if not 1 <= number <= len(entries):
            raise InputError(f"the ledger has no entry {number}: see `elsewhere ledger list`")
        return entries[number - 1]

    def _landed(self, entry: Entry, entries: Iterable[Entry]) -> bool:
        """Whether the copy of a pending entry is at its place with all its photos."""
        photos = {p for one in entries if one.export == entry.export for p in one.photos}
        key = self._store.key()
        if entry.target is None or key is None:
            return False
        try:
            copy = open_copy(Path(entry.target))
            there = {_named(sha256(copy.read(name)).hexdigest(), key) for name in copy.names}
        except FileError:
            return False
        return photos <= there


def _confirmed(entry: Entry) -> Entry:
    return replace(entry, target=None)


def _named(digest: str, key: bytes) -> str:
    """A photo's name in the ledger: nobody without the key can ask whether a picture is in it."""
    return hmac.new(key, b"photo " + digest.encode(), "sha256").hexdigest()
