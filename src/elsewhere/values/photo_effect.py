"""What one withheld photo would do to one place, as one model sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PhotoEffect:
    """The place's ranks with and without the photo, and a decoy that the photo speaks against."""

    photo: str
    place: str
    model: str
    cells: int
    shared: int
    """How many shared photos the model adds up."""
    rank_without: int | None
    """From the shared photos; None where none is shared."""
    rank_with: int
    """From the shared photos and this one."""
    rank_alone: int
    decoy: str = ""
    """The decoy that this photo speaks against most; empty where it does so against none."""
    ratio: float = 1.0
    """How many times as much the photo looks like the place as like the decoy."""
