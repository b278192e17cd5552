"""What an album adds to the ledger, and what the ledger knows of its hidden places.

An export adds the photos that it shares, place by place, for every place of the album: what is
public today may be hidden tomorrow. Positions are rounded to about a kilometre, which is enough to
recognize a place. A photo that is in the album or among the posted ones is not counted twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from elsewhere.album import Metadata
from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError, PlaceError
from elsewhere.formats.ledger import Entry, Rows
from elsewhere.globe import chief_town, zone
from elsewhere.service.ledger import Given, Ledger
from elsewhere.service.places import hidden_zone, resolve_place, select_places
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.threats import cells_of
from elsewhere.values.notes import Note, NoteKind
from elsewhere.values.scores import FloatMatrix
from elsewhere.values.wishes import Wishes

_DECIMALS = 2
_ROUNDED_KM = 1.6
"""How far rounding may move a position: every distance is meant with this much more."""

Position = tuple[float, float]


def given_by(seen: ScoredAlbum, places: Places, shared: Collection[int]) -> list[Given]:
    """What sharing these photos of an album, by number, gives away of each of its places."""
    found = []
    for place in places.places:
        mine = [n for n in place.photos if n in shared]
        if mine:
            where = _rounded([(place.lat, place.lon), *place.positions])
            found.append(_given(seen, where, mine, placed=True))
    lost = [n for n in places.unplaced if n in shared]
    if lost and places:
        everywhere = _rounded(p for place in places.places for p in place.positions)
        found.append(_given(seen, everywhere, lost, placed=False))
    return found


def _given(
    seen: ScoredAlbum, where: tuple[Position, ...], photos: Sequence[int], *, placed: bool
) -> Given:
    rows = tuple(
        Rows(model.scores.scorer, model.scores.grid, model.scores.values[list(photos)])
        for model in seen.models
    )
    digests = tuple(seen.photos[n].rendition.digest for n in photos)
    return Given(where, digests, rows, placed)


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


def remembered(
    ledger: Ledger, seen: ScoredAlbum, places: Places, wishes: Wishes, known: Iterable[str] = ()
) -> Remembered | None:
    """What the ledger has of the hidden places, if anything is in it at all.

    `known` are digests of photos counted otherwise. An export of which nobody knows whether it was
    shared is an error, and so is a photo without a row for one of the models: a plan must not rest
    on what it does not count.
    """
    entries = ledger.settled()
    if not entries:
        return None
    own = {ledger.named(photo.rendition.digest): n for n, photo in enumerate(seen.photos)}
    counted = {ledger.named(digest) for digest in known if digest}
    near = _nearness(seen, places, wishes)
    already: set[int] = set()
    found: dict[str, tuple[list[FloatMatrix], Metadata, str]] = {}
    for entry in entries:
        already.update(own[photo] for photo in entry.photos if photo in own)
        there = near(entry)
        if not there:
            continue
        new = [
            n for n, p in enumerate(entry.photos) if not (p in own or p in counted or p in found)
        ]
        if not new:
            continue
        metadata = Metadata()
        if entry.placed and len(there) == 1:
            metadata = Metadata(position=there[0].positions[0])
        tables = [_rows_for(entry, model.scores.scorer, model.spec) for model in seen.models]
        for n in new:
            rows = [table[n : n + 1] for table in tables]
            found[entry.photos[n]] = rows, metadata, there[0].label
    rows_by_model = tuple(
        np.concatenate([model.scores.values[:0], *(rows[number] for rows, _, _ in found.values())])
        for number, model in enumerate(seen.models)
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
    )


def label_of(entry: Entry) -> str:
    """The town where an entry's photos were taken."""
    lat, lon = entry.places[0]
    more = len(entry.places) > 1 and not entry.placed
    return chief_town(lat, lon)[0].label + (" and elsewhere" if more else "")


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
        raise InputError(f"nothing of {text.strip()!r} is remembered, but of {listed}") from None
    return {number for number, place in where.items() if place in there}


def _nearness(
    seen: ScoredAlbum, places: Places, wishes: Wishes
) -> Callable[[Entry], tuple[AlbumPlace, ...]]:
    """For an entry, the hidden places whose zone overlaps that of its own photos."""
    hidden = select_places(places, seen.photos, wishes.hide).hidden
    width = wishes.width
    grids = {model.scores.grid: cells_of(model.spec, model.about) for model in seen.models}
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


def _rows_for(entry: Entry, scorer: str, word: str) -> FloatMatrix:
    for rows in entry.rows:
        if rows.scorer == scorer:
            return rows.values
    raise InputError(
        f"what you shared of {label_of(entry)} on {entry.day} was not scored by {word} as it is "
        "now, so it cannot be counted: give those photos with --posted, or forget them with "
        "`elsewhere ledger forget`"
    )


def _rounded(positions: Iterable[Position]) -> tuple[Position, ...]:
    return tuple(
        dict.fromkeys((round(lat, _DECIMALS), round(lon, _DECIMALS)) for lat, lon in positions)
    )
