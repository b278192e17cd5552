"""An album's rows → its photos, what is wished for them, and what of them cannot be used."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from elsewhere.album import metadata
from elsewhere.album.metadata import Metadata
from elsewhere.batch.corrupt_rows import refuse_lost
from elsewhere.batch.matrix import matrix_of
from elsewhere.batch.utf8 import MangledText, texts
from elsewhere.errors import InputError
from elsewhere.values.scores import FloatMatrix


class Dead(NamedTuple):
    """A dead letter: what could not be used, and why."""

    album: str
    photo: str | None
    kind: str
    reason: str


@dataclass(frozen=True)
class Rows:
    """One album as it comes to be planned."""

    album: str
    ids: tuple[str, ...]
    scores: tuple[FloatMatrix, ...]
    """For each attacker, one row a photo."""
    metadata: tuple[Metadata, ...]
    digests: tuple[str, ...]
    place: str | None
    wishes: Mapping[str, Any]
    truth: tuple[int, ...] | None
    dead: tuple[Dead, ...]


def albums(table: Any) -> Iterator[tuple[str, Any]]:
    """Every album of a table with its rows; they lie together."""
    names = [name or "" for name in texts(table.column("album"))]
    start = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            yield names[start], table.slice(start, end - start)
            start = end


def rows_of(album: str, table: Any) -> Rows:
    """One album's photos and wishes; InputError where they make no sense together."""
    refuse_lost(table)
    if not album:
        raise InputError("the album has no id: give every row one")
    if isinstance(album, MangledText):
        raise InputError("the album's id is no text in UTF-8: give it another")
    told = _told(table)
    names = [name for name in table.column_names if name.startswith("scores")]
    matrices: list[FloatMatrix] = []
    unscored: dict[int, str] = {}
    for name in sorted(names, key=_number):
        matrix, wrong = matrix_of(table.column(name))
        matrices.append(matrix)
        unscored |= wrong
    usable, dead = _usable(album, told, unscored)
    truth = _one([_cells(row.get("truth")) for row in told], "truth")
    wishes = _one([_json(row.get("wishes")) for row in told], "wishes")
    return Rows(
        album=album,
        ids=tuple(str(told[n]["photo"]) for n in usable),
        scores=tuple(matrix[usable] for matrix in matrices),
        metadata=tuple(_metadata(told[n]) for n in usable),
        digests=tuple(told[n].get("digest") or "" for n in usable),
        place=_one([row.get("place") for row in told], "place"),
        wishes=json.loads(wishes) if wishes else {},
        truth=truth,
        dead=tuple(dead),
    )


def _told(table: Any) -> list[dict[str, Any]]:
    """The rows without their scores."""
    small = [name for name in table.column_names if not name.startswith("scores")]
    columns = [texts(table.column(name)) for name in small]
    return [dict(zip(small, row, strict=True)) for row in zip(*columns, strict=True)]


def _usable(
    album: str, told: Sequence[Mapping[str, Any]], unscored: Mapping[int, str]
) -> tuple[list[int], list[Dead]]:
    """The rows of photos that can be planned with, and what the others are.

    Where an id has several rows none of them is read, not even where all show one picture: an id
    must not be both among the dead letters and among what may be shared.
    """
    usable: list[int] = []
    dead: list[Dead] = []
    rows = Counter(row.get("photo") or "" for row in told)
    pictures: dict[str, str] = {}
    for number, row in enumerate(told):
        name, digest = row.get("photo"), row.get("digest") or ""
        if row.get("kind"):
            dead.append(Dead(album, name, row["kind"], row["reason"]))
        elif not name:
            dead.append(Dead(album, None, "unnamed", f"photo {number} has no id: give it one"))
        elif isinstance(name, MangledText):
            dead.append(Dead(album, name, "unnamed", "its id is no text in UTF-8: give it another"))
        elif rows[name] > 1:
            reason = (
                "its id comes more than once in the album: give every photo its own, and one row"
            )
            dead.append(Dead(album, name, "twice", reason))
        elif number in unscored:
            dead.append(Dead(album, name, "unscored", unscored[number]))
        elif digest and digest in pictures:
            reason = f"it shows exactly the same picture as {pictures[digest]}, which is read"
            dead.append(Dead(album, name, "duplicate", reason))
        else:
            usable.append(number)
            pictures[digest] = name
    return usable, dead


def _metadata(row: Mapping[str, Any]) -> Metadata:
    """What the file says, with the position that the dataset gives before its own."""
    known = metadata.from_json(json.loads(row["metadata"])) if row.get("metadata") else Metadata()
    lat, lon = row.get("lat"), row.get("lon")
    if lat is None or lon is None or math.isnan(lat) or math.isnan(lon):
        return known
    where = metadata.position(lat, lon)
    if where is None:
        raise InputError(f"{row['photo']} has a position that is none on earth: {lat}, {lon}")
    return replace(known, position=where)


def _one(given: Sequence[Any], what: str) -> Any:
    """What the rows of an album say alike, or nothing."""
    found = list(dict.fromkeys(one for one in given if one not in (None, "", ())))
    if len(found) > 1:
        raise InputError(f"its rows have different {what}: an album has one")
    if found and isinstance(found[0], MangledText):
        raise InputError(f"its {what} is no text in UTF-8: {found[0][:80]}")
    return found[0] if found else None


def _cells(given: Any) -> tuple[int, ...] | None:
    if given is None:
        return None
    cells = [given] if isinstance(given, int) else list(given)
    if any(cell is None for cell in cells):
        raise InputError("a cell of its truth is null: leave it out")
    return tuple(int(cell) for cell in cells)


def _json(text: str | None) -> str | None:
    """The wishes of a row, brought to one form."""
    if not text:
        return None
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict):
        raise InputError(f"its wishes are no JSON object: {text[:80]}")
    return json.dumps(told, sort_keys=True)


def _number(name: str) -> int:
    return int(name.rpartition("_")[2]) if "_" in name else 0
