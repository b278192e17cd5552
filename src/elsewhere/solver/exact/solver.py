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
    Outcome,
    Question,
    merge_attackers,
    solve_by_active_set,
)
from elsewhere.solver.exact.heuristics import adapted, cheapest_plan, fullest_plan
from elsewhere.solver.exact.instance import Instance
from elsewhere.solver.exact.lagrangean import LagrangeanBound
from elsewhere.solver.exact.limits import Limits
from elsewhere.solver.exact.local_search import improve_by_swaps, polish, pull_of
from elsewhere.solver.exact.objectives import MaxCover, MinWeight
from elsewhere.solver.exact.presolve import costs_against_zone, costs_alone, least_cost
from elsewhere.solver.exact.search import Goal, Search, needs
from elsewhere.solver.problem import LARGEST, Answer, Floats, Ints, Mask, Problem

FIRST_TURN = 100_000
"""Work that the main search may do before the first question is asked."""
SEVERAL_TURN = 3_000
"""The same for several attackers, where the first plan may be far from the best."""
FIRST_QUESTION = 1_500
"""Work spent on a question before an easier one is asked."""
HALFWAY = 0.6
"""Where in the gap to ask: below the middle of the work, as proofs get harder upwards."""


class Task(Protocol):
    """Something to be made small by searching."""

    value: int
    """The least value that is known."""

    def search(self, cutoff: int, limits: Limits, *, one_is_enough: bool) -> Search:
        """A search for values of at most `cutoff` that keeps `value` up to date."""

    def tighten(self, search: Search) -> None:
        """Tell a search that only values below `value` are of interest now."""


def close_gap(task: Task, low: int, limits: Limits, turn: int = FIRST_TURN) -> int:
    """Narrow [low, task.value] until both meet or the limits are met; the bound that is proved.

    A question that came to its end without an answer proves that nothing is as low as its cutoff.
    """
    if low >= task.value:
        return low
    main = task.search(task.value - 1, Limits(), one_is_enough=False)
    questions = _Questions(task)
    while not limits.spent():
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

    def __init__(self, task: Task) -> None:
        self.task = task
        self.patience = FIRST_QUESTION
        self.where = HALFWAY

    def ask(self, low: int, turn: int, limits: Limits) -> int:
        """Ask for one turn; the bound proved by then."""
        until = limits.done + turn
        while low < self.task.value and limits.done < until and not limits.spent():
            cutoff = low + int(self.where * (self.task.value - 1 - low))
            question = self.task.search(cutoff, Limits(), one_is_enough=True)
            finished = _run(question, self.patience, limits)
            if self.task.value <= cutoff:
                continue
            if finished:
                low = cutoff + 1
                self.where = min(HALFWAY, 1.5 * self.where)
            elif cutoff > low and self.where > 0.02:
                self.where /= 2
            else:
                self.where, self.patience = HALFWAY, 2 * self.patience
        return low


def _run(search: Search, turn: int, limits: Limits) -> bool:
    """Let a search do some more work, counted in `limits`; whether it came to its end."""
    search.limits = replace(limits, work=min(limits.work, limits.done + turn))
    finished = search.run()
    limits.done = search.limits.done
    return finished


FIRST_TRY = 3_000
"""Work on several attackers at once before they are looked at one by one, at prices."""
ROUNDS = 60
"""How often prices are set at most."""
SOME = 20
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
        pull = pull_of(instance, previous)
        if instance.problem.budget is None:
            goal = needs(instance.problem)
            found = _for_all(instance, goal, limits)
            if found.left_out is not None and pull.any():
                found.left_out = _nearest(instance, goal, found.left_out, pull, limits)
            answer = _answer(instance, found, found.bound + instance.sunk, limits)
        else:
            answer = _within_budget(instance, instance.problem.budget, limits)
        return polish(instance, answer, pull)


def _for_all(instance: Instance, goal: Goal, limits: Limits) -> Found:
    """The lightest plan for all attackers: for as few of them as will do, else for all at once."""
    weights = instance.weights
    if len(goal.each) == 1:
        return minimise(instance, weights, goal, limits)
    plan, bound, proved = solve_by_active_set(instance, weights, goal, limits, _for_some)
    if proved:
        return Found(plan, 0 if plan is None else bound, proved=True)
    first = replace(limits, work=min(limits.work, limits.done + FIRST_TRY))
    found = minimise(instance, weights, goal, first, also=plan, at_least=bound)
    limits.done = first.done
    if found.proved or limits.spent():
        return found
    plan, bound = found.left_out, found.bound
    if plan is not None:
        plan, bound = _at_prices(instance, goal, plan, bound, limits)
        if bound >= weights[plan].sum():
            return Found(plan, bound, proved=True)
    return minimise(instance, weights, goal, limits, start=plan, at_least=bound)


def _at_prices(
    instance: Instance, goal: Goal, plan: Mask, bound: int, limits: Limits
) -> tuple[Mask, int]:
    """A lighter plan for all attackers and a better bound, from what each wants by itself."""
    weights = instance.weights
    plan = improve_by_swaps(instance, weights, goal, plan, limits)
    prices = LagrangeanBound(instance, weights, goal, limits, _for_some)
    for _ in range(ROUNDS):
        cost = int(weights[plan].sum())
        if bound >= cost or prices.settled or limits.spent():
            break
        prices.round(cost)
        bound = max(bound, prices.bound)
        plan = improve_by_swaps(
            instance, weights, goal, plan, limits, start=prices.agreed, steps=SOME
        )
    return plan, min(bound, int(weights[plan].sum()))


def _for_some(asked: Question, limits: Limits) -> Outcome:
    found = minimise(
        asked.instance,
        asked.weights,
        asked.goal,
        limits,
        also=asked.also,
        at_least=asked.at_least,
        turn=asked.turn,
    )
    return found.left_out, found.bound, found.proved


def _nearest(instance: Instance, goal: Goal, best: Mask, pull: Floats, limits: Limits) -> Mask:
    """A plan as light as `best` that differs less from the previous one, if a short search
    finds any: units left out before weigh a little less, others a little more.
    """
    weights = instance.weights
    if limits.late():
        return best
    before = pull > 0
    if before.any():
        best = adapted(instance, weights, before, goal, best, limits=limits)
    if (weights == weights[0]).all() and (best != before).sum() == abs(best.sum() - before.sum()):
        return best  # as many must go or come anyway
    scaled = weights * (2 * np.abs(pull).sum() + 1) - pull
    if scaled.sum() >= LARGEST:
        return best
    # whatever is nearer is no heavier, so that rivals dearer than the plan are out of the question
    costs = costs_alone(instance, weights)
    live = instance.restricted(np.flatnonzero(costs <= weights[best].sum()))
    share = replace(limits, work=NEAR_WORK, done=0)
    found = minimise(live, scaled, goal, share, start=best)
    return best if found.left_out is None else found.left_out


@dataclass
class Found:
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
    also: Mask | None = None,
    side: tuple[Floats, int] | None = None,
    cap: float = np.inf,
    at_least: int = 0,
    costs: Floats | None = None,
    turn: int | None = None,
) -> Found:
    """The lightest plan that reaches the goal.

    `start` is a plan known to, `also` another that does not spare looking for one; `side` a budget
    beside weights; `cap` the most that may be left out; `at_least` a bound that is known already;
    `turn` the work before the first question, where it is not to be the usual.
    """
    cap = min(cap, most_left_out(instance, weights))
    costs = costs_alone(instance, weights) if costs is None else costs
    bound = max(at_least, least_cost(costs, instance.owner, goal))
    if bound > cap:
        return Found(None, 0, proved=True)
    best = start
    if best is None:
        near = _cheapest_rivals(costs, instance.owner, goal)
        best = cheapest_plan(
            instance.restricted(near), weights, costs[near], goal, cap=cap, limits=limits
        )
    if also is not None and (best is None or weights[also].sum() < weights[best].sum()):
        best = also
    cost = int(weights[best].sum()) if best is not None else int(cap) + 1
    costs = costs_against_zone(instance, weights, costs, cost - 1)
    low = int(min(max(bound, least_cost(costs, instance.owner, goal)), cost))
    if low >= cost:
        return Found(best, cost if best is not None else 0, proved=True)
    task = MinWeight(instance, weights, goal, costs, side, best, cost)
    if turn is None:
        turn = SEVERAL_TURN if len(goal.each) > 1 else FIRST_TURN
    low = close_gap(task, low, limits, turn)
    proved = low >= task.value
    return Found(task.best, 0 if proved and task.best is None else low, proved)


def maximise(
    instance: Instance,
    weights: Floats,
    cap: int,
    limits: Limits,
    *,
    start: Mask,
    floor: Ints | None = None,
    costs: Floats | None = None,
) -> Found:
    """The plan within `cap` with most holding rivals: the smallest count over the attackers,
    or, where `floor` says how many each attacker needs at least, their sum.
    """
    costs = costs_alone(instance, weights) if costs is None else costs
    costs = costs_against_zone(instance, weights, costs, cap)
    live = np.flatnonzero(costs <= cap)
    part = instance.restricted(live)
    attackers = len(instance.zone_at)
    reachable = np.bincount(part.owner, minlength=attackers)
    upper = int(reachable.min() if floor is None else reachable.sum())
    task = MaxCover(part, weights, cap, floor, upper, start)
    low = close_gap(task, 0, limits)
    return Found(task.best, upper - low, proved=low >= task.value)


def most_left_out(instance: Instance, weights: Floats) -> float:
    """The weight that can be left out with one unit still kept."""
    total = float(weights.sum())
    if instance.fixed_in.any() or instance.gone.any() or not instance.units:
        return total
    return total - float(weights.min())


def _within_budget(instance: Instance, budget: int, limits: Limits) -> Answer:
    """Most rivals for the worst-off attacker, then most in all, then least weight left out."""
    sizes, weights = instance.sizes, instance.weights
    cap = min(budget - instance.sunk_photos, most_left_out(instance, sizes))
    if cap < 0:
        return Answer("infeasible", None, 0, 0, counts=True, work=limits.done)
    cap = int(cap)
    costs = costs_alone(instance, sizes)
    near = np.flatnonzero(costs <= cap)
    start = fullest_plan(instance.restricted(near), sizes, costs[near], cap, limits)
    found = maximise(instance, sizes, cap, limits, start=start, costs=costs)
    assert found.left_out is not None
    bound, proved = found.bound, found.proved
    if proved and len(instance.zone_at) > 1:
        floor = np.full(len(instance.zone_at), bound, np.intp)
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


def _answer(instance: Instance, found: Found, bound: int, limits: Limits) -> Answer:
    counts = instance.problem.budget is not None
    if found.left_out is None:
        status = "infeasible" if found.proved else "unknown"
        return Answer(status, None, 0, 0 if found.proved else bound, counts, limits.done)
    kept = instance.units_kept(found.left_out)
    cost = int(instance.weights[found.left_out].sum()) + instance.sunk
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
