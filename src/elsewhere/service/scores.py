"""Solve and check: from score tables to plans that were proved again.

The solver finds a plan and the checker proves it; neither knows the other. Nothing leaves this
module unproved.

The k that a plan withstands is drawn in secret (`secret_top`), from the one asked for upwards. Only
where that one cannot be had is there no plan. A plan that shares nothing new counts only for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from elsewhere.checker.optimality import prove_optimal
from elsewhere.checker.proof import Verdict, prove as check_plan
from elsewhere.errors import CheckError, InputError
from elsewhere.formats.plan_certificate import FORMAT, certificate_record, read_certificate
from elsewhere.formats.plan_file import plan_from_json
from elsewhere.formats.validation import to_text
from elsewhere.messages.verdict import explain_plan, infeasibility
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.infeasibility import find_reasons
from elsewhere.solver.plans import (
    frontier_points,
    previous_plan,
    read_limits,
    solve_promise,
)
from elsewhere.solver.proof_writer import write_proof
from elsewhere.solver.reductions import Contradiction
from elsewhere.solver.requests import Request, first_rows, preview, read_request
from elsewhere.values.plan import Frontier, Plan, Point, Status
from elsewhere.values.promise import Promise
from elsewhere.values.proof import Proof
from elsewhere.values.scores import Scores

Explain = Callable[[Promise, Sequence[Scores], SearchLimits], str]
"""Says why a promise cannot be kept, within about these limits."""


def protect(
    scores: Any,
    truth: Any,
    *,
    top: int | Sequence[int] | None = None,
    budget: int | Fraction | None = None,
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
    versions: Any = None,
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
        budget: at most this many photos withheld, dropped ones included (instead of `top`); with
            versions, at most this cost.
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
        versions: where photos can be shared edited, a pair (photo, cost) for each row of the
            scores, photo by photo; costs are in the photos' values, and 0 for a photo as it is.
        near: a plan, or the photos it withholds: among equally good plans prefer a similar one.
        time_limit: seconds; then the best plan so far, marked; math.inf for none.
        work_limit: the same as a count of work, which stops at the same plan on every machine. Has
            a default where neither limit is given.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> plan = elsewhere.protect(scores, truth=0, top=1)
    >>> plan.withheld, plan.kept, plan.status
    ((2,), (0, 1, 3), <Status.OPTIMAL: 'optimal'>)
    >>> print(plan.explanation)
    Withhold 1 of 4 photos: the truth is not among the top 1, and no smaller set is enough.
    """
    request = read_request(
        scores, truth, top=top, budget=budget, keep=keep, drop=drop, margin=margin, lead=lead,
        prior=prior, values=values, groups=groups, rivals=rivals, sees=sees,
        each_photo=each_photo, strict=strict, versions=versions,
    )  # fmt: skip
    limits = read_limits(time_limit, work_limit)
    previous = None if near is None else previous_plan(near, request)
    return solve_and_check(request, limits, previous)


def check(
    plan: Plan, scores: Any, truth: Any = None, *, proof: Proof | None = None, **wishes: Any
) -> Verdict:
    """Re-prove a plan from the scores, exactly, with code that shares nothing with the solver.

    What you pass (truth, top, keep, …, as to `protect`) is what you asked for, and must be what the
    plan says; pass nothing but the scores to check a plan against its own promise. A plan's claim
    that no smaller set is enough is checked where `proof` is what `prove` gave; otherwise it is the
    solver's and is not repeated here.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> plan = elsewhere.protect(scores, truth=0, top=1)
    >>> bool(elsewhere.check(plan, scores, truth=0, top=1))
    True
    >>> bool(elsewhere.check(plan, scores + 1e-3 * np.eye(4, 3), truth=0, top=1))
    False
    """
    if not isinstance(plan, Plan):
        raise InputError(f"check needs a plan as protect gives it, not {preview(plan)}")
    if truth is None and wishes:
        raise InputError("pass the truth too, or nothing but the scores")
    if truth is None:
        given = scores if isinstance(scores, (list, tuple)) and plan.several else [scores]
        matrices = tuple(s if isinstance(s, Scores) else Scores(s) for s in given)
        return check_plan(plan, plan.promise, matrices, proof)
    request = read_request(scores, truth, **wishes)
    promise = request.promise
    if len(plan.promise.against) == len(promise.against):
        # a bare table of scores names no model: the plan's name for it is used
        pairs = zip(promise.against, plan.promise.against, strict=True)
        named = tuple(a if a.scorer else replace(a, scorer=b.scorer) for a, b in pairs)
        promise = replace(promise, against=named)
    return check_plan(plan, promise, request.scores, proof)


def prove(plan: Plan, scores: Any) -> Proof | None:
    """A proof that no plan is better than `plan`, for `check` and for anybody who has the scores.

    For a plan that is only feasible, that none is better than its bound; for one that says that
    there is no plan, that there is none. None where it cannot be written: it would be too long, or
    the bound rests on more than it can say. It was checked.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> plan = elsewhere.protect(scores, truth=0, top=1)
    >>> proof = elsewhere.prove(plan, scores)
    >>> elsewhere.check(plan, scores, proof=proof).none_better
    True
    """
    if not isinstance(plan, Plan):
        raise InputError(f"prove needs a plan as protect gives it, not {preview(plan)}")
    given = scores if isinstance(scores, (list, tuple)) and plan.several else [scores]
    tables = tuple(s if isinstance(s, Scores) else Scores(s) for s in given)
    verdict = check_plan(plan, plan.promise, tables)
    if verdict.problems:
        raise CheckError(f"no proof is written: {verdict}")
    return prove_plan(plan, tables)


def prove_plan(plan: Plan, tables: Sequence[Scores]) -> Proof | None:
    """A proof that no plan is better than one that was checked to hold, checked too; or None."""
    proof = None if plan.status == Status.UNKNOWN else write_proof(plan, tables)
    return None if proof is None or prove_optimal(plan, proof, tables) else proof


def frontier(
    scores: Any,
    truth: Any,
    *,
    prove_up_to: int | Fraction | None = None,
    time_limit: float | None = None,
    work_limit: int | None = None,
    **wishes: Any,
) -> Frontier:
    """The best protected-k for every budget of withheld photos, the work shared between them.

    Proved optimal up to `prove_up_to` photos (by default half of them); beyond, each point has a
    plan and a bound. Where photos have versions, budgets are costs, and there is a point for each
    step. `wishes` are those of `protect` (keep, drop, margin, …). Budgets that cannot
    be kept because more photos must go are left out.

    >>> import numpy as np, elsewhere
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> elsewhere.frontier(scores, truth=0).points[1].plan.withheld
    (2,)
    """
    if {"top", "budget"} & set(wishes):
        raise InputError("frontier goes through all budgets: give neither top nor budget")
    request = read_request(scores, truth, budget=0, **wishes)
    limits = read_limits(time_limit, work_limit)
    return Frontier(tuple(checked_points(request, prove_up_to, limits)))


def explain_no_plan(promise: Promise, scores: Sequence[Scores], limits: SearchLimits) -> str:
    """Why no plan keeps a promise, with attackers by number."""
    reasons = find_reasons(promise, scores, limits, promise.keep)
    return infeasibility(promise, reasons, first_rows(scores[0], promise.versions).ids)


def solve_and_check(
    request: Request,
    limits: SearchLimits,
    previous: frozenset[int] | None = None,
    explain: Explain | None = explain_no_plan,
) -> Plan:
    """Solve a promise and prove the plan again; `explain`, if any, says why there is none."""
    promise, scores = request.promise, request.scores
    try:
        plan = solve_promise(request, limits, previous)
        if plan.status != Status.INFEASIBLE:
            explanation = explain_plan(plan)
        else:
            explanation = explain(promise, scores, limits) if explain else ""
    except Contradiction as contradiction:
        plan = Plan(Status.INFEASIBLE, (), (), 0, 0, (), promise, "", several=request.several)
        names = first_rows(scores[0], promise.versions).ids
        explanation = f"No plan can do this: {contradiction.named(names)}."
    return checked(replace(plan, explanation=explanation), request)


def checked_points(
    request: Request, prove_up_to: int | Fraction | None, limits: SearchLimits
) -> Iterator[Point]:
    """The points of `frontier`, each as soon as it is solved and proved again."""
    solved: Plan | None = None
    try:
        for point in frontier_points(request, prove_up_to, limits):
            if point.plan is not solved:
                solved = point.plan
                explained = replace(solved, explanation=explain_plan(solved))
                plan = checked(explained, replace(request, promise=solved.promise))
            yield replace(point, plan=plan)
    except Contradiction as contradiction:
        names = first_rows(request.scores[0], request.promise.versions).ids
        reason = contradiction.named(names)
        raise InputError(f"no plan can do this: {reason}") from None


def plan_despite(plan: Plan, scores: Sequence[Scores]) -> Plan | None:
    """A plan for the promise that `plan` says cannot be kept; None where the solver finds none."""
    request = Request(plan.promise, tuple(scores), plan.several)
    found = solve_and_check(request, read_limits(None, None), explain=None)
    return found if found.found else None


def read_plan_text(text: str) -> Plan:
    """The plan in the text of a plan file or of a certificate."""
    return read_certificate(text).plan if f'"{FORMAT}"' in text else plan_from_json(text)


def certify(plan: Plan, scores: Scores | Sequence[Scores]) -> str:
    """The certificate of `plan` as JSON, after the plan was proved once more on these scores."""
    return to_text(proved_record(plan, scores))


def proved_record(
    plan: Plan, scores: Scores | Sequence[Scores], *, libraries: bool = True
) -> dict[str, Any]:
    """The certificate as plain JSON values, after the plan was proved once more.

    There is none for a plan that was not found, and none for one that does not hold.
    """
    tables = [scores] if isinstance(scores, Scores) else list(scores)
    if not plan.found:
        raise InputError(f"there is no plan to certify: it is {plan.status}")
    verdict = check_plan(plan, plan.promise, tables)
    if verdict.problems:
        raise CheckError(f"no certificate is made: {verdict}")
    return certificate_record(plan, tables, libraries=libraries)


def checked(plan: Plan, request: Request) -> Plan:
    """The plan, if the check finds nothing wrong with it; CheckError otherwise."""
    verdict = check_plan(plan, request.promise, request.scores)
    if verdict.problems:
        raise CheckError(f"the plan could not be proved again ({verdict}); please report this")
    return plan


def solve_with_secret_top(
    request: Request,
    least: int,
    tops: Iterator[int],
    limits: SearchLimits,
    *,
    previous: frozenset[int] | None = None,
    explain: Explain | None = explain_no_plan,
    useful: Callable[[Plan], bool] = lambda plan: True,
) -> tuple[Plan, int]:
    """The plan for the first k that can be had, and that k; for `least` whatever comes of it.

    `useful` says whether a plan that was found is worth having.

    Each try above `least` takes at most half of what is left of the limits, so that there is
    something left for those after it.
    """
    for k in tops:
        part = limits
        if k > least:
            now = time.monotonic()
            part = replace(
                limits,
                deadline=now + max(0.0, limits.deadline - now) / 2,
                work=max(0.0, limits.work - limits.done) / 2,
                done=0,
                time_decided=False,
            )
        against = tuple(replace(attacker, top=k) for attacker in request.promise.against)
        attempt = replace(request, promise=replace(request.promise, against=against))
        plan = solve_and_check(attempt, part, previous, explain if k == least else None)
        if part is not limits:
            limits.done += part.done
            limits.time_decided = limits.time_decided or part.time_decided
        if k == least or (plan.found and useful(plan)):
            return plan, k
    raise AssertionError("the last try is the k asked for")
