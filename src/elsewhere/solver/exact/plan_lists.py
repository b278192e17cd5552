"""Several places: all good plans of each, listed and put together.

Attackers that see the same units are a *group*: a place's own attackers, say. Its best plan costs
at least b. Whatever satisfies all attackers costs at least the sum of these bounds, where a unit
that several groups see counts for each a share of its weight. So a plan that costs at most the sum
and s costs no group more than b + s. All plans of each group within b + s are listed by its own
tree; one of each list, agreeing on units that they share, is a plan for all groups; and every plan
for all attackers is one of them. None of them satisfies the others: nothing within the sum and s
does. The first that does, by cost, is optimal.

Trees add up where one tree over all groups would multiply, and each group's bound is whole. Lists
are short while s is small: it grows step by step, and each step is a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import SearchResult, rival_costs, tighten_rival_costs
from elsewhere.solver.exact.search import Goal, Search, SearchLimits
from elsewhere.solver.problem import Floats, Ints, Mask

MAX_LISTED = 4_000
"""Plans in a list. Longer lists are given up."""
MAX_COMBINED = 300_000
"""Plans put together from lists. More are given up."""
SUMS_AT_A_TIME = 4_000_000
"""Column sums of combined plans that are computed at a time."""


@dataclass
class Group:
    """Attackers that see the same free units, their share of the weights, and a bound."""

    instance: Instance
    """Of these attackers only. Units that they do not see are fixed in."""
    seen: Mask
    """(free units of the whole instance,) what they see."""
    goal: Goal
    weights: Floats
    """(units seen,) whole numbers: shares of the weights times a common scale."""
    bound: int = 0
    """No plan for them costs less, by these weights."""

    def plans(self, spare: int, limits: SearchLimits) -> Mask | None:
        """(plans, units seen) all within the bound and `spare`; None where they are too many."""
        cutoff = self.bound + spare
        costs = rival_costs(self.instance, self.weights)
        costs = tighten_rival_costs(self.instance, self.weights, costs, cutoff, limits)
        part = self.instance.restricted(np.flatnonzero(costs <= cutoff))
        found: dict[bytes, Mask] = {}

        def on_plan(search: Search, left_out: Mask, _: int, __: Ints) -> None:
            found[left_out.tobytes()] = left_out
            search.stop = len(found) > MAX_LISTED

        search = Search(part, self.weights, self.goal, cutoff, on_plan, limits)
        if not search.run() or search.stop:
            return None
        return np.array(list(found.values()), bool).reshape(len(found), len(self.weights))


@dataclass(frozen=True)
class Listed:
    """Plans of some of the units."""

    plans: Mask
    """(plans, units) over all units of the instance."""
    excess: Floats
    """(plans,) what each costs beyond the bound of its group."""
    seen: Mask
    """(units,) those that the plans are about."""

    @classmethod
    def of(cls, plans: Mask, weights: Floats, bound: int, seen: Mask) -> Listed:
        """From (plans, units seen)."""
        whole = np.zeros((len(plans), len(seen)), bool)
        whole[:, seen] = plans
        return cls(whole, plans @ weights - bound, seen)

    def joined(self, other: Listed, spare: int) -> Listed | None:
        """One plan of each, with an excess up to `spare` and alike on units that both are about.

        None where they are too many.
        """
        order = np.argsort(other.excess, kind="stable")
        counts = np.searchsorted(other.excess[order], spare - self.excess, side="right")
        if int(counts.sum()) > MAX_COMBINED:
            return None
        i = np.repeat(np.arange(len(self.plans)), counts)
        j = order[np.arange(len(i)) - np.repeat(counts.cumsum() - counts, counts)]
        common = self.seen & other.seen
        alike = (self.plans[i][:, common] == other.plans[j][:, common]).all(axis=1)
        i, j = i[alike], j[alike]
        excess = self.excess[i] + other.excess[j]
        return Listed(self.plans[i] | other.plans[j], excess, self.seen | other.seen)


@dataclass
class PlanLists:
    """Groups whose plans are put together for all attackers of an instance."""

    instance: Instance
    weights: Floats
    goal: Goal
    groups: Sequence[Group]
    scale: int
    """What the groups' weights were multiplied by."""

    @property
    def bound(self) -> int:
        """No plan for all groups costs less."""
        return -(-sum(group.bound for group in self.groups) // self.scale)

    def search(self, best: Mask | None, limits: SearchLimits) -> SearchResult:
        """The best plan, if lists stay short; always a bound."""
        least = sum(group.bound for group in self.groups)
        cost = int(self.weights.sum()) if best is None else int(self.weights[best].sum())
        tried, bound = -1, self.bound
        for target in _targets(bound, cost - 1):
            spare = self.scale * target - least
            plans = self._plans(tried, spare, limits)
            if plans is None:
                return SearchResult(best, bound, proved=False)
            found = self._first_for_all(plans, target)
            if found is not None:
                return SearchResult(found, int(self.weights[found].sum()), proved=True)
            tried, bound = spare, target + 1
        return SearchResult(best, bound, proved=best is not None and bound >= cost)

    def _plans(self, tried: int, spare: int, limits: SearchLimits) -> Mask | None:
        """(plans, units) for all groups, with an excess above `tried` and up to `spare`.

        None where they are too many.
        """
        lists = []
        for group in self.groups:
            plans = group.plans(spare, limits)
            if plans is None:
                return None
            lists.append(Listed.of(plans, group.weights, group.bound, group.seen))
        unseen = ~np.logical_or.reduce([group.seen for group in self.groups])
        if unseen.any():
            weights = self.scale * self.weights[unseen]
            subsets = _subsets(weights, spare)
            if subsets is None:
                return None
            lists.append(Listed.of(subsets, weights, 0, unseen))
        lists.sort(key=lambda one: len(one.plans))
        together: Listed | None = lists.pop(0)
        for other in lists:
            if together is None or limits.exhausted():
                return None
            together = together.joined(other, spare)
        return None if together is None else np.asarray(together.plans[together.excess > tried])

    def _first_for_all(self, plans: Mask, target: int) -> Mask | None:
        """The lightest of these plans that satisfies all attackers."""
        plans = plans[np.argsort(plans @ self.weights, kind="stable")]
        possible = np.flatnonzero(rival_costs(self.instance, self.weights) <= target)
        part = self.instance.restricted(possible)
        step = max(1, SUMS_AT_A_TIME // len(part.unit_scores))
        for start in range(0, len(plans), step):
            some = plans[start : start + step]
            sums = part.full_sums[:, None] - part.unit_scores @ some.T.astype(np.float64)
            counts = part.counts(part.slacks(sums) >= -part.error_bound[:, None])
            for plan in some[(counts >= self.goal.each[:, None]).all(axis=0)]:
                counts = self.instance.counts(self.instance.holding(plan))
                if self.goal.reached(counts) and (self.instance.fixed_in.any() or not plan.all()):
                    return np.asarray(plan)
        return None


def _targets(low: int, high: int) -> list[int]:
    """Costs to try, one after the other, from `low` to `high`."""
    gap = high - low
    return sorted({low + gap // part for part in (gap + 1, 8, 4, 2, 1)}) if gap >= 0 else []


def _subsets(weights: Floats, most: float) -> Mask | None:
    """(sets, units) all sets of units that weigh at most so much; None where they are too many."""
    order = np.argsort(weights, kind="stable")
    found: list[tuple[int, ...]] = []
    waiting: list[tuple[int, float, tuple[int, ...]]] = [(0, 0.0, ())]
    while waiting:
        start, weight, chosen = waiting.pop()
        found.append(chosen)
        if len(found) > MAX_LISTED:
            return None
        for i in range(start, len(order)):
            heavier = weight + float(weights[order[i]])
            if heavier > most:
                break
            waiting.append((i + 1, heavier, (*chosen, int(order[i]))))
    plans = np.zeros((len(found), len(weights)), bool)
    for number, chosen in enumerate(found):
        plans[number, list(chosen)] = True
    return plans
