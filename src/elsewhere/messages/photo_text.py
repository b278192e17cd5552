"""What the text of a photo may say, for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from elsewhere.audit import Audit, Opinion
from elsewhere.messages.key_numbers import short_rank
from elsewhere.messages.phrases import chance
from elsewhere.values.outcome import Outcome
from elsewhere.values.photo_text import Clue, PhotoText, TextLine, told_clues
from elsewhere.values.wording import counted, listed, printable

_KINDS = {
    "name": "a place",
    "phone": "a phone number",
    "domain": "a web address",
    "postcode": "a postcode",
    "plate": "a number plate",
    "currency": "money",
    "script": "the script",
    "language": "the language",
}
_DEGREES = ((100.0, "very likely"), (20.0, "likely"), (5.0, "perhaps"), (0.0, "hardly"))


def describe_line(line: TextLine) -> str:
    """A line in quotes, or that it could not be read.

    >>> from elsewhere.values.photo_text import TextBox
    >>> describe_line(TextLine("AVIGNON", 0.98, TextBox(0, 0, 90, 20)))
    '“AVIGNON”'
    >>> describe_line(TextLine("", 0.2, TextBox(0, 0, 90, 20)))
    'text that is not read'
    """
    if not line.text:
        return "text that is not read"
    quoted = f"“{printable(line.text)}”"
    return quoted if line.is_read else f"perhaps {quoted}"


def describe_clue(clue: Clue) -> str:
    """What a clue may mean, and how sure that is.

    >>> describe_clue(Clue("name", "AVIGNON", "Avignon, France", 119.0))
    'Avignon, France (a place, very likely)'
    """
    degree = next(word for least, word in _DEGREES if clue.ratio >= least)
    return f"{clue.label} ({_KINDS[clue.kind]}, {degree})"


def describe_clues(clues: Sequence[Clue]) -> str:
    """What a line may mean, each thing once: a name over two lines is found from both.

    >>> avignon = Clue("name", "AVIGNON", "Avignon, France", 119.0)
    >>> describe_clues([avignon, avignon])
    'Avignon, France (a place, very likely)'
    """
    return "; ".join(dict.fromkeys(map(describe_clue, clues)))


class ToldLine(NamedTuple):
    """A line of a photo's text, for people."""

    line: TextLine
    words: str
    meaning: str
    """Empty where it means nothing that is told."""
    telling: bool
    """Whether that is near what is hidden."""


def told_lines(text: PhotoText, telling: Sequence[tuple[TextLine, Clue]]) -> list[ToldLine]:
    """The lines of a photo's text; what says most comes first."""
    told = []
    for line in text.lines:
        clues = told_clues(line, telling)
        meaning = describe_clues([clue for clue, _ in clues])
        told.append(ToldLine(line, describe_line(line), meaning, any(near for _, near in clues)))
    return sorted(told, key=lambda line: (not line.telling, not line.meaning))


def describe_text(
    text: PhotoText, telling: Sequence[tuple[TextLine, Clue]], limit: int
) -> list[tuple[str, str, bool]]:
    """The text of a photo, line by line: the line, what it may mean, whether that is telling.

    More lines than `limit` are counted.
    """
    told = [(line.words, line.meaning, line.telling) for line in told_lines(text, telling)]
    shown = told[:limit]
    if len(told) > limit:
        shown.append((f"and {counted(len(told) - limit, 'more line')} of text", "", False))
    if rest := describe_rest(text):
        shown.append((rest, "", False))
    return shown


def describe_rest(text: PhotoText) -> str:
    """What of a photo's text is not listed; empty where all is.

    >>> describe_rest(PhotoText("a.jpg", more=2))
    '2 more lines of text, not read'
    """
    if text.failed:
        return "its text could not be read"
    if text.more:
        return f"{counted(text.more, 'more line')} of text, not read"
    return ""


def reader_sentence(audit: Audit, opinion: Opinion) -> str:
    """What an attacker believes who reads the text as well."""
    guess = f"{printable(opinion.guess.name)} ({chance(opinion.guess.probability)})"
    first = f"Somebody who sees what {audit.scorer} sees and reads the text guesses {guess} first"
    if audit.truth is None or opinion.rank is None:
        return f"{first}."
    comes = short_rank(opinion.rank, audit.rank_limit)
    return f"{first}; {printable(audit.truth.label)} comes {comes}."


def text_check(outcome: Outcome) -> str:
    """How far readable text was checked."""
    text = outcome.text
    if text is None:
        return "Readable text and signs: the photos' text was not read."
    lines = "1 line was" if text.unread == 1 else f"{text.unread} lines were"
    unread = f" On what is shared {lines} found and not read." if text.unread else ""
    return (
        "Readable text is checked by elsewhere's reader, which reads these scripts: "
        f"{listed(text.scripts)}. Other scripts, handwriting and what it misses are not.{unread}"
    )
