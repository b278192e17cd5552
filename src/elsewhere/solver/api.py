"""`protect` and `check`: from wishes to a plan that has been re-proved."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.checker.facts import ascending
from elsewhere.checker.proof import Verdict, prove
from elsewhere.errors import CheckError, InputError
from elsewhere.solver.exact import Instance, Limits, solve
from elsewhere.solver.explain import explain_plan, explain_unknown
from elsewhere.solver.infeasibility import explain_infeasible
from elsewhere.solver.problem import Answer
from elsewhere.solver.reductions import Chain, Contradiction, reduce
from elsewhere.solver.requests import Request, known_wishes, photos, read_request, shown, whole
from elsewhere.solver.views import views
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

Explain = Callable[[Promise, Sequence[Scores], Limits], str]
PATIENCE = 60.0
"""Seconds that `protect` takes at most when neither limit is given."""


def protect(
    scores: Any,
    truth: Any,
    *,
    top: int | Sequence[int] | None = None,
    budget: int | None = None,
    keep: Iterable[int | str] = (),
    drop: Iterable[int | str] = (),
    margin: float | Sequence[float] = 0.0,
    lead: float | Sequence[float] = 0.0,
    prior: Any = None,
    values: Any = None,
    groups: Iterable[Iterable[int | str]] = (),
    rivals: Any = None,
    sees: Any = None,
    each_photo: bool | int | Sequence[bool | int] = False,
    strict: bool = False,
    near: Plan | Iterable[int | str] | None = None,
    time_limit: float | None = None,
    work_limit: int | None = None,
) -> Plan:
    """The fewest photos to withhold so that the truth is not in the top k; or, with a budget,
    the photos whose withholding pushes it furthest down. The plan was re-proved by `check`.

    Args:
        scores: (photos × cells) log-probabilities, any finite reals or −inf, or a `Scores`; a list
            of them means several attackers, all of which must be satisfied by one plan.
        truth: the cell to hide, or a set of them (a zone): a rival must outrank every one. With
            several attackers one for all, or a list with one each.
        top: the truth must not be among this many first cells; with several attackers one number
            or a list.
        budget: at most this many photos withheld, dropped ones included (instead of `top`).
        keep: photos that must stay, by number or name (also those that are public already).
        drop: photos that must go.
        margin: θ for models not seen: each kept photo counts this much more for the truth.
        lead: nats by which a rival must be ahead in all.
        prior: what the attacker knows beforehand, one log-probability a cell; counted once.
        values: what withholding each photo costs: one positive number a photo, or a mapping.
        groups: photos that stay or go together.
        rivals: only these cells count as rivals.
        sees: only these photos are added up (several attackers: a list, None for all photos).
        each_photo: every kept photo alone must keep the promise too (True: with the same top);
            several attackers: for all, or a list with one each.
        strict: a rival must be strictly ahead; a tie does not count.
        near: a plan, or the photos it withholds: among equally good plans prefer a similar one.
        time_limit: seconds; then the best plan so far, marked. Default 60, or none with a work
            limit; math.inf for none.
        work_limit: the same as a count of work, which stops at the same plan on every machine.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> plan = elsewhere.protect(scores, truth=0, top=1)
    >>> plan.withheld, plan.kept, plan.status
    ((2,), (0, 1, 3), <Status.OPTIMAL: 'optimal'>)
    >>> print(plan.explanation)
    Withhold 1 of 4 photos: the truth is not among the top 1, and no smaller set would do.
    """
    asked = read_request(
        scores, truth, top=top, budget=budget, keep=keep, drop=drop, margin=margin, lead=lead,
        prior=prior, values=values, groups=groups, rivals=rivals, sees=sees,
        each_photo=each_photo, strict=strict,
    )  # fmt: skip
    limits = read_limits(time_limit, work_limit)
    return solve_promise(asked, limits, withheld_by(near, asked))


def check(plan: Plan, scores: Any, truth: Any = None, **wishes: Any) -> Verdict:
    """Re-prove a plan from the scores, exactly, with code that shares nothing with the solver.

    What you pass (truth, top, keep, …, as to `protect`) is what you asked for, and must be what the
    plan says; pass nothing but the scores to check a plan against its own promise. A plan's claim
    that no smaller set would do is the solver's proof and is not repeated here.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> plan = elsewhere.protect(scores, truth=0, top=1)
    >>> bool(elsewhere.check(plan, scores, truth=0, top=1))
    True
    >>> bool(elsewhere.check(plan, scores + 1e-3 * np.eye(4, 3), truth=0, top=1))
    False
    """
    if not isinstance(plan, Plan):
        raise InputError(f"check needs a plan as protect gives it, not {shown(plan)}")
    if truth is None and wishes:
        raise InputError("pass the truth too, or nothing but the scores")
    if truth is None:
        given = scores if isinstance(scores, (list, tuple)) and plan.several else [scores]
        matrices = tuple(s if isinstance(s, Scores) else Scores(s) for s in given)
        return prove(plan, plan.promise, matrices)
    asked = read_request(scores, truth, **known_wishes(wishes))
    return prove(plan, _named_as_in(plan, asked.promise), asked.scores)


def read_limits(time_limit: float | None, work_limit: int | None) -> Limits:
    """The solver's limits from what a person passed."""
    work = math.inf if work_limit is None else float(whole(work_limit, "work_limit", least=0))
    if time_limit is None:
        time_limit = PATIENCE if work_limit is None else math.inf
    number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not number or isinstance(time_limit, bool) or not time_limit >= 0:
        raise InputError(f"time_limit must be a number of seconds, not {shown(time_limit)}")
    return Limits(deadline=time.monotonic() + time_limit, work=work)


def solve_promise(
    asked: Request,
    limits: Limits,
    previous: frozenset[int] | None = None,
    explain: Explain = explain_infeasible,
) -> Plan:
    """Solve a promise that was read, and re-prove the plan; `explain` says why there is none."""
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


def finish(asked: Request, chain: Chain, instance: Instance, answer: Answer) -> Plan:
    """A solver's answer as a plan in the user's terms, re-proved before anyone sees it."""
    assert answer.kept is not None
    seen, rests_on_zero = views(instance, answer.kept)
    answer = chain.invert(answer)
    assert answer.kept is not None
    withheld = tuple(np.flatnonzero(~answer.kept).tolist())
    protected = min(view.protected_k for view in seen)
    plan = Plan(
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
    return _proved(plan, asked)


def _without(asked: Request, answer: Answer, why: str) -> Plan:
    plan = Plan(
        status=Status(answer.status), withheld=(), kept=(), cost=0, bound=_plain(answer.bound),
        views=(), promise=asked.promise, explanation=why, several=asked.several, work=answer.work,
    )  # fmt: skip
    return _proved(plan, asked)


def _proved(plan: Plan, asked: Request) -> Plan:
    """The plan, if the check lets it pass."""
    verdict = prove(plan, asked.promise, asked.scores)
    if not verdict:
        raise CheckError(f"the plan did not survive its re-proof ({verdict}); please report this")
    return plan


def _named_as_in(plan: Plan, promise: Promise) -> Promise:
    """Scores given as a bare table name no model: the plan's word for it is then taken."""
    if len(plan.promise.against) != len(promise.against):
        return promise
    pairs = zip(promise.against, plan.promise.against, strict=True)
    named = tuple(a if a.scorer else replace(a, scorer=b.scorer) for a, b in pairs)
    return replace(promise, against=named)


def _plain(value: int | Fraction) -> int | Fraction:
    exact = Fraction(value)
    return exact.numerator if exact.denominator == 1 else exact


def withheld_by(near: Plan | Iterable[int | str] | None, asked: Request) -> frozenset[int] | None:
    """The photos that the plan before withheld; it may come from a file, and be about anything."""
    if near is None:
        return None
    if not isinstance(near, Plan):
        return frozenset(photos(near, asked.scores[0], "near"))
    if near.promise.photos != asked.promise.photos:
        raise InputError(
            f"near is a plan for {near.promise.photos} photos, but there are {asked.promise.photos}"
        )
    if not ascending(near.withheld, asked.promise.photos):
        raise InputError("near is no plan: what it withholds is not an ascending list of photos")
    return frozenset(near.withheld) if near.found else None
