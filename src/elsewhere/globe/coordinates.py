"""One way to read a coordinate: which numbers are a place on earth, and one spelling for each.

A place has many spellings: longitude 190 is −170, 180 is −180, and at a pole every longitude is
the same point. Everything in this room goes through `canonical`, so that a place is never in two
cells because it was written in two ways.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from elsewhere.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BELOW_THE_POLE = float(np.nextafter(90.0, 0.0))


def canonical(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    """Latitudes in [−90, 90) and longitudes in [−180, 180), or a sentence that says what is wrong.

    Longitudes are wrapped. A pole gets longitude 0, and the north pole the last float below 90,
    so that half-open boxes [south, north) × [west, east) hold every place exactly once.

    >>> canonical([90, 10], [77, 190])
    (array([90., 10.]), array([   0., -170.]))
    """
    try:
        lats, lons = np.broadcast_arrays(
            np.asarray(lat, dtype=np.float64), np.asarray(lon, dtype=np.float64)
        )
    except (TypeError, ValueError):
        raise InputError(
            "coordinates must be numbers, with as many latitudes as longitudes"
        ) from None
    bad = ~(np.isfinite(lats) & np.isfinite(lons))
    if bad.any():
        raise InputError(f"{_first(lats, lons, bad)} is not a coordinate: give finite numbers")
    bad = np.abs(lats) > 90.0
    if bad.any():
        raise InputError(
            f"{_first(lats, lons, bad)} is not on earth: a latitude lies between -90 and 90"
        )
    pole = np.abs(lats) == 90.0
    outside = (lons < -180.0) | (lons >= 180.0)
    # only what is outside is wrapped: the arithmetic would round the others
    wrapped = np.where(outside, np.mod(lons + 180.0, 360.0) - 180.0, lons)
    wrapped = np.where(pole | (wrapped == 0.0), 0.0, wrapped)
    wrapped = np.where(wrapped >= 180.0, -180.0, wrapped)
    return np.minimum(lats, _BELOW_THE_POLE) + 0.0, wrapped


def _first(lats: Floats, lons: Floats, bad: NDArray[np.bool_]) -> str:
    where = tuple(np.argwhere(bad)[0])
    return f"({lats[where]:g}, {lons[where]:g})"
