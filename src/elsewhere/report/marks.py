"""Small signs that stand beside words, so that a state is told by shape and word, never by colour.

The same shapes as in the pictures: a disc is shared, a cross withheld, a ring the place to hide, a
diamond a decoy, a plus for comparison.
"""

from __future__ import annotations

from elsewhere.report.contents import Fate
from elsewhere.report.markup import Markup, element
from elsewhere.report.pictures.chart import cross, diamond, disc, plus, ring_mark, strokes


def _sign(*inside: Markup) -> Markup:
    return element("svg", inside, viewBox="0 0 16 16", aria_hidden="true")


def fate_mark(fate: Fate) -> Markup:
    """A photo's state."""
    if fate == Fate.WITHHELD:
        return _sign(strokes("withheld", cross(8, 8, 5.5), 2.6))
    if fate == Fate.SHARED:
        return _sign(disc(8, 8, "kept", 6.5))
    return _sign(ring_mark(8, 8, "baseline", 5.8, 2.0))


def belief_mark() -> Markup:
    """A belief on the map."""
    disc_ = element(
        "circle", cx=8, cy=8, r=6.5, fill="var(--kept)", fill_opacity=0.42, stroke="var(--kept)"
    )
    return _sign(disc_)


def place_mark() -> Markup:
    """The place to hide."""
    return _sign(ring_mark(8, 8, "truth", 6.5, 2.0), disc(8, 8, "truth", 2.0))


def decoy_mark() -> Markup:
    """A decoy."""
    return _sign(element("path", d=diamond(8, 8, 6.5), fill="var(--decoy)"))


def proved_mark() -> Markup:
    """A proved point."""
    return _sign(disc(8, 8, "kept", 5.5))


def open_mark() -> Markup:
    """A point that may be bettered."""
    return _sign(ring_mark(8, 8, "kept", 5.0, 2.0))


def greedy_mark() -> Markup:
    """The baseline."""
    return _sign(strokes("baseline", plus(8, 8, 6), 2.0))


def plan_mark() -> Markup:
    """The plan among the points."""
    return _sign(ring_mark(8, 8, "withheld", 6.5, 2.4))


def verdict_mark(holds: bool | None) -> Markup:
    """A tick, a bar across, or an eye's ring."""
    if holds is None:
        return _sign(_ring("state"), _dot("state"))
    drawn = "M4.4,8.4l2.5 2.6 4.7-5.6" if holds else "M4.8,4.8l6.4 6.4M11.2,4.8l-6.4 6.4"
    return _sign(_ring("state"), strokes("state", drawn, 1.7))


def _ring(role: str) -> Markup:
    return ring_mark(8, 8, role, 7.0, 1.3)


def _dot(role: str) -> Markup:
    return disc(8, 8, role, 2.6)
