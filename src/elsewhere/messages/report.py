"""What the private report says in sentences."""

from __future__ import annotations


def as_sentence(text: str) -> str:
    """A note as a sentence of its own.

    >>> as_sentence("the cell is large"), as_sentence("Is it?")
    ('The cell is large.', 'Is it?')
    """
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
