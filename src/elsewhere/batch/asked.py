"""An album's rows → its photos, what is wished for them, and what of them cannot be used."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from elsewhere.album import metadata
from elsewhere.album.metadata import Metadata
from elsewhere.errors import InputError
from elsewhere.scores import FloatMatrix


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
    names = [name or "" for name in table.column("album").to_pylist()]
    start = 0
    for end in range(1, len(names) + 1):
        if end == len(names) or names[end] != names[start]:
            yield names[start], table.slice(start, end - start)
            start = end


def rows_of(album: str, table: Any) -> Rows:
    """One album's photos and wishes; InputError where they make no sense together."""
    small = [name for name in table.column_names if not name.startswith("scores")]
    told: list[dict[str, Any]] = table.select(small).to_pylist()
    if not album:
        raise InputError("the album has no id: give every row one")
    usable, dead = _usable(album, told)
    truth = _one([_cells(row.get("truth")) for row in told], "truth")
    wishes = _one([_json(row.get("wishes")) for row in told], "wishes")
    names = [name for name in table.column_names if name.startswith("scores")]
    matrices = tuple(_matrix(table.column(name)) for name in sorted(names, key=_number))
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


def _usable(album: str, told: Sequence[Mapping[str, Any]]) -> tuple[list[int], list[Dead]]:
    """The rows of photos that can be planned with, and what the others are.

    Of rows with one id and one picture the first is read. Of rows with one id and unlike pictures
    none is: whoever is told that this id may be shared would not know which of them.
    """
    usable: list[int] = []
    dead: list[Dead] = []
    called: dict[str, set[str]] = {}
    twice: set[str] = set()
    for row in told:
        name, digest = row.get("photo") or "", row.get("digest") or ""
        if name in called and (not digest or digest not in called[name]):
            twice.add(name)
        called.setdefault(name, set()).add(digest)
    pictures: dict[str, str] = {}
    for number, row in enumerate(told):
        name, digest = row.get("photo"), row.get("digest") or ""
        if row.get("kind"):
            dead.append(Dead(album, name, row["kind"], row["reason"]))
        elif not name:
            dead.append(Dead(album, None, "unnamed", f"photo {number} has no id: give it one"))
        elif name in twice:
            reason = "its id comes twice in the album: give every photo its own"
            dead.append(Dead(album, name, "twice", reason))
        elif digest and digest in pictures:
            reason = f"it shows exactly the same picture as {pictures[digest]}, which is read"
            dead.append(Dead(album, name, "duplicate", reason))
        else:
            usable.append(number)
            pictures[digest] = name
    return usable, dead


def _matrix(column: Any) -> FloatMatrix:
    """A column of lists as one table of numbers; mapped, where it is a single piece."""
    whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if hasattr(whole, "chunks"):  # an empty or still divided column
        whole = whole.chunk(0)
    if whole.null_count:
        raise InputError("a photo has no scores: give every row some, or leave it out")
    width = getattr(whole.type, "list_size", 0) or len(whole[0])
    flat = whole.flatten().to_numpy(zero_copy_only=False)
    if flat.size != width * len(whole):
        raise InputError("its photos have scores over different numbers of cells")
    matrix: FloatMatrix = flat.reshape(len(whole), width)
    return matrix


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
    return found[0] if found else None


def _cells(given: Any) -> tuple[int, ...] | None:
    return None if given is None else tuple(int(cell) for cell in np.atleast_1d(given))


def _json(text: str | None) -> str | None:
    """The wishes of a row, brought to one form."""
    if not text:
        return None
    try:
        told = json.loads(text)
    except ValueError:
        told = None
    if not isinstance(told, dict):
        raise InputError(f"its wishes are no JSON object: {text[:80]}")
    return json.dumps(told, sort_keys=True)


def _number(name: str) -> int:
    return int(name.rpartition("_")[2]) if "_" in name else 0
