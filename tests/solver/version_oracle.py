"""Brute force over versions: every set of rows with at most one of each photo."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise, Version
from elsewhere.values.scores import Scores
from tests.solver.oracle import Oracle
from tests.solver.strategies import Problem, Table, problem

COSTS = (Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2))


class VersionOracle(Oracle):
    """Everything that is true of one small problem with versions; plans are rows here."""

    def __init__(self, promise: Promise, tables: Sequence[Table]) -> None:
        assert promise.versions is not None
        self.versions = promise.versions
        against = tuple(
            replace(
                each,
                sees=None
                if each.sees is None
                else tuple(i for i, v in enumerate(self.versions) if v.photo in each.sees),
            )
            for each in promise.against
        )
        rows = Promise(len(self.versions), against, strict=promise.strict)
        super().__init__(rows, tables)
        self.promise = promise

    def photos(self, kept: Sequence[int]) -> list[int]:
        return [self.versions[row].photo for row in kept]

    def withheld(self, kept: Sequence[int]) -> list[int]:
        return super().withheld(self.photos(kept))

    def cost(self, kept: Sequence[int]) -> Fraction:
        values = self.promise.values or (Fraction(1),) * self.promise.photos
        lost = sum((self.versions[row].cost for row in kept), Fraction(0))
        return lost + sum((values[photo] for photo in self.withheld(kept)), Fraction(0))

    def allowed(self, kept: Sequence[int]) -> bool:
        promise, photos = self.promise, self.photos(kept)
        if not kept or not set(promise.keep) <= set(photos) or set(promise.drop) & set(photos):
            return False
        if any(0 < len(set(group) & set(photos)) < len(group) for group in promise.groups):
            return False
        if promise.budget is not None and self.cost(kept) > promise.budget:
            return False
        exempt = {*promise.keep}
        exempt.update(p for group in promise.groups if exempt.intersection(group) for p in group)
        for attacker in self.attackers:
            each = attacker.against.each_photo
            judged = [row for row in kept if self.versions[row].photo not in exempt]
            if each is not None and any(
                row in attacker.sees and len(attacker.holding([row])) < each for row in judged
            ):
                return False
        return True

    def everything(self) -> Iterator[tuple[int, ...]]:
        rows_of: list[list[int | None]] = [[None] for _ in range(self.promise.photos)]
        for row, version in enumerate(self.versions):
            rows_of[version.photo].append(row)
        for chosen in itertools.product(*rows_of):
            yield tuple(row for row in chosen if row is not None)

    def plan(self, kept: Sequence[int], *, status: Status = Status.FEASIBLE) -> Plan:
        plan = super().plan(kept, status=status)
        return replace(plan, kept=tuple(self.photos(kept)), choices=tuple(kept))


def problem_with_versions(rng: random.Random) -> Problem:
    """One random problem of few photos with one to three versions each."""
    made = problem(rng, rng.choice((1, 2, 3, 3, 4)))
    copies = [rng.choice((1, 2, 2, 3)) for _ in range(made.promise.photos)]
    photo_of = np.repeat(np.arange(made.promise.photos), copies)
    values = made.promise.values or (Fraction(1),) * made.promise.photos
    versions = tuple(
        Version(photo, rng.choice(COSTS) * values[photo] if rng.random() < 0.7 else Fraction(0))
        for photo in photo_of.tolist()
    )
    tables: list[Table] = []
    for table in made.tables:
        rows = table[photo_of]
        others = table[[rng.randrange(made.promise.photos) for _ in photo_of]]
        edited = np.append(False, photo_of[1:] == photo_of[:-1])
        tables.append(np.where(edited[:, None], others, rows).astype(table.dtype))
    wishes: dict[str, Any] = dict(made.wishes, versions=[(v.photo, v.cost) for v in versions])
    budget = made.promise.budget
    if budget is not None:
        total = sum(values, Fraction(0))
        budget = wishes["budget"] = total * rng.choice(COSTS) + rng.choice(COSTS)
    against = tuple(
        replace(each, scores=Scores(table).digest)
        for each, table in zip(made.promise.against, tables, strict=True)
    )
    promise = replace(made.promise, against=against, budget=budget, versions=versions)
    return Problem(tables, made.truth, promise, made.several, wishes)
