"""In which order photos can go out one by one, so that the promise holds after each of them.

A set that keeps the promise need not be reachable: sometimes every photo of it breaks the promise
alone. The search goes from what is public towards one photo, always over sets that hold, decided
exactly by the same arithmetic that checks plans.
"""

from __future__ import annotations

from collections.abc import Collection

from elsewhere.checker.facts import AlbumFacts, CheckedView
from elsewhere.solver.requests import Request

LOOKS = 1500
"""Sets that are looked at before the search gives up: under a second for one scorer of 512
cells."""
_SHORTEN = 24
"""Photos of a way that are tried without; each costs a walk along all of it."""
_LONG = 60
"""A way longer than this stays as it is: nobody reads it to the end."""


class Prefixes:
    """Which sets of photos keep a promise, exactly; pins do not matter here, only what is out."""

    def __init__(self, asked: Request) -> None:
        self._promise = asked.promise
        self._album = AlbumFacts(asked.promise, asked.scores)

    @property
    def forced(self) -> frozenset[int]:
        """Photos that may never go out: dropped, or revealing alone where that is not wanted."""
        return self._album.forced

    def unit(self, photo: int) -> frozenset[int]:
        """The photo and those that go with it."""
        return self._album.with_groups([photo])

    def hold(self, photos: Collection[int]) -> bool:
        """Whether these photos, being out and no others, keep the promise."""
        return self.slack(photos) is not None

    def slack(self, photos: Collection[int]) -> float | None:
        """By how much they keep it, for the attacker nearest to the truth; None if they do not."""
        sights = self._album.sights(photos)
        if not self._album.reaches(sights) or not self._album.forced.isdisjoint(photos):
            return None
        return min(self._margin(i, sight) for i, sight in enumerate(sights))

    def _margin(self, number: int, sight: CheckedView) -> float:
        return sight.slack(self._promise.against[number].top or 0)


def way_to(
    prefixes: Prefixes,
    public: frozenset[int],
    others: Collection[int],
    goal: frozenset[int],
    looks: int = LOOKS,
) -> tuple[int, ...] | None:
    """Photos of `others` to post before `goal`, in order, each step keeping the promise.

    None where there is no such order, or none was found within `looks` sets. Depth first, the
    photo that leaves most slack first; a set that led nowhere is never entered again.
    """
    units = {prefixes.unit(photo) for photo in others}
    units = {unit for unit in units if unit <= frozenset(others)}
    budget = [looks]
    dead: set[frozenset[int]] = set()

    def search(out: frozenset[int], path: tuple[int, ...]) -> tuple[int, ...] | None:
        if out in dead or budget[0] <= 0:
            return None
        dead.add(out)
        budget[0] -= 1
        if prefixes.hold(out | goal):
            return path
        steps = []
        for unit in sorted(units, key=min):
            if unit <= out:
                continue
            budget[0] -= 1
            slack = prefixes.slack(out | unit)
            if slack is not None:
                steps.append((-slack, min(unit), unit))
        for _, _, unit in sorted(steps, key=lambda step: step[:2]):
            found = search(out | unit, (*path, *sorted(unit)))
            if found is not None:
                return found
        return None

    found = search(public, ())
    return None if found is None else _shortened(prefixes, public, found, goal)


def _shortened(
    prefixes: Prefixes, public: frozenset[int], way: tuple[int, ...], goal: frozenset[int]
) -> tuple[int, ...]:
    """The way without the photos that it does not need."""

    def leads(steps: tuple[int, ...]) -> bool:
        out = public
        for step in steps:
            out |= prefixes.unit(step)
            if not prefixes.hold(out):
                return False
        return prefixes.hold(out | goal)

    if len(way) > _LONG:
        return way
    for photo in way[:_SHORTEN]:
        if photo in way:  # those that go with one left before it are gone already
            unit = prefixes.unit(photo)
            shorter = tuple(step for step in way if step not in unit)
            way = shorter if leads(shorter) else way
    return way
