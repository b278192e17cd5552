"""Where a sentence is read. Options of the command line make sense only to people who type."""

from __future__ import annotations

from enum import StrEnum


class Surface(StrEnum):
    """Where a sentence is read."""

    TERMINAL = "terminal"
    REPORT = "report"
    PAGE = "page"

    def option(self, text: str) -> str:
        """An option in brackets, with a blank before it; nothing on the page.

        >>> Surface.TERMINAL.option("--top 2"), Surface.PAGE.option("--top 2")
        (' (--top 2)', '')
        """
        return "" if self is Surface.PAGE else f" ({text})"


def capitalized(text: str) -> str:
    """The text with a capital first letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]
