"""The world as one attacker believes it: discs as large as the belief, the zone, the decoys.

A disc's area is the cell's probability, drawn over the town that the cell is called after; the
map keeps areas too, so one disc is twice another exactly where it is twice as likely. The place
to hide is ringed, and the discs of its zone have its colour; decoys are diamonds with a number,
and the list beside the map has their names. `closer` shows the surroundings of the place.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from elsewhere.audit import Guess
from elsewhere.report.colours import FONT
from elsewhere.report.markup import Child, Markup, element, number
from elsewhere.report.pictures.chart import diamond, disc, ring_mark, strokes, text
from elsewhere.report.pictures.land import land
from elsewhere.report.pictures.outline import Box, around, ground
from elsewhere.report.pictures.projection import HEIGHT, WIDTH, frame, project

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
