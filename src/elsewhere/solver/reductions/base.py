"""What a reduction is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

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
