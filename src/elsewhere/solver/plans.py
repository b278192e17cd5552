"""From a request that was read to a plan, which is yet to be proved by the check."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from elsewhere.errors import InputError
from elsewhere.solver.exact import Instance, Limits, solve
from elsewhere.solver.explain import explain_plan, explain_unknown
from elsewhere.solver.infeasibility import explain_infeasible
from elsewhere.solver.problem import Answer
from elsewhere.solver.reductions import Contradiction, Reduction, reduce
from elsewhere.solver.requests import Request, preview, read_integer, read_photos
from elsewhere.solver.views import views
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

Explain = Callable[[Promise, Sequence[Scores], Limits], str]
PATIENCE = 60.0
"""Seconds that `protect` takes at most when neither limit is given."""


def read_limits(time_limit: float | None, work_limit: int | None) -> Limits:
    """The solver's limits from what a person passed."""
    work = math.inf if work_limit is None else float(read_integer(work_limit, "work_limit", 0))
    if time_limit is None:
        time_limit = PATIENCE if work_limit is None else math.inf
    number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not number or isinstance(time_limit, bool) or not time_limit >= 0:
        raise InputError(f"time_limit must be a number of seconds, not {preview(time_limit)}")
    return Limits(deadline=time.monotonic() + time_limit, work=work)


def solve_promise(
    asked: Request,
    limits: Limits,
    previous: frozenset[int] | None = None,
    explain: Explain = explain_infeasible,
) -> Plan:
    """Solve a promise that was read; `explain` says why there is no plan."""
    with np.errstate(all="ignore"):  # scores of extreme spread overflow into doubt, never an error
        return _fulfil(asked, limits, previous, explain)


def _fulfil(
    asked: Request, limits: Limits, previous: frozenset[int] | None, explain: Explain
) -> Plan:
    promise = asked.promise
    try:
        chain = reduce(promise, asked.scores)
    except Contradiction as reason:
        answer = Answer(Status.INFEASIBLE, None, 0, 0)
        return _without(asked, answer, f"No plan can do this: {reason.named(asked.scores[0].ids)}.")
    instance = Instance(chain.problem)
    answer = solve(instance, limits, previous)
    if answer.kept is None:
        if answer.status == Status.UNKNOWN:
            return _without(asked, chain.invert(answer), explain_unknown(promise))
        why = explain(promise, asked.scores, limits)
        return _without(asked, answer, why)
    return finish(asked, chain, instance, answer)


def finish(asked: Request, chain: Reduction, instance: Instance, answer: Answer) -> Plan:
    """A solver's answer as a plan in the user's terms."""
    assert answer.kept is not None
    seen, rests_on_zero = views(instance, answer.kept)
    answer = chain.invert(answer)
    assert answer.kept is not None
    withheld = tuple(np.flatnonzero(~answer.kept).tolist())
    protected = min(view.protected_k for view in seen)
    return Plan(
        status=Status(answer.status),
        withheld=withheld,
        kept=tuple(np.flatnonzero(answer.kept).tolist()),
        cost=_plain(answer.cost),
        bound=_plain(answer.bound),
        views=seen,
        promise=asked.promise,
        explanation=explain_plan(asked.promise, answer, len(withheld), protected),
        several=asked.several,
        rests_on_zero=rests_on_zero,
        work=answer.work,
    )


def _without(asked: Request, answer: Answer, why: str) -> Plan:
    return Plan(
        status=Status(answer.status), withheld=(), kept=(), cost=0, bound=_plain(answer.bound),
        views=(), promise=asked.promise, explanation=why, several=asked.several, work=answer.work,
    )  # fmt: skip


def _plain(value: int | Fraction) -> int | Fraction:
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact


def withheld_by(near: Plan | Iterable[int | str] | None, asked: Request) -> frozenset[int] | None:
    """The photos that the plan before withheld; it may come from a file, and be about anything."""
    if near is None:
        return None
    if not isinstance(near, Plan):
        return frozenset(read_photos(near, asked.scores[0], "near"))
    if near.promise.photos != asked.promise.photos:
        raise InputError(
            f"near is a plan for {near.promise.photos} photos, but there are {asked.promise.photos}"
        )
    if list(near.withheld) != sorted(set(near.withheld) & set(range(asked.promise.photos))):
        raise InputError("near is no plan: what it withholds is not an ascending list of photos")
    return frozenset(near.withheld) if near.found else None
