"""How the place sharpens as photos are added: its rank, in the album's order and in the worst one.

The axis of ranks is upside down and logarithmic: first is at the top, where nobody wants to be.
"""

from __future__ import annotations

from collections.abc import Iterable

from elsewhere.audit import Curve
from elsewhere.report.markup import Child, Markup
from elsewhere.report.pictures.chart import (
    Scale,
    counted,
    counted_ticks,
    linear,
    picture,
    polyline,
    rule,
    strokes,
    text,
    whole_ticks,
)

_WIDTH, _HEIGHT = 500.0, 210.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 38.0, 486.0, 26.0, 168.0


def sharpening_chart(album: Curve, worst: Curve, cells: int) -> Markup:
    """Ranks after each photo; both curves end at the same rank."""
    photos = max(len(album.ranks), 1)
    lowest = max([*album.ranks, *worst.ranks, 2])
    across = linear(1, max(photos, 2), _LEFT, _RIGHT)
    down = counted(lowest - 1, _TOP, _BOTTOM)
    label = (
        f"Rank of the place among {cells} after 1 to {photos} photos; at the end it is "
        f"{album.ranks[-1] if album.ranks else '–'}"
    )
    return picture(
        _WIDTH,
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
