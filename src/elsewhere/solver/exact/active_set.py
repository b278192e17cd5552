"""Several attackers: solve for an active set of them.

Most attackers are satisfied once the others are. So an attacker becomes active only when a plan
fails it: the best plan for the active ones is a bound, and the best for all once it satisfies all.
Attackers that see different photos need different photos left out, so that their costs add up; a
photo that several see counts for each a share of its weight.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.exact.heuristics import adapt_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import SearchResult, minimise
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import MAX_TOTAL_WEIGHT, Floats, Mask

SUBPROBLEM_SHARE = 0.25
"""How much of the remaining limits each subproblem may take."""
MAX_WEIGHT_SHARES = 1_000
"""Weights are divided into no more shares than this."""


def solve_by_active_set(
    instance: Instance, weights: Floats, goal: Goal, limits: Limits
) -> SearchResult:
    """A plan for all attackers from subproblems with few of them, if found; always a bound."""
    subproblems = Subproblems(instance, weights, goal, limits)
    active: list[int] = []
    plan = np.zeros(instance.units, bool)
    bound = 0
    while True:
        failed = np.flatnonzero(instance.counts(instance.holding(plan)) < goal.each).tolist()
        if not failed and (instance.fixed_in.any() or not plan.all()):
            return SearchResult(plan, int(weights[plan].sum()), proved=True)
        if not failed:
            return SearchResult(None, bound, proved=False)
        # what helps attackers that see part of the photos mostly helps those that see them all
        partial = [a for a in failed if not units_seen(instance, a).all()] or failed
        active = sorted({*active, *partial})
        disjoint = len({units_seen(instance, a).tobytes() for a in partial}) > 1
        if disjoint or len(active) == len(goal.each) or limits.exhausted():
            break
        result = subproblems.solve(active, weights, bound)
        bound = max(bound, result.bound)
        if result.left_out is None or not result.proved:
            return SearchResult(None, bound, proved=result.proved and result.left_out is None)
        plan = result.left_out
    union, least = subproblems.solve_groups()
    bound = max(bound, least)
    if not union.any():
        return SearchResult(None, bound, proved=False)
    everything = np.ones(instance.units, bool)
    plan = adapt_plan(instance, weights, union, goal, everything, limits=limits)
    if plan.all():
        return SearchResult(None, bound, proved=False)
    return SearchResult(plan, bound, proved=int(weights[plan].sum()) <= bound)


def units_seen(instance: Instance, attacker: int) -> Mask:
    """Which free units an attacker sees."""
    problem = instance.problem
    sees = problem.attackers[attacker].sees
    units = np.zeros(problem.units, bool)
    units[problem.unit_of if sees is None else problem.unit_of[sees]] = True
    return units[instance.free]


@dataclass(frozen=True)
class Subproblems:
    """An instance and its subproblems with only some of the attackers."""

    instance: Instance
    weights: Floats
    goal: Goal
    limits: Limits

    def solve(
        self, attackers: Sequence[int], weights: Floats, lower_bound: int = 0
    ) -> SearchResult:
        """The lightest plan for these attackers, within a share of the remaining limits.

        Units that none of them sees are kept: leaving them out would gain nothing.
        """
        instance, limits = self.instance, self.limits
        seen = np.logical_or.reduce([units_seen(instance, a) for a in attackers])
        part = instance.for_attackers(attackers, seen)
        each = self.goal.each[list(attackers)]
        now = time.monotonic()
        share = replace(
            limits,
            deadline=now + SUBPROBLEM_SHARE * max(0.0, limits.deadline - now),
            work=SUBPROBLEM_SHARE * max(0.0, limits.work - limits.done),
            done=0,
        )
        goal = Goal(each, int(each.sum()))
        result = minimise(part, weights[seen], goal, share, lower_bound=lower_bound)
        limits.done += share.done
        if result.left_out is not None:
            plan = np.zeros(instance.units, bool)
            plan[seen] = result.left_out
            result.left_out = plan
        return result

    def groups(self) -> dict[tuple[bool, ...], list[int]]:
        """Attackers that see the same free units, and not all of them, by those units."""
        groups: dict[tuple[bool, ...], list[int]] = {}
        for attacker in range(len(self.goal.each)):
            seen = units_seen(self.instance, attacker)
            if not seen.all():
                groups.setdefault(tuple(seen.tolist()), []).append(attacker)
        return groups

    def solve_groups(self) -> tuple[Mask, int]:
        """The union of the plans of all groups, and a lower bound: the sum of their costs."""
        union = np.zeros(self.instance.units, bool)
        groups = {} if self.limits.exhausted() else self.groups()
        seen_by = np.zeros(self.instance.units) + sum(np.array(seen) for seen in groups)
        scale = math.lcm(*(int(n) for n in np.unique(seen_by) if n > 0))
        if (
            len(groups) < 2
            or scale > MAX_WEIGHT_SHARES
            or scale * self.weights.sum() >= MAX_TOTAL_WEIGHT
        ):
            return union, 0
        total = 0
        for attackers in groups.values():
            result = self.solve(attackers, self.weights * scale / np.maximum(seen_by, 1.0))
            total += result.bound
            if result.left_out is not None:
                union |= result.left_out
        return union, -(-total // scale)
