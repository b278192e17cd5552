"""What the ledger looks like: lines of JSON, sealed as a whole with a key that lies elsewhere.

    {"elsewhere": "ledger", "version": 1}
    {"export": "…", "day": "2026-11-15", "places": [[38.7, -9.1]], "photos": ["…"], "rows": […]}
    {"entries": 1, "seal": "…"}

One line is what one export gave away of one place: score rows and keyed digests of the renditions,
no pictures and no names. The seal is an HMAC over all lines before it, so a file that is cut
short, changed or another user's is refused as a whole: a ledger that forgets in silence would let
plans promise too much.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.values.scores import FloatMatrix, Scores

VERSION = 1
_KINDS: dict[str, np.dtype[Any]] = {"f4": np.dtype("<f4"), "f8": np.dtype("<f8")}
_DIGEST = re.compile(r"[0-9a-f]{64}")
_EXPORT = re.compile(r"[0-9a-f]{32}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class DamagedError(Exception):
    """These bytes are no ledger, or not the one that was written; the text says what is wrong."""


@dataclass(frozen=True, eq=False)
class Rows:
    """What one scorer says of the photos of an entry."""

    scorer: str
    """Its fingerprint: rows of another version of it are another attacker's."""
    grid: str
    values: FloatMatrix
    """(photos, cells)."""


@dataclass(frozen=True, eq=False)
class Entry:
    """What one export gave away of one place."""

    export: str
    """32 hex digits, the same for all entries of one export."""
    day: str
    """When, as 2026-11-15."""
    places: tuple[tuple[float, float], ...]
    """Where the photos were taken: latitudes and longitudes."""
    photos: tuple[str, ...]
    """Keyed digests of the renditions, one a photo."""
    rows: tuple[Rows, ...]
    """One for each scorer that the export was proved against."""
    placed: bool = True
    """Whether the photos are known to be of this place; else they may be of any of `places`."""
    target: str | None = None
    """Where the export was about to get its name, for as long as nobody has seen that it did."""

    @property
    def pending(self) -> bool:
        """Whether it is not known that this export was finished."""
        return self.target is not None


def encode(entries: Iterable[Entry], key: bytes) -> bytes:
    """The ledger as bytes."""
    listed = list(entries)
    lines = [{"elsewhere": "ledger", "version": VERSION}, *map(_told, listed)]
    body = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    end = {"entries": len(listed), "seal": _seal(body, key)}
    return body + json.dumps(end, separators=(",", ":")).encode() + b"\n"


def decode(content: bytes, key: bytes) -> tuple[Entry, ...]:
    """The entries; DamagedError unless every byte is as it was written."""
    head, _, last = content.removesuffix(b"\n").rpartition(b"\n")
    body = head + b"\n"
    first = _line(content.partition(b"\n")[0])
    if first.get("elsewhere") != "ledger":
        raise DamagedError("it is no ledger")
    if first.get("version") != VERSION:
        raise DamagedError(f"it was written by another version ({first.get('version')!r})")
    if not content.endswith(b"\n"):
        raise DamagedError("it is cut short")
    end = _line(last)
    seal = end.get("seal")
    if not isinstance(seal, str):
        raise DamagedError("it is cut short")
    if not hmac.compare_digest(seal.encode(), _seal(body, key).encode()):
        raise DamagedError("its seal is broken")
    lines = body.splitlines()[1:]
    if end.get("entries") != len(lines):
        raise DamagedError("entries are missing")
    return tuple(_entry(_line(line)) for line in lines)


def _seal(body: bytes, key: bytes) -> str:
    return hmac.new(key, b"ledger " + body, "sha256").hexdigest()


def _line(text: bytes) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise DamagedError("a line is not what it should be") from None
    if not isinstance(told, dict):
        raise DamagedError("a line is not what it should be")
    return told


def _told(entry: Entry) -> dict[str, Any]:
    told: dict[str, Any] = {
        "export": entry.export,
        "day": entry.day,
        "places": [list(place) for place in entry.places],
        "placed": entry.placed,
        "photos": list(entry.photos),
        "rows": [_told_rows(rows) for rows in entry.rows],
    }
    if entry.target is not None:
        told["target"] = entry.target
    return told


def _told_rows(rows: Rows) -> dict[str, Any]:
    kind = "f4" if rows.values.dtype == np.float32 else "f8"
    content = np.ascontiguousarray(rows.values, dtype=_KINDS[kind]).tobytes()
    return {
        "scorer": rows.scorer,
        "grid": rows.grid,
        "cells": int(rows.values.shape[1]),
        "kind": kind,
        "values": base64.b64encode(content).decode("ascii"),
    }


def _entry(told: dict[str, Any]) -> Entry:
    """One line as an entry. The seal has vouched for it; this guards against our own mistakes."""
    try:
        photos = tuple(told["photos"])
        places = tuple((float(lat), float(lon)) for lat, lon in told["places"])
        rows = tuple(_rows(one, len(photos)) for one in told["rows"])
        target = told.get("target")
        sound = (
            _EXPORT.fullmatch(told["export"])
            and _DAY.fullmatch(told["day"])
            and photos
            and all(_DIGEST.fullmatch(photo) for photo in photos)
            and places
            and all(math.isfinite(lat) and math.isfinite(lon) for lat, lon in places)
            and rows
            and isinstance(told["placed"], bool)
            and (target is None or isinstance(target, str))
        )
    except (KeyError, TypeError, ValueError, InputError):
        sound = None
    if not sound:
        raise DamagedError("a line is not what it should be")
    return Entry(told["export"], told["day"], places, photos, rows, told["placed"], target)


def _rows(told: dict[str, Any], photos: int) -> Rows:
    kind = _KINDS[told["kind"]]
    try:
        content = base64.b64decode(told["values"], validate=True)
    except binascii.Error:
        raise ValueError from None
    values = np.frombuffer(content, dtype=kind).reshape(photos, told["cells"])
    return Rows(str(told["scorer"]), str(told["grid"]), Scores(values).values)
