"""Photos without a position go where the photos around them in time were taken, if those agree.

A camera's clock shows local time and often does not say which zone, so a photo that tells none is
compared by clocks: two photos of one afternoon are one hour apart whatever the zone. One that
tells its zone is compared by moments. A name that holds a date and no hour stands for all of that
day. Where the neighbours disagree the photo stays where it is: nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, time

import numpy as np
from numpy.typing import NDArray

from elsewhere.album.metadata import Metadata

HOUR = 3600.0
BESIDE = 3 * HOUR
"""All photos with a position within this much time must be of one place."""
BETWEEN = 12 * HOUR
"""Where there are none, the last one before and the first one after, each within this much."""
DAY = 24 * HOUR


def date_only(known: Metadata) -> bool:
    """Whether the time is a date without an hour: midnight sharp, as read from a file's name."""
    return known.time is not None and known.time.tzinfo is None and known.time.time() == time.min


def moment_and_clock(known: Metadata) -> tuple[float, float] | None:
    """Seconds of a photo with a position: when it was, and what a clock on the wall showed."""
    if known.time is None or known.position is None or known.moment is None:
        return None
    if known.time.tzinfo is not None and not known.time.utcoffset():
        # Google's times are in UTC wherever they were taken
        return known.moment, known.moment + HOUR * round(known.position[1] / 15)
    return known.moment, known.time.replace(tzinfo=UTC).timestamp()


def by_time(photos: Sequence[Metadata], place_of: Mapping[int, int]) -> dict[int, int]:
    """For photos without a place the one that their time says; only where it does.

    `place_of` has the places of the photos with a position.
    """
    known = {n: told for n in place_of if (told := moment_and_clock(photos[n])) is not None}
    if not known:
        return {}
    places = np.array([place_of[n] for n in known])
    moments, clocks = np.array(list(known.values())).T
    # a date without an hour says nothing about its neighbours' hours
    usable = np.array([not date_only(photos[n]) for n in known])
    found = {}
    for number, one in enumerate(photos):
        if number in place_of or one.time is None:
            continue
        table = clocks if one.time.tzinfo is None else moments
        start = one.time.replace(tzinfo=one.time.tzinfo or UTC).timestamp()
        end = start + DAY if date_only(one) else start
        where = _where(table[usable] - start, table[usable] - end, places[usable])
        if where is not None:
            found[number] = where
    return found


def _where(
    since_start: NDArray[np.float64], since_end: NDArray[np.float64], places: NDArray[np.intp]
) -> int | None:
    """The one place of the neighbours in time."""
    beside = (since_start >= -BESIDE) & (since_end <= BESIDE)
    if beside.any():
        around = np.unique(places[beside])
        return int(around[0]) if len(around) == 1 else None
    before = (since_start < 0) & (since_start >= -BETWEEN)
    after = (since_end > 0) & (since_end <= BETWEEN)
    if not before.any() or not after.any():
        return None
    last = since_start[before].max()
    first = since_end[after].min()
    around = np.unique(
        np.concatenate(
            [places[before & (since_start == last)], places[after & (since_end == first)]]
        )
    )
    return int(around[0]) if len(around) == 1 else None
