"""From a request to plans: one plan, or one for each budget. `service` proves them again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.exact import Instance, SearchLimits, solve
from elsewhere.solver.exact.solver import BudgetStep, solve_all_budgets
from elsewhere.solver.problem import Attacker, Floats, Ints, Mask, Solution, row_slack
from elsewhere.solver.reductions import Reduction, reduce
from elsewhere.solver.requests import Request, preview, read_integer, read_photos
from elsewhere.values.plan import Plan, Point, Status, View

DEFAULT_SECONDS = 60.0
"""The time limit where neither limit is given."""


def read_limits(time_limit: float | None, work_limit: int | None) -> SearchLimits:
    """The solver's limits from what a person passed."""
    work = math.inf if work_limit is None else float(read_integer(work_limit, "work_limit", 0))
    if time_limit is None:
        time_limit = DEFAULT_SECONDS if work_limit is None else math.inf
    is_number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not is_number or isinstance(time_limit, bool) or not time_limit >= 0:
        raise InputError(f"must be a number of seconds, not {preview(time_limit)}", "time_limit")
    return SearchLimits(deadline=time.monotonic() + time_limit, work=work)


def previous_plan(near: Plan | Iterable[int | str], request: Request) -> frozenset[int] | None:
    """The photos that a previous plan withholds; it may come from any file."""
    if not isinstance(near, Plan):
        return frozenset(read_photos(near, request.scores[0], "near"))
    photos = request.promise.photos
    if near.promise.photos != photos:
        raise InputError(f"near is a plan for {near.promise.photos} photos, but there are {photos}")
    if list(near.withheld) != sorted(set(near.withheld) & set(range(photos))):
        raise InputError("near is not a plan: what it withholds is not an ascending list of photos")
    return frozenset(near.withheld) if near.found else None


def solve_promise(
    request: Request, limits: SearchLimits, previous: frozenset[int] | None = None
) -> Plan:
    """The plan for a promise, without explanation; Contradiction where its wishes exclude it."""
    with np.errstate(all="ignore"):  # extreme scores overflow into doubt, never into an error
        reduction = reduce(request.promise, request.scores)
        instance = Instance(reduction.problem)
        solution = solve(instance, limits, previous)
        return make_plan(request, reduction, instance, solution)


def make_plan(
    request: Request, reduction: Reduction, instance: Instance, solution: Solution
) -> Plan:
    """A solution as a plan, in photos and values."""
    views: tuple[View, ...] = ()
    rests_on_zero = False
    if solution.kept is not None:
        views, rests_on_zero = attacker_views(instance, solution.kept)
    solution = reduction.invert(solution)
    withheld = kept = np.zeros(0, np.intp)
    if solution.kept is not None:
        withheld, kept = np.flatnonzero(~solution.kept), np.flatnonzero(solution.kept)
    return Plan(
        status=Status(solution.status),
        withheld=tuple(withheld.tolist()),
        kept=tuple(kept.tolist()),
        cost=solution.cost,
        bound=solution.bound,
        views=views,
        promise=request.promise,
        explanation="",
        several=request.several,
        rests_on_zero=rests_on_zero,
        work=solution.work,
    )


def frontier_points(
    request: Request, prove_up_to: int | None, limits: SearchLimits
) -> Iterator[Point]:
    """The best plan for every budget, each as soon as it is solved.

    Proved up to a number of photos; by default half of them. Contradiction where the wishes exclude
    each other.
    """
    if prove_up_to is None:
        prove_up_to = request.promise.photos // 2
    prove_up_to = read_integer(prove_up_to, "prove_up_to", 0)
    promise = request.promise
    reduction = reduce(replace(promise, budget=promise.photos), request.scores)
    instance = Instance(reduction.problem)
    if not instance.units and not instance.fixed_in.any():
        raise InputError("every photo must go, but at least one must be kept")
    # Steps count photos for the worst-off attacker. With one attacker and no values, the best plan
    # by that count is optimal.
    only_counts = len(request.scores) == 1 and promise.values is None
    plan: Plan | None = None
    last: BudgetStep | None = None
    with np.errstate(all="ignore"):
        for step in solve_all_budgets(instance, prove_up_to, limits):
            if plan is None or last is None or (step.left_out != last.left_out).any():
                optimal = step.reached == step.bound and step.fewest and only_counts
                kept = instance.units_kept(step.left_out)
                cost = int(reduction.problem.weights[~kept].sum())
                status = Status.OPTIMAL if optimal else Status.FEASIBLE
                solution = Solution(status, kept, cost, step.bound, counts=True)
                within = replace(request, promise=replace(promise, budget=step.budget))
                plan = make_plan(within, reduction, instance, solution)
            last = step
            yield Point(step.budget, plan, step.bound)


def attacker_views(instance: Instance, kept: Mask) -> tuple[tuple[View, ...], bool]:
    """What each attacker sees of the kept units, and whether the plan rests on a zero.

    It does where the promise would fail if rows that a probability of zero decides did not hold.
    """
    problem = instance.problem
    left_out = ~kept[instance.free]
    photos = kept[problem.unit_of]
    holding = instance.holding(left_out)
    slack = instance.slacks(instance.sums(left_out))
    views = []
    counts_without_zero = []
    for a, attacker in enumerate(problem.attackers):
        own = np.flatnonzero((instance.attacker_of == a) & holding)
        cells = instance.cell_of[own]
        seen = photos if attacker.sees is None else photos & attacker.sees
        impossible = np.isneginf(attacker.scores[np.ix_(seen, attacker.zone)]).any(axis=0)
        if attacker.offset is not None:
            impossible = impossible | np.isneginf(attacker.offset[attacker.zone])
        if impossible.all():  # every rival is infinitely far ahead
            cells = np.sort(cells)
        else:
            error = float(instance.error_bound[own].max(initial=0.0))
            cells = cells[_order(attacker, seen, cells, slack[own], error)]
        needed = attacker.need if problem.budget is None else len(cells)
        last_slack = math.inf
        if 0 < needed <= len(cells):
            rival, possible = int(cells[needed - 1]), attacker.zone[~impossible].tolist()
            rows = [row_slack(attacker, photos, rival, zone_cell) for zone_cell in possible]
            last_slack = min(rows, default=math.inf)
        counts_without_zero.append(0 if impossible.any() else len(cells))
        views.append(View(len(cells), tuple(cells.tolist()), last_slack))
    needs = [attacker.need for attacker in problem.attackers]
    if problem.budget is not None:
        counts_without_zero = [min(counts_without_zero)]
        needs = [min(view.protected_k for view in views)]
    pairs = zip(counts_without_zero, needs, strict=True)
    return tuple(views), any(count < need for count, need in pairs)


def _order(attacker: Attacker, seen: Mask, cells: Ints, slack: Floats, error: float) -> Ints:
    """Furthest ahead first; near-ties by exact column sums, real ties by cell."""
    order = np.lexsort((cells, -slack))
    if len(order) < 2:
        return order
    gap = slack[order[:-1]] - slack[order[1:]]
    close = ~(gap > 2 * error)
    if not close.any():
        return order
    starts = np.flatnonzero(np.concatenate([[True], ~close]))
    ends = np.append(starts[1:], len(order))

    def exact_key(i: int) -> tuple[Fraction, int]:
        terms = attacker.scores[seen, cells[i]].tolist()
        if attacker.offset is not None:
            terms.append(float(attacker.offset[cells[i]]))
        if -math.inf in terms:
            return Fraction(10**400), int(cells[i])
        return -sum((Fraction(term) for term in terms), Fraction(0)), int(cells[i])

    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        if end - start > 1:
            order[start:end] = sorted(order[start:end].tolist(), key=exact_key)
    return order
