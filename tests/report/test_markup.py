from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st

from elsewhere.report.markup import Markup, element, escaped, number, together


class Reader(HTMLParser):
    """What a browser would make of it: the elements, and the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: Markup | str) -> Reader:
    reader = Reader()
    reader.feed(str(markup))
    reader.close()
    return reader


@given(st.text())
def test_text_stays_text(text: str) -> None:
    """Whatever is put in, one paragraph with one attribute comes out, with the same words."""
    found = read(element("p", text, title=text))
    assert [name for name, _ in found.elements] == ["p"]
    shown = "".join(
        c if c.isprintable() or c in " \n\u00a0\u202f\u200d" else "\ufffd" for c in text
    )
    assert found.text == shown
    assert found.elements[0][1] == {"title": shown}


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "\u202egpj.exe", "\x1b[31m", "\r"])
def test_what_does_not_print_is_shown_as_such(text: str) -> None:
    shown = escaped(text)
    assert "\ufffd" in shown
    shown.encode("utf-8")


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert escaped("👩‍👩‍👧.jpg") == "👩‍👩‍👧.jpg"


def test_attributes() -> None:
    made = element("a", "x", class_="c", aria_label="l", hidden=True, title=None, open=False, x=0.5)
    assert str(made) == '<a class="c" aria-label="l" hidden x=".5">x</a>'


def test_children_are_flattened_and_nothing_is_nothing() -> None:
    assert str(element("p", ["a", [element("b", 3), None]], None)) == "<p>a<b>3</b></p>"
    assert str(together("<", element("br"))) == "&lt;<br>"


def test_an_element_without_inside_takes_none() -> None:
    with pytest.raises(AssertionError):
        element("img", "words")


@given(st.floats(-1e4, 1e4), st.integers(0, 3))
def test_numbers_are_short_and_right(value: float, digits: int) -> None:
    assert float(number(value, digits)) == pytest.approx(value, abs=0.5000001 * 10**-digits)
    assert len(number(value, digits)) <= len(f"{value:.{digits}f}")
