"""Closing the gap between a bound and a plan, so that stopping early still says something.

The main search looks through the whole gap at once, improving the plan on the way: that is
quickest where the first plan is nearly the best. Where it takes long, it takes turns with
yes-or-no questions in between, which raise the bound (and sometimes find a better plan) by
narrowing the gap from below.

The exact solver: a good plan first, then the proof that none is better.

`solve` takes the canonical problem and gives an answer whose status is a promise: "optimal" only
when the tree was searched to its end. Stopped early, it says how far it got: the plan, and the
bound that was proved. The work is counted in tree nodes and simplex pivots, so that the same
`work` limit stops at the same plan everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from elsewhere.solver.exact.active_set import (
    Subproblem,
    SubproblemResult,
    merge_attackers,
    solve_by_active_set,
)
from elsewhere.solver.exact.heuristics import adapt_plan, find_full_plan, find_light_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.lagrangean import LagrangeanBound
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.local_search import improve_by_swaps, polish, similarity_preference
from elsewhere.solver.exact.objectives import MaxCover, MinWeight
from elsewhere.solver.exact.presolve import goal_lower_bound, rival_costs, tighten_rival_costs
from elsewhere.solver.exact.search import Goal, Search, needs
from elsewhere.solver.problem import LARGEST, Answer, Floats, Ints, Mask, Problem

MAIN_SEARCH_WORK = 100_000
"""Work that the main search may do before the first question is asked."""
JOINT_SEARCH_WORK = 3_000
"""The same for several attackers, where the first plan may be far from the best."""
PROBE_WORK = 1_500
"""Work spent on a question before an easier one is asked."""
PROBE_POSITION = 0.6
"""Where in the gap to ask: below the middle of the work, as proofs get harder upwards."""


class Objective(Protocol):
    """Something to be made small by searching."""

    value: int
    """The least value that is known."""

    def search(self, cutoff: int, limits: Limits, *, stop_at_first: bool) -> Search:
        """A search for values of at most `cutoff` that keeps `value` up to date."""

    def tighten(self, search: Search) -> None:
        """Tell a search that only values below `value` are of interest now."""


def close_gap(task: Objective, low: int, limits: Limits, turn: int = MAIN_SEARCH_WORK) -> int:
    """Narrow [low, task.value] until both meet or the limits are met; the bound that is proved.

    A question that came to its end without an answer proves that nothing is as low as its cutoff.
    """
    if low >= task.value:
        return low
    main = task.search(task.value - 1, Limits(), stop_at_first=False)
    questions = _Questions(task)
    while not limits.exhausted():
        task.tighten(main)
        if _run(main, turn, limits):
            return task.value
        low = questions.ask(low, turn, limits)
        if low >= task.value:
            break
        turn *= 2
    return low


class _Questions:
    """Asks whether a value in between can be had, and learns how hard a question may be."""

    def __init__(self, task: Objective) -> None:
        self.task = task
        self.patience = PROBE_WORK
        self.where = PROBE_POSITION

    def ask(self, low: int, turn: int, limits: Limits) -> int:
        """Ask for one turn; the bound proved by then."""
        until = limits.done + turn
        while low < self.task.value and limits.done < until and not limits.exhausted():
            cutoff = low + int(self.where * (self.task.value - 1 - low))
            question = self.task.search(cutoff, Limits(), stop_at_first=True)
            finished = _run(question, self.patience, limits)
            if self.task.value <= cutoff:
                continue
            if finished:
                low = cutoff + 1
                self.where = min(PROBE_POSITION, 1.5 * self.where)
            elif cutoff > low and self.where > 0.02:
                self.where /= 2
            else:
                self.where, self.patience = PROBE_POSITION, 2 * self.patience
        return low


def _run(search: Search, turn: int, limits: Limits) -> bool:
    """Let a search do some more work, counted in `limits`; whether it came to its end."""
    search.limits = replace(limits, work=min(limits.work, limits.done + turn))
    finished = search.run()
    limits.done = search.limits.done
    return finished


JOINT_WORK = 3_000
"""Work on several attackers at once before they are looked at one by one, at prices."""
MAX_LAGRANGEAN_ROUNDS = 60
"""How often prices are set at most."""
LAGRANGEAN_SWAPS = 20
"""Swaps tried on what attackers agree on at some prices."""
NEAR_WORK = 120
"""Work spent on being near the previous plan: some 10 ms."""


def solve(
    problem: Problem | Instance,
    limits: Limits | None = None,
    previous: frozenset[int] | None = None,
) -> Answer:
    """The best plan and how far that is proved; among equals, one near the photos left out before.

    >>> from elsewhere.solver.problem import plain
    >>> scores = np.log([[0.7, 0.2, 0.1], [0.3, 0.6, 0.1], [0.6, 0.1, 0.3]])
    >>> answer = solve(plain(scores, truth=0, need=1))
    >>> answer.status, answer.kept.tolist()
    ('optimal', [False, True, False])
    """
    limits = limits or Limits()
    instance = problem if isinstance(problem, Instance) else Instance(problem)
    with np.errstate(all="ignore"):  # scores of extreme spread overflow into doubt, never an error
        if not instance.units and not instance.fixed_in.any():
            return Answer("infeasible", None, 0, 0, instance.problem.budget is not None)
        fewer = merge_attackers(instance.problem)
        if len(fewer.attackers) < len(instance.problem.attackers):
            instance = Instance(fewer)
        preference = similarity_preference(instance, previous)
        if instance.problem.budget is None:
            goal = needs(instance.problem)
            found = _min_weight(instance, goal, limits)
            if found.left_out is not None and preference.any():
                found.left_out = _nearest(instance, goal, found.left_out, preference, limits)
            answer = _answer(instance, found, found.bound + instance.fixed_out_weight, limits)
        else:
            answer = _within_budget(instance, instance.problem.budget, limits)
        return polish(instance, answer, preference)


def _min_weight(instance: Instance, goal: Goal, limits: Limits) -> SearchResult:
    """The lightest plan for all attackers: for as few of them as will do, else for all at once."""
    weights = instance.weights
    if len(goal.each) == 1:
        return minimise(instance, weights, goal, limits)
    plan, bound, proved = solve_by_active_set(instance, weights, goal, limits, solve_subproblem)
    if proved:
        return SearchResult(plan, 0 if plan is None else bound, proved=True)
    first = replace(limits, work=min(limits.work, limits.done + JOINT_WORK))
    found = minimise(instance, weights, goal, first, known_plan=plan, lower_bound=bound)
    limits.done = first.done
    if found.proved or limits.exhausted():
        return found
    plan, bound = found.left_out, found.bound
    if plan is not None:
        plan, bound = _lagrangean_bound(instance, goal, plan, bound, limits)
        if bound >= weights[plan].sum():
            return SearchResult(plan, bound, proved=True)
    return minimise(instance, weights, goal, limits, start=plan, lower_bound=bound)


def _lagrangean_bound(
    instance: Instance, goal: Goal, plan: Mask, bound: int, limits: Limits
) -> tuple[Mask, int]:
    """A lighter plan for all attackers and a better bound, from what each wants by itself."""
    weights = instance.weights
    plan = improve_by_swaps(instance, weights, goal, plan, limits)
    lagrangean = LagrangeanBound(instance, weights, goal, limits, solve_subproblem)
    for _ in range(MAX_LAGRANGEAN_ROUNDS):
        cost = int(weights[plan].sum())
        if bound >= cost or lagrangean.settled or limits.exhausted():
            break
        lagrangean.round(cost)
        bound = max(bound, lagrangean.bound)
        plan = improve_by_swaps(
            instance, weights, goal, plan, limits, start=lagrangean.majority, steps=LAGRANGEAN_SWAPS
        )
    return plan, min(bound, int(weights[plan].sum()))


def solve_subproblem(asked: Subproblem, limits: Limits) -> SubproblemResult:
    """The lightest plan for some of the attackers."""
    found = minimise(
        asked.instance,
        asked.weights,
        asked.goal,
        limits,
        known_plan=asked.known_plan,
        lower_bound=asked.lower_bound,
        turn=asked.turn,
    )
    return found.left_out, found.bound, found.proved


def _nearest(
    instance: Instance, goal: Goal, best: Mask, preference: Floats, limits: Limits
) -> Mask:
    """A plan as light as `best` that differs less from the previous one, if a short search
    finds any: units left out before weigh a little less, others a little more.
    """
    weights = instance.weights
    if limits.out_of_time():
        return best
    before = preference > 0
    if before.any():
        best = adapt_plan(instance, weights, before, goal, best, limits=limits)
    if (weights == weights[0]).all() and (best != before).sum() == abs(best.sum() - before.sum()):
        return best  # as many must go or come anyway
    scaled = weights * (2 * np.abs(preference).sum() + 1) - preference
    if scaled.sum() >= LARGEST:
        return best
    # whatever is nearer is no heavier, so that rivals dearer than the plan are out of the question
    costs = rival_costs(instance, weights)
    live = instance.restricted(np.flatnonzero(costs <= weights[best].sum()))
    share = replace(limits, work=NEAR_WORK, done=0)
    found = minimise(live, scaled, goal, share, start=best)
    return best if found.left_out is None else found.left_out


@dataclass
class SearchResult:
    """The best plan met with, what it reaches, and what was proved of all others."""

    left_out: Mask | None
    bound: int
    """Minimising: no plan costs less. Maximising: no plan reaches more."""
    proved: bool
    """Whether the plan, or that there is none, is proved."""


def minimise(
    instance: Instance,
    weights: Floats,
    goal: Goal,
    limits: Limits,
    *,
    start: Mask | None = None,
    known_plan: Mask | None = None,
    side: tuple[Floats, int] | None = None,
    cap: float = np.inf,
    lower_bound: int = 0,
    costs: Floats | None = None,
    turn: int | None = None,
) -> SearchResult:
    """The lightest plan that reaches the goal.

    `start` is a plan known to, `also` another that does not spare looking for one; `side` a budget
    beside weights; `cap` the most that may be left out; `at_least` a bound that is known already;
    `turn` the work before the first question, where it is not to be the usual.
    """
    cap = min(cap, max_removable_weight(instance, weights))
    costs = rival_costs(instance, weights) if costs is None else costs
    bound = max(lower_bound, goal_lower_bound(costs, instance.attacker_of, goal))
    if bound > cap:
        return SearchResult(None, 0, proved=True)
    best = start
    if best is None:
        near = _cheapest_rivals(costs, instance.attacker_of, goal)
        best = find_light_plan(
            instance.restricted(near), weights, costs[near], goal, cap=cap, limits=limits
        )
    if known_plan is not None and (best is None or weights[known_plan].sum() < weights[best].sum()):
        best = known_plan
    cost = int(weights[best].sum()) if best is not None else int(cap) + 1
    costs = tighten_rival_costs(instance, weights, costs, cost - 1)
    low = int(min(max(bound, goal_lower_bound(costs, instance.attacker_of, goal)), cost))
    if low >= cost:
        return SearchResult(best, cost if best is not None else 0, proved=True)
    task = MinWeight(instance, weights, goal, costs, side, best, cost)
    if turn is None:
        turn = JOINT_SEARCH_WORK if len(goal.each) > 1 else MAIN_SEARCH_WORK
    low = close_gap(task, low, limits, turn)
    proved = low >= task.value
    return SearchResult(task.best, 0 if proved and task.best is None else low, proved)


def maximise(
    instance: Instance,
    weights: Floats,
    cap: int,
    limits: Limits,
    *,
    start: Mask,
    floor: Ints | None = None,
    costs: Floats | None = None,
) -> SearchResult:
    """The plan within `cap` with most holding rivals: the smallest count over the attackers,
    or, where `floor` says how many each attacker needs at least, their sum.
    """
    costs = rival_costs(instance, weights) if costs is None else costs
    costs = tighten_rival_costs(instance, weights, costs, cap)
    live = np.flatnonzero(costs <= cap)
    part = instance.restricted(live)
    attackers = len(instance.zone_slices)
    reachable = np.bincount(part.attacker_of, minlength=attackers)
    upper = int(reachable.min() if floor is None else reachable.sum())
    task = MaxCover(part, weights, cap, floor, upper, start)
    low = close_gap(task, 0, limits)
    return SearchResult(task.best, upper - low, proved=low >= task.value)


def max_removable_weight(instance: Instance, weights: Floats) -> float:
    """The weight that can be left out with one unit still kept."""
    total = float(weights.sum())
    if instance.fixed_in.any() or instance.complemented_units.any() or not instance.units:
        return total
    return total - float(weights.min())


def _within_budget(instance: Instance, budget: int, limits: Limits) -> Answer:
    """Most rivals for the worst-off attacker, then most in all, then least weight left out."""
    sizes, weights = instance.sizes, instance.weights
    cap = min(budget - instance.fixed_out_photos, max_removable_weight(instance, sizes))
    if cap < 0:
        return Answer("infeasible", None, 0, 0, counts=True, work=limits.done)
    cap = int(cap)
    costs = rival_costs(instance, sizes)
    near = np.flatnonzero(costs <= cap)
    start = find_full_plan(instance.restricted(near), sizes, costs[near], cap, limits)
    found = maximise(instance, sizes, cap, limits, start=start, costs=costs)
    assert found.left_out is not None
    bound, proved = found.bound, found.proved
    if proved and len(instance.zone_slices) > 1:
        floor = np.full(len(instance.zone_slices), bound, np.intp)
        found = maximise(
            instance, sizes, cap, limits, start=found.left_out, floor=floor, costs=costs
        )
        proved = found.proved
    assert found.left_out is not None
    counts = instance.counts(instance.holding(found.left_out))
    each = np.full(len(counts), int(counts.min()), np.intp)
    goal = Goal(each, int(counts.sum()))
    side = None
    if (weights != sizes).any():  # values and photos differ: the budget becomes a row
        side = (sizes, cap)
    last = minimise(instance, weights, goal, limits, start=found.left_out, side=side)
    last.proved = last.proved and proved
    return _answer(instance, last, bound, limits)


def _answer(instance: Instance, found: SearchResult, bound: int, limits: Limits) -> Answer:
    counts = instance.problem.budget is not None
    if found.left_out is None:
        status = "infeasible" if found.proved else "unknown"
        return Answer(status, None, 0, 0 if found.proved else bound, counts, limits.done)
    kept = instance.units_kept(found.left_out)
    cost = int(instance.weights[found.left_out].sum()) + instance.fixed_out_weight
    status = "optimal" if found.proved else "feasible"
    return Answer(status, kept, cost, bound, counts, limits.done)


def _cheapest_rivals(costs: Floats, owner: Ints, goal: Goal) -> Ints:
    """The rivals worth a look for a first plan: each attacker's few cheapest."""
    picked = []
    for a, need in enumerate(goal.each.tolist()):
        mine = np.flatnonzero((owner == a) & np.isfinite(costs))
        order = np.argsort(costs[mine], kind="stable")
        picked.append(np.sort(mine[order[: max(40, 4 * need)]]))
    return np.concatenate(picked)
