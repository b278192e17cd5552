"""The Equal Earth projection: the round earth on flat paper, every area in proportion.

Beliefs are drawn as areas on the map, so a map that doubles the north would lie. The formula is
that of Šavrič, Patterson and Jenny (2018). The map ends at 60° south and 84° north: nobody's
photos are lost, since what lies beyond stands at the edge.

The outlines of all countries, small enough to travel inside a page.

On a map 500 units wide most of the sixty thousand points lie on top of each other. What a reader
could see neither here nor by looking closer is left out: points nearer than a seventh of a unit
to the line without them (Douglas and Peucker's rule), and islands smaller than a third of one.
Made once in a process.

The line around several boxes, without the lines between them.

A zone of seventeen cells is one piece of ground to the reader. All edges cut the boxes into a
lattice of rectangles; an edge between inside and outside belongs to the line, all others do not.

The world as one attacker believes it: discs as large as the belief, the zone, the decoys.

A disc's area is the cell's probability, drawn over the town that the cell is called after; the
map keeps areas too, so one disc is twice another exactly where it is twice as likely. The place
to hide is ringed, and the discs of its zone have its colour; decoys are diamonds with a number,
and the list beside the map has their names. `closer` shows the surroundings of the place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from elsewhere.audit import Guess
from elsewhere.globe import countries
from elsewhere.globe.coordinates import Floats
from elsewhere.report.colours import FONT
from elsewhere.report.markup import Child, Markup, element, number
from elsewhere.report.pictures.chart import diamond, disc, ring_mark, strokes, text

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


_TOLERANCE = 0.15
_SMALLEST = 0.3
"""Square units; a smaller island is a speck of dust."""


@cache
def land() -> str:
    """All land as the data of one SVG path; borders are where two countries' lines meet."""
    drawn = []
    for code, outline in countries().items():
        if code == "AQ":  # below the map's edge
            continue
        for ring in outline.rings:
            if ring[:, 0].max() <= SOUTH:
                continue
            x, y = project(ring[:, 0], ring[:, 1])
            points = np.stack((x, y), axis=1)
            if _area(points) >= _SMALLEST:
                drawn.append(path(simplified(points)))
    return "".join(drawn)


def path(points: Floats, *, closed: bool = True) -> str:
    """Points as SVG path data, in steps of a tenth."""
    grid = np.round(np.asarray(points) * 10).astype(int)
    steps = np.diff(grid, axis=0)
    steps = steps[(steps != 0).any(axis=1)]
    start = ",".join(number(value / 10) for value in grid[0].tolist())
    rest = "".join(_step(dx, dy) for dx, dy in steps.tolist())
    return f"M{start}{rest}{'z' if closed else ''}"


def _step(dx: int, dy: int) -> str:
    if dx == 0:
        return f"v{number(dy / 10)}"
    if dy == 0:
        return f"h{number(dx / 10)}"
    across, down = number(dx / 10), number(dy / 10)
    return f"l{across}{'' if down.startswith('-') else ' '}{down}"


def simplified(points: Floats, tolerance: float = _TOLERANCE) -> Floats:
    """The points that matter: without any other, the line is off by more than the tolerance.

    >>> simplified(np.array([[0.0, 0.0], [1.0, 0.01], [2.0, 0.0], [2.0, 5.0]])).tolist()
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


def _area(points: Floats) -> float:
    x, y = points.T
    return abs(float(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))) / 2


Box = tuple[float, float, float, float]
_STRIDE = 6.0
"""Degrees: a parallel is straight on this map, a meridian is drawn in pieces this long."""


def around(boxes: Sequence[Box]) -> str:
    """The line around boxes of south, west, north, east, as SVG path data on the map."""
    return "".join(path(points, closed=False) for points in _pieces(np.array(boxes).reshape(-1, 4)))


def ground(boxes: Sequence[Box]) -> str:
    """The boxes themselves, to be filled."""
    drawn = []
    for south, west, north, east in boxes:
        lat = _along(south, north)
        lats, lons = np.concatenate((lat, lat[::-1])), np.repeat([west, east], len(lat))
        drawn.append(path(np.stack(project(lats, lons), axis=1)))
    return "".join(drawn)


def edges(boxes: Sequence[Box]) -> list[Box]:
    """The pieces of the line: south, west, north, east, where two of these are the same.

    >>> edges([(0, 0, 1, 1), (0, 1, 1, 2)])
    [(0.0, 0.0, 0.0, 2.0), (1.0, 0.0, 1.0, 2.0), (0.0, 0.0, 1.0, 0.0), (0.0, 2.0, 1.0, 2.0)]
    """
    rows = np.asarray(boxes, dtype=np.float64).reshape(-1, 4)
    if not len(rows):
        return []
    lat, lon = np.unique(rows[:, [0, 2]]), np.unique(rows[:, [1, 3]])
    inside = np.zeros((len(lat) + 1, len(lon) + 1), dtype=bool)  # a rim of outside all around
    for south, west, north, east in rows:
        bottom, top = np.searchsorted(lat, [south, north]) + 1
        left, right = np.searchsorted(lon, [west, east]) + 1
        inside[bottom:top, left:right] = True
    flat = inside[1:] != inside[:-1]
    upright = inside[:, 1:] != inside[:, :-1]
    found = []
    for row in range(len(lat)):
        for first, last in _runs(flat[row, 1:-1]):
            found.append((float(lat[row]), float(lon[first]), float(lat[row]), float(lon[last])))
    for column in range(len(lon)):
        for first, last in _runs(upright[1:-1, column]):
            x = float(lon[column])
            found.append((float(lat[first]), x, float(lat[last]), x))
    return found


def _runs(marked: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    """Where runs of marked places begin, and where they have ended."""
    change = np.diff(np.concatenate(([0], marked.astype(int), [0])))
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


def _pieces(boxes: Floats) -> list[Floats]:
    pieces = []
    for south, west, north, east in edges(boxes.tolist()):
        lats = _along(south, north) if south < north else np.array([south, south])
        lons = np.linspace(west, east, len(lats))
        pieces.append(np.stack(project(lats, lons), axis=1))
    return pieces


def _along(south: float, north: float) -> Floats:
    return np.linspace(south, north, 2 + int((north - south) / _STRIDE))


LAND = "land"
"""The id under which a page holds the outlines once, for all of its maps."""
CLOSER = 5.0
"""How many times larger the surroundings are drawn."""
_CERTAIN = 34.0
"""The radius of the disc for a probability of one."""
_LEAST = 0.0005
"""A probability below this has no disc: it could not be seen."""
_NUMBER = 10.0
"""How tall numbers are; they keep as much from each other."""


def outlines() -> Markup:
    """The outlines, for a page that shows several maps."""
    return element("path", d=land(), id=LAND)


@dataclass(frozen=True)
class Believed:
    """What is to be seen on a map."""

    beliefs: Sequence[Guess]
    place: tuple[float, float] | None = None
    """Latitude and longitude of the place to hide."""
    inside: Iterable[int] = ()
    """The cells of the zone."""
    zone: Sequence[Box] = ()
    """Its ground."""
    decoys: Sequence[Guess] = ()


def world_map(label: str, seen: Believed, *, shared_outlines: bool = False) -> Markup:
    """The world; `shared_outlines`: the page holds them already (`outlines`)."""
    return _map(label, seen, (0.0, 0.0, WIDTH, HEIGHT), 1.0, shared_outlines)


def closer_map(label: str, seen: Believed, *, shared_outlines: bool = False) -> Markup | None:
    """The surroundings of the place; None where no place is known."""
    if seen.place is None:
        return None
    x, y = (float(value) for value in project(*seen.place))
    wide, high = WIDTH / CLOSER, HEIGHT / CLOSER
    left = min(max(x - wide / 2, 0.0), WIDTH - wide)
    up = min(max(y - high / 2, 0.0), HEIGHT - high)
    return _map(label, seen, (left, up, wide, high), CLOSER, shared_outlines)


def _map(
    label: str,
    seen: Believed,
    view: tuple[float, float, float, float],
    closer: float,
    shared_outlines: bool,
) -> Markup:
    sheet = _Sheet(set(seen.inside), closer, view)
    for guess in seen.beliefs:
        sheet.believe(guess)
    for decoy in seen.decoys:
        sheet.decoy(decoy)
    for rank, decoy in enumerate(seen.decoys, 1):
        sheet.number(rank, decoy)
    return element(
        "svg",
        element("title", label),
        element("path", d=_edge(), fill="var(--sea)"),
        _land(shared_outlines, closer),
        _zone(seen.zone, closer),
        sheet.discs,
        sheet.ringed(seen.place),
        sheet.diamonds,
        sheet.numbers,
        viewBox=" ".join(number(value) for value in view),
        class_="picture map" if closer == 1 else "picture map closer",
        role="img",
        font_family=FONT,
    )


@dataclass
class _Sheet:
    """What is drawn over the land, layer by layer; sizes are the same however close one looks."""

    inside: set[int]
    closer: float
    view: tuple[float, float, float, float]
    discs: list[Child] = field(default_factory=list)
    diamonds: list[Child] = field(default_factory=list)
    numbers: list[Child] = field(default_factory=list)
    taken: list[tuple[float, float]] = field(default_factory=list)

    def believe(self, guess: Guess) -> None:
        """A disc."""
        if guess.lat is None or guess.lon is None or guess.probability < _LEAST:
            return
        x, y = project(guess.lat, guess.lon)
        role = "truth" if guess.cell in self.inside else "kept"
        radius = _CERTAIN * math.sqrt(min(guess.probability, 1.0))
        self.discs.append(
            element(
                "circle",
                element("title", guess.name),
                cx=float(x),
                cy=float(y),
                r=radius / self.closer,
                fill=f"var(--{role})",
                fill_opacity=0.38,
                stroke=f"var(--{role})",
                stroke_width=0.8 / self.closer,
            )
        )

    def decoy(self, guess: Guess) -> None:
        """A diamond."""
        if guess.lat is None or guess.lon is None:
            return
        x, y = (float(value) for value in project(guess.lat, guess.lon))
        self.taken.append((x, y))
        self.diamonds.append(
            element(
                "path",
                element("title", guess.name),
                d=diamond(x, y, 4.2 / self.closer, 3),
                fill="var(--decoy)",
                stroke="var(--ground)",
                stroke_width=0.8 / self.closer,
            )
        )

    def number(self, rank: int, guess: Guess) -> None:
        """A decoy's number, where there is room for it; in a crowd, looking closer shows it."""
        if guess.lat is None or guess.lon is None:
            return
        x, y = (float(value) for value in project(guess.lat, guess.lon))
        tall = _NUMBER / self.closer
        left, up, wide, high = self.view
        for dx, dy in ((1, 0), (-1, 0), (0, -1), (0, 1), (0.8, -0.8), (-0.8, 0.8), (0.8, 0.8)):
            at = x + dx * tall, y + dy * tall
            crowded = sum(math.dist(at, other) < 0.95 * tall for other in self.taken)
            within = left < at[0] - tall / 2 < at[0] + tall / 2 < left + wide
            if not crowded and within and up + tall < at[1] < up + high - tall:
                self.taken.append(at)
                below = at[1] + 0.36 * tall  # the foot of a number whose middle is there
                halo = 2.8 / self.closer
                self.numbers.append(
                    text(at[0], below, rank, anchor="middle", role="decoy", size=tall, halo=halo)
                )
                return

    def ringed(self, place: tuple[float, float] | None) -> list[Markup]:
        """The place: a dot in a ring, so that a zone smaller than a unit is found too."""
        if place is None:
            return []
        x, y = (float(value) for value in project(*place))
        return [
            ring_mark(x, y, "ground", 8.0 / self.closer, 3.8 / self.closer),
            ring_mark(x, y, "truth", 8.0 / self.closer, 1.9 / self.closer),
            disc(x, y, "truth", 1.8 / self.closer),
        ]


def _edge() -> str:
    x, y = frame()
    drawn = " ".join(f"{number(a)},{number(b)}" for a, b in zip(x, y, strict=True))
    return f"M{drawn}z"


def _land(shared: bool, closer: float) -> Markup:
    drawn = element("use", href=f"#{LAND}") if shared else element("path", d=land())
    return element(
        "g",
        drawn,
        fill="var(--land)",
        fill_rule="evenodd",
        stroke="var(--sea)",
        stroke_width=0.5 if closer == 1 else 1.0 / closer,
        stroke_linejoin="round",
    )


def _zone(boxes: Sequence[Box], closer: float) -> list[Markup]:
    if not boxes:
        return []
    filled = element("path", d=ground(boxes), fill="var(--truth)", fill_opacity=0.16)
    return [filled, strokes("truth", around(boxes), 1.1 / closer)]
