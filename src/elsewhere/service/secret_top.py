"""The k that is really used: drawn in secret, never below the one asked for.

A minimal plan leaves the truth at rank k + 1, just outside. Somebody who knows the tool and the k
guesses that cell; so nobody but the certificate knows the k. It is drawn evenly from K to 3K.
Whatever can be had for k can be had for less, so where the drawn k cannot be had a smaller one is
drawn, down to K itself: what is used in the end is drawn evenly among all that can be had. Only
where K itself cannot be had is there no plan. A plan that shares nothing new, because all it keeps
is out already, is as good as none, and counts as one only for K itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random, SystemRandom

from elsewhere.service.scores import Explain, explain_no_plan, solve_and_check
from elsewhere.solver.exact import Limits
from elsewhere.solver.requests import Request
from elsewhere.values.outcome import MAX_TOP_FACTOR
from elsewhere.values.plan import Plan


def candidate_tops(
    asked: int, most: int, draw: Random | None = None, first: int | None = None
) -> Iterator[int]:
    """The ks to try, each smaller than the one before, the last one the k asked for.

    `first` is a k drawn before, taken where it may still be; `most` the largest that makes sense.

    >>> list(candidate_tops(5, 5)), next(candidate_tops(5, 99, first=11))
    ([5], 11)
    """
    draw = draw or SystemRandom()
    high = max(asked, min(MAX_TOP_FACTOR * asked, most))
    k = first if first is not None and asked <= first <= high else draw.randint(asked, high)
    while True:
        yield k
        if k == asked:
            return
        k = draw.randint(asked, k - 1)


def solve_with_secret_top(
    asked: Request,
    least: int,
    tries: Iterator[int],
    limits: Limits,
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
    for k in tries:
        part = _half(limits) if k > least else limits
        before = part.done
        plan = solve_and_check(with_top(asked, k), part, previous, explain if k == least else None)
        if part is not limits:
            limits.done += part.done - before
        if k == least or (plan.found and useful(plan)):
            return plan, k
    raise AssertionError("the last try is the k asked for")


def with_top(asked: Request, k: int) -> Request:
    """The same wishes with another k, for single photos too where they have one."""
    against = tuple(
        replace(one, top=k, each_photo=None if one.each_photo is None else k)
        for one in asked.promise.against
    )
    return replace(asked, promise=replace(asked.promise, against=against))


def without_each_photo(asked: Request) -> Request:
    """The same wishes, of the photos together only."""
    against = tuple(replace(one, each_photo=None) for one in asked.promise.against)
    return replace(asked, promise=replace(asked.promise, against=against))


def _half(limits: Limits) -> Limits:
    now = time.monotonic()
    return replace(
        limits,
        deadline=now + max(0.0, limits.deadline - now) / 2,
        work=max(0.0, limits.work - limits.done) / 2,
        done=0,
    )
