"""A clean copy that hides no place: what is said of it, and how it is offered."""

from __future__ import annotations

NOT_HIDDEN = (
    "The place is not hidden and nothing is promised: the metadata is removed, but the pictures "
    "can still show where they were taken."
)
"""Said in red wherever such a copy is offered or written."""


def clean_offer(command: str) -> str:
    """The way out where no plan exists or no place is known; `command` is what to type."""
    return f"To share the photos all the same, with metadata removed, place not hidden: {command}"
