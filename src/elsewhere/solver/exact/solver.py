"""The exact solver: a good plan first, then the proof that none is better.

`solve` takes the canonical problem and gives an answer whose status is a promise: "optimal" only
when the tree was searched to its end. Stopped early, it gives the plan and the bound proved so far.
Work is counted in tree nodes and simplex pivots, so that the same `work` limit stops at the same
plan everywhere.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from elsewhere.solver.exact.active_set import merge_attackers, solve_by_active_set
from elsewhere.solver.exact.heuristics import adapt_plan, find_full_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.lagrangean import LagrangeanBound
from elsewhere.solver.exact.local_search import improve_by_swaps, polish, similarity_preference
from elsewhere.solver.exact.objectives import (
    SearchResult,
    max_removable_weight,
    maximise,
    minimise,
)
from elsewhere.solver.exact.presolve import rival_costs
from elsewhere.solver.exact.search import Goal, Limits
from elsewhere.solver.problem import MAX_TOTAL_WEIGHT, Answer, Floats, Mask, Problem

JOINT_WORK = 3_000
"""Work on all attackers together before the Lagrangean bound is tried."""
MAX_LAGRANGEAN_ROUNDS = 60
LAGRANGEAN_SWAPS = 20
"""Swaps tried on the majority plan of a Lagrangean round."""
NEAR_WORK = 120
"""Work spent on a plan nearer the previous one: some 10 ms."""


def solve(
    problem: Problem | Instance,
    limits: Limits | None = None,
    previous: frozenset[int] | None = None,
) -> Answer:
    """The best plan and how far it is proved; among equals, one near the photos left out before.

    >>> from elsewhere.solver.problem import plain
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]])
    >>> answer = solve(plain(scores, truth=0, need=1))
    >>> answer.status, answer.kept.tolist()
    ('optimal', [False, True, False])
    """
    limits = limits or Limits()
    instance = problem if isinstance(problem, Instance) else Instance(problem)
    budget = instance.problem.budget
    with np.errstate(all="ignore"):  # extreme scores overflow into doubt, never into an error
        if not instance.units and not instance.fixed_in.any():
            return Answer("infeasible", None, 0, 0, budget is not None)
        merged = merge_attackers(instance.problem)
        if len(merged.attackers) < len(instance.problem.attackers):
            instance = Instance(merged)
        preference = similarity_preference(instance, previous)
        if budget is None:
            goal = Goal.of(instance.problem)
            result = _min_weight(instance, goal, limits)
            if result.left_out is not None and preference.any():
                result.left_out = _nearest(instance, goal, result.left_out, preference, limits)
            answer = _answer(instance, result, result.bound + instance.fixed_out_weight, limits)
        else:
            answer = _within_budget(instance, budget, limits)
        return polish(instance, answer, preference)


def _min_weight(instance: Instance, goal: Goal, limits: Limits) -> SearchResult:
    """The lightest plan: for an active set of attackers if that suffices, else for all at once."""
    weights = instance.weights
    if len(goal.each) == 1:
        return minimise(instance, weights, goal, limits)
    result = solve_by_active_set(instance, weights, goal, limits)
    if result.proved:
        return replace(result, bound=0 if result.left_out is None else result.bound)
    first = replace(limits, work=min(limits.work, limits.done + JOINT_WORK))
    result = minimise(
        instance, weights, goal, first, known_plan=result.left_out, lower_bound=result.bound
    )
    limits.done = first.done
    if result.proved or limits.exhausted():
        return result
    plan, bound = result.left_out, result.bound
    if plan is not None:
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


def _nearest(
    instance: Instance, goal: Goal, best: Mask, preference: Floats, limits: Limits
) -> Mask:
    """A plan as light as `best` nearer the previous one, if a short search finds one.

    Units left out before weigh a little less, others a little more.
    """
    weights = instance.weights
    if limits.out_of_time():
        return best
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


def _within_budget(instance: Instance, budget: int, limits: Limits) -> Answer:
    """Most rivals for the worst-off attacker, then most in total, then least weight left out."""
    sizes, weights = instance.sizes, instance.weights
    attackers = len(instance.zone_slices)
    cap = min(budget - instance.fixed_out_photos, max_removable_weight(instance, sizes))
    if cap < 0:
        return Answer("infeasible", None, 0, 0, counts=True, work=limits.done)
    cap = int(cap)
    costs = rival_costs(instance, sizes)
    rivals = np.flatnonzero(costs <= cap)
    start = find_full_plan(instance.restricted(rivals), sizes, costs[rivals], cap, limits)
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
    result = minimise(instance, weights, goal, limits, start=result.left_out, side=side)
    result.proved = result.proved and proved
    return _answer(instance, result, bound, limits)


def _answer(instance: Instance, result: SearchResult, bound: int, limits: Limits) -> Answer:
    counts = instance.problem.budget is not None
    if result.left_out is None:
        status = "infeasible" if result.proved else "unknown"
        return Answer(status, None, 0, 0 if result.proved else bound, counts, limits.done)
    kept = instance.units_kept(result.left_out)
    cost = int(instance.weights[result.left_out].sum()) + instance.fixed_out_weight
    status = "optimal" if result.proved else "feasible"
    return Answer(status, kept, cost, bound, counts, limits.done)
