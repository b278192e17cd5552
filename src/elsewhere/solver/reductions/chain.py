"""What a reduction is.

A fixed number of photos to withhold: the truth as far down as can be.

Ties count against us: a rival must be strictly ahead, in exact arithmetic.

The black-box margin: every gain less θ, for each kept photo (the paper's equation).

Lead and prior: what counts once for the album, not once a photo.

Several scorers, with cells of their own: several attackers, each with its own k and rivals.

Several places in one album: a photo has no gain for the attackers of other places.

The whole neighbourhood hidden: a rival must outrank every cell of the zone.

Only some cells count as rivals: decoys far enough away, or the paper's fixed targets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from elsewhere.solver.problem import Answer, Attacker, Problem


class Contradiction(Exception):  # noqa: N818 — it says what is wrong, not that the code erred
    """The wishes exclude each other: no plan can fulfil them. The message says why.

    Reductions know photos by number; who knows their names asks for `named`.

    >>> why = Contradiction("photos {} belong together", [0, 2])
    >>> str(why), why.named(["a.jpg", "b.jpg", "c.jpg"])
    ('photos 0, 2 belong together', 'photos a.jpg, c.jpg belong together')
    """

    def __init__(self, reason: str, photos: Sequence[int]) -> None:
        self.reason, self.photos = reason, tuple(photos)
        super().__init__(reason.format(", ".join(map(str, self.photos))))

    def named(self, ids: Sequence[str]) -> str:
        """The message with the photos' names."""
        return self.reason.format(", ".join(ids[photo] for photo in self.photos))


class Reduction(Protocol):
    """A wish: rewrites the problem so that the solver need not know of it, and back."""

    def apply(self, problem: Problem) -> Problem:
        """The same problem with this wish worked in."""

    def invert(self, answer: Answer) -> Answer:
        """The answer to the rewritten problem as an answer to the one before."""


class Unchanged:
    """For wishes that leave units and weights as they were: the answer needs no translation."""

    def invert(self, answer: Answer) -> Answer:
        """The same answer."""
        return answer


def each_attacker(problem: Problem, change: Callable[[int, Attacker], Attacker]) -> Problem:
    """The problem with every attacker changed."""
    changed = tuple(change(i, attacker) for i, attacker in enumerate(problem.attackers))
    return replace(problem, attackers=changed)


@dataclass(frozen=True)
class Budget(Unchanged):
    """At most this many photos left out; forced ones count."""

    photos: int

    def apply(self, problem: Problem) -> Problem:
        """Maximise the rivals that hold instead of needing so many."""
        return replace(problem, budget=min(self.photos, problem.photos))


@dataclass(frozen=True)
class Strict(Unchanged):
    """Rows must be > 0."""

    def apply(self, problem: Problem) -> Problem:
        """An exact tie no longer holds."""
        return replace(problem, strict=True)


@dataclass(frozen=True)
class Margin(Unchanged):
    """One θ for each attacker."""

    thetas: tuple[float, ...]

    def apply(self, problem: Problem) -> Problem:
        """Each kept photo counts θ more for the truth."""
        return each_attacker(problem, lambda i, a: replace(a, shift=self.thetas[i]))


@dataclass(frozen=True)
class Thresholds(Unchanged):
    """For each attacker the lead that rivals need, and what it knows beforehand."""

    once: tuple[tuple[float, tuple[float, ...] | None], ...]

    def apply(self, problem: Problem) -> Problem:
        """A rival must make up for the prior and be ahead by the lead."""

        def moved(i: int, attacker: Attacker) -> Attacker:
            lead, prior = self.once[i]
            offset = None if prior is None else np.array(prior, np.float64)
            return replace(attacker, lead=lead, offset=offset)

        return each_attacker(problem, moved)


@dataclass(frozen=True)
class Attackers(Unchanged):
    """Join the attackers of other problems over the same photos."""

    others: tuple[Problem, ...]

    def apply(self, problem: Problem) -> Problem:
        """All must be satisfied by one plan."""
        more = tuple(attacker for other in self.others for attacker in other.attackers)
        return replace(problem, attackers=problem.attackers + more)


@dataclass(frozen=True)
class Places(Unchanged):
    """Which photos each attacker adds up; None for all of them."""

    sees: tuple[tuple[int, ...] | None, ...]

    def apply(self, problem: Problem) -> Problem:
        """Photos that an attacker does not see count nothing for it, margin included."""

        def seeing(i: int, attacker: Attacker) -> Attacker:
            photos = self.sees[i]
            if photos is None:
                return attacker
            mask = np.zeros(problem.photos, bool)
            mask[list(photos)] = True
            return replace(attacker, sees=mask)

        return each_attacker(problem, seeing)


@dataclass(frozen=True)
class Zone(Unchanged):
    """Widen each attacker's truth to all its cells; none of them can be a rival."""

    truths: tuple[tuple[int, ...], ...]

    def apply(self, problem: Problem) -> Problem:
        """One row against every cell of the zone."""

        def widen(i: int, attacker: Attacker) -> Attacker:
            zone = np.array(self.truths[i], np.intp)
            rivals = attacker.rivals[~np.isin(attacker.rivals, zone)]
            return replace(attacker, zone=zone, rivals=rivals)

        return each_attacker(problem, widen)


@dataclass(frozen=True)
class Decoys(Unchanged):
    """Filter each attacker's rivals; None leaves them all."""

    allowed: tuple[tuple[int, ...] | None, ...]

    def apply(self, problem: Problem) -> Problem:
        """Rivals that are not allowed can no longer be counted."""

        def filtered(i: int, attacker: Attacker) -> Attacker:
            allowed = self.allowed[i]
            if allowed is None:
                return attacker
            mask = np.isin(attacker.rivals, np.array(allowed, np.intp))
            return replace(attacker, rivals=attacker.rivals[mask])

        return each_attacker(problem, filtered)
