"""The templates' environment: whatever is put into a page stays text.

Autoescape is on, so a file called `<script>.jpg` stays a name wherever it is put. A name that a
template does not know is an error. Characters that do not print (control characters, overrides of
the direction of writing, lone surrogates) could hide or reorder the text around them: they are
shown as �.
"""

from __future__ import annotations

import base64
import math
import re
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from elsewhere.messages.phrases import as_sentence, chance, ordinal, signed
from elsewhere.report.colours import FONT, THEMES
from elsewhere.values.wording import counted, listed

POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'"
)
"""What the browser may do: show pictures that are in the page, and style it."""
_ALLOWED = " \n\u00a0\u202f\u200d"
"""Spaces, two of them non-breaking, and the joiner of emoji parts."""
_LINE_BREAK = re.compile(r"(>|[%#]\})?\s*\n\s*(?=(<|\{[%#])?)")


class JoinLines(Extension):
    """Line breaks in templates do not reach the page.

    A break beside a tag or a statement is dropped with its indentation; any other is a space.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source of a template on one line."""
        return _LINE_BREAK.sub(
            lambda match: match[1] or ("" if match[2] is not None else " "), source
        )


def number(value: float, digits: int = 3) -> str:
    """A coordinate in as few characters as possible.

    >>> number(3.0), number(0.25), number(-0.04, 1)
    ('3', '.25', '0')
    """
    assert math.isfinite(value), "only finite numbers can be drawn"
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    if text in {"-0", ""}:
        return "0"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def printable(value: object) -> object:
    """A value as a template prints it: floats are short, text has no invisible characters.

    >>> printable("a\\u202egpj.exe"), printable(0.5)
    ('a�gpj.exe', '.5')
    """
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isprintable():
        return "".join(c if c.isprintable() or c in _ALLOWED else "\ufffd" for c in value)
    return value


ENVIRONMENT = Environment(
    loader=PackageLoader("elsewhere.report"),
    autoescape=True,
    undefined=StrictUndefined,
    finalize=printable,
    extensions=[JoinLines],
)
ENVIRONMENT.filters.update(
    chance=chance,
    ordinal=ordinal,
    signed=signed,
    counted=counted,
    listed=listed,
    sentence=as_sentence,
    kilometres=lambda km: f"{km:,} km",
    base64=lambda content: base64.b64encode(content).decode("ascii"),
)
_RULES = files("elsewhere.report").joinpath("templates", "style.css").read_text("utf-8")
ENVIRONMENT.globals.update(
    policy=POLICY, font=FONT, style=Markup(f"{THEMES}body{{font-family:{FONT}}}\n{_RULES}")
)


def render(template: str, **values: object) -> Markup:
    """A template filled with values, as markup."""
    return Markup(ENVIRONMENT.get_template(template).render(**values))
