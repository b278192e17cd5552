"""Text stays text in every template, and nothing else gets into a page."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from jinja2 import UndefinedError

from elsewhere.report.templating import ENVIRONMENT, JoinLines, number, render


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


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


def filled(source: str, **values: object) -> str:
    return ENVIRONMENT.from_string(source).render(**values)


@given(st.text())
def test_text_stays_text(text: str) -> None:
    """Whatever is put in, one paragraph with one attribute comes out, with the same words."""
    found = read(filled('<p title="{{ text }}">{{ text }}</p>', text=text))
    assert [name for name, _ in found.elements] == ["p"]
    shown = "".join(
        c if c.isprintable() or c in " \n\u00a0\u202f\u200d" else "\ufffd" for c in text
    )
    assert found.text == shown
    assert found.elements[0][1] == {"title": shown}


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "\u202egpj.exe", "\x1b[31m", "\r"])
def test_what_does_not_print_is_shown_as_such(text: str) -> None:
    shown = filled("{{ text }}", text=text)
    assert "\ufffd" in shown
    shown.encode("utf-8")


def test_an_emoji_of_several_parts_stays_whole() -> None:
    assert filled("{{ text }}", text="👩‍👩‍👧.jpg") == "👩‍👩‍👧.jpg"


def test_escaping_cannot_be_forgotten() -> None:
    """It is on for every template, and no template turns it off or marks text as markup."""
    made = ENVIRONMENT
    names = [name for name in made.list_templates() if name.endswith(".j2")]
    assert len(names) > 10 and made.autoescape is True
    for name in names:
        assert made.loader is not None
        source = made.loader.get_source(made, name)[0]
        assert "|safe" not in source.replace(" ", "") and "autoescape" not in source, name


def test_a_value_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        filled("<p>{{ nothing }}</p>")
    with pytest.raises(UndefinedError):
        render("limits.html.j2", contents={})


@pytest.mark.parametrize(
    ("source", "joined"),
    [
        ("<ul>\n  <li>a</li>\n</ul>\n", "<ul><li>a</li></ul>"),
        ("<p>one\n  two</p>", "<p>one two</p>"),
        ("<b\n  id='x'>", "<b id='x'>"),
        ("{% if x %}\n  a\n{% endif %}", "{% if x %}a{% endif %}"),
        ("{{ a }}\n{{ b }}\n<i>", "{{ a }} {{ b }}<i>"),
    ],
)
def test_line_breaks_of_templates_do_not_reach_the_page(source: str, joined: str) -> None:
    assert JoinLines(ENVIRONMENT).preprocess(source, None) == joined


@given(st.floats(-1e4, 1e4), st.integers(0, 3))
def test_numbers_are_short_and_right(value: float, digits: int) -> None:
    assert float(number(value, digits)) == pytest.approx(value, abs=0.5000001 * 10**-digits)
    assert len(number(value, digits)) <= len(f"{value:.{digits}f}")
