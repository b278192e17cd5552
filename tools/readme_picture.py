"""Draw docs/example.svg: the example album, what is withheld of it, and what an attacker believes.

    python tools/readme_picture.py docs/example.svg

Every number and name in it comes from a run of the job; the thumbnails are of the renditions.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from elsewhere.album.places import places_of
from elsewhere.example import ALBUM
from elsewhere.globe import cell_names
from elsewhere.report.colours import FONT, LIGHT
from elsewhere.scorers.protocol import combine_rows
from elsewhere.service import ScoredAlbum, score_album
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.values.wishes import Wishes

WIDE, HIGH, GAP, COLUMNS = 148, 104, 8, 4
LEFT = COLUMNS * (WIDE + GAP) + 28
EDGE = 14
BAR = 210
GUESSES = 5


def thumbnail(content: bytes) -> str:
    """A photo, cut to fit, as a data URI."""
    with Image.open(BytesIO(content)) as image:
        small = ImageOps.fit(image, (2 * WIDE, 2 * HIGH), Image.Resampling.LANCZOS)
    out = BytesIO()
    small.save(out, "JPEG", quality=68, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()


def photos(seen: ScoredAlbum, withheld: set[int]) -> Iterator[str]:
    """The contact sheet; what is withheld is faded and crossed out."""
    for number, photo in enumerate(seen.photos):
        x, y = number % COLUMNS * (WIDE + GAP), 30 + number // COLUMNS * (HIGH + 26)
        gone = number in withheld
        yield (
            f'<image x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" '
            f'opacity="{0.35 if gone else 1}" href="{thumbnail(photo.rendition.content)}"/>'
        )
        colour = LIGHT.withheld if gone else LIGHT.faint
        if gone:
            yield (
                f'<path d="M{x} {y}l{WIDE} {HIGH}m0 {-HIGH}l{-WIDE} {HIGH}" stroke="{colour}" '
                'stroke-width="3" fill="none"/>'
                f'<rect x="{x}" y="{y}" width="{WIDE}" height="{HIGH}" fill="none" '
                f'stroke="{colour}" stroke-width="3"/>'
            )
        yield text(x, y + HIGH + 14, photo.id, colour, 11, bold=gone)


def guesses(
    row: NDArray[np.float32], names: Sequence[str], zone: set[int], top: int, title: str
) -> Iterator[str]:
    """The likeliest places as bars, the truth in a colour of its own."""
    yield text(LEFT, top, title, LIGHT.ink, 14, bold=True)
    shares = np.exp(row)
    for line, cell in enumerate(np.argsort(-row, kind="stable")[:GUESSES].tolist()):
        y, share = top + 12 + line * 25, float(shares[cell])
        colour = LIGHT.truth if cell in zone else LIGHT.decoy
        yield f'<rect x="{LEFT}" y="{y}" width="{max(2.0, BAR * share):.1f}" height="20" '
        yield f'rx="2" fill="{colour}" opacity="0.85"/>'
        words = f"{100 * share:.0f} %  {names[cell]}"
        yield text(
            LEFT + max(2.0, BAR * share) + 8, y + 15, words, LIGHT.ink, 12, bold=cell in zone
        )


def text(x: float, y: float, words: str, colour: str, size: int, *, bold: bool = False) -> str:
    """One line of text."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y}" fill="{colour}" font-size="{size}"{weight}>'
        f"{escape(words)}</text>"
    )


def picture(seen: ScoredAlbum, plan: AlbumPlan) -> str:
    """All of it."""
    attack, zone = seen.models[0], set(plan.threats[0].zone.cells.tolist())
    assert attack.about.globe is not None
    names = cell_names(attack.about.globe)
    rows, kept = attack.scores.values, list(plan.plan.kept)
    before = combine_rows(rows, attack.about.exponents)
    after = combine_rows(rows[kept], attack.about.exponents)
    withheld = set(plan.plan.withheld)
    sheet = 30 + -(-len(seen.photos) // COLUMNS) * (HIGH + 26)
    wide, high = LEFT + 330 + 2 * EDGE, sheet + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-EDGE} {-EDGE} {wide} {high}" '
        f'width="{wide}" height="{high}" font-family="{escape(FONT)}">',
        f'<rect x="{-EDGE}" y="{-EDGE}" width="{wide}" height="{high}" fill="{LIGHT.ground}"/>',
        text(0, 16, f"{len(withheld)} of {len(seen.photos)} withheld", LIGHT.ink, 14, bold=True),
        *photos(seen, withheld),
        *guesses(before, names, zone, 16, f"What the model guesses of all {len(seen.photos)}"),
        *guesses(after, names, zone, 16 + sheet // 2, f"… and of the {len(kept)} that are shared"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Run the job on the example album, and draw what came of it."""
    seen = score_album([ALBUM])
    plan = plan_album(seen, places_of(seen.photos), Wishes(exact_top=True))
    drawn = picture(seen, plan)
    Path(sys.argv[1]).write_text(drawn, encoding="utf-8")
    print(f"{sys.argv[1]}: {len(drawn) / 1000:.0f} kB")
    seen.close()


if __name__ == "__main__":
    main()
