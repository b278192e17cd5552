"""The readable text of a photo, and what it may say about the place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

READ = 0.85
"""The least confidence of a line that counts as read."""


class TextBox(NamedTuple):
    """A rectangle around a line of text, in pixels of the rendition; upright, also where the line
    is not. A cover of at least this rectangle leaves no letter of it."""

    left: int
    top: int
    right: int
    bottom: int


class Position(NamedTuple):
    """Where something that a text mentions is."""

    lat: float
    lon: float


@dataclass(frozen=True)
class Clue:
    """What a line of text may mean: towns, or only countries."""

    kind: str
    """"name", "phone", "domain", "postcode", "plate", "currency", "script" or "language"."""
    excerpt: str
    """The part of the text."""
    label: str
    """The likeliest meaning, for people: "Avignon, France"."""
    ratio: float
    """How many times as likely the text is there as anywhere else; 1 says nothing."""
    positions: tuple[Position, ...] = ()
    """Every town that may be meant, the likeliest first."""
    countries: tuple[str, ...] = ()
    """The countries that may be meant, by their two letters; those of the towns too."""
    named_countries: tuple[str, ...] = ()
    """Those of them whose own name it is, whatever towns have the same."""
    certain: bool = True
    """Whether it is likely enough to be told. A coincidence with a small town's name is not, but
    counts where that town is close to what is hidden."""


@dataclass(frozen=True)
class TextLine:
    """One line of text that was found in a photo."""

    text: str
    """Empty where nothing could be made of it."""
    confidence: float
    """The mean probability of its letters, 0 to 1."""
    box: TextBox
    clues: tuple[Clue, ...] = ()
    others: tuple[tuple[str, float], ...] = ()
    """Further readings of it, each with its confidence: what any of them names counts."""

    @property
    def is_read(self) -> bool:
        """Whether the text can be relied on; one that was found and not read is never no text."""
        return bool(self.text) and self.confidence >= READ


def told_clues(line: TextLine, telling: Sequence[tuple[TextLine, Clue]]) -> list[tuple[Clue, bool]]:
    """What to tell of a line: the clues that are certain or, marked, near what is hidden."""
    near = [clue for other, clue in telling if other == line]
    excerpts = {(clue.kind, clue.excerpt) for clue in near}
    others = [c for c in line.clues if c.certain and (c.kind, c.excerpt) not in excerpts]
    return [*((clue, True) for clue in near), *((clue, False) for clue in others)]


@dataclass(frozen=True)
class TextCheck:
    """What reading the text of an album came to."""

    scripts: tuple[str, ...]
    """That the readers know."""
    unread: int = 0
    """Lines on shared photos that were found and not read."""
    covered: int = 0
    """Photos with a readable name near what is hidden that are shared with it covered."""
    withheld: int = 0
    """Those that are withheld for it."""
    kept: int = 0
    """Those that are shared with it, as the user asked."""


@dataclass(frozen=True)
class PhotoText:
    """The text of one photo."""

    photo: str
    """The photo's name."""
    lines: tuple[TextLine, ...] = ()
    more: int = 0
    """Lines that were found beyond the most that are reported."""
    failed: str = ""
    """Why the photo could not be searched: "time", "memory", "crash" …; empty where it was."""

    @property
    def unread(self) -> int:
        """How many lines were found and not read."""
        return self.more + sum(not line.is_read for line in self.lines)
