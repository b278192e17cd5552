"""Elements of HTML and SVG, built so that text cannot become markup.

A string is text and is escaped; only what `element` made is markup. So a file called
`<script>.jpg` stays a name wherever it is put, without anybody having to think of it. Characters
that do not print (control characters, overrides of the direction of writing, halves of pairs)
could hide or reorder what stands around them: they are shown as �.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})
_SPARED = " \n\u00a0\u202f\u200d"
"""Spaces (two of them hold their neighbours together), and what joins the parts of an emoji."""
_VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""HTML elements that have no end."""


@dataclass(frozen=True)
class Markup:
    """Finished markup; only `element` and `together` make it."""

    text: str

    def __str__(self) -> str:
        return self.text


Child: TypeAlias = "Markup | str | int | Iterable[Child] | None"
"""Text, markup, nothing, or several of these."""
Value: TypeAlias = str | int | float | bool | None


def escaped(text: str) -> str:
    """Text that is only text, in an element as in an attribute.

    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    >>> escaped("a\\u202egpj.exe")
    'a�gpj.exe'
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _SPARED else "\ufffd" for c in text)
    return text.translate(_ESCAPES)


def element(name: str, /, *children: Child, **attributes: Value) -> Markup:
    """One element. An attribute's `_` stands for `-`, one at its end for nothing.

    None and False leave an attribute out, True gives it no value.

    >>> str(element("p", "5 < 6", class_="note", hidden=False))
    '<p class="note">5 &lt; 6</p>'
    """
    shown = "".join(_attribute(key, value) for key, value in attributes.items())
    inside = "".join(_pieces(children))
    if name in _VOID:
        assert not inside, f"{name} has no inside"
        return Markup(f"<{name}{shown}>")
    return Markup(f"<{name}{shown}>{inside}</{name}>")


def together(*children: Child) -> Markup:
    """Several pieces as one, without an element around them."""
    return Markup("".join(_pieces(children)))


def number(value: float, digits: int = 1) -> str:
    """A coordinate in as few letters as it needs.

    >>> number(3.0), number(0.25, 2), number(-0.04)
    ('3', '.25', '0')
    """
    assert math.isfinite(value), "only finite numbers can be drawn"
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text in {"-0", ""}:
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {name}"
    text = number(value, 3) if isinstance(value, float) else str(value)
    return f' {name}="{escaped(text)}"'


def _pieces(children: Iterable[Child]) -> Iterator[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, Markup):
            yield child.text
        elif isinstance(child, str | int):
            yield escaped(str(child))
        else:
            yield from _pieces(child)
