"""What the text of a photo may say, for people."""

from __future__ import annotations

from elsewhere.values.photo_text import Clue, PhotoText, TextLine
from elsewhere.values.wording import counted, printable

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
