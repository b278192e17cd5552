"""What each photo gives away: one bar a photo, to the right for the place, to the left against it.

The house's gains are negative where a photo speaks for the place. People read what it gives away:
the sign is turned round, here and wherever they look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from elsewhere.report.contents import Fate, PhotoPicture
from elsewhere.report.markup import Markup, element
from elsewhere.report.numbers import signed
from elsewhere.report.pictures.chart import cross, disc, picture, rule, strokes, text

_WIDTH = 500.0
_ROW = 17.0
_TOP = 22.0
_MIDDLE, _REACH = 210.0, 190.0
MOST = 40
"""More bars than this nobody reads; the largest are shown."""


def shares_chart(shots: Sequence[PhotoPicture], called: Mapping[str, str]) -> Markup | None:
    """Bars for the photos with the largest shares, what gives most away first.

    `called` says what is written beside a bar; whoever points at it is told the whole name.
    """
    known = [shot for shot in shots if shot.gain is not None]
    if not known:
        return None
    largest = sorted(known, key=lambda shot: -abs(shot.gain or 0.0))[:MOST]
    rows = sorted(largest, key=lambda shot: shot.gain or 0.0)
    widest = max(abs(shot.gain or 0.0) for shot in rows) or 1.0
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
            _row(shot, widest, _TOP + _ROW * (n + 0.5), called.get(shot.name, shot.name))
            for n, shot in enumerate(rows)
        ],
    )


def _row(shot: PhotoPicture, widest: float, y: float, called: str) -> Markup:
    gain = shot.gain or 0.0
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
        fill_opacity=0.75 if shot.fate == Fate.WITHHELD else 0.4,
    )
    mark = (
        strokes("withheld", cross(_WIDTH - 6, y), 1.8)
        if shot.fate == Fate.WITHHELD
        else disc(_WIDTH - 6, y, "kept", 3.0)
    )
    name = called if len(called) <= 24 else f"…{called[-23:]}"
    beside = text(_MIDDLE + (-8 if away else 8), y + 4, name, anchor="end" if away else "start")
    told = element("title", f"{shot.name}: gives away {signed(-gain)}, {shot.fate}")
    return element("g", told, bar, beside, mark)
