"""Photos by name or pattern, what they are worth, and which go together.

A name is a photo's own (`2024/IMG_1.jpg`), or the part behind its last slash, or a pattern for
either with `*`, `?` and `[…]`. What matches nothing is a mistake that is told with what comes near.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from fractions import Fraction

from elsewhere.album import Photo, SkippedFile
from elsewhere.album.places import Places, has_date_only
from elsewhere.errors import InputError
from elsewhere.solver.requests import read_value

BURST_SECONDS = 2.0
"""Photos of one place, each within this of the one before, are one burst."""
STARS = 5


def matching(
    patterns: Sequence[str], ids: Sequence[str], wish: str, left: Sequence[SkippedFile] = ()
) -> dict[int, str]:
    """The photos that the patterns name, by number, each with the first pattern that does.

    >>> matching(["b.*"], ["a.jpg", "x/b.jpg"], "keep")
    {1: 'b.*'}
    """
    found: dict[int, str] = {}
    for pattern in patterns:
        for number in _named(pattern, ids, wish, left):
            found.setdefault(number, pattern)
    return dict(sorted(found.items()))


def _named(pattern: str, ids: Sequence[str], wish: str, left: Sequence[SkippedFile]) -> list[int]:
    """A name itself comes first: it may hold brackets that mean nothing."""
    for test in (
        lambda name: name == pattern,
        lambda name: name.rpartition("/")[2] == pattern,
        lambda name: fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern),
    ):
        numbers = [number for number, name in enumerate(ids) if test(name)]
        if numbers:
            return numbers
    for one in left:
        if pattern in (one.name, one.name.rpartition("/")[2]):
            raise InputError(f"{wish}: {one.name} is not in the album: {one.reason}")
    short = {name.rpartition("/")[2]: name for name in ids}
    close = difflib.get_close_matches(pattern, [*ids, *short], n=3, cutoff=0.5)
    near = list(dict.fromkeys(short.get(name, name) for name in close)) or list(ids[:3])
    names = ", ".join(near)
    hint = f"did you mean {names}?" if close else f"the first ones are {names}"
    raise InputError(f"{wish}: no photo is called {pattern!r}; {hint}")


def select_pinned(
    keep: Sequence[str], drop: Sequence[str], ids: Sequence[str], left: Sequence[SkippedFile] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The photos to keep and to drop, by number; nobody can ask for both."""
    kept, dropped = matching(keep, ids, "keep", left), matching(drop, ids, "drop", left)
    for number in kept.keys() & dropped.keys():
        raise InputError(
            f"{ids[number]} is to be kept (by {kept[number]!r}) and dropped (by "
            f"{dropped[number]!r}): take it out of one of them"
        )
    return tuple(kept), tuple(dropped)


def photo_values(
    photos: Sequence[Photo],
    values: Mapping[str, int | float | str | Fraction] | None,
    *,
    stars: bool,
    left: Sequence[SkippedFile] = (),
) -> dict[int, Fraction]:
    """What withholding each photo costs, where that is not 1: stars first, then what was said."""
    found: dict[int, Fraction] = {}
    if stars:
        rated = {n: photo.metadata.rating for n, photo in enumerate(photos)}
        found = {n: Fraction(1 + rating) for n, rating in rated.items() if rating}
    ids = [photo.id for photo in photos]
    for name, value in (values or {}).items():
        exact = read_value(value)
        if exact <= 0:
            raise InputError(f"the value of {name} must be above zero, not {value}")
        for number in matching([name], ids, "value", left):
            found[number] = exact
    return found


def bursts(photos: Sequence[Photo], places: Places) -> tuple[tuple[int, ...], ...]:
    """Photos taken within moments of each other at one place, by number; two or more each."""
    place_of = {n: label for label, place in enumerate(places.places) for n in place.photos}
    timed = [
        (place_of.get(number, -1), photo.metadata.moment, number)
        for number, photo in enumerate(photos)
        if photo.metadata.moment is not None and not has_date_only(photo.metadata)
    ]
    runs: list[list[int]] = []
    before: tuple[int, float] | None = None
    for place, moment, number in sorted(timed):
        if before is not None and place == before[0] and moment - before[1] <= BURST_SECONDS:
            runs[-1].append(number)
        else:
            runs.append([number])
        before = place, moment
    return tuple(sorted(tuple(sorted(run)) for run in runs if len(run) > 1))


def budget_of(given: int | str, photos: int) -> int:
    """At most so many photos, from a number or a percentage.

    >>> budget_of("10%", 33), budget_of("4", 33), budget_of(4, 33)
    (3, 4, 4)
    """
    text = str(given).strip()
    share = re.fullmatch(r"(\d+(?:\.\d+)?)\s*%", text)
    if share and Fraction(share[1]) <= 100:
        return int(Fraction(share[1]) * photos / 100)
    if isinstance(given, bool) or not re.fullmatch(r"\d+", text):
        raise InputError(f"a budget is a number of photos or a share such as 10%, not {given!r}")
    return int(text)
