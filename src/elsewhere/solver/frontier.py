"""`frontier`: what each number of withheld photos buys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.exact import Instance, Limits
from elsewhere.solver.exact.budgets import BudgetStep, solve_all_budgets
from elsewhere.solver.plans import finish, read_limits
from elsewhere.solver.problem import Answer
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.solver.requests import Request, known_wishes, read_integer, read_request
from elsewhere.values.plan import Plan, Point


def points(
    scores: Any,
    truth: Any,
    *,
    prove_up_to: int | None = None,
    time_limit: float | None = None,
    work_limit: int | None = None,
    stopped: Callable[[], bool] | None = None,
    **wishes: Any,
) -> tuple[Request, Iterator[Point]]:
    """What was asked, and the points of `frontier`, each as soon as it is solved.

    Once `stopped` returns True, no further point is proved to be the best.
    """
    if {"top", "budget"} & set(wishes):
        raise InputError("frontier goes through all budgets: give neither top nor budget")
    asked = read_request(scores, truth, budget=0, **known_wishes(wishes, "top", "budget"))
    half = asked.promise.photos // 2
    limit = half if prove_up_to is None else read_integer(prove_up_to, "prove_up_to", least=0)
    limits = replace(read_limits(time_limit, work_limit), stopped=stopped)
    return asked, _points(asked, limit, limits)


def _points(asked: Request, prove_up_to: int, limits: Limits) -> Iterator[Point]:
    everything = replace(asked, promise=replace(asked.promise, budget=asked.promise.photos))
    try:
        chain = reduce(everything.promise, asked.scores)
    except Contradiction as reason:
        why = reason.named(asked.scores[0].ids)
        raise InputError(f"no plan can do this: {why}") from None
    instance = Instance(chain.problem)
    if not instance.units and not instance.fixed_in.any():
        raise InputError("every photo must go, but at least one must be kept")
    # steps count photos for the worst-off attacker; an optimal plan is also best in all other ways
    alike = len(asked.scores) == 1 and asked.promise.values is None
    plan: Plan | None = None
    last: BudgetStep | None = None
    with np.errstate(all="ignore"):
        for step in solve_all_budgets(instance, prove_up_to, limits):
            if plan is None or last is None or (step.left_out != last.left_out).any():
                promise = replace(asked.promise, budget=step.budget)
                best = step.reached == step.bound and step.fewest and alike
                status = "optimal" if best else "feasible"
                kept = instance.units_kept(step.left_out)
                cost = int(chain.problem.weights[~kept].sum())
                answer = Answer(status, kept, cost, step.bound, counts=True)
                plan = finish(replace(asked, promise=promise), chain, instance, answer)
            last = step
            yield Point(step.budget, plan, step.bound)
