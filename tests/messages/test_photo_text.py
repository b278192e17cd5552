"""What texts say, and how far they were checked."""

from __future__ import annotations

from elsewhere.messages.photo_text import describe_text, told_lines
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import TextBox, TextLine


def test_what_tells_most_comes_first_and_more_is_counted() -> None:
    lines = [
        TextLine(text, 0.99, TextBox(0, 90 * n, 90, 90 * n + 9))
        for n, text in enumerate(("OPEN", "closed", "Avignon", "www.gare.fr"))
    ]
    text = understand("a.jpg", lines, more=2)
    told = describe_text(text, [(text.lines[2], text.lines[2].clues[0])], 2)
    assert [(line, telling) for line, _, telling in told] == [
        ("“Avignon”", True),
        ("“www.gare.fr”", False),
        ("and 2 more lines of text", False),
        ("2 more lines of text, not read", False),
    ]
    assert told[0][1] == "Avignon, France (a place, very likely)"


HOSTILE = (
    "\x1b[2J\x1b]0;pwned\x07Avignon",
    "<img src=x onerror=alert(1)> Avignon",
    "\u202eAvignon\u2066",
    "{{7*7}} %n%s ../../etc/passwd Avignon",
    "Avignon\x00\r\n\x85\u2028",
)


def test_hostile_text_is_told_without_doing_anything() -> None:
    lines = [TextLine(text, 0.99, TextBox(0, 0, 9, 9)) for text in HOSTILE]
    told = describe_text(understand("\x1b[31m<b>.jpg", lines), (), 99)
    assert len(told) == len(HOSTILE)
    for line, meaning, _ in told:
        assert line.isprintable() and meaning.isprintable() and "\x1b" not in line
        assert "Avignon, France" in meaning


def test_lines_are_told_once_for_all_with_what_tells_most_first() -> None:
    lines = [
        TextLine(text, 0.99, TextBox(0, 90 * n, 90, 90 * n + 9))
        for n, text in enumerate(("OPEN", "Tokyo", "Avignon"))
    ]
    text = understand("a.jpg", lines)
    told = told_lines(text, [(text.lines[2], text.lines[2].clues[0])])
    assert [(line.line.text, line.telling) for line in told] == [
        ("Avignon", True),
        ("Tokyo", False),
        ("OPEN", False),
    ]
    assert [bool(line.meaning) for line in told] == [True, True, False]
