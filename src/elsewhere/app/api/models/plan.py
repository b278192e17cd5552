"""What attackers believe and what is to be withheld, as the page is told."""

from __future__ import annotations

from typing import Literal

from elsewhere.app.api.models.album import Guess
from elsewhere.app.api.models.base import Chance, Told
from elsewhere.app.api.models.requests import Wishes


class View(Told):
    """What one attacker believes of one hidden place, from some photos."""

    scorer: str
    hides: str
    """What is hidden, by name: the place, or the region or country that it lies in."""
    whole: bool
    """From the whole album, or from the place's own photos."""
    photos: int
    cells: int
    rank: int
    p: Chance
    guesses: list[Guess]
    """The first five."""


class Leak(Told):
    """What the original files tell beside their pictures; nothing of it is in a copy."""

    kind: str
    photos: int
    examples: list[str]


class Audit(Told):
    """What the album gives away as it is."""

    verdict: str
    """One sentence."""
    views: list[View]
    leaks: list[Leak]
    guesses: list[Guess] = []
    """Where no place is known: what the first scorer thinks of the whole album."""


class Way(Told):
    """Something that could be asked for instead, where there is no plan."""

    words: str
    """As it stands on a button."""
    wishes: Wishes


class Plan(Told):
    """What to withhold."""

    version: int
    """Grows with every plan; a stream's plan with a lower one is old."""
    status: Literal["optimal", "feasible", "infeasible", "unknown"]
    proved: bool
    withheld: list[int]
    kept: list[int]
    cost: float
    bound: float
    verdict: str
    explanation: str
    """Why there is no plan, where there is none; else empty."""
    notes: list[str]
    advice: str
    """Where nearly all photos go: what to ask for instead; else empty."""
    ways: list[Way]
    """What could be asked for instead, the nearest first."""
    uncovered: list[str]
    """What the promise does not cover, a sentence each; empty where nothing is promised."""
    protected_k: int
    """What the plan reaches: so many first guesses the place is not among. Where a top was drawn
    in secret this is at least the one drawn, and 0 where the place may be found first."""
    rivals: list[Guess]
    """Decoys: the cells that come before the first hidden place, the foremost first."""
    headline: str
    """What the album gives away, and what the plan does about it: one sentence."""
    proof: str
    """How sure the plan is: a few words."""
    against: str
    """Whom the promise is against, how good they are, and that a better one may exist."""


class Undo(Told):
    """Which ways the wishes can go."""

    can_undo: bool
    can_redo: bool
    turn: int = 0
    """Changes with every wish, undo and redo: whoever gives it with the next is told where another
    window was quicker."""


class Point(Told):
    """One point of the frontier."""

    withheld: int
    protected_k: int
    bound: int
    proved: bool
    greedy_k: int | None = None


class Belief(Told):
    """What one attacker believes, before and after."""

    watch: int
    watches: list[str]
    """All there are, by name: place, scope, scorer."""
    place: str | None
    """The album's place, by its label."""
    hides: str | None
    """What is hidden of it, by name."""
    before: list[Guess]
    after: list[Guess]
    rank_before: int | None
    rank_after: int | None
    zone: list[tuple[float, float, float, float]]
    """Boxes of south, west, north, east."""
    rivals: list[Guess]
