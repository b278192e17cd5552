"""The two things that a search can make small: the weight left out, the rivals that don't hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elsewhere.solver.exact.heuristics import reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import Goal, Search
from elsewhere.solver.problem import Floats, Ints, Mask


def uniform_goal(attackers: int, each: int) -> Goal:
    """The goal of so many holding rivals for every attacker."""
    return Goal(np.full(attackers, each, np.intp), attackers * each)


@dataclass
class MinWeight:
    """Find a lighter plan; the value is the weight left out."""

    instance: Instance
    weights: Floats
    goal: Goal
    costs: Floats
    """What each rival costs alone."""
    side: tuple[Floats, int] | None
    best: Mask | None
    value: int

    def search(self, cutoff: int, limits: Limits, *, stop_at_first: bool) -> Search:
        """Among the rivals that are not too dear alone."""
        part = self.instance.restricted(np.flatnonzero(self.costs <= cutoff))

        def on_plan(search: Search, left_out: Mask, _: int, __: Ints) -> None:
            self.best = reinsert_units(part, self.weights, left_out, self.goal)
            self.value = int(self.weights[self.best].sum())
            search.cutoff = self.value - 1
            search.stop = stop_at_first

        return Search(part, self.weights, self.goal, cutoff, on_plan, limits, self.side)

    def tighten(self, search: Search) -> None:
        """Only lighter plans."""
        search.cutoff = min(search.cutoff, self.value - 1)


@dataclass
class MaxCover:
    """Make more rivals hold within a cap; the value is how many stay below `upper`."""

    part: Instance
    weights: Floats
    cap: int
    floor: Ints | None
    """None: the smallest count over the attackers matters; otherwise the sum, above this."""
    upper: int
    best: Mask
    value: int = 0

    def __post_init__(self) -> None:
        self.value = self.upper - self._level(self.part.counts(self.part.holding(self.best)))

    def search(self, cutoff: int, limits: Limits, *, stop_at_first: bool) -> Search:
        """For a plan within the cap whose level is at least `upper` − `cutoff`."""

        def on_plan(search: Search, left_out: Mask, _: int, counts: Ints) -> None:
            self.best = left_out
            self.value = self.upper - self._level(counts)
            search.stop = stop_at_first or self.value <= 0
            self.tighten(search)

        goal = self._goal(self.upper - cutoff)
        return Search(self.part, self.weights, goal, self.cap, on_plan, limits)

    def tighten(self, search: Search) -> None:
        """Only fuller plans."""
        search.goal = self._goal(self.upper - self.value + 1)

    def _level(self, counts: Ints) -> int:
        return int(counts.min() if self.floor is None else counts.sum())

    def _goal(self, level: int) -> Goal:
        if self.floor is not None:
            return Goal(self.floor, level)
        return uniform_goal(len(self.part.zone_slices), level)
