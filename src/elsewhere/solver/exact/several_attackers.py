"""Several attackers: the lightest plan that satisfies all of them.

*Active set*: most attackers are satisfied once the others are. So an attacker becomes active only
when a plan fails it: the best plan for the active ones is a bound, and the best for all once it
satisfies all. Attackers that see different photos need different photos left out, so that their
costs add up; a photo that several see counts for each a share of its weight.

*Local search*: plans made for each attacker and put together are far too heavy. `improve_by_swaps`
keeps units again until the plan is lighter than the incumbent, and then swaps units by a tabu
search, always the pair that leaves the attackers least short of what they need. Every plan is
counted exactly.

*Lagrangean bound*: a unit's weight counts once for all attackers. Split it among those that see the
unit, in any way (the split is the multipliers): whatever satisfies all attackers costs at least the
sum of each one's best plan at its own weights. A share may be negative: an attacker that would
rather keep a unit is paid for leaving it out by those that want it gone. Multipliers move towards
agreement: whoever leaves out a unit that others keep pays more for it, the others less (a
subgradient method for the dual). Any multipliers give a valid bound.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from elsewhere.solver.exact.choice_heuristics import improve_choices
from elsewhere.solver.exact.heuristics import adapt_plan, leading_rivals, reinsert_units
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import SearchResult, minimise
from elsewhere.solver.exact.plan_lists import Group, PlanLists
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.problem import MAX_TOTAL_WEIGHT, Floats, Mask

Whole = NDArray[np.int64]

JOINT_WORK = 3_000
"""Work on all attackers together before the Lagrangean bound is tried."""
LIST_WORK = 20_000
"""Work on lists of plans before the Lagrangean bound is tried, at most."""
LIST_SHARE = 0.25
"""Of the work that is left, what lists may take."""
MAX_LAGRANGEAN_ROUNDS = 60
LAGRANGEAN_SWAPS = 20
"""Swaps tried on the majority plan of a Lagrangean round."""
SUBPROBLEM_SHARE = 0.25
"""How much of the remaining limits each subproblem may take."""
MAX_WEIGHT_SHARES = 1_000
"""Weights are divided into no more shares than this."""
MAX_STALLED_SWAPS = 100
"""Swaps without a lighter plan before the tabu search ends."""
MAX_REINSERTIONS, MAX_REMOVALS = 24, 40
"""Candidates of a swap on either side: those that are best by themselves."""
TABU_REINSERTED, TABU_REMOVED = 8, 4
"""Steps for which a swapped unit stays where it is."""
MULTIPLIER_SCALE = 32
"""Multipliers are whole multiples of the unit of weight divided by this."""
SUBPROBLEM_WORK = 4_000
"""Work spent on one attacker at one set of multipliers."""
SUBPROBLEM_TURN = 1_500
"""Work on a subproblem before its first probe."""
MOMENTUM = 0.5
"""How much of the last step's direction goes into the next."""
MAX_STALLED_ROUNDS = 3
"""Rounds without a better bound after which steps get shorter."""
MIN_STEP = 0.02
"""The step length factor below which the method has settled."""


def minimise_for_several(instance: Instance, goal: Goal, limits: SearchLimits) -> SearchResult:
    """The lightest plan: for an active set of attackers if that suffices, else for all at once."""
    weights = instance.weights
    result, lists = solve_by_active_set(instance, weights, goal, limits)
    if result.proved:
        return replace(result, bound=0 if result.left_out is None else result.bound)
    if lists is not None and result.left_out is not None:
        improved = improve_by_swaps(instance, weights, goal, result.left_out, limits)
        left = max(0.0, limits.work - limits.done)
        share = replace(limits, work=limits.done + min(LIST_WORK, LIST_SHARE * left))
        result = lists.search(improved, share)
        limits.done = share.done
        if result.proved:
            return result
    first = replace(limits, work=min(limits.work, limits.done + JOINT_WORK))
    result = minimise(
        instance, weights, goal, first, known_plan=result.left_out, lower_bound=result.bound
    )
    limits.done = first.done
    if result.proved or limits.exhausted():
        return result
    plan, bound = result.left_out, result.bound
    if plan is not None and instance.choices is not None:
        plan = improve_choices(instance, weights, plan, goal, limits)
    elif plan is not None:
        plan = improve_by_swaps(instance, weights, goal, plan, limits)
        lagrangean = LagrangeanBound(instance, weights, goal, limits)
        for _ in range(MAX_LAGRANGEAN_ROUNDS):
            cost = int(weights[plan].sum())
            if bound >= cost or lagrangean.settled or limits.exhausted():
                break
            lagrangean.round(cost)
            bound = max(bound, lagrangean.bound)
            start = lagrangean.majority
            plan = improve_by_swaps(
                instance, weights, goal, plan, limits, start=start, steps=LAGRANGEAN_SWAPS
            )
        bound = min(bound, int(weights[plan].sum()))
        if bound >= weights[plan].sum():
            return SearchResult(plan, bound, proved=True)
    return minimise(instance, weights, goal, limits, start=plan, lower_bound=bound)


def solve_by_active_set(
    instance: Instance, weights: Floats, goal: Goal, limits: SearchLimits
) -> tuple[SearchResult, PlanLists | None]:
    """A plan for all attackers from subproblems with few of them, if found; always a bound.

    And groups of attackers whose plans can be put together, if there are any.
    """
    subproblems = Subproblems(instance, weights, goal, limits)
    active: list[int] = []
    plan = np.zeros(instance.units, bool)
    bound = 0
    while True:
        failed = np.flatnonzero(instance.counts(instance.holding(plan)) < goal.each).tolist()
        if not failed and (instance.fixed_in.any() or not plan.all()):
            return SearchResult(plan, int(weights[plan].sum()), proved=True), None
        if not failed:
            return SearchResult(None, bound, proved=False), None
        # what helps attackers that see part of the photos mostly helps those that see them all
        partial = [a for a in failed if not units_seen(instance, a).all()] or failed
        active = sorted({*active, *partial})
        disjoint = len({units_seen(instance, a).tobytes() for a in partial}) > 1
        if disjoint or len(active) == len(goal.each) or limits.exhausted():
            break
        result = subproblems.solve(active, weights, bound)
        bound = max(bound, result.bound)
        if result.left_out is None or not result.proved:
            none = result.proved and result.left_out is None
            return SearchResult(None, bound, proved=none), None
        plan = result.left_out
    solved = subproblems.solve_groups()
    if solved is None:
        return SearchResult(None, bound, proved=False), None
    union, lists = solved
    if lists is None:
        return SearchResult(None, 0, proved=True), None
    bound = max(bound, lists.bound)
    everything = np.ones(instance.units, bool)
    plan = adapt_plan(instance, weights, union, goal, everything, limits=limits)
    if plan.all():
        return SearchResult(None, bound, proved=False), lists
    return SearchResult(plan, bound, proved=int(weights[plan].sum()) <= bound), lists


def units_seen(instance: Instance, attacker: int) -> Mask:
    """Which free units an attacker sees; all choices, where there are versions."""
    problem = instance.problem
    if instance.choices is not None:
        return np.ones(instance.units, bool)
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
    limits: SearchLimits

    def solve(
        self, attackers: Sequence[int], weights: Floats, lower_bound: int = 0
    ) -> SearchResult:
        """The lightest plan for these attackers, within a share of the remaining limits.

        Units that none of them sees are kept: leaving them out would gain nothing.
        """
        seen = np.logical_or.reduce([units_seen(self.instance, a) for a in attackers])
        return self._minimise(self._group(attackers, seen, weights), SUBPROBLEM_SHARE, lower_bound)

    def _group(self, attackers: Sequence[int], seen: Mask, weights: Floats) -> Group:
        each = self.goal.each[list(attackers)]
        part = self.instance.for_attackers(attackers, seen)
        return Group(part, seen, Goal(each, int(each.sum())), weights[seen])

    def _minimise(self, group: Group, share: float, lower_bound: int = 0) -> SearchResult:
        limits, now = self.limits, time.monotonic()
        limited = replace(
            limits,
            deadline=now + share * max(0.0, limits.deadline - now),
            work=share * max(0.0, limits.work - limits.done),
            done=0,
        )
        result = minimise(
            group.instance, group.weights, group.goal, limited, lower_bound=lower_bound
        )
        limits.done += limited.done
        if result.left_out is not None:
            plan = np.zeros(self.instance.units, bool)
            plan[group.seen] = result.left_out
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

    def solve_groups(self) -> tuple[Mask, PlanLists | None] | None:
        """The union of the best plans of all groups, and the groups with their bounds.

        None where there are no groups to solve, and no lists where one of them has no plan.
        """
        union = np.zeros(self.instance.units, bool)
        groups = {} if self.limits.exhausted() else self.groups()
        seen_by = np.zeros(self.instance.units) + sum(np.array(seen) for seen in groups)
        scale = math.lcm(*(int(n) for n in np.unique(seen_by) if n > 0))
        if (
            len(groups) < 2
            or scale > MAX_WEIGHT_SHARES
            or scale * self.weights.sum() >= MAX_TOTAL_WEIGHT
        ):
            return None
        shares = self.weights * scale / np.maximum(seen_by, 1.0)
        solved: list[Group] = []
        for key, attackers in groups.items():
            group = self._group(attackers, np.array(key), shares)
            result = self._minimise(group, 1 / (len(groups) - len(solved) + 1))
            if result.left_out is not None:
                union |= result.left_out
            elif result.proved:
                return union, None
            group.bound = result.bound
            solved.append(group)
        return union, PlanLists(self.instance, self.weights, self.goal, solved, scale)


def improve_by_swaps(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    best: Mask,
    limits: SearchLimits,
    *,
    start: Mask | None = None,
    steps: int = MAX_STALLED_SWAPS,
) -> Mask:
    """The lightest plan found from `start` (by default from the incumbent `best`), or `best`."""
    best = reinsert_units(instance, weights, best, goal, limits)
    tabu_search = _TabuSearch(instance, weights, goal, best if start is None else start)
    last = steps
    while best.any() and tabu_search.step < last and not limits.exhausted():
        cap = float(weights[best].sum()) - 1
        tabu_search.reinsert(cap)
        if goal.reached(instance.counts(instance.holding(tabu_search.left_out))):
            best = reinsert_units(instance, weights, tabu_search.left_out, goal, limits)
            tabu_search.left_out = best.copy()
            last = tabu_search.step + steps
        elif not tabu_search.swap(cap):
            break
        limits.done += 1
    return best


class _TabuSearch:
    """A set of units left out, changed to reduce what attackers are short of."""

    def __init__(self, instance: Instance, weights: Floats, goal: Goal, start: Mask) -> None:
        self.instance = instance
        self.weights = weights
        self.goal = goal
        self.left_out = start.copy()
        self.step = 0
        self.tabu_until = np.zeros(instance.units, np.intp)
        size = np.abs(instance.unit_scores[: instance.rivals]).sum(axis=1)
        attackers = range(len(goal.each))
        self.size: Floats = np.array(
            [size[instance.attacker_of == a].max(initial=1e-300) for a in attackers]
        )

    def reinsert(self, cap: float) -> None:
        """Keep units again until no more than `cap` is left out."""
        part = self._leading_part()
        while float(self.weights[self.left_out].sum()) > cap:
            units = np.flatnonzero(self.left_out)
            sums = part.sums(self.left_out)[:, None] + part.unit_scores[:, units]
            self.left_out[units[self._shortfall(part, sums).argmin()]] = False

    def swap(self, cap: float) -> bool:
        """Make the best swap that leaves out no more than `cap`; False if there is none."""
        self.step += 1
        part = self._leading_part()
        scores = part.unit_scores
        free = self.tabu_until < self.step
        back, out = np.flatnonzero(self.left_out & free), np.flatnonzero(~self.left_out & free)
        sums = part.sums(self.left_out)[:, None]
        order = np.argsort(self._shortfall(part, sums + scores[:, back]), kind="stable")
        back = back[order[:MAX_REINSERTIONS]]
        order = np.argsort(self._shortfall(part, sums - scores[:, out]), kind="stable")
        out = out[order[:MAX_REMOVALS]]
        i, j = np.repeat(back, len(out)), np.tile(out, len(back))
        fits = self.weights[self.left_out].sum() - self.weights[i] + self.weights[j] <= cap
        i, j = i[fits], j[fits]
        if not len(i):
            return False
        at = int(self._shortfall(part, sums + scores[:, i] - scores[:, j]).argmin())
        self.left_out[i[at]], self.left_out[j[at]] = False, True
        self.tabu_until[i[at]] = self.step + TABU_REINSERTED
        self.tabu_until[j[at]] = self.step + TABU_REMOVED
        return True

    def _leading_part(self) -> Instance:
        """The instance with only the rivals that hold or nearly do."""
        rivals = leading_rivals(self.instance, self.left_out, 3 * self.goal.each + 10)
        return self.instance.restricted(np.sort(rivals))

    def _shortfall(self, part: Instance, sums: Floats) -> Floats:
        """For each set, how far the rivals that attackers need are behind, in total."""
        behind = np.maximum(-part.slacks(sums), 0.0)
        total = np.zeros(sums.shape[1])
        for a, need in enumerate(self.goal.each.tolist()):
            own = behind[part.attacker_of == a]
            if 0 < need <= len(own):
                total += np.partition(own, need - 1, axis=0)[:need].sum(axis=0) / self.size[a]
        return total


class LagrangeanBound:
    """The multipliers of all attackers for all units, moved round by round."""

    def __init__(
        self, instance: Instance, weights: Floats, goal: Goal, limits: SearchLimits
    ) -> None:
        self.weights = weights
        self.limits = limits
        self.seen: Mask = np.stack([units_seen(instance, a) for a in range(len(goal.each))])
        self.parts = [
            Part(instance.for_attackers([a], seen), seen, Goal(goal.each[a : a + 1], need))
            for a, (seen, need) in enumerate(zip(self.seen, goal.each.tolist(), strict=True))
        ]
        self.bound = 0
        """No plan for all attackers is lighter."""
        self.majority: Mask = np.zeros(instance.units, bool)
        """Units that at least half of the attackers that see them would leave out."""
        self.settled = False
        """Whether more rounds would not improve the bound."""
        self._starts = _initial_multipliers(self.seen, weights)
        self._multipliers = self._starts.pop(0)
        self._best, self._best_multipliers = -math.inf, self._multipliers
        self._direction: Floats = np.zeros(self.seen.shape)
        self._best_subgradient = self._direction
        self._step, self._stalled_rounds = 1.0, 0

    def round(self, incumbent_cost: int) -> None:
        """Solve every attacker's subproblem at the present multipliers, and move these."""
        whole = _integral_multipliers(self._multipliers, self.seen, self.weights)
        if float(np.abs(whole).sum()) >= MAX_TOTAL_WEIGHT:
            self.settled = True
            return
        total, left_out = 0, np.zeros(self.seen.shape)
        for a, part in enumerate(self.parts):
            least, left_out[a] = part.solve(whole[a], self.limits)
            total += least
        self.bound = max(self.bound, -(-total // MULTIPLIER_SCALE))
        share = left_out.sum(axis=0) / np.maximum(self.seen.sum(axis=0), 1)
        self.majority = share >= 0.5
        subgradient = np.where(self.seen, left_out - share, 0.0)
        if total > self._best:
            self._best, self._best_multipliers = total, self._multipliers
            self._best_subgradient, self._stalled_rounds = subgradient, 0
        else:
            self._stalled_rounds += 1
        if self._starts:
            self._multipliers = self._starts.pop(0)
            return
        first = self._step == 1.0 and not self._direction.any()
        if not first and self._stalled_rounds >= MAX_STALLED_ROUNDS:
            self._step, self._stalled_rounds = self._step / 2, 0
            self._direction[:] = 0.0
            first = True
        value, start = float(total), self._multipliers
        if first:  # from the best multipliers so far
            value, start, subgradient = self._best, self._best_multipliers, self._best_subgradient
        # a step so long that, were the dual linear, it would close the gap
        gap = incumbent_cost - value / MULTIPLIER_SCALE
        self._direction = subgradient + MOMENTUM * self._direction
        length = float((self._direction**2).sum())
        self.settled = not length or self._step < MIN_STEP
        if length:
            self._multipliers = start + self._step * max(gap, 0.5) / length * self._direction


@dataclass
class Part:
    """The subproblem of one attacker."""

    instance: Instance
    """Units that the attacker does not see are fixed in."""
    seen: Mask
    goal: Goal
    plan: Mask | None = None
    """The last plan found: feasible at any multipliers."""

    def solve(self, multipliers: Whole, limits: SearchLimits) -> tuple[int, Mask]:
        """A bound on the cost of satisfying the attacker, and what it would leave out.

        Units of negative weight are complemented: they are left out to begin with, and cost what
        was gained to keep.
        """
        own = multipliers[self.seen]
        gained = own < 0
        share = replace(limits, work=min(SUBPROBLEM_WORK, limits.work - limits.done), done=0)
        result = minimise(
            self.instance.complemented(gained),
            np.abs(own).astype(np.float64),
            self.goal,
            share,
            known_plan=None if self.plan is None else self.plan ^ gained,
            turn=SUBPROBLEM_TURN,
        )
        limits.done += share.done
        if result.left_out is not None:
            self.plan = result.left_out ^ gained
        left_out = np.zeros(len(multipliers), bool)
        if self.plan is not None:
            left_out[self.seen] = self.plan
        return result.bound + int(own[gained].sum()), left_out


def _initial_multipliers(seen: Mask, weights: Floats) -> list[Floats]:
    """Attackers that see part of the photos pay for them; then those that see all do."""
    partial = np.array([[not own.all()] for own in seen])
    starts = []
    for payers in (partial, ~partial) if partial.any() and not partial.all() else (partial | True,):
        paying = seen & payers
        paying = np.where(paying.any(axis=0), paying, seen)
        starts.append(weights * paying / np.maximum(paying.sum(axis=0), 1))
    return starts


def _integral_multipliers(multipliers: Floats, seen: Mask, weights: Floats) -> Whole:
    """Whole multipliers, none of them 0, that add up to no more than the scaled weights."""
    whole = np.where(seen, np.floor(multipliers * MULTIPLIER_SCALE), 0.0).astype(np.int64)
    rest = (weights * MULTIPLIER_SCALE).astype(np.int64) - whole.sum(axis=0)
    whole[seen.argmax(axis=0), np.arange(len(weights))] += rest
    whole[whole == 0] = -1  # the solver's weights are positive, and a smaller sum is valid too
    return whole
