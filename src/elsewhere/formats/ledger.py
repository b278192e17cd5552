"""The ledger: lines of JSON with a keyed digest; the key is in another file.

    {"elsewhere": "ledger", "version": 1}
    {"export": "…", "day": "2026-11-15", "places": [[38.7, -9.1]], "photos": ["…"], "rows": […]}
    {"entries": 1, "seal": "…"}

A line holds what one export gave away of one place: score rows and keyed digests of the renditions,
no pictures and no names. Version 2 may hold features instead of rows, from which a scorer makes
rows. Version 3 may also hold `sources`, by which a photo is known again that was shared edited. A
ledger is written as the lowest version that can hold it, and older ones are read. The seal is an
HMAC of all lines before it. A file that is cut short, changed or another user's is refused as a
whole, because plans without its entries would promise too much.
"""

from __future__ import annotations

import base64
import hmac
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.formats.validation import Kind, Sha256, kind_of, parse, record
from elsewhere.values.scores import FloatMatrix, Scores

ROWS_VERSION, FEATURES_VERSION, SOURCES_VERSION = 1, 2, 3
"""The versions that are read; the second may hold features, the third sources as well."""
TYPES: dict[str, np.dtype[Any]] = {"f4": np.dtype("<f4"), "f8": np.dtype("<f8")}
"""How the numbers of rows are stored."""


class DamagedError(Exception):
    """These bytes are no ledger, or a damaged one; the text says what is wrong."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What one scorer says of the photos of an entry."""

    scorer: str
    """Its fingerprint: rows of another version of it are another attacker's.

    For features, their fingerprint: every scorer that makes them can turn them into rows.
    """
    grid: str
    values: FloatMatrix
    """(photos, cells), or (photos, width) for features."""
    features: bool = False


@dataclass(frozen=True, eq=False)
class Entry:
    """What one export gave away of one place."""

    export: Annotated[str, re.compile(r"[0-9a-f]{32}"), "32 hex digits"]
    """32 hex digits, the same for all entries of one export."""
    day: Annotated[str, re.compile(r"\d{4}-\d\d-\d\d"), "a day"]
    """When, as 2026-11-15."""
    places: tuple[tuple[float, float], ...]
    """Where the photos were taken: latitudes and longitudes."""
    photos: tuple[Sha256, ...]
    """Keyed digests of the renditions, one a photo."""
    rows: tuple[Rows, ...]
    """One for each scorer that the export was proved against."""
    placed: bool = True
    """Whether the photos are known to be of this place; else they may be of any of `places`."""
    target: str | None = None
    """Where the export goes, while it is not known that it was finished."""
    sources: tuple[tuple[Sha256, ...], ...] = field(default=(), metadata={"optional": True})
    """For each photo, keyed digests of its original and, where it was shared edited, of its
    rendition as it is; empty in ledgers of earlier versions."""

    @property
    def pending(self) -> bool:
        """Whether it is not known that this export was finished."""
        return self.target is not None


@dataclass(frozen=True)
class StoredRows:
    """Rows as their line has them."""

    scorer: str
    grid: str
    cells: int
    kind: str
    """One of `TYPES`."""
    values: str
    """The bytes of the numbers in base64."""
    features: bool = False


def _pack(rows: Rows) -> dict[str, Any]:
    kind = "f4" if rows.values.dtype == np.float32 else "f8"
    content = np.ascontiguousarray(rows.values, dtype=TYPES[kind]).tobytes()
    text = base64.b64encode(content).decode("ascii")
    width = int(rows.values.shape[1])
    stored = StoredRows(rows.scorer, rows.grid, width, kind, text, rows.features)
    line: dict[str, Any] = kind_of(StoredRows).write(stored)
    if not rows.features:
        del line["features"]
    return line


def _unpack(value: Any, where: str) -> Rows:
    stored = kind_of(StoredRows).read({"features": False, **value}, where)
    try:
        content = base64.b64decode(stored.values, validate=True)
        values = np.frombuffer(content, dtype=TYPES[stored.kind]).reshape(-1, stored.cells)
    except (KeyError, ValueError):
        raise InputError(f"{where} holds no numbers") from None
    return Rows(stored.scorer, stored.grid, Scores(values).values, stored.features)


def _read_places(value: Any, where: str) -> tuple[tuple[float, float], ...]:
    places: tuple[tuple[float, float], ...]
    places = kind_of(tuple[tuple[float, ...], ...]).read(value, where)
    if not places or any(len(place) != 2 or not all(map(math.isfinite, place)) for place in places):
        raise InputError(f"{where} must be pairs of latitude and longitude")
    return places


_ENTRY = record(
    Entry,
    "an entry",
    places=Kind(lambda places: [list(place) for place in places], _read_places),
    rows=Kind(
        lambda rows: [_pack(each) for each in rows],
        lambda value, where: tuple(_unpack(each, where) for each in value),
    ),
)


def encode(entries: Iterable[Entry], key: bytes) -> bytes:
    """The ledger as bytes."""
    entries = tuple(entries)
    features = any(rows.features for entry in entries for rows in entry.rows)
    version = FEATURES_VERSION if features else ROWS_VERSION
    if any(entry.sources for entry in entries):
        version = SOURCES_VERSION
    lines: list[dict[str, Any]] = [{"elsewhere": "ledger", "version": version}]
    for entry in entries:
        line = _ENTRY.write(entry)
        if entry.target is None:
            del line["target"]
        lines.append(line)
    body = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    end = {"entries": len(lines) - 1, "seal": _seal(body, key)}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def decode(content: bytes, key: bytes) -> tuple[Entry, ...]:
    """The entries; DamagedError unless every byte is as it was written."""
    head, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    body = head + b"\n"
    first = _line(content.partition(b"\n")[0])
    if first.get("elsewhere") != "ledger":
        raise DamagedError("it is not a ledger")
    if first.get("version") not in (ROWS_VERSION, FEATURES_VERSION, SOURCES_VERSION):
        raise DamagedError(f"it was written by another version ({first.get('version')!r})")
    if not content.endswith(b"\n"):
        raise DamagedError("it is cut short")
    end = _line(last)
    seal = end.get("seal")
    if not isinstance(seal, str):
        raise DamagedError("it is cut short")
    if not hmac.compare_digest(seal.encode(), _seal(body, key).encode()):
        raise DamagedError("it was changed, or is sealed with another key")
    lines = body.splitlines()[1:]
    if end.get("entries") != len(lines):
        raise DamagedError("entries are missing")
    try:  # the seal is right, so only a bug can fail here
        entries = [_ENTRY.read({"target": None, **_line(line)}, "") for line in lines]
    except (InputError, TypeError):
        raise DamagedError("a line is damaged") from None
    for entry in entries:
        sizes = {len(rows.values) for rows in entry.rows}
        if entry.sources:
            sizes.add(len(entry.sources))
        if not entry.photos or sizes != {len(entry.photos)}:
            raise DamagedError("a line is damaged")
    return tuple(entries)


def _seal(body: bytes, key: bytes) -> str:
    return hmac.new(key, b"ledger " + body, "sha256").hexdigest()


def _line(text: bytes) -> dict[str, Any]:
    try:
        line = parse(text)
    except (InputError, UnicodeDecodeError):
        line = None
    if not isinstance(line, dict):
        raise DamagedError("a line is damaged")
    return line
