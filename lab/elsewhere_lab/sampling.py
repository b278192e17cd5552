"""A few collections for the studies beyond the paper, the same ones for all of them.

The paper's tables average over tens of thousands; what follows from them for a user shows on
hundreds. One random collection of a cell is taken, of cells that have the photos, and some albums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from elsewhere_lab.collections import partitions, size_of
from elsewhere_lab.sources import Source
from elsewhere_lab.values import Collection, Part, Row, Scale, mean

AT_ONCE = 4
TOP = 5
"""What is asked for in all of these studies: what `elsewhere protect` asks for by itself."""
KINDS = ("R-16", "R-32", "Albums")
"""The sizes of what people post; larger collections behave like R-32, more so."""
ONE_PLACE = "One place"
"""What the albums of a truth file are called: each is cut to its photos of one cell. Those of the
kept real photos are nearly all of one landmark, by many people, and nobody's album."""


def parts(
    source: Source, scale: Scale, kinds: Sequence[str] = KINDS, share: float = 0.4
) -> list[Part]:
    """A share of what the scale calls a few collections, of each kind; four in each part."""
    count = max(2, round(scale.few * share))
    result = []
    for kind in kinds:
        numbers: Sequence[int]
        if kind == "Albums":
            numbers = range(min(count, source.albums()))
        else:
            numbers = _cells(source, size_of(kind), count)
        for start in range(0, len(numbers), AT_ONCE):
            some = list(numbers[start : start + AT_ONCE])
            result.append(
                Part(f"{kind}-{some[0]:05}-{some[-1]:05}", {"kind": kind, "numbers": some})
            )
    return result


def in_part(source: Source, part: Part) -> Iterator[Collection]:
    """The collections of one part."""
    for number in part.wish["numbers"]:
        if part.wish["kind"] == "Albums":
            yield renamed(source, source.album(number))
        else:
            yield next(partitions(source, number, part.wish["kind"], 1))


def renamed(source: Source, album: Collection) -> Collection:
    """An album under the name that its rows have: only the simulator's are like a person's."""
    return album if source.kind == "simulator" else replace(album, kind=ONE_PLACE)


def _cells(source: Source, size: int, count: int) -> list[int]:
    """Cells with enough photos, spread evenly over all that have."""
    every = list(source.cells)
    if source.kind != "simulator":
        every = [cell for cell in every if len(source.photos(cell)[0]) >= size]
    if count >= len(every):
        return every
    return [every[i * len(every) // count] for i in range(count)]


def means(
    rows: Sequence[Row], column: str, where: Callable[[Row], bool] = lambda row: True
) -> tuple[float, float, int]:
    """Mean, standard error and count of a column over the rows that have it."""
    return mean([float(v) for r in rows if where(r) and isinstance(v := r[column], (int, float))])


def kinds_of(rows: Sequence[Row]) -> list[str]:
    """The kinds that a table has, in the order of the tables."""
    there = {row["kind"] for row in rows}
    return [
        kind for kind in ("R-16", "R-32", "R-64", "R-128", "Albums", ONE_PLACE) if kind in there
    ]
