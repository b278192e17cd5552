"""What all charts share: scales, ticks, text, marks, and the frame around them.

Marks differ in shape, not only in colour: a disc is proved, a ring is open, a cross is withheld, a
plus is for comparison, a diamond is a decoy.

What each photo gives away: one bar a photo, to the right for the place, to the left against it.

The house's gains are negative where a photo speaks for the place. People read what it gives away:
the sign is turned round, here and wherever they look.

How the place sharpens as photos are added: its rank, in the album's order and in the worst one.

The axis of ranks is upside down and logarithmic: first is at the top, where nobody wants to be.

What each number of withheld photos buys: protected-k, proved or open, greedy beside it.

A disc is proved: no plan that withholds as few protects more. A ring is the best plan known, and
the band above it reaches up to what could not be ruled out. A plus is the paper's greedy baseline.
Of a long staircase only the corners are marked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from elsewhere.audit import Curve
from elsewhere.messages.numbers import signed
from elsewhere.report.colours import FONT
from elsewhere.report.contents import FrontierSteps, PhotoPicture, PhotoState, Step
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


_WIDTH = 500.0
_ROW = 17.0
_TOP = 22.0
_MIDDLE, _REACH = 210.0, 190.0
MOST = 40
"""More bars than this nobody reads; the largest are shown."""


def shares_chart(photos: Sequence[PhotoPicture], called: Mapping[str, str]) -> Markup | None:
    """Bars for the photos with the largest shares, what gives most away first.

    `called` says what is written beside a bar; whoever points at it is told the whole name.
    """
    known = [photo for photo in photos if photo.gain is not None]
    if not known:
        return None
    largest = sorted(known, key=lambda photo: -abs(photo.gain or 0.0))[:MOST]
    rows = sorted(largest, key=lambda photo: photo.gain or 0.0)
    widest = max(abs(photo.gain or 0.0) for photo in rows) or 1.0
    height = _TOP + _ROW * len(rows) + 6
    label = f"What {len(rows)} photos give away, from what gives most away to what hides most"
    return picture(
        _WIDTH,
        height,
        label,
        text(_MIDDLE - 8, 12, "◂ hides", anchor="end"),
        text(_MIDDLE + 8, 12, "gives away ▸"),
        rule(_MIDDLE, _TOP - 4, _MIDDLE, height - 4),
        [
            _row(photo, widest, _TOP + _ROW * (n + 0.5), called.get(photo.name, photo.name))
            for n, photo in enumerate(rows)
        ],
    )


def _row(photo: PhotoPicture, widest: float, y: float, called: str) -> Markup:
    gain = photo.gain or 0.0
    long = abs(gain) / widest * _REACH
    away = gain < 0
    bar = element(
        "rect",
        x=_MIDDLE if away else _MIDDLE - long,
        y=y - 5.0,
        width=long,
        height=10.0,
        rx=2.0,
        fill=f"var(--{'withheld' if away else 'kept'})",
        fill_opacity=0.75 if photo.state == PhotoState.WITHHELD else 0.4,
    )
    mark = (
        strokes("withheld", cross(_WIDTH - 6, y), 1.8)
        if photo.state == PhotoState.WITHHELD
        else disc(_WIDTH - 6, y, "kept", 3.0)
    )
    name = called if len(called) <= 24 else f"…{called[-23:]}"
    beside = text(_MIDDLE + (-8 if away else 8), y + 4, name, anchor="end" if away else "start")
    told = element("title", f"{photo.name}: gives away {signed(-gain)}, {photo.state}")
    return element("g", told, bar, beside, mark)


_SHARPENING_WIDTH, _HEIGHT = 500.0, 210.0
_LEFT, _RIGHT, _SHARPENING_TOP, _BOTTOM = 38.0, 486.0, 26.0, 168.0


def sharpening_chart(album: Curve, worst: Curve, cells: int) -> Markup:
    """Ranks after each photo; both curves end at the same rank."""
    photos = max(len(album.ranks), 1)
    lowest = max([*album.ranks, *worst.ranks, 2])
    across = linear(1, max(photos, 2), _LEFT, _RIGHT)
    down = counted(lowest - 1, _SHARPENING_TOP, _BOTTOM)
    label = (
        f"Rank of the place among {cells} after 1 to {photos} photos; at the end it is "
        f"{album.ranks[-1] if album.ranks else '–'}"
    )
    return picture(
        _SHARPENING_WIDTH,
        _HEIGHT,
        label,
        _frame(across, down, photos, lowest),
        strokes("baseline", _line(album, across, down), 1.6, dashed="5 3"),
        strokes("withheld", _line(worst, across, down), 2.0),
        _key(),
    )


def _line(curve: Curve, across: Scale, down: Scale) -> str:
    points = [(across(n), down(rank - 1)) for n, rank in enumerate(curve.ranks, 1)]
    if len(points) == 1:  # one photo: a short line, so that there is something to see
        points.append((points[0][0] + 8, points[0][1]))
    return polyline(points)


def _frame(across: Scale, down: Scale, photos: int, lowest: int) -> Iterable[Child]:
    ranks = {max(tick, 1) for tick in counted_ticks(lowest)}
    for rank in sorted(ranks):
        yield rule(_LEFT, down(rank - 1), _RIGHT, down(rank - 1))
        yield text(_LEFT - 6, down(rank - 1) + 4, rank, anchor="end")
    for tick in whole_ticks(photos):
        if tick:
            yield text(across(tick), _BOTTOM + 16, tick, anchor="middle")
    middle = (_LEFT + _RIGHT) / 2
    yield text(middle, _BOTTOM + 32, "photos added up", anchor="middle", role="ink")
    yield text(4, 13, "rank of the place", role="ink")


def _key() -> Iterable[Child]:
    yield strokes("withheld", f"M{_RIGHT - 258},9h22", 2.0)
    yield text(_RIGHT - 231, 13, "worst order")
    yield strokes("baseline", f"M{_RIGHT - 130},9h22", 1.6, dashed="5 3")
    yield text(_RIGHT - 103, 13, "album's order")


_FRONTIER_WIDTH, _FRONTIER_HEIGHT = 500.0, 270.0
_FRONTIER_LEFT, _FRONTIER_RIGHT, _FRONTIER_TOP, _FRONTIER_BOTTOM = 38.0, 486.0, 26.0, 228.0
_SIZE = 3.6
_ROOM = 140.0
"""What the plan's label needs."""
_CROWDED = 60
"""With more steps than this the marks would touch: only corners have one."""


def frontier_chart(staircase: FrontierSteps) -> Markup:
    """The chart."""
    known = staircase.steps
    furthest = max([step.withheld for step in known] + [n for n, _ in staircase.greedy] + [1])
    highest = max(
        [step.bound for step in known] + [k for _, k in staircase.greedy] + [staircase.asked or 1]
    )
    across, up = (
        linear(0, furthest, _FRONTIER_LEFT, _FRONTIER_RIGHT),
        counted(highest, _FRONTIER_BOTTOM, _FRONTIER_TOP),
    )
    proved = sum(step.proved for step in known)
    label = (
        f"Protected-k against photos withheld, from 0 to {furthest}; {proved} of {len(known)} "
        "points are proved best"
    )
    marked = corners([(step.protected, step.proved) for step in known])
    return picture(
        _FRONTIER_WIDTH,
        _FRONTIER_HEIGHT,
        label,
        _frontier_frame(across, up, furthest, highest),
        _band(known, across, up),
        _greedy(staircase.greedy, across, up),
        strokes("kept", steps([(across(s.withheld), up(s.protected)) for s in known]), 1.2),
        [_mark(known[n].proved, across(known[n].withheld), up(known[n].protected)) for n in marked],
        _asked(staircase.asked, up),
        _chosen(staircase, across, up),
    )


def corners(values: Sequence[object]) -> list[int]:
    """Which points are marked: all of a few; of many, the first of each level and the last.

    >>> corners([1, 1, 2]), corners([0] * 50 + [4] * 50)
    ([0, 1, 2], [0, 50, 99])
    """
    if len(values) <= _CROWDED:
        return list(range(len(values)))
    last = len(values) - 1
    return [n for n in range(last + 1) if n in {0, last} or values[n] != values[n - 1]]


def _band(known: Sequence[Step], across: Scale, up: Scale) -> Markup | None:
    """What could not be ruled out, from the first open point on."""
    there = [step for step in known if not step.proved]
    if not there:
        return None
    first = known.index(there[0])
    open_ones = known[max(0, first - 1) :]
    top = [(across(step.withheld), up(step.bound)) for step in open_ones]
    bottom = [(across(step.withheld), up(step.protected)) for step in open_ones]
    ahead = " ".join(f"L{number(x)},{number(y)}" for x, y in reversed(top))
    return element("path", d=f"{steps(bottom)}{ahead}z", fill="var(--kept)", fill_opacity=0.13)


def _frontier_frame(across: Scale, up: Scale, furthest: int, highest: int) -> Iterable[Child]:
    for tick in counted_ticks(highest):
        yield rule(_FRONTIER_LEFT, up(tick), _FRONTIER_RIGHT, up(tick))
        yield text(_FRONTIER_LEFT - 6, up(tick) + 4, tick, anchor="end")
    for tick in whole_ticks(furthest):
        yield text(across(tick), _FRONTIER_BOTTOM + 17, tick, anchor="middle")
    yield text(
        (_FRONTIER_LEFT + _FRONTIER_RIGHT) / 2,
        _FRONTIER_BOTTOM + 34,
        "photos withheld",
        anchor="middle",
        role="ink",
    )
    yield text(4, 13, "cells that rank above the place", role="ink")


def _asked(asked: int | None, up: Scale) -> Iterable[Child]:
    if asked is not None:
        yield rule(_FRONTIER_LEFT, up(asked), _FRONTIER_RIGHT, up(asked), dashed=True)
        words = f"asked for: {asked}"
        yield text(_FRONTIER_RIGHT, up(asked) - 5, words, anchor="end", role="ink", halo=4.0)


def _greedy(points: Sequence[tuple[int, int]], across: Scale, up: Scale) -> Iterable[Child]:
    if len(points) > _CROWDED:
        line = steps([(across(n), up(k)) for n, k in points])
        yield strokes("baseline", line, 1.2, dashed="4 3")
    marked = [points[n] for n in corners([k for _, k in points])]
    yield strokes("baseline", "".join(plus(across(n), up(k), _SIZE) for n, k in marked), 1.3)


def _mark(proved: bool, x: float, y: float) -> Markup:
    return disc(x, y, "kept", _SIZE) if proved else ring_mark(x, y, "kept", _SIZE, 1.4, hides=True)


def _chosen(staircase: FrontierSteps, across: Scale, up: Scale) -> Iterable[Child]:
    if staircase.chosen is None:
        return
    n, k = staircase.chosen
    x, y = across(n), up(k)
    yield ring_mark(x, y, "withheld", 8.5, 2.0)
    marks = [(across(step.withheld), up(step.protected)) for step in staircase.steps]
    marks += [(across(a), up(b)) for a, b in staircase.greedy]
    if staircase.asked is not None:  # its label, and the line across
        line = up(staircase.asked)
        marks += [(at, line) for at in range(int(_FRONTIER_LEFT), int(_FRONTIER_RIGHT), 40)]
        marks += [
            (at, line - 8) for at in range(int(_FRONTIER_RIGHT) - 90, int(_FRONTIER_RIGHT), 10)
        ]
    words = f"this plan: {n} withheld"
    at, below, anchor = min(_places(x, y), key=lambda place: _covered(place, marks))
    yield text(at, below, words, anchor=anchor, role="withheld", halo=4.0)


def _places(x: float, y: float) -> Iterable[tuple[float, float, str]]:
    """Where the plan's label may stand: first above to the left, where stairs seldom are."""
    inside = [
        ("end", x - 9, x - _ROOM > _FRONTIER_LEFT),
        ("start", x + 9, x + _ROOM < _FRONTIER_RIGHT),
    ]
    for anchor, at, fits in inside:
        for below in (y - 12, y + 20, y - 30, y + 38):
            if fits and _FRONTIER_TOP + 10 < below < _FRONTIER_BOTTOM - 2:
                yield at, below, anchor
    yield (_FRONTIER_LEFT + 4, _FRONTIER_TOP + 12, "start")


def _covered(place: tuple[float, float, str], marks: Sequence[tuple[float, float]]) -> int:
    """How many marks a label there would hide."""
    at, below, anchor = place
    left = at - _ROOM if anchor == "end" else at
    return sum(left - 4 < x < left + _ROOM + 4 and below - 14 < y < below + 5 for x, y in marks)
