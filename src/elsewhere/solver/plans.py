"""From a request to plans: one plan, or one for each budget. `service` proves them again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.circle_plans import (
    circle_views,
    rests_on_zero,
    solve_all_tops,
    solve_circles,
)
from elsewhere.solver.exact import Instance, SearchLimits, solve
from elsewhere.solver.exact.solver import BudgetStep, solve_all_budgets
from elsewhere.solver.problem import OUT, Attacker, Floats, Ints, Mask, Solution, row_slack
from elsewhere.solver.reductions import Reduction, cost_scale, reduce
from elsewhere.solver.requests import (
    Request,
    first_rows,
    preview,
    read_cost,
    read_integer,
    read_photos,
)
from elsewhere.values.plan import Plan, Point, Status, View

MAX_FRONTIER_TOP = 15
"""The largest k of places that a frontier shows."""
DEFAULT_WORK = 300_000
"""The work limit where neither limit is given: it stops at the same plan on every machine. Some
twenty seconds."""
DEFAULT_SECONDS = 300.0
"""The clock that ends it nevertheless, where a machine is very slow."""


def read_limits(time_limit: float | None, work_limit: int | None) -> SearchLimits:
    """The solver's limits from what a person passed."""
    work = math.inf if work_limit is None else float(read_integer(work_limit, "work_limit", 0))
    if time_limit is None and work_limit is None:
        time_limit, work = DEFAULT_SECONDS, DEFAULT_WORK
    time_limit = math.inf if time_limit is None else time_limit
    is_number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not is_number or isinstance(time_limit, bool) or not time_limit >= 0:
        raise InputError(f"must be a number of seconds, not {preview(time_limit)}", "time_limit")
    return SearchLimits(deadline=time.monotonic() + time_limit, work=work)


def previous_plan(near: Plan | Iterable[int | str], request: Request) -> frozenset[int] | None:
    """The rows of the scores that a previous plan does not share; it may come from any file.

    Without versions these are the photos that it withholds.
    """
    promise = request.promise
    if not isinstance(near, Plan):
        table = request.scores[0]
        photos = read_photos(near, first_rows(table, promise.versions), "near")
    elif near.promise.photos != promise.photos:
        raise InputError(
            f"near is a plan for {near.promise.photos} photos, but there are {promise.photos}"
        )
    elif list(near.withheld) != sorted(set(near.withheld) & set(range(promise.photos))):
        raise InputError("near is not a plan: what it withholds is not an ascending list of photos")
    elif not near.found:
        return None
    else:
        photos = near.withheld
    if promise.versions is None:
        return frozenset(photos)
    if isinstance(near, Plan) and near.promise.versions == promise.versions:
        return frozenset(range(promise.rows)).difference(near.choices)
    return frozenset(row for row, photo in enumerate(promise.photo_of) if photo in set(photos))


def solve_promise(
    request: Request, limits: SearchLimits, previous: frozenset[int] | None = None
) -> Plan:
    """The plan for a promise, without explanation; Contradiction where its wishes exclude it."""
    with np.errstate(all="ignore"):  # extreme scores overflow into doubt, never into an error
        reduction = reduce(request.promise, request.scores)
        if reduction.circles:
            solution = solve_circles(reduction, limits, previous)
            return make_plan(request, reduction, None, solution)
        instance = Instance(reduction.problem)
        solution = solve(instance, limits, previous)
        return make_plan(request, reduction, instance, solution)


def make_plan(
    request: Request,
    reduction: Reduction,
    instance: Instance | None,
    solution: Solution,
) -> Plan:
    """A solution as a plan, in photos and values."""
    views: tuple[View, ...] = ()
    zero_decides = False
    if solution.kept is not None and solution.shared is not None:
        if reduction.problem.attackers:
            instance = instance or Instance(reduction.problem)
            views, zero_decides = attacker_views(instance, solution.kept, solution.shared)
        if reduction.circles:
            around = circle_views(reduction, solution)
            cells = iter(views)
            numbers = range(len(request.promise.against))
            views = tuple(around[n] if n in around else next(cells) for n in numbers)
            zero_decides = zero_decides or rests_on_zero(reduction, solution.shared)
    solution = reduction.invert(solution)
    withheld = kept = choices = np.zeros(0, np.intp)
    if solution.kept is not None:
        withheld, kept = np.flatnonzero(~solution.kept), np.flatnonzero(solution.kept)
        if request.promise.versions is not None and solution.shared is not None:
            choices = np.flatnonzero(solution.shared)
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
        rests_on_zero=zero_decides,
        work=solution.work,
        choices=tuple(choices.tolist()),
    )


def frontier_points(
    request: Request, prove_up_to: int | Fraction | None, limits: SearchLimits
) -> Iterator[Point]:
    """The best plan for every budget, each as soon as it is solved.

    Proved up to a number of photos; by default half of them. With versions, budgets are costs, and
    there is a point for each step. Contradiction where the wishes exclude each other.
    """
    promise = request.promise
    scale, everything = Fraction(1), Fraction(promise.photos)
    if promise.versions is not None:
        scale = cost_scale(promise)
        everything = sum(promise.values or [Fraction(1)] * promise.photos, Fraction(0))
    if prove_up_to is None:
        prove_up_to = everything / 2
    elif promise.versions is None:
        prove_up_to = read_integer(prove_up_to, "prove_up_to", 0)
    else:
        prove_up_to = read_cost(prove_up_to)
    whole = everything if promise.versions is not None else promise.photos
    reduction = reduce(replace(promise, budget=whole), request.scores)
    if reduction.circles:
        yield from _circle_points(request, reduction, limits)
        return
    instance = Instance(reduction.problem)
    if not instance.units and not instance.fixed_in.any():
        raise InputError("every photo must go, but at least one must be kept")
    # Steps count photos (with versions, cost) for the worst-off attacker. With one attacker and no
    # values, the best plan by that count is optimal.
    only_counts = promise.values is None or promise.versions is not None
    only_counts = only_counts and len(request.scores) == 1
    plan: Plan | None = None
    last: BudgetStep | None = None
    with np.errstate(all="ignore"):
        for step in solve_all_budgets(instance, int(prove_up_to * scale), limits):
            budget: int | Fraction = step.budget
            if promise.versions is not None:
                budget = step.budget / scale
            if plan is None or last is None or (step.left_out != last.left_out).any():
                optimal = step.reached == step.bound and step.fewest and only_counts
                kept = instance.units_kept(step.left_out)
                shared = instance.rows_shared(step.left_out)
                cost = reduction.problem.cost(kept, shared)
                status = Status.OPTIMAL if optimal else Status.FEASIBLE
                solution = Solution(status, kept, cost, step.bound, counts=True, shared=shared)
                within = replace(request, promise=replace(promise, budget=budget))
                plan = make_plan(within, reduction, instance, solution)
            last = step
            yield Point(budget, plan, step.bound)


def _circle_points(request: Request, reduction: Reduction, limits: SearchLimits) -> Iterator[Point]:
    """The best plan known for every budget, where circles are hidden."""
    if not (reduction.problem.fixed != OUT).any():
        raise InputError("every photo must go, but at least one must be kept")
    plan: Plan | None = None
    scale = cost_scale(request.promise)
    for whole, solution in solve_all_tops(reduction, MAX_FRONTIER_TOP, limits):
        budget: int | Fraction = whole if request.promise.versions is None else whole / scale
        if plan is None or solution.reached != plan.protected_k:
            within = replace(request, promise=replace(request.promise, budget=budget))
            plan = make_plan(within, reduction, None, solution)
        yield Point(budget, plan, int(solution.bound))


def attacker_views(
    instance: Instance, kept: Mask, shared: Mask | None = None
) -> tuple[tuple[View, ...], bool]:
    """What each attacker sees of the kept units, and whether the plan rests on a zero.

    With versions, `shared` are the rows that are shared of them. A plan rests on a zero where the
    promise would fail if rows that a probability of zero decides did not hold.
    """
    problem = instance.problem
    photos = kept[problem.unit_of] if shared is None else shared
    left_out = instance.plan_of(kept, photos)
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
