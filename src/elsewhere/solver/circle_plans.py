"""Promises about circles, solved: for a top, within a budget, and what the attackers then see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from elsewhere.solver.circle_attacker import CircleAttacker
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.greedy import counts
from elsewhere.solver.place_bounds import BoundedAttacker, bound_plans, without_telling
from elsewhere.solver.places import plan_places
from elsewhere.solver.problem import FREE, OUT, Floats, Mask, Problem, Solution
from elsewhere.solver.reductions import Reduction
from elsewhere.values.plan import View

MAX_TOP = 64
"""The largest k that a budget is spent for: beyond, nothing is claimed."""


def solve_circles(
    reduction: Reduction, limits: SearchLimits, previous: frozenset[int] | None = None
) -> Solution:
    """The best plan for a promise with circles in it, in units and weights."""
    if reduction.problem.budget is not None:
        return _within_budget(reduction, reduction.problem.budget, limits, previous)
    return _solve_for(reduction, reduction.problem, None, limits, previous)


def _solve_for(
    reduction: Reduction,
    problem: Problem,
    top: int | None,
    limits: SearchLimits,
    previous: frozenset[int] | None = None,
) -> Solution:
    """A plan for one top, or for each attacker's own."""
    distinct: dict[object, tuple[CircleAttacker, Mask]] = {}
    exponents = set()
    for number, attacker, tells in reduction.circles:
        against = reduction.promise.against[number]
        hidden = against.circles
        assert hidden is not None
        need = attacker.need if top is None else top
        key = (against.scores, hidden, against.sees, against.rivals, against.margin, need)
        # the same attacker may watch several places
        alone = tells | distinct[key][1] if key in distinct else tells
        distinct[key] = replace(attacker, need=need), alone
        exponents.add(hidden.exponent)
    if top is not None:
        needs = tuple(replace(attacker, need=top) for attacker in problem.attackers)
        problem = replace(problem, attackers=needs)
    problem = replace(problem, budget=None)
    found = plan_places(problem, list(distinct.values()), sorted(exponents), limits, previous)
    return _with_bound(reduction, problem, found.solution, _bounded(reduction, top), limits)


def _bounded(reduction: Reduction, top: int | None) -> list[BoundedAttacker]:
    """The attackers of circles, for a bound; each once, though it may watch several places."""
    found: dict[object, BoundedAttacker] = {}
    pairs = zip(reduction.circles, reduction.bounds, strict=True)
    for (number, attacker, tells), bound in pairs:
        against = reduction.promise.against[number]
        need, each = attacker.need if top is None else top, against.each_photo or 0
        key = (id(bound), against.sees, against.margin, need, each)
        found[key] = BoundedAttacker(bound, need, each, against.margin, tells, attacker.sees)
    return list(found.values())


def _with_bound(
    reduction: Reduction,
    problem: Problem,
    solution: Solution,
    attackers: list[BoundedAttacker],
    limits: SearchLimits,
) -> Solution:
    """The solution with a bound that holds whatever circles and rivals a plan is proved by."""
    total = int(problem.weights.sum())
    cost = total + 1 if solution.kept is None else int(solution.cost)
    loose = reduction.loosen(problem)
    bound = bound_plans(loose, attackers, cost, limits)
    if solution.kept is None:
        status = "infeasible" if bound > total else "unknown"
        return replace(solution, status=status, bound=0 if bound > total else bound)
    return replace(solution, status="optimal" if bound >= cost else "feasible", bound=bound)


def _within_budget(
    reduction: Reduction, budget: int, limits: SearchLimits, previous: frozenset[int] | None
) -> Solution:
    """The largest k that can be had with at most so many photos left out, or at most this cost.

    A larger k never costs less, so k is doubled, and then the gap halved. It begins with the k of a
    previous plan, so that little time is enough after a small change.
    """
    problem = reduction.problem
    by_photos = replace(problem, weights=problem.sizes)  # with versions, these are the weights
    shared = problem.first_choices()
    if not shared.any() or by_photos.least_cost() > budget:
        loose = without_telling(reduction.loosen(by_photos), _bounded(reduction, 1))
        if (loose.fixed == OUT).all() or loose.least_cost() > budget:
            return Solution("infeasible", None, 0, 0, counts=True)
        return Solution("unknown", None, 0, reduction.circles[0][1].scores.shape[1], counts=True)
    most = min(attacker.scores.shape[1] for _, attacker, _ in reduction.circles)
    reached, bound, largest = 0, most, MAX_TOP
    best, work, top, cheapest = shared, 0, 1, True
    if previous is not None:
        before = np.ones(problem.rows, bool)
        before[sorted(previous)] = False
        top = max(1, _count_rivals(reduction, problem.kept_units(before), before))
    while reached < largest:
        solution = _solve_for(reduction, by_photos, top, limits)
        work += solution.work
        if solution.shared is not None and solution.cost <= budget:
            reached, best, cheapest = top, solution.shared, solution.status == "optimal"
        else:
            largest = top - 1
            if solution.status == "infeasible" or solution.bound > budget:
                bound = min(bound, top - 1)
        if limits.out_of_time() and (reached or top == 1):
            break
        top = min(2 * reached, largest) if largest == MAX_TOP else (reached + largest + 1) // 2
        top = max(top, reached + 1)
    kept = problem.kept_units(best)
    if problem.versions is None:
        cheapest = cheapest and bool((problem.weights == problem.weights[0]).all())
    elif problem.attackers:  # their counts matter too
        cheapest = False
    status = "optimal" if bound == reached and cheapest else "feasible"
    cost = problem.cost(kept, best)
    return Solution(status, kept, cost, bound, True, work, reached, shared=best)


def solve_all_tops(
    reduction: Reduction, most: int, limits: SearchLimits
) -> Iterator[tuple[int, Solution]]:
    """The best k for each number of photos left out, from what must go up to all but one.

    With versions, for each cost that a larger k needs.
    """
    problem = reduction.problem
    by_photos = replace(problem, weights=problem.sizes)
    shared = problem.first_choices()
    kept = problem.kept_units(shared)
    solved = [Solution("feasible", kept, by_photos.cost(kept, shared), 0, shared=shared)]
    for top in range(1, most + 1):
        solved.append(_solve_for(reduction, by_photos, top, limits))
        if solved[-1].kept is None or limits.out_of_time():
            break
    budgets: Sequence[int] = range(int(solved[0].cost), problem.photos)
    if problem.versions is not None:
        budgets = sorted({int(solution.cost) for solution in solved if solution.kept is not None})
    for budget in budgets:
        within = [k for k, s in enumerate(solved) if s.kept is not None and s.cost <= budget]
        reached = within[-1]
        # a k is out of reach where it, or a smaller one, is proved to cost more
        beyond = [k for k, s in enumerate(solved) if k > reached and _costs_more(s, budget)]
        bound = beyond[0] - 1 if beyond else reduction.circles[0][1].scores.shape[1]
        best = solved[reached]
        assert best.kept is not None and best.shared is not None
        cost = problem.cost(best.kept, best.shared)
        counted = replace(best, status="feasible", cost=cost, bound=bound, counts=True)
        yield budget, replace(counted, reached=reached)


def _costs_more(solution: Solution, budget: int) -> bool:
    return solution.status == "infeasible" or solution.bound > budget


def greedy_steps(reduction: Reduction) -> Iterator[tuple[Mask, Mask, int]]:
    """The units kept, the rows shared and the k that then holds, down to a single unit.

    First goes what tells most: the photos whose heaviest hidden circle holds most, in the mean of a
    unit and the sum over attackers. With versions, a photo goes on to its next dearer row that
    tells less before its unit goes. The k is counted by the promise's own words.
    """
    problem = reduction.problem
    if not all(attacker.rivals for _, attacker, _ in reduction.circles):
        return
    told = np.zeros(problem.rows)
    for _, attacker, _ in reduction.circles:
        seen = attacker.seen(np.ones(problem.rows, bool))
        told[seen] += attacker.own_circles[1].max(axis=1)[seen]
    shared = problem.first_choices()
    while shared.any():
        kept = problem.kept_units(shared)
        yield kept, shared, _count_rivals(reduction, kept, shared)
        free = np.flatnonzero(kept & (problem.fixed == FREE))
        sizes = np.bincount(problem.unit_of[shared], minlength=problem.units)
        mean = np.bincount(problem.unit_of, np.where(shared, told, 0.0), problem.units)
        ranked = free[np.argsort(-mean[free] / sizes[free], kind="stable")]
        if not len(ranked):
            return
        unit = int(ranked[0])
        less = _tell_less(problem, shared, told, unit)
        if less is None and np.count_nonzero(kept) == 1:
            return
        shared = shared & (problem.unit_of != unit) if less is None else less


def _tell_less(problem: Problem, shared: Mask, told: Floats, unit: int) -> Mask | None:
    """What is shared with a unit's most telling photo in its next version; None without one."""
    versions = problem.versions
    if versions is None:
        return None
    rows = np.flatnonzero(shared & (problem.unit_of == unit))
    for row in rows[np.argsort(-told[rows], kind="stable")].tolist():
        better = versions.allowed & (versions.photo_of == versions.photo_of[row])
        better &= (versions.costs >= versions.costs[row]) & (told < told[row])
        if better.any():
            candidates = np.flatnonzero(better)
            shared = shared.copy()
            shared[row] = False
            shared[candidates[versions.costs[candidates].argmin()]] = True
            return shared
    return None


def _count_rivals(reduction: Reduction, kept: Mask, photos: Mask) -> int:
    """The largest k, up to a limit, for which the promise is kept when these rows are shared."""
    top = min(counts(reduction.problem, kept, photos), default=MAX_TOP)
    for number, attacker, _ in reduction.circles:
        hidden = reduction.promise.against[number].circles
        seen = int(np.count_nonzero(attacker.seen(photos)))
        assert hidden is not None
        if not seen:
            continue
        exponents = {1 / seen, max(hidden.exponent, 1 / seen), 1.0}
        top = min(top, *(attacker.count_ahead(photos, exponent) for exponent in exponents))
        while top:
            wanted = replace(attacker, need=top)
            sums = float(wanted.margins(attacker.seen(photos)[None], 0.0)[0])
            if sums >= 0 and wanted.failing_exponent(photos, 1 / seen, 1.0) is None:
                break
            top -= 1
    return min(top, MAX_TOP)


def circle_views(reduction: Reduction, solution: Solution) -> dict[int, View]:
    """What each attacker of circles sees of what is shared, by number.

    His first rivals at the exponent that the view is about, the heaviest first: as many as the
    promise needs, or as were reached.
    """
    assert solution.shared is not None
    photos = solution.shared
    views = {}
    for number, attacker, _ in reduction.circles:
        hidden = reduction.promise.against[number].circles
        assert hidden is not None
        need = attacker.need if solution.reached is None else solution.reached
        cells, slack = attacker.first_rivals(photos, hidden.exponent, need)
        views[number] = View(need, cells, slack)
    return views


def rests_on_zero(reduction: Reduction, shared: Mask) -> bool:
    """Whether every hidden circle of some attacker is impossible."""
    return any(attacker.hides_nothing(shared) for _, attacker, _ in reduction.circles)
