"""What a file says about a photo beside its pixels: position, time, rating, and leaks.

Position and time decide which place a photo belongs to, the rating what it is worth. The leaks are
shown to the user: a plain copy would have given them away. All of it is read in a worker and is
untrusted, so every number is checked again here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, NamedTuple

from elsewhere.album.files import one_line

MAX_LEAKS = 60
"""More than anybody reads; a hostile file may have millions of text chunks."""
_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)([-_.: ]?)([01]\d)\2([0-3]\d)(?:[-_. T]|at)*"
    r"(?:([0-2]\d)[-_.: h]?([0-5]\d)[-_.: m]?([0-5]\d))?"
)


class Leak(NamedTuple):
    """One thing that the file would have told whoever got it."""

    kind: str
    """A word or two: "position", "serial number", "comment"."""
    text: str
    """Its value, shortened."""


@dataclass(frozen=True)
class Metadata:
    """What is known about one photo beside its pixels."""

    position: tuple[float, float] | None = None
    """Latitude and longitude in degrees."""
    time: datetime | None = None
    """When it was taken; without a time zone where the camera did not record it."""
    rating: int | None = None
    """Stars, 1 to 5; a camera's 0 means that nobody rated it."""
    leaks: tuple[Leak, ...] = ()

    @property
    def moment(self) -> float | None:
        """Seconds since 1970, to compare photos.

        A camera's clock shows local time. Without a time zone, fifteen degrees of longitude count
        as an hour; without a position either, local time is taken for that of Greenwich.
        """
        if self.time is None:
            return None
        if self.time.tzinfo is not None:
            return self.time.timestamp()
        hours = round(self.position[1] / 15) if self.position else 0
        return self.time.replace(tzinfo=timezone(timedelta(hours=hours))).timestamp()

    def completed_by(self, other: Metadata) -> Metadata:
        """This, with missing values taken from `other`, and the leaks of both."""
        return replace(
            self,
            position=self.position or other.position,
            time=self.time or other.time,
            rating=self.rating or other.rating,
            leaks=tuple(dict.fromkeys(self.leaks + other.leaks))[:MAX_LEAKS],
        )


def make_leaks(pairs: Iterable[tuple[str, object]]) -> tuple[Leak, ...]:
    """Leaks as printable text, each once and none empty."""
    leaks: dict[Leak, None] = {}
    for kind, text in pairs:
        line = one_line(text if isinstance(text, str) else str(text))
        if line:
            leaks[Leak(kind, line)] = None
        if len(leaks) >= MAX_LEAKS:
            break
    return tuple(leaks)


def parse_position(latitude: object, longitude: object) -> tuple[float, float] | None:
    """A position on earth; None for no number, out of bounds, or the zeros of a missing GPS."""
    try:
        lat, lon = float(latitude), float(longitude)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return None
    if not (math.isfinite(lat) and math.isfinite(lon)):
        return None
    if not (-90 <= lat <= 90 and -180 <= lon <= 180) or (lat == 0 and lon == 0):
        return None
    return lat, lon


def time_in_name(name: str) -> datetime | None:
    """The date that a phone or a messenger wrote into a file's name.

    >>> time_in_name("PXL_20230714_153000123.jpg")
    datetime.datetime(2023, 7, 14, 15, 30)
    """
    for match in _DATE.finditer(name):
        year, _, month, day, hour, minute, second = match.groups()
        parts = (year, month, day, hour or 0, minute or 0, second or 0)
        try:
            return datetime(*(int(part) for part in parts))  # type: ignore[arg-type]
        except ValueError:
            continue
    return None


def parse_timestamp(seconds: object) -> datetime | None:
    """A moment given as seconds since 1970, in UTC."""
    try:
        return datetime.fromtimestamp(float(seconds), UTC)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def to_json(value: Metadata) -> dict[str, Any]:
    """The metadata as a worker sends it."""
    return {
        "position": value.position,
        "time": value.time.isoformat() if value.time else None,
        "rating": value.rating,
        "leaks": [list(leak) for leak in value.leaks],
    }


def from_json(value: object) -> Metadata:
    """The metadata that a worker sent, as far as it has the right form."""
    if not isinstance(value, dict):
        return Metadata()
    position, time, rating, leaks = (
        value.get(key) for key in ("position", "time", "rating", "leaks")
    )
    result = Metadata()
    if isinstance(position, list) and len(position) == 2:
        result = replace(result, position=parse_position(*position))
    if isinstance(time, str):
        with suppress(ValueError):
            result = replace(result, time=datetime.fromisoformat(time))
    if type(rating) is int and 1 <= rating <= 5:
        result = replace(result, rating=rating)
    if isinstance(leaks, list):
        pairs = [pair for pair in leaks[:MAX_LEAKS] if isinstance(pair, list) and len(pair) == 2]
        named = ((one_line(str(kind), 30), text) for kind, text in pairs)
        result = replace(result, leaks=make_leaks(named))
    return result
