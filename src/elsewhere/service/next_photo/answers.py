"""One photo at a time: may this one be posted now, given what is public and what may still come?

Posting one by one is stricter than posting a plan at once: whoever looks after any step sees only
what is out by then, so the promise must hold for every prefix. A photo may be part of the best
plan and yet have to wait for others that speak for somewhere else. And a photo that may go now can
cost photos later; that is said, for only the person knows whether it is worth it.

Everything here is over score rows, without files: the command, the app and the lab share it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np

from elsewhere.errors import InputError
from elsewhere.service.next_photo.order import Prefixes, way_to
from elsewhere.solver.api import finish
from elsewhere.solver.arguments import photo as number_of
from elsewhere.solver.arguments import photos as numbers_of
from elsewhere.solver.exact import Instance, Limits, solve
from elsewhere.solver.reductions import Contradiction, reduce
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wording import counted

PATIENCE = 20.0
"""Seconds for each plan that is looked for; an answer is wanted while the thumb is on the photo."""
_NAMED = 5
"""More photos than this are counted, not listed."""


class Answer(StrEnum):
    """What to do with a photo now."""

    KEEP = "keep"
    """Post it: the promise holds with it."""
    WAIT = "wait"
    """Not yet: the best plan keeps it, but others must be out before it, or go out with it."""
    WITHHOLD = "withhold"
    """Never, as things stand: the best plan does without it, or no plan can keep it."""


@dataclass(frozen=True)
class Next:
    """The answer for one photo, and why."""

    answer: Answer
    photos: tuple[int, ...]
    """The photo, and those that go with it; ascending."""
    reason: str
    """One or two sentences for a person; no k but the one asked for is in it."""
    before: tuple[int, ...] = ()
    """Where it must wait: photos to post before it, in this order, each step keeping the
    promise."""
    together: tuple[int, ...] = ()
    """Where no such order is known: photos that would have to go out with it, all at once."""
    more: int | Fraction = 0
    """What keeping it costs beyond the best plan, in the photos' values."""


class OneByOne:
    """An album that is posted photo by photo.

    >>> import numpy as np
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> posting = one_by_one(scores, truth=0, top=1)
    >>> print(posting.ask(0).answer, posting.ask(0).before)
    wait (3, 1)
    >>> for photo in (3, 1, 0):
    ...     assert posting.ask(photo).answer == "keep"
    ...     posting.post(photo)
    >>> print(posting.ask(2).answer, posting.public)
    withhold (0, 1, 3)
    """

    def __init__(
        self,
        asked: Request,
        public: Iterable[int] = (),
        *,
        patience: float = PATIENCE,
        best: Plan | None = None,
    ) -> None:
        """`asked` is what each step must keep; `public` are the photos that are out already.

        `best` is the plan with what is public pinned, where the caller has it.
        """
        if asked.promise.budget is not None:
            raise InputError("one photo at a time needs a top: a budget says nothing of a step")
        self._asked = asked
        self._prefixes = Prefixes(asked)
        self._public = frozenset(public)
        self._patience = patience
        self._best = best

    @property
    def public(self) -> tuple[int, ...]:
        """What is out, ascending."""
        return tuple(sorted(self._public))

    @property
    def holds(self) -> bool:
        """Whether what is out keeps the promise; where nothing is out, there is nothing to see."""
        return not self._public or self._prefixes.hold(self._public)

    def post(self, photo: int) -> None:
        """Take the photo, and those that go with it, for public."""
        self._public |= self._prefixes.unit(photo)
        self._best = None

    def ask(self, photo: int) -> Next:
        """May this photo be posted now?"""
        unit = self._prefixes.unit(photo)
        own = tuple(sorted(unit))
        if unit <= self._public:
            return Next(Answer.KEEP, own, "It is out already.")
        forbidden = self._forbidden(unit)
        if forbidden:
            return Next(Answer.WITHHOLD, own, forbidden)
        best = self._best or self._plan(self._public, None)
        self._best = best
        with_it = best if unit <= {*best.kept} else self._plan(self._public | unit, best)
        more = with_it.cost - best.cost if best.found and with_it.found else 0
        proved = best.status == with_it.status == Status.OPTIMAL
        if self._prefixes.hold(self._public | unit):
            return Next(Answer.KEEP, own, self._may(with_it, more, proved), more=more)
        if with_it.status == Status.INFEASIBLE:
            return Next(Answer.WITHHOLD, own, self._never())
        if not with_it.found:
            reason = "Posting it now would break the promise; whether it can go later was not found"
            return Next(Answer.WAIT, own, f"{reason} out in time.")
        if more > 0:
            costs = f"keeping it would cost {self._worth(more)}"
            reason = "Posting it now would break the promise, and the best plan does without it"
            return Next(Answer.WITHHOLD, own, f"{reason}: {costs}.", more=more)
        return self._wait(unit, frozenset(with_it.kept), more)

    def _forbidden(self, unit: Collection[int]) -> str:
        """Why the photo is out of the question whatever else is posted; empty where it is not."""
        if not self._prefixes.forced.isdisjoint(unit):
            dropped = not {*self._asked.promise.drop}.isdisjoint(unit)
            if dropped:
                return "You asked to drop it."
            return "It gives the place away on its own, and no photo that is posted may."
        return ""

    def _plan(self, pinned: frozenset[int], near: Plan | None) -> Plan:
        """The best plan with these photos in it."""
        promise = self._asked.promise
        keep = tuple(sorted({*promise.keep, *pinned}))
        asked = replace(self._asked, promise=replace(promise, keep=keep))
        limits = Limits(deadline=time.monotonic() + self._patience, work=math.inf)
        previous = frozenset(near.withheld) if near and near.found else None
        with np.errstate(all="ignore"):  # extreme scores overflow into doubt, never an error
            return _solved(asked, limits, previous)

    def _may(self, with_it: Plan, more: int | Fraction, proved: bool) -> str:
        """That it may be posted, and what that leads to."""
        first = "With it, what is public keeps the promise."
        if more > 0:
            hedge = "" if proved else "perhaps "
            return (
                f"{first} But it is {hedge}not the best choice: with it out, "
                f"{self._worth(more)} will have to stay back in the end."
            )
        if not with_it.found:
            return f"{first} What it means for the other photos was not found out in time."
        return f"{first} The best plan keeps it too." if proved else first

    def _never(self) -> str:
        if not self.holds:
            return (
                "What is public breaks the promise already, and no choice of the other photos "
                "with this one mends that."
            )
        return "Posting it now would break the promise, and no choice of later photos mends that."

    def _wait(self, unit: frozenset[int], kept: frozenset[int], more: int | Fraction) -> Next:
        """The photos that have to be out before it."""
        own = tuple(sorted(unit))
        others = kept - self._public - unit
        way = way_to(self._prefixes, self._public, others, unit)
        now = "Posting it now would break the promise"
        if way is not None:
            return Next(
                Answer.WAIT,
                own,
                f"{now}; it may follow once {self._named(way)} {_is(way)} out, in this order.",
                before=way,
                more=more,
            )
        all_at_once = tuple(sorted(others))
        return Next(
            Answer.WAIT,
            own,
            f"{now}, and no order was found in which the others could go out before it one by one: "
            f"it may go out with {self._named(all_at_once)}, all at once.",
            together=all_at_once,
            more=more,
        )

    def _named(self, photos: Collection[int]) -> str:
        ids = self._asked.scores[0].ids
        if len(photos) > _NAMED:
            first = ", ".join(ids[i] for i in list(photos)[:3])
            return f"{first} and {len(photos) - 3} others"
        return ", ".join(ids[i] for i in photos)

    def _worth(self, more: int | Fraction) -> str:
        """What it costs beyond the best plan: in photos, or in the values that were given."""
        if self._asked.promise.values is None and isinstance(more, int):
            return counted(more, "more photo")
        return f"photos worth {float(more):g} more"


def one_by_one(
    scores: Any, truth: Any, *, public: Iterable[int | str] = (), **wishes: Any
) -> OneByOne:
    """An album that is posted photo by photo, from what `elsewhere.protect` takes."""
    asked = read_request(scores, truth, **wishes)
    return OneByOne(asked, numbers_of(public, asked.scores[0], "public"))


def may_post(
    scores: Any, truth: Any, photo: int | str, *, public: Iterable[int | str] = (), **wishes: Any
) -> Next:
    """May this photo be posted now, when `public` are out? The wishes are those of `protect`.

    >>> import numpy as np
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> print(may_post(scores, 0, 1, top=1).reason)
    With it, what is public keeps the promise. The best plan keeps it too.
    """
    posting = one_by_one(scores, truth, public=public, **wishes)
    return posting.ask(number_of(photo, posting._asked.scores[0], "photo"))


def _solved(asked: Request, limits: Limits, previous: frozenset[int] | None) -> Plan:
    """As `protect` does it, but nobody asks why there is no plan: that takes longer than this."""
    try:
        chain = reduce(asked.promise, asked.scores)
    except Contradiction:
        return _without(asked, Status.INFEASIBLE)
    instance = Instance(chain.problem)
    answer = solve(instance, limits, previous)
    if answer.kept is None:
        return _without(asked, Status(answer.status))
    return finish(asked, chain, instance, answer)


def _without(asked: Request, status: Status) -> Plan:
    return Plan(status, (), (), 0, 0, (), asked.promise, "", asked.several)


def _is(photos: Collection[int]) -> str:
    return "is" if len(photos) == 1 else "are"
