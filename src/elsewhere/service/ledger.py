"""The ledger: what was shared of a place, so that the next album counts it too.

Only for those who ask for it (`--remember`), for it says where a person has been.

The file is small and rewritten whole, by one process at a time: written aside, synced, then renamed
over the old one. After `kill -9` or a power cut it is the old file or the new one. What was taken
out is nowhere in the new file, and the old file's bytes are overwritten. The key has its own file.

An export and its entry cannot happen in one step. So the entry comes first, as pending, and is
confirmed once the copy has its name. Where the copy of a pending entry is missing, nobody can tell
whether it was shared: the person is asked, and no plan is made before.

Every place of the album gets an entry: what is public today may be hidden tomorrow. Positions are
rounded to about a kilometre, enough to recognize a place. No photo is counted twice.

A photo that was shared edited is known again by its original: the row of the version that is public
counts, and no other version of it is shared.
"""

from __future__ import annotations

import hmac
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import cast

import numpy as np

from elsewhere.album import Metadata
from elsewhere.album.copies import open_copy
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import FileError, InputError, PlaceError
from elsewhere.formats.ledger import DamagedError, Entry, Rows, decode, encode
from elsewhere.globe import place_label, zone
from elsewhere.platform.files import erase, new_file, sync_folder, take, write_zeros
from elsewhere.platform.machine import user_folder
from elsewhere.scorers import FeatureScorer, find
from elsewhere.service.scored_album import ModelScores, PublicVersion, ScoredAlbum
from elsewhere.service.selection import cells_of, hidden_zone, resolve_place, select_places
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.scores import FloatMatrix
from elsewhere.values.wishes import Wishes

PATIENCE = 30.0
"""Seconds that another process may hold the ledger before we give up."""
_KEY_BYTES = 32
_MAX_BYTES = 1 << 30
_MAX_TRIES = 5
_LEDGER, _KEY, _LOCK, _PART = "ledger.jsonl", "ledger.key", "ledger.lock", "ledger.part"


@dataclass(frozen=True, eq=False)
class NewEntry:
    """What an export gives away of one place, before it is written down."""

    places: tuple[tuple[float, float], ...]
    photos: tuple[str, ...]
    """SHA-256 of the renditions."""
    rows: tuple[Rows, ...]
    placed: bool = True
    sources: tuple[tuple[str, ...], ...] = ()
    """For each photo, what it is known by in any version (`ScoredAlbum.sources`)."""


class Ledger:
    """What was shared before, on this machine, by this user."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or user_folder("data")
        self.path = self.folder / _LEDGER

    def entries(self, *, refuse_pending: bool = False) -> tuple[Entry, ...]:
        """Everything that is remembered, oldest first; pending ones whose copy is there are
        confirmed first.

        With `refuse_pending`, an export of which nobody knows whether it was shared is an error.
        """
        entries = self._read()
        landed = {
            entry.export for entry in entries if entry.pending and self._landed(entry, entries)
        }
        if landed:
            entries = self._change(
                lambda now, key: [replace(e, target=None) if e.export in landed else e for e in now]
            )
        for number, entry in enumerate(entries, 1):
            if refuse_pending and entry.pending:
                raise FileError(
                    f"the export to {entry.target} was interrupted on {entry.day}, and whether "
                    f"you shared it is not known: say `elsewhere ledger confirm {number}` if you "
                    f"did, `elsewhere ledger forget {number}` if not"
                )
        return entries

    def named(self, digest: str) -> str | None:
        """What the ledger calls a photo whose rendition has this SHA-256; None: it knows none."""
        key = self._key()
        return None if key is None else _named(digest, key)

    @contextmanager
    def recording(self, new: Sequence[NewEntry], target: Path) -> Iterator[None]:
        """Around the moment in which an export gets its name: remembered if and only if it does.

        Where an error comes out, the copy itself is asked whether it got its name. Where that
        cannot be written down any more the entry stays pending, and the copy is asked next time.
        """
        if not new:
            yield
            return
        export = self.begin(new, target)
        try:
            yield
        except BaseException:
            with suppress(FileError):
                self.settle(export)
            raise
        with suppress(FileError):
            self.settle(export, shared=True)

    def begin(self, new: Sequence[NewEntry], target: Path) -> str:
        """Write down, as pending, what is about to appear at `target`; which export it is."""
        export = secrets.token_hex(16)
        day = datetime.now(UTC).astimezone().date().isoformat()
        path = str(target.absolute())

        def add(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            def name_all(digests: Iterable[str]) -> tuple[str, ...]:
                return tuple(_named(digest, key) for digest in digests)

            return [
                *entries,
                *(
                    Entry(
                        export,
                        day,
                        item.places,
                        name_all(item.photos),
                        item.rows,
                        item.placed,
                        path,
                        tuple(map(name_all, item.sources)),
                    )
                    for item in new
                ),
            ]

        self._change(add)
        return export

    def settle(self, export: str, *, shared: bool | None = None) -> None:
        """Confirm a pending export, or take it out again; None asks the copy itself."""

        def settled(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            pending = [entry for entry in entries if entry.export == export and entry.pending]
            landed = shared
            if landed is None:
                landed = bool(pending) and self._landed(pending[0], entries)
            if landed:
                return [replace(e, target=None) if e in pending else e for e in entries]
            return [entry for entry in entries if entry not in pending]

        self._change(settled, scrub=shared is not True)

    def confirm(self, number: int) -> Entry:
        """The person says that the pending entry (numbered from 1, as listed) was shared."""
        entries = self._read()
        if not 1 <= number <= len(entries):
            raise InputError(f"the ledger has no entry {number}: see `elsewhere ledger list`")
        entry = entries[number - 1]
        if not entry.pending:
            raise InputError(f"entry {number} is not in doubt: there is nothing to confirm")
        self.settle(entry.export, shared=True)
        return entry

    def forget(self, which: Callable[[int, Entry], bool]) -> int:
        """Take out the entries that `which` picks (by number from 1); how many there were.

        Not a byte of their rows is left in the file.
        """
        count = 0

        def remaining(entries: tuple[Entry, ...], key: bytes) -> list[Entry]:
            nonlocal count
            rest = [entry for number, entry in enumerate(entries, 1) if not which(number, entry)]
            count = len(entries) - len(rest)
            return rest

        if os.path.lexists(self.path):
            self._change(remaining, scrub=True)
        return count

    def forget_all(self) -> None:
        """Take all of it away with its key, even where it is damaged."""
        with self._locked():
            self._replace(None, scrub=True)
            (self.folder / _KEY).unlink(missing_ok=True)
            sync_folder(self.folder)

    def _landed(self, entry: Entry, entries: Iterable[Entry]) -> bool:
        """Whether the copy of a pending entry is at its place with all its photos."""
        photos = {p for other in entries if other.export == entry.export for p in other.photos}
        key = self._key()
        if entry.target is None or key is None:
            return False
        try:
            copy = open_copy(Path(entry.target))
            there = {_named(sha256(copy.read(name)).hexdigest(), key) for name in copy.names}
        except FileError:
            return False
        return photos <= there

    def _key(self) -> bytes | None:
        """The key that photos are named and the ledger is sealed with; None before there is one."""
        try:
            key = (self.folder / _KEY).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as problem:
            reason = f"its key cannot be read: {problem.strerror or problem}"
            raise self._untrusted(reason) from None
        if len(key) != _KEY_BYTES:
            raise self._untrusted("its key is damaged")
        return key

    def _make_key(self) -> bytes:
        """The key, made where there is none yet; only with the lock."""
        key = self._key()
        if key is None:
            if os.path.lexists(self.path):
                raise self._untrusted("its key is gone")
            key = secrets.token_bytes(_KEY_BYTES)
            part = self.folder / f"{_KEY}.part"
            part.unlink(missing_ok=True)
            with new_file(part, private=True) as file:
                file.write(key)
            part.replace(self.folder / _KEY)
            sync_folder(self.folder)
        return key

    def _read(self) -> tuple[Entry, ...]:
        """All entries. A file that is not whole is refused: nobody may take it for an empty one."""
        for _ in range(_MAX_TRIES):
            try:
                if not os.path.lexists(self.path):
                    return ()
                if self.path.is_symlink() or not self.path.is_file():
                    raise self._untrusted("it is not a plain file")
                with self.path.open("rb") as file:
                    status = os.fstat(file.fileno())
                    if status.st_size > _MAX_BYTES:
                        raise self._untrusted("it is far too large")
                    with suppress(OSError):
                        self.path.chmod(0o600)
                    content = file.read()
            except FileNotFoundError:  # forgotten a moment ago
                return ()
            except OSError as problem:
                reason = f"it cannot be read: {problem.strerror or problem}"
                raise self._untrusted(reason) from None
            key = self._key()
            try:
                if key is None:
                    raise DamagedError("its key is gone")
                return decode(content, key)
            except DamagedError as problem:
                reason = str(problem)
            with suppress(OSError):
                if self.path.stat().st_ino == status.st_ino:  # else it was replaced meanwhile
                    break
        raise self._untrusted(reason)

    def _change(
        self, change: Callable[[tuple[Entry, ...], bytes], Sequence[Entry]], *, scrub: bool = False
    ) -> tuple[Entry, ...]:
        """Rewrite the ledger as `change` says from its entries and the key; the new entries.

        With `scrub` the bytes of the old file are written over as well.
        """
        with self._locked():
            before = self._read()
            key = self._make_key()
            after = tuple(change(before, key))
            self._replace(encode(after, key) if after else None, scrub=scrub)
            return after

    def _replace(self, content: bytes | None, *, scrub: bool) -> None:
        """The one step that changes anything: a rename, or for an empty ledger a removal.

        Not `write_whole`: what a killed process leaves must have a name by which it is found again
        and written over.
        """
        old = None
        if scrub and sys.platform != "win32":  # Windows does not replace a file that is open
            with suppress(OSError):
                old = os.open(self.path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
        try:
            part = self.folder / _PART
            with suppress(FileNotFoundError):  # what a killed process left
                erase(part)
            if content is None:
                self.path.unlink(missing_ok=True)
            else:
                with new_file(part, private=True) as file:
                    file.write(content)
                part.replace(self.path)
            sync_folder(self.folder)
            if old is not None:
                write_zeros(old)
        finally:
            if old is not None:
                os.close(old)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Alone with the ledger, to write it; the system releases the lock even after `kill -9`."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            lock = os.open(self.folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                deadline = time.monotonic() + PATIENCE
                while not (taken := take(lock)):
                    if taken is None:
                        raise FileError(
                            f"the ledger in {self.folder} is on a disk without file locks, so two "
                            "programs could write it at once: set ELSEWHERE_DATA_DIR to a folder "
                            "on another disk"
                        )
                    if time.monotonic() > deadline:
                        raise FileError(
                            f"the ledger in {self.folder} is in use by another elsewhere: try "
                            "again when that is done"
                        )
                    time.sleep(0.02)
                yield
            finally:
                os.close(lock)
        except OSError as problem:
            raise FileError(
                f"the ledger in {self.folder} cannot be written ({problem.strerror or problem}): "
                "check its permissions and the room on the disk"
            ) from None

    def _untrusted(self, reason: str) -> FileError:
        return FileError(
            f"the ledger {self.path} cannot be trusted ({reason}), so what you shared before "
            "cannot be counted: restore it, or begin anew with `elsewhere ledger forget --all`"
        )


def _named(digest: str, key: bytes) -> str:
    """A photo's name in the ledger: nobody without the key can ask whether a picture is in it."""
    return hmac.new(key, b"photo " + digest.encode(), "sha256").hexdigest()


_EARLIER = "embedded:512"
"""The scorer that earlier versions called embedded."""
_DECIMALS = 2
_ROUNDED_KM = 1.6
"""How far rounding may move a position: every distance is meant with this much more."""


def new_entries(scored: ScoredAlbum, places: Places, shared: Collection[int]) -> list[NewEntry]:
    """What sharing these photos of an album, by number, gives away of each of its places."""
    groups = [
        (place.photos, [(place.lat, place.lon), *place.positions], True) for place in places.places
    ]
    if places:
        everywhere = [position for place in places.places for position in place.positions]
        groups.append((places.unplaced, everywhere, False))
    found = []
    for members, positions, placed in groups:
        photos = [number for number in members if number in shared]
        if not photos:
            continue
        rounded = ((round(lat, _DECIMALS), round(lon, _DECIMALS)) for lat, lon in positions)
        digests = tuple(scored.photos[number].rendition.digest for number in photos)
        sources = tuple(
            tuple(source for source in scored.sources(number) if source != digest)
            for number, digest in zip(photos, digests, strict=True)
        )
        rows: dict[str, Rows] = {}
        for model in scored.models:
            table, made = model.scores, model.about.features
            if made is not None and model.features is not None:
                seen = model.features[photos]
                rows[made.fingerprint] = Rows(made.fingerprint, "", seen, features=True)
            else:
                rows[table.scorer] = Rows(table.scorer, table.grid, table.values[photos])
        there = tuple(dict.fromkeys(rounded))
        found.append(NewEntry(there, digests, (*rows.values(),), placed, sources))
    return found


@dataclass(frozen=True)
class Remembered:
    """What was shared before of the places that are hidden now, and is not known otherwise."""

    ids: tuple[str, ...]
    rows: tuple[FloatMatrix, ...]
    """One table for each model of the album, which may have no rows."""
    metadata: tuple[Metadata, ...]
    already: tuple[int, ...]
    """Photos of the album that were shared before, by number."""
    notes: tuple[Note, ...] = ()
    features: tuple[FloatMatrix | None, ...] = ()
    """What the rows were made from, for each model; None where that is not known of all."""
    versions: Mapping[int, PublicVersion] = field(default_factory=dict)
    """By number, photos of the album that were shared in another version than as they are."""
    recognized: Mapping[str, int] = field(default_factory=dict)
    """Of the digests that the caller knows, those of such versions, with the photo's number."""


def remembered(
    ledger: Ledger,
    scored: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    known: Iterable[str] = (),
    *,
    as_is: Collection[int] = (),
) -> Remembered | None:
    """What the ledger has of the hidden places, if anything is in it at all.

    `known` are digests of photos counted otherwise, `as_is` photos of the album that are public as
    they are. An export of which nobody knows whether it was shared is an error, and so is a photo
    without a row for one of the models: a plan must not rest on what it does not count.
    """
    entries = ledger.entries(refuse_pending=True)
    if not entries:
        return None
    own = {ledger.named(photo.rendition.digest): n for n, photo in enumerate(scored.photos)}
    by_source = {
        ledger.named(source): n for n in range(len(scored.photos)) for source in scored.sources(n)
    }
    counted = {ledger.named(digest): digest for digest in known if digest}
    near = _nearness(scored, places, wishes)
    already = {own[photo] for entry in entries for photo in entry.photos if photo in own}
    unedited = already | set(as_is)
    versions, recognized = _public_versions(scored, entries, by_source, unedited)
    found: dict[str, tuple[list[FloatMatrix], Metadata, str]] = {}
    features: list[list[FloatMatrix | None]] = [[] for _ in scored.models]
    for entry in entries:
        there = near(entry)
        if not there:
            continue
        new = [
            n
            for n, p in enumerate(entry.photos)
            if not (p in own or p in counted or p in found or p in recognized)
        ]
        if not new:
            continue
        metadata = Metadata()
        if entry.placed and len(there) == 1:
            metadata = Metadata(position=there[0].positions[0])
        tables = [_rows_of(entry, model, new) for model in scored.models]
        for number, n in enumerate(new):
            rows = [table[number : number + 1] for table in tables]
            found[entry.photos[n]] = rows, metadata, there[0].label
        for made, model in zip(features, scored.models, strict=True):
            made.append(_features_of(entry, model, new))
    rows_by_model = tuple(
        np.concatenate([model.scores.values[:0], *(rows[number] for rows, _, _ in found.values())])
        for number, model in enumerate(scored.models)
    )
    return Remembered(
        tuple(f"remembered/{number}" for number in range(1, len(found) + 1)),
        rows_by_model,
        tuple(metadata for _, metadata, _ in found.values()),
        tuple(sorted(already)),
        tuple(
            Note(NoteKind.REMEMBERED, count=count, places=(label,))
            for label, count in Counter(label for _, _, label in found.values()).items()
        ),
        tuple(map(concatenate_known, features)),
        versions,
        {counted[photo]: n for photo, n in recognized.items() if photo in counted},
    )


def _public_versions(
    scored: ScoredAlbum,
    entries: Iterable[Entry],
    by_source: Mapping[str | None, int],
    as_is: Collection[int],
) -> tuple[dict[int, PublicVersion], dict[str, int]]:
    """By number, the version in which photos of the album were shared; and by their names.

    Not of photos that are public as they are: there, a version is one more photo. So is a second
    version; the one that was shared first stands for the photo.
    """
    versions: dict[int, PublicVersion] = {}
    names: dict[str, int] = {}
    for entry in entries:
        for place, (photo, sources) in enumerate(zip(entry.photos, entry.sources, strict=False)):
            number = next((by_source[s] for s in sources if s in by_source), None)
            if number is None or number in as_is or number in versions or photo in by_source:
                continue
            models = scored.models
            seen = [_features_of(entry, model, [place]) for model in models]
            versions[number] = PublicVersion(
                tuple(_rows_of(entry, model, [place])[0] for model in models),
                tuple(None if known is None else known[0] for known in seen),
            )
            names[photo] = number
    return versions, names


def concatenate_known(parts: Sequence[FloatMatrix | None]) -> FloatMatrix | None:
    """All of these behind each other, if there are any and all are known."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return cast(FloatMatrix, np.concatenate(known))


def _features_of(entry: Entry, model: ModelScores, photos: Sequence[int]) -> FloatMatrix | None:
    """What a model's rows of these photos are made from, if the entry has it."""
    made = model.about.features
    rows = {rows.scorer: rows for rows in reversed(entry.rows) if rows.features}
    seen = None if made is None else rows.get(made.fingerprint)
    return None if seen is None else seen.values[photos].astype(np.float32)


def _rows_of(entry: Entry, model: ModelScores, photos: Sequence[int]) -> FloatMatrix:
    """What a model says of these photos of an entry; InputError where that is not known."""
    by_scorer = {rows.scorer: rows for rows in reversed(entry.rows)}
    seen = _features_of(entry, model, photos)
    if seen is not None:
        scorer = cast(FeatureScorer, find(model.spec))
        scorer.load()
        return np.stack([scorer.row(photo) for photo in seen])
    rows = by_scorer.get(model.scores.scorer)
    if rows is not None and not rows.features:
        return rows.values[photos]
    earlier = _EARLIER if find(_EARLIER).load().fingerprint in by_scorer else ""
    raise InputError(
        f"what you shared of {label_of(entry)} on {entry.day} was not scored by "
        f"{model.spec} as it is now, so it cannot be counted: give those photos with --posted, "
        + (f"plan with --scorer {earlier} as before, " if earlier else "")
        + "or forget them with `elsewhere ledger forget`"
    )


def label_of(entry: Entry) -> str:
    """The town where an entry's photos were taken."""
    lat, lon = entry.places[0]
    more = len(entry.places) > 1 and not entry.placed
    return place_label(lat, lon) + (" and elsewhere" if more else "")


def entries_at(text: str, entries: Sequence[Entry]) -> set[int]:
    """The numbers, from 1, of the entries of a place by name or coordinate; InputError if none."""
    if not entries:
        raise InputError("nothing is remembered yet")
    where = {
        number: AlbumPlace(label_of(entry), *entry.places[0], (), entry.places)
        for number, entry in enumerate(entries, 1)
    }
    try:
        there = resolve_place(text, Places(tuple(where.values())))
    except PlaceError:
        listed = "; ".join(dict.fromkeys(place.label for place in where.values()))
        raise InputError(
            f"nothing of {text.strip()!r} is remembered: what is remembered is of {listed}"
        ) from None
    return {number for number, place in where.items() if place in there}


def _nearness(
    scored: ScoredAlbum, places: Places, wishes: Wishes
) -> Callable[[Entry], tuple[AlbumPlace, ...]]:
    """For an entry, the hidden places whose zone overlaps that of its own photos."""
    hidden = select_places(places, scored.photos, wishes.hide).hidden
    width = wishes.width
    grids = {model.scores.grid: cells_of(model.spec, model.about) for model in scored.models}
    truths = {
        (grid, place.label): frozenset(hidden_zone(cells, place, width).cells.tolist())
        for grid, cells in grids.items()
        for place in hidden
    }

    def near(entry: Entry) -> tuple[AlbumPlace, ...]:
        lats, lons = np.array(entry.places).T
        found = []
        for grid, cells in grids.items():
            there = zone(cells, lats, lons, width.km + _ROUNDED_KM).cells.tolist()
            found += [one for one in hidden if not truths[grid, one.label].isdisjoint(there)]
        return tuple(dict.fromkeys(found))

    return near
