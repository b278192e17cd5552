"""The Equal Earth projection: the round earth on flat paper, every area in proportion.

Beliefs are drawn as areas on the map, so a map that doubles the north would lie. The formula is
that of Šavrič, Patterson and Jenny (2018). The map ends at 60° south and 84° north: nobody's
photos are lost, since what lies beyond stands at the edge.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.globe.coordinates import Floats

WIDTH = 500.0
"""Of the map, in its own units: about a pixel on a phone."""
NORTH, SOUTH = 84.0, -60.0
_A1, _A2, _A3, _A4 = 1.340264, -0.081106, 0.000893, 0.003796
_HALF = float(np.sqrt(3.0) / 2.0)
_EDGE = 3.0
"""Room around the earth."""


def _flat(lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
    """East and north of the middle, in radii of the earth."""
    t = np.arcsin(_HALF * np.sin(np.radians(lat)))
    slope = 9 * _A4 * t**8 + 7 * _A3 * t**6 + 3 * _A2 * t**2 + _A1
    x = np.radians(lon) * np.cos(t) / (_HALF * 2) * 2 / slope
    y = _A4 * t**9 + _A3 * t**7 + _A2 * t**3 + _A1 * t
    return np.asarray(x), np.asarray(y)


_REACH = float(_flat(np.zeros(1), np.full(1, 180.0))[0][0])
_SCALE = (WIDTH - 2 * _EDGE) / 2 / _REACH
_TOP, _BOTTOM = (
    float(_flat(np.full(1, edge), np.zeros(1))[1][0]) * _SCALE for edge in (NORTH, SOUTH)
)
HEIGHT = round(_TOP - _BOTTOM + 2 * _EDGE)
"""Of the map."""


def project(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    """Where places stand on the map, from its upper left corner; y grows downwards.

    >>> x, y = project([0.0, 0.0], [0.0, 180.0])
    >>> bool(x[0] == WIDTH / 2), round(float(x[1]), 6) == WIDTH - 3
    (True, True)
    """
    lats = np.clip(np.asarray(lat, dtype=np.float64), SOUTH, NORTH)
    lons = np.clip(np.asarray(lon, dtype=np.float64), -180.0, 180.0)
    x, y = _flat(lats, lons)
    return x * _SCALE + WIDTH / 2, _TOP + _EDGE - y * _SCALE


def frame() -> tuple[Floats, Floats]:
    """The edge of the earth as drawn: up the date line, along the north, down again."""
    lat = np.linspace(SOUTH, NORTH, 49)
    return project(np.concatenate((lat, lat[::-1])), np.repeat([-180.0, 180.0], len(lat)))
