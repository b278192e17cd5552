"""The exact solver: a good plan first, then the proof that none is better.

The status of a solution is a promise: "optimal" only where the tree was searched to its end.
Stopped early, `solve` gives the plan and the bound proved so far. Work is counted in tree nodes and
simplex pivots, so that the same `work` limit stops at the same plan everywhere.

`solve_all_budgets`: the best count is a step function of the budget. Each step is one problem, the
least that must be left out for one more rival. Its solution settles every budget up to there, and
the next problem starts from the bound that it proved. Beyond the budgets to be proved, prefixes of
good orders give plans for all remaining budgets at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from elsewhere.solver.exact.choice_heuristics import (
    adapt_choices,
    find_full_choices,
    path_plans,
    restore_choices,
)
from elsewhere.solver.exact.heuristics import (
    adapt_plan,
    find_full_plan,
    leading_rivals,
    prefix_plans,
)
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.objectives import (
    SearchResult,
    max_removable_weight,
    maximise,
    minimise,
    rival_costs,
    tighten_rival_costs,
)
from elsewhere.solver.exact.search import Goal, SearchLimits
from elsewhere.solver.exact.several_attackers import minimise_for_several
from elsewhere.solver.problem import MAX_TOTAL_WEIGHT, Attacker, Floats, Mask, Problem, Solution

NEAR_WORK = 120
"""Work spent on a plan nearer the previous one: some 10 ms."""
POLISH_WORK = 600_000
"""Slacks computed by `polish` without a previous plan: a few milliseconds."""
NEAR_POLISH_WORK = 4_000_000
"""The same with a previous plan, where a small change must not reshuffle the plan."""


def solve(
    problem: Problem | Instance,
    limits: SearchLimits | None = None,
    previous: frozenset[int] | None = None,
) -> Solution:
    """The best plan and how far it is proved; among equals, one near the rows not shared before.

    >>> from elsewhere.solver.problem import plain
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]])
    >>> solution = solve(plain(scores, truth=0, need=1))
    >>> solution.status, solution.kept.tolist()
    ('optimal', [False, True, False])
    """
    limits = limits or SearchLimits()
    instance = problem if isinstance(problem, Instance) else Instance(problem)
    budget = instance.problem.budget
    with np.errstate(all="ignore"):  # extreme scores overflow into doubt, never into an error
        if not instance.units and not instance.fixed_in.any():
            return Solution("infeasible", None, 0, 0, budget is not None)
        if budget is None and len(instance.problem.attackers) > 1:
            merged = merge_attackers(instance.problem)
            if len(merged.attackers) < len(instance.problem.attackers):
                instance = Instance(merged)
        preference = np.zeros(instance.units)
        if previous is not None:
            preference = similarity_preference(instance, previous)
        if budget is None:
            goal = Goal(instance.needs, int(instance.needs.sum()))
            if len(goal.each) == 1:
                result = minimise(instance, instance.weights, goal, limits)
            else:
                result = minimise_for_several(instance, goal, limits)
            if result.left_out is not None and preference.any():
                result.left_out = _nearest(instance, goal, result.left_out, preference, limits)
            bound = result.bound + instance.base_weight
        else:
            result = _within_budget(instance, budget, limits)
            bound = result.bound
        counts = budget is not None
        if result.left_out is None:
            status = "infeasible" if result.proved else "unknown"
            return Solution(status, None, 0, 0 if result.proved else bound, counts, limits.done)
        solution = Solution(
            status="optimal" if result.proved else "feasible",
            kept=instance.units_kept(result.left_out),
            cost=int(instance.weights[result.left_out].sum()) + instance.base_weight,
            bound=bound,
            counts=counts,
            work=limits.done,
            shared=instance.rows_shared(result.left_out),
        )
        if instance.choices is None:
            return polish(instance, solution, preference)
        taken = restore_choices(instance, result.left_out, preference)
        kept, shared = instance.units_kept(taken), instance.rows_shared(taken)
        return replace(solution, kept=kept, shared=shared)


def _nearest(
    instance: Instance, goal: Goal, best: Mask, preference: Floats, limits: SearchLimits
) -> Mask:
    """A plan as light as `best` nearer the previous one, if a short search finds one.

    Units left out before weigh a little less, others a little more.
    """
    weights = instance.weights
    if limits.out_of_time():
        return best
    if instance.choices is not None:
        best = adapt_choices(instance, weights, preference, goal, best)
        scale = 2 * instance.problem.photos + 1
        scaled = np.maximum(weights * scale - preference, 0.0)
        if scaled.sum() >= MAX_TOTAL_WEIGHT:
            return best
        result = minimise(
            instance, scaled, goal, replace(limits, work=NEAR_WORK, done=0), start=best
        )
        nearer = result.left_out
        as_light = nearer is not None and weights[nearer].sum() <= weights[best].sum()
        return nearer if nearer is not None and as_light else best
    before = preference > 0
    if before.any():
        best = adapt_plan(instance, weights, before, goal, best, limits=limits)
    if (weights == weights[0]).all() and (best != before).sum() == abs(best.sum() - before.sum()):
        return best  # no plan with as many units differs less
    scaled = weights * (2 * np.abs(preference).sum() + 1) - preference
    if scaled.sum() >= MAX_TOTAL_WEIGHT:
        return best
    # a nearer plan is no heavier, so rivals that cost more than the plan need not be considered
    costs = rival_costs(instance, weights)
    part = instance.restricted(np.flatnonzero(costs <= weights[best].sum()))
    result = minimise(part, scaled, goal, replace(limits, work=NEAR_WORK, done=0), start=best)
    return best if result.left_out is None else result.left_out


def _within_budget(instance: Instance, budget: int, limits: SearchLimits) -> SearchResult:
    """Most rivals for the worst-off attacker, then most in total, then least weight left out.

    The bound is on the rivals of the worst-off attacker.
    """
    sizes, weights = instance.sizes, instance.weights
    attackers = len(instance.zone_slices)
    cap = min(budget - instance.base_size, max_removable_weight(instance, sizes))
    if cap < 0:
        return SearchResult(None, 0, proved=True)
    cap = int(cap)
    costs = rival_costs(instance, sizes)
    rivals = np.flatnonzero(costs <= cap)
    everything = np.zeros(instance.units, bool)
    counts = instance.counts(instance.holding(everything))
    if (counts == np.bincount(instance.attacker_of[rivals], minlength=attackers)).all():
        return SearchResult(everything, int(counts.min()), proved=True)  # nothing can be gained
    find = find_full_plan if instance.choices is None else find_full_choices
    start = find(instance.restricted(rivals), sizes, costs[rivals], cap, limits)
    result = maximise(instance, sizes, cap, limits, start=start, costs=costs)
    assert result.left_out is not None
    bound, proved = result.bound, result.proved
    if proved and attackers > 1:
        floor = np.full(attackers, bound, np.intp)
        result = maximise(
            instance, sizes, cap, limits, start=result.left_out, floor=floor, costs=costs
        )
        proved = result.proved
    assert result.left_out is not None
    counts = instance.counts(instance.holding(result.left_out))
    goal = Goal(np.full(attackers, int(counts.min()), np.intp), int(counts.sum()))
    # where values and numbers of photos differ, the budget becomes a row
    side = (sizes, cap) if (weights != sizes).any() else None
    known = costs if side is None else None  # rivals cost by weight what they do by size
    result = minimise(
        instance, weights, goal, limits, start=result.left_out, side=side, costs=known
    )
    return SearchResult(result.left_out, bound, proved=result.proved and proved)


def merge_attackers(problem: Problem) -> Problem:
    """The same guarantee with attackers that differ only in their zone merged: a smaller tree.

    Such attackers rank rivals alike. So k rivals are ahead of each zone exactly when k rivals are
    ahead of all zones together.

    >>> from elsewhere.solver.problem import plain
    >>> first = plain(np.zeros((2, 4)), truth=0, need=1).attackers[0]
    >>> first = replace(first, rivals=np.array([2, 3]))
    >>> twin = replace(first, zone=np.array([1]))
    >>> both = merge_attackers(replace(plain(np.zeros((2, 4)), 0, 1), attackers=(first, twin)))
    >>> [attacker.zone.tolist() for attacker in both.attackers]
    [[0, 1]]
    """
    merged: dict[tuple[object, ...], Attacker] = {}
    for attacker in problem.attackers:
        key = (
            id(attacker.scores),
            None if attacker.sees is None else attacker.sees.tobytes(),
            None if attacker.offset is None else attacker.offset.tobytes(),
            attacker.rivals.tobytes(),
            attacker.need,
            attacker.shift,
            attacker.lead,
        )
        same = merged.get(key, attacker)
        merged[key] = replace(same, zone=np.union1d(same.zone, attacker.zone).astype(np.intp))
    return replace(problem, attackers=tuple(merged.values()))


def similarity_preference(instance: Instance, previous: frozenset[int]) -> Floats:
    """For each free unit, how many of its photos were withheld before, less how many were not.

    With versions, `previous` are the rows that were not shared. For each choice: for how many
    photos it repeats what was done before, less for how many the first choice does.
    """
    if instance.choices is not None:
        before = np.zeros(instance.problem.rows, bool)
        before[sorted(previous)] = True
        return instance.choices.repetitions(~before, instance.problem)
    photos = np.full(instance.problem.photos, -1.0)
    photos[sorted(previous)] = 1.0
    preference = np.zeros(instance.problem.units)
    np.add.at(preference, instance.problem.unit_of, photos)
    return preference[instance.free]


def polish(instance: Instance, solution: Solution, preference: Floats) -> Solution:
    """A solution of the same cost and counts, nearer the previous plan or with more slack.

    A preference, not a proof: it tries plans one swap apart (a unit for another of the same weight
    and size) until none is better or its work limit is reached.
    """
    problem = instance.problem
    if solution.kept is None or solution.kept[instance.free].all():
        return solution
    left_out = ~solution.kept[instance.free]
    counts = instance.counts(instance.holding(left_out))
    goal = Goal(instance.needs, int(instance.needs.sum()))
    if problem.budget is not None:
        goal = Goal(np.full(len(counts), int(counts.min()), np.intp), int(counts.sum()))
    if not goal.total:
        return solution
    work = NEAR_POLISH_WORK if preference.any() else POLISH_WORK
    weights, sizes = instance.weights, instance.sizes
    slack: float | None = None
    while work > 0:
        # all pairs of a unit to keep again and one of the same weight and size to leave out
        kept_again, removed = np.flatnonzero(left_out), np.flatnonzero(~left_out)
        fits = weights[kept_again][:, None] == weights[removed]
        fits &= sizes[kept_again][:, None] == sizes[removed]
        fits &= preference[removed][None, :] >= preference[kept_again][:, None]
        i, j = fits.nonzero()
        back, out = kept_again[i], removed[j]
        part = instance.restricted(np.sort(leading_rivals(instance, left_out, 2 * goal.each + 8)))
        pairs_work = len(back) * len(part.unit_scores)
        if not len(back) or pairs_work > max(work, POLISH_WORK):
            break
        work -= pairs_work
        # the slack of the last rival needed, of the attacker with the least: now, and after swaps
        sums = part.sums(left_out)[:, None]
        swapped = sums + part.unit_scores[:, back] - part.unit_scores[:, out]
        ahead = part.slacks(np.concatenate([sums, swapped], axis=1))
        least = np.full(ahead.shape[1], np.inf)
        for a, need in enumerate(goal.each.tolist()):
            if need:
                own = -ahead[part.attacker_of == a]
                least = np.minimum(least, -np.partition(own, need - 1, axis=0)[need - 1])
        slack, slacks = float(least[0]) if slack is None else slack, least[1:]
        nearer = preference[out] - preference[back]
        good = (slacks >= 0) & ((nearer > 0) | ((nearer == 0) & (slacks > slack + 1e-6)))
        for at in np.lexsort((-slacks, -nearer, ~good))[:3].tolist():
            if not good[at]:
                continue
            trial = left_out.copy()
            trial[back[at]], trial[out[at]] = False, True
            if goal.reached(instance.counts(instance.holding(trial))):
                left_out, slack = trial, float(slacks[at])
                break
        else:
            break
    kept = instance.units_kept(left_out)
    return replace(solution, kept=kept, shared=kept[problem.unit_of])


@dataclass(frozen=True)
class BudgetStep:
    """The best known plan for one budget."""

    budget: int
    """Photos left out at most, including those fixed out; with versions, the cost."""
    left_out: Mask
    reached: int
    """The smallest count of holding rivals over the attackers."""
    bound: int
    """No plan within the budget reaches more."""
    fewest: bool = True
    """Whether it is proved that no plan with fewer photos left out reaches as much."""


def solve_all_budgets(
    instance: Instance, prove_up_to: int, limits: SearchLimits
) -> Iterator[BudgetStep]:
    """A step for every budget from the photos that are fixed out to all but one unit's.

    With versions, a step for every cost at which the best known plan changes.
    """
    sizes = instance.sizes
    attackers = len(instance.zone_slices)
    stride = 1 if instance.choices is None else MAX_TOTAL_WEIGHT  # only where something changes
    first = instance.base_size
    last = first + int(max_removable_weight(instance, sizes))
    costs = rival_costs(instance, sizes)
    best = np.zeros(instance.units, bool)
    reached = int(instance.counts(instance.holding(best)).min())
    budget = first
    known: dict[int, Mask] = {}
    proved_to = min(prove_up_to, last)
    while budget <= proved_to and not limits.exhausted():
        result = minimise(
            instance,
            sizes,
            Goal(np.full(attackers, reached + 1, np.intp), attackers * (reached + 1)),
            limits,
            cap=proved_to - first,
            lower_bound=budget - first,
            costs=costs,
        )
        if result.left_out is None:  # no plan up to the cap, or not decided in time
            settled = proved_to if result.proved else first + result.bound - 1
            for b in range(budget, settled + 1, stride):
                yield BudgetStep(b, best, reached, reached)
            budget = settled + 1
            break
        cost = first + int(sizes[result.left_out].sum())
        settled = cost if result.proved else first + result.bound
        for b in range(budget, min(cost, settled), stride):
            yield BudgetStep(b, best, reached, reached)
        budget = max(budget, min(cost, settled))
        if not result.proved:
            known[cost - first] = result.left_out
            break
        best = result.left_out
        reached = int(instance.counts(instance.holding(best)).min())
    if budget > last:
        return
    costs = tighten_rival_costs(instance, sizes, costs, last - first, limits)
    prefixes = prefix_plans if instance.choices is None else path_plans
    known = prefixes(instance, sizes, costs, last - first, limits) | known
    fewest = True
    budgets: Iterable[int] = range(budget, last + 1)
    if instance.choices is not None:
        budgets = sorted({budget, *(first + cost for cost in known if first + cost > budget)})
    for b in budgets:  # a plan, and how many rivals could hold one at a time
        plan = known.get(b - first)
        if plan is not None:
            count = int(instance.counts(instance.holding(plan)).min())
            if count > reached:
                best, reached, fewest = plan, count, False
        affordable = costs <= b - first
        possible = [int(affordable[instance.attacker_of == a].sum()) for a in range(attackers)]
        yield BudgetStep(b, best, reached, max(reached, min(possible)), fewest)
