"""The world as one attacker believes it: discs as large as the belief, the zone, the decoys.

A disc's area is the cell's probability, drawn over the town that the cell is called after; the
map keeps areas too, so one disc is twice another exactly where it is twice as likely. The place
to hide is ringed, and its own discs have its colour; decoys are diamonds with a number, and the
list beside the map has their names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from elsewhere.audit import Guess
from elsewhere.report.markup import Child, Markup, element, number
from elsewhere.report.pictures.chart import diamond, disc, picture, ring, strokes
from elsewhere.report.pictures.land import land, path
from elsewhere.report.pictures.outline import Box, around, ground
from elsewhere.report.pictures.projection import HEIGHT, WIDTH, frame, project

LAND = "land"
"""The id under which a page holds the outlines once, for all of its maps."""
_CERTAIN = 34.0
"""The radius of the disc for a probability of one."""
_LEAST = 0.0005
"""A probability below this has no disc: it could not be seen."""
_NUMBER = 9.5
"""How tall numbers are; they keep half of that from each other."""


def outlines() -> Markup:
    """The outlines, for a page that shows several maps."""
    return element("path", d=land(), id=LAND)


def world_map(
    label: str,
    beliefs: Sequence[Guess],
    *,
    place: tuple[float, float] | None = None,
    inside: Iterable[int] = (),
    zone: Sequence[Box] = (),
    decoys: Sequence[Guess] = (),
    shared_outlines: bool = False,
) -> Markup:
    """The map. `inside` are the cells of the zone, `zone` is its ground.

    `shared_outlines`: the page holds them already (`outlines`).
    """
    sheet = _Sheet(set(inside))
    for guess in beliefs:
        sheet.believe(guess)
    for rank, decoy in enumerate(decoys, 1):
        sheet.decoy(rank, decoy)
    return picture(
        WIDTH,
        HEIGHT,
        label,
        element("path", d=_edge(), fill="var(--sea)"),
        _land(shared_outlines),
        _zone(zone),
        sheet.discs,
        sheet.diamonds,
        _ringed(place),
        sheet.numbers,
        class_="picture map",
    )


@dataclass
class _Sheet:
    """What is drawn over the land, layer by layer."""

    inside: set[int]
    discs: list[Child] = field(default_factory=list)
    diamonds: list[Child] = field(default_factory=list)
    numbers: list[Child] = field(default_factory=list)
    taken: list[tuple[float, float]] = field(default_factory=list)

    def believe(self, guess: Guess) -> None:
        if guess.lat is None or guess.lon is None or guess.probability < _LEAST:
            return
        x, y = project(guess.lat, guess.lon)
        role = "truth" if guess.cell in self.inside else "kept"
        radius = _CERTAIN * math.sqrt(min(guess.probability, 1.0))
        self.discs.append(
            element(
                "circle",
                cx=float(x),
                cy=float(y),
                r=float(radius),
                fill=f"var(--{role})",
                fill_opacity=0.42,
                stroke=f"var(--{role})",
                stroke_width=0.8,
            )
        )

    def decoy(self, rank: int, guess: Guess) -> None:
        if guess.lat is None or guess.lon is None:
            return
        x, y = (float(value) for value in project(guess.lat, guess.lon))
        mark = element("path", d=diamond(x, y), fill="var(--decoy)", stroke="var(--card)")
        self.diamonds.append(mark)
        for dx, dy in ((9, 3.4), (-9, 3.4), (0, -7), (0, 14), (10, -6), (-10, 13)):
            at = x + dx, y + dy
            crowded = any(math.dist(at, other) < _NUMBER for other in self.taken)
            if not crowded and 8 < at[0] < WIDTH - 8:
                self.taken.append(at)
                self.numbers.append(_halo(at[0], at[1], rank))
                return


def _halo(x: float, y: float, words: int) -> Markup:
    """A number that can be read whatever lies below it."""
    return element(
        "text",
        words,
        x=x,
        y=y,
        text_anchor="middle",
        font_size=_NUMBER,
        font_weight="600",
        fill="var(--decoy)",
        stroke="var(--card)",
        stroke_width=2.5,
        paint_order="stroke",
    )


def _edge() -> str:
    x, y = frame()
    drawn = " ".join(f"{number(a)},{number(b)}" for a, b in zip(x, y, strict=True))
    return f"M{drawn}z"


def _land(shared: bool) -> Markup:
    drawn = element("use", href=f"#{LAND}") if shared else element("path", d=land())
    return element(
        "g",
        drawn,
        fill="var(--land)",
        fill_rule="evenodd",
        stroke="var(--sea)",
        stroke_width=0.5,
        stroke_linejoin="round",
    )


def _zone(boxes: Sequence[Box]) -> list[Markup]:
    if not boxes:
        return []
    filled = element("path", d=ground(boxes), fill="var(--truth)", fill_opacity=0.16)
    return [filled, strokes("truth", around(boxes), 1.1)]


def _ringed(place: tuple[float, float] | None) -> list[Markup]:
    """The place: a dot in a ring, so that a zone smaller than a unit is found too."""
    if place is None:
        return []
    x, y = (float(value) for value in project(*place))
    return [
        ring(x, y, "card", 8.0, 3.6),
        ring(x, y, "truth", 8.0, 1.8),
        disc(x, y, "truth", 1.6),
    ]


__all__ = ["LAND", "outlines", "path", "world_map"]
