"""Write the page about the defaults: its text, with every field filled from the runs' rows.

Nothing is measured here. The words are in `text.md` beside this module; whoever changes a default
measures again and writes the page anew, so that no figure on it is anybody's typing.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from elsewhere_lab.defaults_page.fields import Fields
from elsewhere_lab.defaults_page.quoted import Quoted
from elsewhere_lab.files import write_whole
from elsewhere_lab.runs import gathered

FIELD = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
WIDTH = 110
_AS_IT_IS = ("#", "|", "```", "![")
"""How blocks begin that are not wrapped."""


def text() -> str:
    """The page's words, with its fields."""
    return (files(__package__) / "text.md").read_text("utf-8")


def write_defaults_page(folders: Sequence[Path], page: Path) -> None:
    """Write the page from these runs, of the simulator and of real photos, and its figures."""
    fields = Fields(Quoted(gathered(folders, page)), page)
    filled = FIELD.sub(lambda found: fields.filled(found[1]), text())
    write_whole(page, wrapped(filled))


def wrapped(page: str) -> str:
    """The page with its paragraphs and list items wrapped anew; tables and code as they are.

    >>> print(wrapped("one\\ntwo\\n\\n- a\\n  b\\n- c\\n"), end="")
    one two
    <BLANKLINE>
    - a b
    - c
    """
    blocks = page.strip("\n").split("\n\n")
    return "\n\n".join(b if b.startswith(_AS_IT_IS) else _wrapped(b) for b in blocks) + "\n"


def _wrapped(block: str) -> str:
    items = re.split(r"\n(?=- )", block)
    return "\n".join(
        textwrap.fill(
            " ".join(item.split()),
            WIDTH,
            subsequent_indent="  " if item.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for item in items
    )
