"""What all charts share: scales, ticks, text, marks, and the frame around them.

Marks differ in shape, not only in colour: a disc is proved, a ring is open, a cross is withheld, a
plus is for comparison, a diamond is a decoy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from elsewhere.report.colours import FONT
from elsewhere.report.markup import Child, Markup, element, number

Scale = Callable[[float], float]
"""From a value to a place on the paper."""
TEXT = 12.5
"""The size of text in the charts' units, which are smaller than a pixel on a phone."""


def picture(width: float, height: float, label: str, *inside: Child, class_: str = "") -> Markup:
    """An SVG with a name that is read aloud where it cannot be seen."""
    return element(
        "svg",
        element("title", label),
        inside,
        viewBox=f"0 0 {number(width)} {number(height)}",
        class_=class_ or "picture",
        role="img",
        font_family=FONT,
        font_size=TEXT,
    )


def linear(low: float, high: float, start: float, end: float) -> Scale:
    """Values from `low` to `high` evenly between two places."""
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def counted(high: float, start: float, end: float) -> Scale:
    """Counts from 0 to `high` by their logarithm, so that 0, 5 and 500 can all be told apart."""
    top = math.log1p(max(high, 1.0))
    return lambda value: start + math.log1p(value) / top * (end - start)


def whole_ticks(high: int, most: int = 8) -> list[int]:
    """Round whole numbers from 0 up to `high`, not more than `most` steps of them.

    >>> whole_ticks(24), whole_ticks(3)
    ([0, 5, 10, 15, 20], [0, 1, 2, 3])
    """
    step = next(
        unit * 10**power
        for power in range(12)
        for unit in (1, 2, 5)
        if unit * 10**power * most >= high
    )
    return list(range(0, high + 1, step))


def counted_ticks(high: int) -> list[int]:
    """Ticks for `counted`: 0, 1, 2, 5, 10, 20, 50, …

    >>> counted_ticks(60)
    [0, 1, 2, 5, 10, 20, 50]
    """
    rising = [0] + [unit * 10**power for power in range(9) for unit in (1, 2, 5)]
    return [tick for tick in rising if tick <= max(high, 1)]


def text(
    x: float,
    y: float,
    words: str | int,
    *,
    anchor: str = "start",
    role: str = "faint",
    size: float | None = None,
    halo: float = 0.0,
) -> Markup:
    """Words on a picture; `role` is the colour's name, `halo` keeps what lies below away."""
    return element(
        "text",
        words,
        x=float(x),
        y=float(y),
        text_anchor=None if anchor == "start" else anchor,
        fill=f"var(--{role})",
        font_size=size,
        font_weight="600" if halo else None,
        stroke="var(--ground)" if halo else None,
        stroke_width=halo or None,
        stroke_linejoin="round" if halo else None,
        paint_order="stroke" if halo else None,
    )


def rule(x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False) -> Markup:
    """A straight line to hold other things against."""
    return element(
        "path",
        d=f"M{number(x1)},{number(y1)}L{number(x2)},{number(y2)}",
        stroke="var(--faint)" if dashed else "var(--line)",
        stroke_dasharray="4 3" if dashed else None,
        fill="none",
    )


def disc(x: float, y: float, role: str, r: float = 4.0) -> Markup:
    """Proved, shared."""
    return element("circle", cx=float(x), cy=float(y), r=float(r), fill=f"var(--{role})")


def ring_mark(
    x: float, y: float, role: str, r: float = 4.0, width: float = 1.6, *, hides: bool = False
) -> Markup:
    """Open; around the place: to be hidden. One that `hides` covers what lies below it."""
    return element(
        "circle",
        cx=float(x),
        cy=float(y),
        r=float(r),
        fill="var(--ground)" if hides else "none",
        stroke=f"var(--{role})",
        stroke_width=float(width),
    )


def strokes(role: str, data: str, width: float = 1.6, *, dashed: str | None = None) -> Markup:
    """Lines along some path."""
    return element(
        "path",
        d=data,
        fill="none",
        stroke=f"var(--{role})",
        stroke_width=float(width),
        stroke_dasharray=dashed,
        stroke_linejoin="round",
        stroke_linecap=None if dashed else "round",
    )


def plus(x: float, y: float, r: float = 3.4) -> str:
    """A plus as path data: for comparison."""
    left, up, long = number(x - r), number(y - r), number(2 * r)
    return f"M{left},{number(y)}h{long}M{number(x)},{up}v{long}"


def cross(x: float, y: float, r: float = 3.0) -> str:
    """A cross as path data: withheld."""
    long = number(2 * r)
    left, right, up = number(x - r), number(x + r), number(y - r)
    return f"M{left},{up}l{long} {long}M{right},{up}l-{long} {long}"


def diamond(x: float, y: float, r: float = 4.0, digits: int = 1) -> str:
    """A diamond as path data: a decoy."""
    side = number(r, digits)
    top = f"{number(x, digits)},{number(y - r, digits)}"
    return f"M{top}l{side} {side}l-{side} {side}l-{side}-{side}z"


def polyline(points: Iterable[tuple[float, float]]) -> str:
    """Points joined by straight lines, as path data."""
    drawn = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return f"M{drawn}" if drawn else ""


def steps(points: Sequence[tuple[float, float]]) -> str:
    """Points joined as a staircase: level until the next one."""
    if not points:
        return ""
    first, *rest = points
    drawn = "".join(f"H{number(x)}V{number(y)}" for x, y in rest)
    return f"M{number(first[0])},{number(first[1])}{drawn}"
