"""What the lines of a photo may say about its place: every clue that they hold."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

from elsewhere.text.country_clues import find_country_clues, find_languages
from elsewhere.text.names import find_names
from elsewhere.values.photo_text import Clue, PhotoText, TextLine

MAX_LETTERS = 300
"""Letters of a line that are kept."""


def understand(photo: str, lines: Iterable[TextLine], more: int = 0) -> PhotoText:
    """The text of a photo with what each line may mean.

    >>> from elsewhere.values.photo_text import TextBox
    >>> line = TextLine("Rue de la République AVIGNON", 0.99, TextBox(0, 0, 9, 9))
    >>> text = understand("a.jpg", [line])
    >>> [(clue.kind, clue.excerpt, clue.label) for clue in text.lines[0].clues]
    [('name', 'AVIGNON', 'Avignon, France')]
    """
    cleaned = [replace(line, text=clean(line.text)) for line in lines]
    languages = find_languages([line.text for line in cleaned if line.is_read])
    found = []
    for line in cleaned:
        clues = [*find_names(line.text, line.confidence), *_broken_names(line, cleaned)]
        if line.is_read:
            clues += find_country_clues(line.text, line.confidence)
            clues, languages = clues + languages, []  # they stand with the first line
        found.append(replace(line, clues=tuple(clues)))
    return PhotoText(photo, tuple(found), more)


def _broken_names(line: TextLine, lines: Sequence[TextLine]) -> list[Clue]:
    """Names that begin in a line and end in the next one, below or beside it."""
    if not line.is_read:
        return []
    clues = []
    left, top, right, bottom = line.box
    height = bottom - top
    for other in lines:
        if other is line or not other.is_read:
            continue
        below = (
            abs(other.box.top - bottom) <= height
            and min(right, other.box.right) > max(left, other.box.left)
            and other.box.top > top
        )
        beside = (
            -height / 2 <= other.box.left - right <= 2 * height
            and 2 * (min(bottom, other.box.bottom) - max(top, other.box.top)) > height
        )
        if below or beside:
            confidence = min(line.confidence, other.confidence)
            together = find_names(f"{line.text} {other.text}", confidence)
            clues += [
                clue
                for clue in together
                if clue.excerpt not in line.text and clue.excerpt not in other.text
            ]
    return clues


def clean(text: str) -> str:
    """A text that may be printed anywhere: no control, format or private characters.

    >>> clean("a\\x1b[31mb\\u202ec"), clean("  x \\n y ")
    ('a [31mbc', 'x y')
    """
    kept = []
    for letter in text[:MAX_LETTERS]:
        category = unicodedata.category(letter)
        if letter.isspace() or category == "Cc":
            kept.append(" ")
        elif category[0] != "C":
            kept.append(letter)
    return re.sub(r" +", " ", "".join(kept)).strip()
