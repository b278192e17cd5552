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
_WORDS_OF_EACH = 3
"""Words of each of two lines that a name over both may have."""
_MAX_NEXT = 30
"""Lines after a line in which its last name is looked for: on a sign there are two or three."""


def understand(photo: str, lines: Iterable[TextLine], more: int = 0) -> PhotoText:
    """The text of a photo with what each line may mean.

    >>> from elsewhere.values.photo_text import TextBox
    >>> line = TextLine("Rue de la République AVIGNON", 0.99, TextBox(0, 0, 9, 9))
    >>> text = understand("a.jpg", [line])
    >>> [(clue.kind, clue.excerpt, clue.label) for clue in text.lines[0].clues]
    [('name', 'AVIGNON', 'Avignon, France')]
    """
    cleaned = [_cleaned(line) for line in lines]
    languages = find_languages([line.text for line in cleaned if line.is_read])
    readings = [_readings(line) for line in cleaned]
    found = []
    for number, line in enumerate(cleaned):
        others = [one for at, of_line in enumerate(readings) for one in of_line if at != number]
        clues = []
        for reading in readings[number]:
            clues += find_names(reading.text, reading.confidence)
            after = _next_lines(reading, others)
            more += len(after) > _MAX_NEXT  # what is not looked at may be a name
            for other in after[:_MAX_NEXT]:
                clues += _broken_names(reading, other)
            if reading.is_read:
                clues += find_country_clues(reading.text, reading.confidence)
        if line.is_read:
            clues, languages = clues + languages, []  # they stand with the first line
        found.append(replace(line, clues=tuple(dict.fromkeys(clues))))
    return PhotoText(photo, tuple(found), more)


def _cleaned(line: TextLine) -> TextLine:
    others = tuple((clean(text), confidence) for text, confidence in line.others)
    return replace(line, text=clean(line.text), others=others)


def _readings(line: TextLine) -> list[TextLine]:
    """A line by each of its readings."""
    others = [replace(line, text=text, confidence=sure) for text, sure in line.others]
    return [line, *others]


def _next_lines(line: TextLine, lines: Sequence[TextLine]) -> list[TextLine]:
    """The lines in which a name at the end of a line may end: below or beside it."""
    left, top, right, bottom = line.box
    height = bottom - top
    found = []
    for other in lines if line.is_read else ():
        below = (
            abs(other.box.top - bottom) <= height
            and min(right, other.box.right) > max(left, other.box.left)
            and other.box.top > top
        )
        beside = (
            -height / 2 <= other.box.left - right <= 2 * height
            and 2 * (min(bottom, other.box.bottom) - max(top, other.box.top)) > height
        )
        if (below or beside) and other.is_read:
            found.append(other)
    return found


def _broken_names(line: TextLine, other: TextLine) -> list[Clue]:
    """Names that begin in a line and end in the next one."""
    words = [*line.text.split()[-_WORDS_OF_EACH:], *other.text.split()[:_WORDS_OF_EACH]]
    together = find_names(" ".join(words), min(line.confidence, other.confidence))
    return [
        clue
        for clue in together
        if clue.excerpt not in line.text and clue.excerpt not in other.text
    ]


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
