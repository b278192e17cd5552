"""Inside a worker: the JSON that Google's Takeout puts beside each photo.

    IMG_1.jpg.json                          IMG_1.jpg.supplemental-metadata.json
    {"photoTakenTime": {"timestamp": "1689341400"}, "geoData": {"latitude": 38.7, ...}, ...}

Zeros mean that no position is known. What the photo's own EXIF said is repeated as `geoDataExif`.
"""

from __future__ import annotations

import json
from typing import Any

from elsewhere.album.metadata import Metadata, from_timestamp, leaks, position

MAX_BYTES = 1 << 20
_TEXTS = {"description": "description", "title": "title", "url": "link"}


def read_takeout(content: bytes) -> Metadata:
    """What the file says about its photo; one that is no such file says nothing."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return Metadata()
    if not isinstance(told, dict):
        return Metadata()
    where = None
    for key in ("geoData", "geoDataExif"):
        part = _part(told, key)
        where = where or position(part.get("latitude"), part.get("longitude"))
    when = from_timestamp(_part(told, "photoTakenTime").get("timestamp"))
    found: list[tuple[str, object]] = []
    if where:
        found.append(("position", f"{where[0]:.5f}, {where[1]:.5f}"))
    if when:
        found.append(("time", when.isoformat(" ")))
    found += [(kind, told[key]) for key, kind in _TEXTS.items() if isinstance(told.get(key), str)]
    people = told.get("people")
    if isinstance(people, list):
        names = [person["name"] for person in people if isinstance(_named(person), str)]
        found.append(("people", ", ".join(names)))
    return Metadata(position=where, time=when, leaks=leaks(found))


def _part(told: dict[str, Any], key: str) -> dict[str, Any]:
    part = told.get(key)
    return part if isinstance(part, dict) else {}


def _named(person: object) -> object:
    return person.get("name") if isinstance(person, dict) else None
