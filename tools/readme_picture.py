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

from PIL import Image, ImageOps

from elsewhere.album.places import places_of
from elsewhere.audit.values import Guess
from elsewhere.example import ALBUM
from elsewhere.report.colours import FONT, LIGHT
from elsewhere.scorers import RowCache
from elsewhere.service import ScoredAlbum, score_album
from elsewhere.service.album_audit import Beliefs
from elsewhere.service.edit_planning import plan_with_edits
from elsewhere.service.edited_album import apply_edits
from elsewhere.service.jobs import confirming
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED
from elsewhere.values.wishes import Wishes

WIDE, HIGH, GAP, COLUMNS = 148, 104, 8, 4
LEFT = COLUMNS * (WIDE + GAP) + 28
EDGE = 14
BAR = 900


def thumbnail(content: bytes) -> str:
    """A photo, cut to fit, as a data URI."""
    with Image.open(BytesIO(content)) as image:
        small = ImageOps.fit(image, (2 * WIDE, 2 * HIGH), Image.Resampling.LANCZOS)
    out = BytesIO()
    small.save(out, "JPEG", quality=68, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()


def photos(seen: ScoredAlbum, withheld: set[int]) -> Iterator[str]:
    """The contact sheet as it goes out; what is withheld is faded and crossed out."""
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


def guesses(found: Sequence[Guess], hidden: str, top: int, title: str) -> Iterator[str]:
    """The first places as bars, the true one in a colour of its own."""
    yield text(LEFT, top, title, LIGHT.ink, 14, bold=True)
    for line, guess in enumerate(found):
        y, wide, true = top + 12 + line * 25, BAR * guess.probability, guess.name == hidden
        colour = LIGHT.truth if true else LIGHT.decoy
        yield f'<rect x="{LEFT}" y="{y}" width="{max(2.0, wide):.1f}" height="20" '
        yield f'rx="2" fill="{colour}" opacity="0.85"/>'
        words = f"{100 * guess.probability:.0f} %  {guess.name}"
        yield text(LEFT + max(2.0, wide) + 8, y + 15, words, LIGHT.ink, 12, bold=true)


def text(x: float, y: float, words: str, colour: str, size: int, *, bold: bool = False) -> str:
    """One line of text."""
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y}" fill="{colour}" font-size="{size}"{weight}>'
        f"{escape(words)}</text>"
    )


def picture(seen: ScoredAlbum, plan: AlbumPlan) -> str:
    """All of it."""
    as_they_are = Beliefs(seen, plan.threats, NOTHING_POSTED)
    goes_out = apply_edits(seen, plan.edits)
    hidden, kept = plan.threats[0].hidden_name, list(plan.plan.kept)
    before = as_they_are.belief(0, None)
    after = Beliefs(goes_out, plan.threats, NOTHING_POSTED).belief(0, kept)
    assert before is not None and after is not None
    withheld = set(plan.plan.withheld)
    sheet = 30 + -(-len(seen.photos) // COLUMNS) * (HIGH + 26)
    wide, high = LEFT + 330 + 2 * EDGE, sheet + 2 * EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-EDGE} {-EDGE} {wide} {high}" '
        f'width="{wide}" height="{high}" font-family="{escape(FONT)}">',
        f'<rect x="{-EDGE}" y="{-EDGE}" width="{wide}" height="{high}" fill="{LIGHT.ground}"/>',
        text(
            0,
            16,
            f"{len(withheld)} of {len(seen.photos)} withheld, {len(plan.edits)} covered",
            LIGHT.ink,
            14,
            bold=True,
        ),
        *photos(goes_out, withheld),
        *guesses(before.guesses, hidden, 16, f"Where the model puts all {len(seen.photos)}"),
        *guesses(after.guesses, hidden, 16 + sheet // 2, f"… and the {len(kept)} that are shared"),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Run the job on the example album, and draw what came of it."""
    seen = score_album([ALBUM], cache=RowCache())
    plan = plan_album(
        seen, places_of(seen.photos), Wishes(exact_top=True, edits="cover"), attacked=True
    )
    plan = plan_with_edits(seen, plan, confirm=confirming(["embedded"]), cache=RowCache())
    drawn = picture(seen, plan)
    Path(sys.argv[1]).write_text(drawn, encoding="utf-8")
    print(f"{sys.argv[1]}: {len(drawn) / 1000:.0f} kB")
    seen.close()


if __name__ == "__main__":
    main()
