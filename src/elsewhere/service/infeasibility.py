"""Why there is no plan: what is in the way, and which posted photos to take down.

Only photos that the user keeps can be given up. What is posted already cannot be withheld, but it
may be taken down again: the fewest that will do are the answer to the same problem, with the posted
photos free to go and each of them worth more than the whole album.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from elsewhere.service.scores import solve_and_check
from elsewhere.solver.exact import Limits
from elsewhere.solver.infeasibility import Inquiry, inquiry_deadline
from elsewhere.solver.requests import Request
from elsewhere.values.outcome import Blocked, Reasons
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores

PATIENCE = 15.0
"""Seconds for finding out what to take down."""


def find_reasons(
    promise: Promise, scores: Sequence[Scores], limits: Limits, keep: Sequence[int]
) -> Reasons:
    """Why a promise cannot be kept; `keep` are the user's own pins."""
    inquiry = Inquiry(promise, scores, inquiry_deadline(limits), stopped=limits.stopped)
    forced = inquiry.forced_out()
    if forced == promise.photos:
        drops = promise.drop if promise.drop and inquiry.drops_block() else ()
        return Reasons(forced, every_photo=True, drops=drops)
    if promise.budget is not None:
        return Reasons(forced)
    reasons = Reasons(forced, pinned=len(keep), posted=len(promise.keep) - len(keep))
    # one question about the top comes first: those about photos are many
    best, known = inquiry.best_top()
    reasons = replace(reasons, best_top=best, best_top_known=known)
    if any(attacker.margin for attacker in promise.against):
        bare = tuple(replace(attacker, margin=0.0) for attacker in promise.against)
        best, known = inquiry.best_top(replace(promise, against=bare))
        without_margin = Reasons(best_top=best, best_top_known=known)
        reasons = replace(reasons, bare_top=without_margin.reachable_top)
    if len(promise.against) > 1:
        blocking, each_alone = inquiry.blocking()
        reasons = replace(reasons, blocking=blocking, each_alone=each_alone)
    if keep:
        pins = inquiry.pins_in_the_way(keep)
        reasons = replace(reasons, pins=pins)
        if pins:
            sufficient, known = inquiry.enough_to_give_up(pins)
            reasons = replace(reasons, sufficient=sufficient, sufficient_known=known)
    if promise.drop and inquiry.drops_block():
        reasons = replace(reasons, drops=promise.drop)
    return reasons


def blocked_by_posted(
    promise: Promise, scores: Sequence[Scores], posted: Sequence[int]
) -> Blocked | None:
    """Why an impossible promise is impossible, where the posted photos alone are the reason.

    None where it could be kept with them, if only the user's own pins were given up, or where that
    could not be found out.
    """
    if not posted or promise.budget is not None:
        return None
    posted = tuple(sorted(posted))
    deadline = time.monotonic() + PATIENCE
    # the user's pins are given up first: they are not public yet
    posted_only = replace(promise, keep=posted)
    if _solve(posted_only, scores, deadline).status != Status.INFEASIBLE:
        return None
    sure = True
    by = Inquiry(posted_only, scores, deadline).pins_in_the_way(posted) or posted
    values = list(promise.values or [Fraction(1)] * promise.photos)
    heavy = sum((value for n, value in enumerate(values) if n not in posted), Fraction(1))
    for number in posted:
        values[number] = heavy
    for keep in dict.fromkeys([tuple(pin for pin in promise.keep if pin not in posted), ()]):
        weighted = replace(promise, keep=keep, values=tuple(values))
        plan = _solve(weighted, scores, deadline)
        sure = sure and plan.status != Status.UNKNOWN
        if plan.found:
            down = tuple(n for n in plan.withheld if n in posted)
            rest = tuple(n for n in plan.withheld if n not in posted)
            return Blocked(by, down, plan.status == Status.OPTIMAL, rest)
    return Blocked(by, None, sure=sure)


def _solve(promise: Promise, scores: Sequence[Scores], deadline: float) -> Plan:
    limits = Limits(deadline=deadline, work=float("inf"))
    return solve_and_check(Request(promise, tuple(scores), len(scores) > 1), limits, explain=None)
