"""Attackers that add up the same photos are one: what is ahead of the better zone is ahead of both.

Several hidden places of an album, seen by one model over all photos, differ in nothing but their
zones. Rivals are ranked alike for all of them, so that k rivals are ahead of each zone exactly
when k rivals are ahead of all zones together: one attacker with one zone, and a smaller tree.

Several attackers, most of whom ask for nothing more once the others are satisfied.

An album that is hidden from its own photos is mostly hidden as a whole, and the photos of one
place say nothing of another. So attackers are taken in only when a plan fails them: the best plan
for those that are in is the best for all as soon as it satisfies all, and what it costs is a bound
in any case. Attackers that see different photos need different photos left out, so that what each
of them costs adds up; a photo that several see counts for each a share of its weight.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.exact.heuristics import adapt_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.search import Goal
from elsewhere.solver.problem import IN, LARGEST, Attacker, Floats, Mask, Problem


def merge_attackers(problem: Problem) -> Problem:
    """The same guarantee with as few attackers as will do.

    >>> from elsewhere.solver.problem import plain
    >>> one = plain(np.zeros((2, 4)), truth=0, need=1).attackers[0]
    >>> one = replace(one, rivals=np.array([2, 3]))
    >>> twin = replace(one, zone=np.array([1]))
    >>> both = merge_attackers(replace(plain(np.zeros((2, 4)), 0, 1), attackers=(one, twin)))
    >>> [attacker.zone.tolist() for attacker in both.attackers]
    [[0, 1]]
    """
    if problem.budget is not None or len(problem.attackers) < 2:
        return problem
    found: dict[tuple[object, ...], Attacker] = {}
    for attacker in problem.attackers:
        key = _but_for_its_zone(attacker)
        same = found.get(key, attacker)
        found[key] = replace(same, zone=np.union1d(same.zone, attacker.zone).astype(np.intp))
    return replace(problem, attackers=tuple(found.values()))


def _but_for_its_zone(attacker: Attacker) -> tuple[object, ...]:
    return (
        id(attacker.bank),
        None if attacker.sees is None else attacker.sees.tobytes(),
        None if attacker.offset is None else attacker.offset.tobytes(),
        attacker.rivals.tobytes(),
        attacker.need,
        attacker.shift,
        attacker.lead,
    )


SUBPROBLEM_SHARE = 0.25
"""How much of what is left of the limits each question about fewer attackers may take."""
MAX_WEIGHT_SHARES = 1_000
"""Weights are cut into no more shares than this."""

SubproblemResult = tuple[Mask | None, int, bool]
"""A plan or none, a bound on all plans, and whether the plan is best (or that there is none)."""


@dataclass(frozen=True)
class Subproblem:
    """The lightest plan for some attackers; `at_least` is a bound that is known already."""

    instance: Instance
    weights: Floats
    goal: Goal
    lower_bound: int = 0
    known_plan: Mask | None = None
    """A plan for them that is known already."""
    turn: int | None = None
    """Work before the first yes-or-no question, where it is not to be the usual."""


SubproblemSolver = Callable[[Subproblem, Limits], SubproblemResult]


def solve_by_active_set(
    instance: Instance, weights: Floats, goal: Goal, limits: Limits, minimise: SubproblemSolver
) -> SubproblemResult:
    """A plan for all attackers made by looking at few of them, if one is; a bound in any case."""
    asking = _Subproblems(instance, weights, goal, limits, minimise)
    active: list[int] = []
    plan = np.zeros(instance.units, bool)
    bound = 0
    while True:
        lacking = np.flatnonzero(instance.counts(instance.holding(plan)) < goal.each)
        if not len(lacking) and (instance.fixed_in.any() or not plan.all()):
            return plan, int(weights[plan].sum()), True
        if not len(lacking):
            return None, bound, False
        # what helps those that see part of the photos mostly helps those that see them all
        part = [a for a in lacking.tolist() if not asking.seen(a).all()] or lacking.tolist()
        active = sorted({*active, *part})
        apart = len({asking.seen(a).tobytes() for a in part}) > 1
        if apart or len(active) == len(goal.each) or limits.exhausted():
            break
        found, least, proved = asking.about(active, weights, bound)
        bound = max(bound, least)
        if found is None or not proved:
            return None, bound, proved and found is None
        plan = found
    together, least = asking.added_up()
    bound = max(bound, least)
    if not together.any():
        return None, bound, False
    everything = np.ones(instance.units, bool)
    plan = adapt_plan(instance, weights, together, goal, everything, limits=limits)
    if plan.all():
        return None, bound, False
    return plan, bound, int(weights[plan].sum()) <= bound


def units_seen(instance: Instance, attacker: int) -> Mask:
    """Which free units an attacker sees."""
    problem = instance.problem
    sees = problem.attackers[attacker].sees
    units = np.zeros(problem.units, bool)
    units[problem.unit_of if sees is None else problem.unit_of[sees]] = True
    return units[instance.free]


@dataclass(frozen=True)
class _Subproblems:
    """Questions about some of an instance's attackers."""

    instance: Instance
    weights: Floats
    goal: Goal
    limits: Limits
    minimise: SubproblemSolver

    def about(
        self, attackers: Sequence[int], weights: Floats, lower_bound: int = 0
    ) -> SubproblemResult:
        """The lightest plan for these attackers, for some of what is left of the limits.

        What none of them sees stays: it would be left out for nothing.
        """
        instance, limits = self.instance, self.limits
        problem = instance.problem
        seen = np.logical_or.reduce([self.seen(a) for a in attackers])
        fixed = problem.fixed.copy()
        fixed[instance.free[~seen]] = IN
        chosen = tuple(problem.attackers[a] for a in attackers)
        each = self.goal.each[list(attackers)]
        now = time.monotonic()
        part = replace(
            limits,
            deadline=now + SUBPROBLEM_SHARE * max(0.0, limits.deadline - now),
            work=SUBPROBLEM_SHARE * max(0.0, limits.work - limits.done),
            done=0,
        )
        few = Instance(replace(problem, attackers=chosen, fixed=fixed))
        question = Subproblem(few, weights[seen], Goal(each, int(each.sum())), lower_bound)
        found, bound, proved = self.minimise(question, part)
        limits.done += part.done
        if found is None:
            return None, bound, proved
        plan = np.zeros(instance.units, bool)
        plan[seen] = found
        return plan, bound, proved

    def seen(self, attacker: int) -> Mask:
        """Which free units an attacker sees."""
        return units_seen(self.instance, attacker)

    def added_up(self) -> tuple[Mask, int]:
        """All that attackers of different photos want left out; what all plans cost at least."""
        together = np.zeros(self.instance.units, bool)
        groups = {} if self.limits.exhausted() else self.groups()
        times = np.zeros(self.instance.units) + sum(np.array(seen) for seen in groups)
        scale = math.lcm(*(int(n) for n in np.unique(times) if n > 0))
        if len(groups) < 2 or scale > MAX_WEIGHT_SHARES or scale * self.weights.sum() >= LARGEST:
            return together, 0
        total = 0
        for attackers in groups.values():
            found, least, _ = self.about(attackers, self.weights * scale / np.maximum(times, 1.0))
            total += least
            if found is not None:
                together |= found
        return together, -(-total // scale)

    def groups(self) -> dict[tuple[bool, ...], list[int]]:
        """Attackers that see the same free units, and not all of them, by those units."""
        found: dict[tuple[bool, ...], list[int]] = {}
        for attacker in range(len(self.goal.each)):
            seen = self.seen(attacker)
            if not seen.all():
                found.setdefault(tuple(seen.tolist()), []).append(attacker)
        return found
