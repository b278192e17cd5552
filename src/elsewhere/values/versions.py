"""Versions of a photo: as it is, or edited by cropping and covering, and what each loses.

An edit is a crop, covers, or both. Its rectangles are in thousandths of the upright picture, whole
numbers, so that an edit means the same for every size of rendition. Covers are given in the whole
picture, also where it is cropped.

What an edit loses is an exact fraction: the weight of what is covered or cropped off. A weight map
says how dear each part of the picture is. The default holds the middle dearer than the edges, and a
strip of sky cheap. A version costs what it loses and a small charge, so that no photo is edited for
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from elsewhere.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FULL = 1000
"""The width and the height of every picture, in the units of rectangles."""
MAX_COVERS = 64
MAX_LOSS = Fraction(1, 2)
"""The most that a version may lose where nothing else is asked for."""
EDIT_CHARGE = Fraction(1, 50)
"""What an edit costs beside what it loses."""


@dataclass(frozen=True, order=True)
class Rectangle:
    """A part of a picture, from its left and top edges up to `right` and `bottom`."""

    left: int
    top: int
    right: int
    bottom: int

    def __post_init__(self) -> None:
        sides = (self.left, self.top, self.right, self.bottom)
        if any(type(side) is not int for side in sides):
            raise InputError(f"the sides of a rectangle must be whole thousandths, not {sides}")
        if not (0 <= self.left < self.right <= FULL and 0 <= self.top < self.bottom <= FULL):
            raise InputError(
                f"the rectangle {sides} is empty or leaves the picture: give left, top, right and "
                f"bottom in thousandths, from 0 to {FULL}"
            )

    @property
    def area(self) -> Fraction:
        """Its share of the picture."""
        return Fraction((self.right - self.left) * (self.bottom - self.top), FULL**2)

    def contains(self, other: Rectangle) -> bool:
        """Whether all of `other` lies in it."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )

    def overlaps(self, other: Rectangle) -> bool:
        """Whether they share any part of the picture."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


WHOLE = Rectangle(0, 0, FULL, FULL)


@dataclass(frozen=True)
class Edit:
    """What is taken out of a picture; at least one rectangle.

    >>> Edit(covers=(Rectangle(500, 0, 600, 90), Rectangle(0, 0, 100, 90))).covers[0].left
    0
    """

    crop: Rectangle | None = None
    """What stays of the picture; None: all of it."""
    covers: tuple[Rectangle, ...] = ()
    """What is painted over, in order and without repetition."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "covers", tuple(sorted(set(self.covers))))
        if self.crop == WHOLE:
            object.__setattr__(self, "crop", None)
        if self.crop is None and not self.covers:
            raise InputError("an edit crops or covers something: give it a rectangle")
        if len(self.covers) > MAX_COVERS:
            raise InputError(f"an edit has at most {MAX_COVERS} covers, not {len(self.covers)}")


@dataclass(frozen=True)
class WeightMap:
    """How dear each part of a picture is: a grid of whole numbers over all of it."""

    rows: tuple[tuple[int, ...], ...]
    """From the top; each from the left. Only proportions count."""

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows}
        if len(widths) != 1 or 0 in widths:
            raise InputError("a weight map is a grid: give all rows the same number of weights")
        cells = [weight for row in self.rows for weight in row]
        if any(type(weight) is not int or weight < 0 for weight in cells) or not any(cells):
            raise InputError("weights must be whole numbers from 0 upwards, and not all of them 0")

    def loss(self, edit: Edit) -> Fraction:
        """The weight of what an edit takes out, exactly; that of the whole picture is 1.

        >>> WeightMap(((1, 1), (1, 1))).loss(Edit(Rectangle(0, 0, 500, 1000)))
        Fraction(1, 2)
        """
        crop = edit.crop or WHOLE
        parts = (crop, *edit.covers)
        # Between these lines everything is either lost or not.
        across = sorted({0, FULL, *(x for part in parts for x in (part.left, part.right))})
        down = sorted({0, FULL, *(y for part in parts for y in (part.top, part.bottom))})
        lost = Fraction(0)
        for top, bottom in pairwise(down):
            for left, right in pairwise(across):
                tile = Rectangle(left, top, right, bottom)
                if not crop.contains(tile) or any(cover.contains(tile) for cover in edit.covers):
                    lost += self._weight(tile)
        return lost

    def _weight(self, part: Rectangle) -> Fraction:
        across = _shares(part.left, part.right, len(self.rows[0]))
        down = _shares(part.top, part.bottom, len(self.rows))
        total = sum(sum(row) for row in self.rows)
        weight = sum(height * width * self.rows[y][x] for y, height in down for x, width in across)
        return Fraction(weight, total * FULL**2)


def _shares(start: int, end: int, count: int) -> list[tuple[int, int]]:
    """Which of `count` equal steps lie between two sides, and how many thousandths of each."""
    first, last = start * count // FULL, -(-end * count // FULL)
    return [
        (step, min(end * count, (step + 1) * FULL) - max(start * count, step * FULL))
        for step in range(first, last)
    ]


_ACROSS = (2, 3, 4, 5, 5, 5, 5, 4, 3, 2)
_DOWN = (1, 2, 3, 5, 5, 5, 5, 4, 3, 2)
DEFAULT_WEIGHTS = WeightMap(tuple(tuple(x * y for x in _ACROSS) for y in _DOWN))
"""The middle is dearer than the edges, and the top, where the sky is, the cheapest of them."""


_EVEN_WEIGHTS = WeightMap(((1,),))


def picture_lost(edit: Edit) -> Fraction:
    """The share of the picture that an edit takes out, every part counted alike.

    >>> picture_lost(Edit(covers=(Rectangle(0, 0, 500, 500),)))
    Fraction(1, 4)
    """
    return _EVEN_WEIGHTS.loss(edit)


def edit_cost(loss: Fraction) -> Fraction:
    """What an edit costs that loses this much: never more than to withhold the photo."""
    return min(loss + EDIT_CHARGE, Fraction(1))


@dataclass(frozen=True, eq=False)
class ScoredVersion:
    """A version with what each scorer sees in it."""

    edit: Edit | None
    """None: the photo as it is, or a version whose edit is not known."""
    cost: Fraction
    """The share of the photo's value that is lost: 0 as it is, 1 when left out."""
    rows: tuple[NDArray[np.float32], ...]
    """One row of log-probabilities for each scorer: what a plan counts on."""
    scored: tuple[NDArray[np.float32], ...] = ()
    """The rows as the bytes were scored, where it is edited; `rows` may count less."""
    name: str = ""
    """Of a version that somebody else made."""

    @property
    def as_is(self) -> bool:
        """Whether it is the photo without any edit."""
        return self.edit is None and not self.name


def merge(parts: Iterable[Rectangle]) -> Rectangle:
    """The smallest rectangle around all parts."""
    lefts, tops, rights, bottoms = zip(
        *((part.left, part.top, part.right, part.bottom) for part in parts), strict=True
    )
    return Rectangle(min(lefts), min(tops), max(rights), max(bottoms))
