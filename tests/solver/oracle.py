"""Brute force: the promise's definition, read aloud in fractions, over every set of photos.

Slow and plain on purpose. It knows nothing of the solver, nor of the check's whole numbers; it
only works for a handful of photos, and there it is right.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from elsewhere.values.plan import Plan, Status, View
from elsewhere.values.promise import Against, Promise

Table = NDArray[np.floating[Any]]
NEVER = -math.inf


@dataclass(frozen=True)
class Held:
    """A rival that holds, and by how much."""

    cell: int
    lead: Fraction | float
    """Its distance to the nearest cell of the truth; inf where all of those are impossible."""
    zero: bool
    """Whether it holds against some cell of the truth only because that cell is impossible."""


class Attacker:
    """All that one attacker could see, for every set of photos."""

    def __init__(self, against: Against, table: Table, promise: Promise) -> None:
        self.against = against
        self.strict = promise.strict
        self.photos = promise.photos
        self.scores: list[list[float]] = table.tolist()
        self.sees = range(promise.photos) if against.sees is None else against.sees
        outside = [j for j in range(against.cells) if j not in against.truth]
        self.rivals = outside if against.rivals is None else list(against.rivals)
        self._rows: dict[tuple[int, int], dict[frozenset[int], Fraction]] = {}

    def holding(self, kept: Sequence[int]) -> list[Held]:
        """The rivals that hold, furthest ahead first, ties by cell."""
        seen = [photo for photo in kept if photo in self.sees]
        found = [held for rival in self.rivals if (held := self._holds(rival, seen)) is not None]
        return sorted(found, key=lambda held: (-held.lead, held.cell))

    def _holds(self, rival: int, seen: Sequence[int]) -> Held | None:
        lead: Fraction | float = math.inf
        zero = False
        for z in self.against.truth:
            if self._impossible(z, seen):
                if self.strict and self._impossible(rival, seen):
                    return None
                zero = True
                continue
            if self._impossible(rival, seen):
                return None
            value = self._row(rival, z, frozenset(seen))
            if value < 0 or (self.strict and value == 0):
                return None
            lead = min(lead, value)
        return Held(rival, lead, zero)

    def _impossible(self, cell: int, seen: Sequence[int]) -> bool:
        prior = self.against.prior
        return (prior is not None and prior[cell] == NEVER) or any(
            self.scores[photo][cell] == NEVER for photo in seen
        )

    def _row(self, rival: int, z: int, seen: frozenset[int]) -> Fraction:
        """Σ over seen of (S[rival] − S[z] − margin) + prior[rival] − prior[z] − lead."""
        known = self._rows.setdefault((rival, z), {})
        if seen not in known:
            if seen:
                photo = max(seen)
                here = self.scores[photo]
                gain = Fraction(here[rival]) - Fraction(here[z]) - Fraction(self.against.margin)
                known[seen] = self._row(rival, z, seen - {photo}) + gain
            else:
                prior = self.against.prior
                shift = Fraction(0)
                if prior is not None:
                    shift = Fraction(prior[rival]) - Fraction(prior[z])
                known[seen] = shift - Fraction(self.against.lead)
        return known[seen]


class Oracle:
    """Everything that is true of one small problem."""

    def __init__(self, promise: Promise, tables: Sequence[Table]) -> None:
        self.promise = promise
        self.attackers = [
            Attacker(against, table, promise)
            for against, table in zip(promise.against, tables, strict=True)
        ]

    def withheld(self, kept: Sequence[int]) -> list[int]:
        return [photo for photo in range(self.promise.photos) if photo not in kept]

    def cost(self, kept: Sequence[int]) -> Fraction:
        values = self.promise.values
        return sum(
            (Fraction(1) if values is None else values[i] for i in self.withheld(kept)), Fraction(0)
        )

    def counts(self, kept: Sequence[int]) -> list[int]:
        return [len(attacker.holding(kept)) for attacker in self.attackers]

    def allowed(self, kept: Sequence[int]) -> bool:
        """Whether everything but the tops is as promised."""
        promise = self.promise
        if not kept or not set(promise.keep) <= set(kept) or set(promise.drop) & set(kept):
            return False
        if any(0 < len(set(group) & set(kept)) < len(group) for group in promise.groups):
            return False
        if promise.budget is not None and len(self.withheld(kept)) > promise.budget:
            return False
        exempt = {*promise.keep}
        exempt.update(p for group in promise.groups if exempt.intersection(group) for p in group)
        for attacker in self.attackers:
            each = attacker.against.each_photo
            if each is not None:
                for photo in set(kept) - exempt:
                    if photo in attacker.sees and len(attacker.holding([photo])) < each:
                        return False
        return True

    def fulfilled(self, kept: Sequence[int]) -> bool:
        """Whether the whole promise is kept."""
        return self.allowed(kept) and all(
            attacker.against.top is None or count >= attacker.against.top
            for attacker, count in zip(self.attackers, self.counts(kept), strict=True)
        )

    def merit(self, kept: Sequence[int]) -> tuple[Fraction, ...]:
        """What is made as large as can be, first things first."""
        if self.promise.budget is None:
            return (-self.cost(kept),)
        counts = self.counts(kept)
        return Fraction(min(counts)), Fraction(sum(counts)), -self.cost(kept)

    def everything(self) -> Iterator[tuple[int, ...]]:
        """Every set of photos that could be kept, the empty one too."""
        photos = range(self.promise.photos)
        for mask in range(1 << self.promise.photos):
            yield tuple(photo for photo in photos if mask >> photo & 1)

    def best(self) -> tuple[Fraction, ...] | None:
        """The merit of the best plan; None where no plan fulfils the promise."""
        return max((self.merit(k) for k in self.everything() if self.fulfilled(k)), default=None)

    def rests_on_zero(self, kept: Sequence[int]) -> bool:
        """Whether it is only zeros that fulfil the promise, or only they reach the protected-k."""
        without = [
            sum(not held.zero for held in attacker.holding(kept)) for attacker in self.attackers
        ]
        if self.promise.budget is not None:
            return min(without) < min(self.counts(kept))
        tops = [attacker.against.top or 0 for attacker in self.attackers]
        return any(count < top for count, top in zip(without, tops, strict=True))

    def views(self, kept: Sequence[int]) -> tuple[View, ...]:
        """What a truthful plan says of each attacker."""
        views = []
        for attacker in self.attackers:
            held = attacker.holding(kept)
            top = attacker.against.top
            needed = len(held) if top is None else top
            lead = held[needed - 1].lead if 0 < needed <= len(held) else math.inf
            views.append(View(len(held), tuple(h.cell for h in held), rounded(lead)))
        return tuple(views)

    def plan(self, kept: Sequence[int], *, status: Status = Status.FEASIBLE) -> Plan:
        """A truthful plan for these photos, whether or not they fulfil the promise."""
        cost, reached = self.cost(kept), min(self.counts(kept))
        if self.promise.budget is None:
            bound = cost if status == Status.OPTIMAL else Fraction(0)
        else:
            most = max(len(attacker.rivals) for attacker in self.attackers)
            bound = Fraction(reached if status == Status.OPTIMAL else most)
        return Plan(
            status=status,
            withheld=tuple(self.withheld(kept)),
            kept=tuple(kept),
            cost=cost,
            bound=bound,
            views=self.views(kept),
            promise=self.promise,
            explanation="made by brute force",
            several=len(self.attackers) > 1,
            rests_on_zero=self.rests_on_zero(kept),
        )


def rounded(number: Fraction | float) -> float:
    """The nearest float; beyond the largest, inf, as IEEE 754 rounds."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
