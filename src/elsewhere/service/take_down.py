"""When what is out already breaks the promise: which posted photos do, and which to take down.

Then withholding cannot help any more, whatever is left of the album. Taking photos down again may:
the fewest that will do are the answer to the same problem, with the posted photos free to go and
each of them worth more than the whole album.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from elsewhere.service.scores import solve_and_check
from elsewhere.solver.exact import Limits
from elsewhere.solver.infeasibility import Inquiry
from elsewhere.solver.requests import Request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.promise import Promise
from elsewhere.values.scores import Scores
from elsewhere.values.wording import counted, shortened

PATIENCE = 15.0
"""Seconds for finding all of it; what was not found out by then is said."""


@dataclass(frozen=True)
class Blocked:
    """A promise that the posted photos break on their own. All photos by number."""

    by: tuple[int, ...]
    """Posted photos that are in the way together; without any one of them, these are not."""
    down: tuple[int, ...] | None
    """Posted photos that it is enough to take down; None where even that does not help, or where
    what does was not found out (`sure`)."""
    fewest: bool = False
    """Whether it is proved that no fewer will do."""
    withheld: tuple[int, ...] = ()
    """Photos of the album that must then still be withheld."""
    sure: bool = True
    """Whether it was found out what to take down, or that nothing helps."""


def blocked_by_posted(
    promise: Promise, scores: Sequence[Scores], posted: Sequence[int]
) -> Blocked | None:
    """Why an impossible promise is impossible, where the posted photos alone are the reason.

    None where it could be kept with them, if only the user's own pins were given up, or where that
    could not be found out.
    """
    if not posted or promise.budget is not None:
        return None
    out = tuple(sorted(posted))
    deadline = time.monotonic() + PATIENCE
    # the user's pins are given up first: they are not out yet
    alone = replace(promise, keep=out)
    if _solved(alone, scores, deadline).status != Status.INFEASIBLE:
        return None
    sure = True
    by = Inquiry(alone, scores, deadline).pins_in_the_way(out) or out
    for keep in dict.fromkeys([tuple(p for p in promise.keep if p not in out), ()]):
        plan = _solved(_weighed(replace(promise, keep=keep), out), scores, deadline)
        sure = sure and plan.status != Status.UNKNOWN
        if plan.found:
            down = tuple(n for n in plan.withheld if n in out)
            rest = tuple(n for n in plan.withheld if n not in out)
            return Blocked(by, down, plan.status == Status.OPTIMAL, rest)
    return Blocked(by, None, sure=sure)


def told(blocked: Blocked, ids: Sequence[str], what: str) -> str:
    """The verdict; `what` says what cannot be hidden from whom."""
    names = shortened([ids[n] for n in sorted({*blocked.by, *(blocked.down or ())})])
    first = f"Withholding cannot help any more: with {names} out already, {what}"
    if not blocked.sure and blocked.down is None:
        return f"{first}; which photos to take down was not found out in time."
    if blocked.down is None:
        return f"{first}; taking photos down does not help either."
    fewest = "the fewest that will do" if blocked.fewest else "fewer may do"
    then = ""
    if blocked.withheld:
        then = f", with {counted(len(blocked.withheld), 'photo')} of the album withheld then"
    names = shortened([ids[n] for n in blocked.down])
    return f"{first}; taking down {names} ({fewest}) would make it possible again{then}."


def _weighed(promise: Promise, posted: Sequence[int]) -> Promise:
    """Every posted photo worth more than all of the album's together."""
    values = list(promise.values or [Fraction(1)] * promise.photos)
    heavy = sum((v for n, v in enumerate(values) if n not in posted), Fraction(1))
    for number in posted:
        values[number] = heavy
    return replace(promise, values=tuple(values))


def _solved(promise: Promise, scores: Sequence[Scores], deadline: float) -> Plan:
    limits = Limits(deadline=deadline, work=float("inf"))
    asked = Request(promise, tuple(scores), len(scores) > 1)
    return solve_and_check(asked, limits, None, lambda *_: "")
