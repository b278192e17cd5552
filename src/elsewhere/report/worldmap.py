"""The world as one attacker believes it: discs for beliefs, what is hidden, diamonds for decoys.

Places are circles of some kilometres, which can be seen in the surroundings of what is hidden. Of
coarse cells the zone is outlined.

The projection is Equal Earth (Šavrič, Patterson and Jenny 2018). It keeps areas, so a disc, whose
area is a guess's probability, is twice another exactly where it is twice as likely. The map ends at
60° south and 84° north; what lies beyond stands at the edge.

The outlines are small enough to travel inside a page: points nearer than a seventh of a unit to the
line without them (Douglas and Peucker's rule) and islands smaller than a third of one are left out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from markupsafe import Markup
from numpy.polynomial import Polynomial
from numpy.typing import ArrayLike

from elsewhere.audit import Guess
from elsewhere.globe.areas import outlines
from elsewhere.globe.coordinates import EARTH_KM, Box, Floats
from elsewhere.report.templating import number, render

WIDTH = 500.0
"""Of the map, in its own units: about a pixel on a phone."""
NORTH, SOUTH = 84.0, -60.0
ZOOM = 5.0
"""How many times larger the surroundings of the place are drawn."""
_CIRCLE_RADIUS, _MAX_ZOOM = 6.0, 20.0
"""Of a place in its surroundings; beyond this zoom the coasts would be too coarse."""
_MAX_CIRCLES = 20
"""Guesses that are drawn as circles."""
_BORDER = 3.0
_TOLERANCE = 0.15
_MIN_ISLAND = 0.3  # square units
_MERIDIAN_STEP = 6.0
"""Degrees: a parallel is straight on this map, a meridian is drawn in pieces this long."""
_CERTAIN_RADIUS = 34.0
"""The radius of the disc for a probability of one."""
_MIN_PROBABILITY = 0.0005
"""A smaller disc could not be seen."""
_NUMBER_HEIGHT = 10.0
"""Of a decoy's number; numbers keep this distance from each other."""


# Equal Earth: a parametric latitude t, the way north as a polynomial of it, and its slope
_M = math.sqrt(3.0) / 2
_NORTHING = Polynomial([0, 1.340264, 0, -0.081106, 0, 0, 0, 0.000893, 0, 0.003796])
_SLOPE = _NORTHING.deriv()
_SCALE = (WIDTH - 2 * _BORDER) / (2 * math.pi) * _M * _SLOPE(0.0)
_TOP, _BOTTOM = _NORTHING(np.arcsin(_M * np.sin(np.radians([NORTH, SOUTH])))) * _SCALE
HEIGHT = round(_TOP - _BOTTOM + 2 * _BORDER)
"""Of the map."""


def project(lat: ArrayLike, lon: ArrayLike) -> tuple[Floats, Floats]:
    """Where places stand on the map, from its upper left corner; y grows downwards.

    >>> x, y = project([0.0, 0.0], [0.0, 180.0])
    >>> bool(x[0] == WIDTH / 2), round(float(x[1]), 6) == WIDTH - 3
    (True, True)
    """
    lats = np.clip(np.asarray(lat, dtype=np.float64), SOUTH, NORTH)
    lons = np.clip(np.asarray(lon, dtype=np.float64), -180.0, 180.0)
    t = np.arcsin(_M * np.sin(np.radians(lats)))
    east = np.radians(lons) * np.cos(t) / (_M * _SLOPE(t))
    return east * _SCALE + WIDTH / 2, _TOP + _BORDER - _NORTHING(t) * _SCALE


@cache
def land() -> str:
    """All land as SVG path data; borders are where the outlines of two countries meet."""
    paths = []
    for ring in (ring for country in outlines("countries") for ring in country.rings):
        if ring[:, 0].max() <= SOUTH:  # below the map's edge
            continue
        x, y = project(ring[:, 0], ring[:, 1])
        area = abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2
        if area >= _MIN_ISLAND:
            paths.append(path(simplify(np.stack((x, y), axis=1))))
    return "".join(paths)


def simplify(points: Floats, tolerance: float = _TOLERANCE) -> Floats:
    """The points without which the line would be off by more than the tolerance.

    >>> simplify(np.array([[0.0, 0.0], [1.0, 0.01], [2.0, 0.0], [2.0, 5.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 5.0]]
    """
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first < 2:
            continue
        start, between = points[first], points[first + 1 : last]
        along = points[last] - start
        length = float(np.hypot(*along))
        off = between - start
        if length > 0:
            distance = np.abs(off[:, 0] * along[1] - off[:, 1] * along[0]) / length
        else:  # the two ends of a closed ring may be one point
            distance = np.hypot(off[:, 0], off[:, 1])
        furthest = int(distance.argmax())
        if distance[furthest] > tolerance:
            middle = first + 1 + furthest
            keep[middle] = True
            spans += [(first, middle), (middle, last)]
    return np.asarray(points[keep])


def path(points: Floats, *, closed: bool = True) -> str:
    """Points as SVG path data, in steps of a tenth."""
    grid = np.round(np.asarray(points) * 10).astype(int)
    steps = np.diff(grid, axis=0)
    data = "M" + ",".join(number(value / 10, 1) for value in grid[0].tolist())
    for dx, dy in steps[(steps != 0).any(axis=1)].tolist():
        x, y = number(dx / 10, 1), number(dy / 10, 1)
        if dx == 0:
            data += f"v{y}"
        elif dy == 0:
            data += f"h{x}"
        else:
            data += f"l{x}{y}" if dy < 0 else f"l{x} {y}"
    return data + ("z" if closed else "")


def outline_edges(boxes: Sequence[Box]) -> list[Box]:
    """The lines around several boxes, without the lines between them.

    The edges of all boxes cut the plane into a lattice; a lattice line belongs to the outline where
    it has a box on one side only. South and north, or west and east, of a line are the same.

    >>> outline_edges([(0, 0, 1, 1), (0, 1, 1, 2)])
    [(0.0, 0.0, 0.0, 2.0), (1.0, 0.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.0), (0.0, 2.0, 1.0, 2.0)]
    """
    rows = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    lat, lon = np.unique(rows[:, [0, 2]]), np.unique(rows[:, [1, 3]])
    inside = np.zeros((len(lat) + 1, len(lon) + 1), dtype=bool)  # a rim of outside all around
    for south, west, north, east in rows:
        bottom, top = np.searchsorted(lat, [south, north]) + 1
        left, right = np.searchsorted(lon, [west, east]) + 1
        inside[bottom:top, left:right] = True

    edges: list[Box] = []
    across, upright = inside[1:] != inside[:-1], inside[:, 1:] != inside[:, :-1]
    for lines, ends, marks, turned in (
        (lat, lon, across[:, 1:-1], False),
        (lon, lat, upright[1:-1].T, True),
    ):
        for at, marked in zip(lines.tolist(), marks, strict=True):
            change = np.diff(marked.astype(int), prepend=0, append=0)
            starts, stops = ends[change == 1].tolist(), ends[change == -1].tolist()
            for start, stop in zip(starts, stops, strict=True):
                edges.append((start, at, stop, at) if turned else (at, start, at, stop))
    return edges


@dataclass(frozen=True)
class MapContents:
    """What a map shows."""

    beliefs: Sequence[Guess]
    place: tuple[float, float] | None = None
    """Latitude and longitude of the place to hide."""
    zone_cells: Collection[int] = ()
    zone: Sequence[Box] = ()
    """The ground of the zone."""
    decoys: Sequence[Guess] = ()
    positions: Sequence[tuple[float, float]] = ()
    """Where circles are hidden, instead of a zone."""
    radius_km: float | None = None
    """Of places; None where guesses are cells."""


def circle_path(lat: float, lon: float, radius_km: float) -> str:
    """A circle on the globe as SVG path data.

    >>> circle_path(0.0, 0.0, 500.0).count(",")
    36
    """
    bearing = np.linspace(0, 2 * np.pi, 36, endpoint=False)
    up, reach = np.radians(lat), radius_km / EARTH_KM
    north = np.arcsin(
        np.clip(np.sin(up) * np.cos(reach) + np.cos(up) * np.sin(reach) * np.cos(bearing), -1, 1)
    )
    east = np.arctan2(
        np.sin(bearing) * np.sin(reach) * np.cos(up), np.cos(reach) - np.sin(up) * np.sin(north)
    )
    x, y = project(np.degrees(north), lon + np.degrees(east))
    points = " ".join(f"{number(a)},{number(b)}" for a, b in zip(x, y, strict=True))
    return f"M{points}z"


def _closer_zoom(radius_km: float | None) -> float:
    """How many times larger the surroundings are drawn: a circle is to be seen, and the land."""
    if radius_km is None:
        return ZOOM
    unit = float(project(0.0, 0.0)[0] - project(0.0, np.degrees(radius_km / EARTH_KM))[0])
    return min(max(ZOOM, _CIRCLE_RADIUS / abs(unit)), _MAX_ZOOM)


def world_map(
    label: str, contents: MapContents, *, closer: bool = False, shared_outlines: bool = False
) -> Markup:
    """The world, or the surroundings of the place, which are empty where no place is known.

    With `shared_outlines` the page has the outlines under the id `land`.
    """
    place = tuple(map(float, project(*contents.place))) if contents.place else None
    zoom, left, top = 1.0, 0.0, 0.0
    if closer:
        if place is None:
            return Markup()
        zoom = _closer_zoom(contents.radius_km)
        left = min(max(place[0] - WIDTH / zoom / 2, 0.0), WIDTH - WIDTH / zoom)
        top = min(max(place[1] - HEIGHT / zoom / 2, 0.0), HEIGHT - HEIGHT / zoom)
    window = left, top, WIDTH / zoom, HEIGHT / zoom
    visible = [guess for guess in contents.beliefs if guess.probability >= _MIN_PROBABILITY]
    placed = []
    for guesses in (visible, contents.decoys):
        known = [guess for guess in guesses if guess.lat is not None and guess.lon is not None]
        x, y = project(*np.array([(guess.lat, guess.lon) for guess in known]).reshape(-1, 2).T)
        placed.append(list(zip(x.tolist(), y.tolist(), known, strict=True)))
    beliefs, decoys = placed
    ranks = {id(guess): rank for rank, guess in enumerate(contents.decoys, 1)}
    lat = np.linspace(SOUTH, NORTH, 49)  # up the date line, along the north, down again
    x, y = project(np.concatenate((lat, lat[::-1])), np.repeat([-180.0, 180.0], len(lat)))
    edge = " ".join(f"{number(a, 1)},{number(b, 1)}" for a, b in zip(x, y, strict=True))
    zone_data = []  # the area, to be filled, and its outline
    for shapes, closed in ((contents.zone, True), (outline_edges(contents.zone), False)):
        data = ""
        for south, west, north, east in shapes:
            lats = np.linspace(south, north, 2 + int((north - south) / _MERIDIAN_STEP))
            lons = np.linspace(west, east, len(lats))
            if closed:
                lons = np.repeat([west, east], len(lats))
                lats = np.concatenate((lats, lats[::-1]))
            data += path(np.stack(project(lats, lons), axis=1), closed=closed)
        zone_data.append(data)
    return render(
        "map.svg.j2",
        label=label,
        view_box=" ".join(number(value, 1) for value in window),
        zoom=zoom,
        frame=f"M{edge}z",
        land="" if shared_outlines else land(),
        hidden=[circle_path(*spot, contents.radius_km) for spot in contents.positions]
        if contents.radius_km is not None
        else [],
        circles=[
            circle_path(guess.lat, guess.lon, contents.radius_km)
            for _, _, guess in (*beliefs[:_MAX_CIRCLES], *decoys)
            if guess.lat is not None and guess.lon is not None
        ]
        if closer and contents.radius_km is not None
        else [],
        zone_area=zone_data[0],
        zone_outline=zone_data[1],
        zone_cells=set(contents.zone_cells),
        disc_radius=_CERTAIN_RADIUS,
        beliefs=beliefs,
        place=place,
        decoys=decoys,
        numbers=_place_numbers([(a, b, ranks[id(decoy)]) for a, b, decoy in decoys], window, zoom),
        number_height=_NUMBER_HEIGHT,
    )


def _place_numbers(
    decoys: Sequence[tuple[float, float, int]], window: Box, zoom: float
) -> list[tuple[float, float, int]]:
    """Where the decoys' numbers stand: x, base line, number. One without room is left out."""
    height = _NUMBER_HEIGHT / zoom
    left, top, width, high = window
    taken = [(x, y) for x, y, _ in decoys]
    numbers = []
    for x, y, rank in decoys:
        for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (0.8, -0.8), (-0.8, 0.8), (0.8, 0.8)):
            at = x + dx * height, y + dy * height
            inside = left < at[0] - height / 2 < at[0] + height / 2 < left + width
            inside = inside and top + height < at[1] < top + high - height
            if inside and all(math.dist(at, other) >= 0.95 * height for other in taken):
                taken.append(at)
                numbers.append((at[0], at[1] + 0.36 * height, rank))
                break
    return numbers
