"""One photo at a time: may this one be posted now, given what is public and what may still come?

Posting one by one is stricter than posting a plan at once: the promise must hold for every prefix.
A photo of the best plan may have to wait for others that speak for somewhere else; a photo that may
go now can cost photos later.

The order is searched from what is public towards one photo, always over sets that hold, decided by
the exact arithmetic that checks plans. The plan for the whole album says which photos are worth
waiting for. Its secret top is the album's, so that asking again gives the same answer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elsewhere import messages
from elsewhere.album import Step
from elsewhere.album.places import Places
from elsewhere.checker.facts import AlbumFacts, with_groups
from elsewhere.errors import InputError
from elsewhere.scorers import RowCache
from elsewhere.service.edit_planning import plan_with_edits
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import solve_and_check
from elsewhere.service.selection import matching
from elsewhere.service.threats import threat_scores
from elsewhere.solver.exact import SearchLimits
from elsewhere.solver.requests import Request, read_photos, read_request
from elsewhere.values.next_photo import Answer, Next, NextReason
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes
from elsewhere.values.wording import listed

MAX_SETS = 1500
"""Sets that are tried before the search gives up: under a second for one scorer of 512
cells."""
MAX_CIRCLE_SETS = 120
"""The same where circles are hidden: about a second."""
_MAX_SHORTENED = 24
"""Photos of a way that are tried without; each costs a walk along all of it."""
_MAX_SHORTENABLE = 60
"""A way longer than this stays as it is: nobody reads it to the end."""


class Prefixes:
    """Which sets of photos keep a promise, exactly; pins do not matter here, only what is out.

    Where circles are hidden, a set in doubt counts as one that does not: to settle every doubt
    takes seconds.
    """

    def __init__(self, request: Request) -> None:
        self._promise = request.promise
        self._album = AlbumFacts(
            request.promise, request.scores, shared=range(request.promise.rows)
        )
        circles = any(against.circles is not None for against in request.promise.against)
        self.max_sets = MAX_CIRCLE_SETS if circles else MAX_SETS
        """How many sets an answer may try."""
        self.forced = self._album.forced
        """Photos that may never go out: dropped, or revealing alone where that is not wanted."""

    def unit(self, photo: int) -> frozenset[int]:
        """The photo and those that go with it."""
        return with_groups(self._promise, [photo])

    def slack(self, photos: Collection[int], *, quick: bool = True) -> float | None:
        """By how much these photos, being out and no others, keep the promise; None if they do not.

        Of all attackers, the one nearest to the truth counts. If `quick`, None too where that is
        not seen at once.
        """
        views = self._album.views(photos, quick=quick)
        pairs = [(view, a.top or 0) for view, a in zip(views, self._promise.against, strict=True)]
        if not self.forced.isdisjoint(photos) or any(v.count < top for v, top in pairs):
            return None
        return min(view.slack(top) for view, top in pairs)

    def hold(self, photos: Collection[int], *, quick: bool = True) -> bool:
        """Whether these photos, being out and no others, keep the promise."""
        return self.slack(photos, quick=quick) is not None


def way_to(
    prefixes: Prefixes,
    public: frozenset[int],
    others: Collection[int],
    goal: frozenset[int],
    max_sets: int | None = None,
) -> tuple[int, ...] | None:
    """Photos of `others` to post before `goal`, in order, each step keeping the promise.

    None where there is no such order, or none was found within `max_sets` sets. Depth first, the
    photo that leaves most slack first; a set that led nowhere is never entered again.
    """
    units = {prefixes.unit(photo) for photo in others}
    units = {unit for unit in units if unit <= frozenset(others)}
    budget = [prefixes.max_sets if max_sets is None else max_sets]
    dead: set[frozenset[int]] = set()

    def search(out: frozenset[int], path: tuple[int, ...]) -> tuple[int, ...] | None:
        if out in dead or budget[0] <= 0:
            return None
        dead.add(out)
        budget[0] -= 1
        if prefixes.hold(out | goal):
            return path
        steps = []
        for unit in sorted(units, key=min):
            if unit <= out:
                continue
            budget[0] -= 1
            slack = prefixes.slack(out | unit)
            if slack is not None:
                steps.append((-slack, min(unit), unit))
        for _, _, unit in sorted(steps, key=lambda step: step[:2]):
            found = search(out | unit, (*path, *sorted(unit)))
            if found is not None:
                return found
        return None

    found = search(public, ())
    return None if found is None else _shortened(prefixes, public, found, goal)


def _shortened(
    prefixes: Prefixes, public: frozenset[int], way: tuple[int, ...], goal: frozenset[int]
) -> tuple[int, ...]:
    """The way without the photos that it does not need."""

    def leads(steps: tuple[int, ...]) -> bool:
        out = public
        for step in steps:
            out |= prefixes.unit(step)
            if not prefixes.hold(out):
                return False
        return prefixes.hold(out | goal)

    if len(way) * len(way) > prefixes.max_sets or len(way) > _MAX_SHORTENABLE:
        return way
    for photo in way[:_MAX_SHORTENED]:
        if photo in way:  # those that go with one left before it are gone already
            unit = prefixes.unit(photo)
            shorter = tuple(step for step in way if step not in unit)
            way = shorter if leads(shorter) else way
    return way


PATIENCE = 20.0
"""Seconds for each plan that is looked for; an answer is wanted while the thumb is on the photo."""


class OneByOne:
    """An album that is posted photo by photo.

    >>> import numpy as np
    >>> from elsewhere.solver.requests import read_request
    >>> scores = np.log([[.7, .2, .1], [.3, .6, .1], [.6, .1, .3], [.2, .5, .3]])
    >>> posting = OneByOne(read_request(scores, 0, top=1))
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
        request: Request,
        public: Iterable[int] = (),
        *,
        patience: float = PATIENCE,
        best: Plan | None = None,
    ) -> None:
        """`request` is what each step must keep; `public` are the photos that are out already.

        `best` is the plan with what is public pinned, where the caller has it.
        """
        if request.promise.budget is not None:
            raise InputError(
                "one photo at a time needs a top: a budget promises nothing at each step"
            )
        self._request = request
        self._prefixes = Prefixes(request)
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
        public = self._public
        return not public or any(self._prefixes.hold(public, quick=q) for q in (True, False))

    def post(self, photo: int) -> None:
        """Take the photo, and those that go with it, for public."""
        self._public |= self._prefixes.unit(photo)
        self._best = None

    def ask(self, photo: int) -> Next:
        """May this photo be posted now?"""
        unit = self._prefixes.unit(photo)
        if unit <= self._public:
            return self._next(Answer.KEEP, unit, NextReason.ALREADY_PUBLIC)
        if not self._prefixes.forced.isdisjoint(unit):
            dropped = not {*self._request.promise.drop}.isdisjoint(unit)
            reason = NextReason.DROPPED if dropped else NextReason.REVEALS_ALONE
            return self._next(Answer.WITHHOLD, unit, reason)
        best = self._best or self._plan(self._public, None)
        self._best = best
        with_it = best if unit <= {*best.kept} else self._plan(self._public | unit, best)
        more = with_it.cost - best.cost if best.found and with_it.found else 0
        proved = best.status == with_it.status == Status.OPTIMAL
        if any(self._prefixes.hold(self._public | unit, quick=q) for q in (True, False)):
            reason = NextReason.HOLDS_AND_IS_BEST if proved else NextReason.HOLDS
            if more > 0:
                reason = NextReason.HOLDS_PERHAPS_AT_A_COST
                reason = NextReason.HOLDS_AT_A_COST if proved else reason
            elif not with_it.found:
                reason = NextReason.HOLDS_REST_UNKNOWN
            return self._next(Answer.KEEP, unit, reason, more=more)
        if with_it.status == Status.INFEASIBLE:
            reason = NextReason.NEVER_HOLDS if self.holds else NextReason.PUBLIC_BREAKS
            return self._next(Answer.WITHHOLD, unit, reason)
        if not with_it.found:
            return self._next(Answer.WAIT, unit, NextReason.LATER_UNKNOWN)
        if more > 0:
            return self._next(Answer.WITHHOLD, unit, NextReason.COSTS_MORE, more=more)
        others = frozenset(with_it.kept) - self._public - unit
        way = way_to(self._prefixes, self._public, others, unit)
        if way is not None:
            reason = NextReason.AFTER_OTHERS
            return self._next(Answer.WAIT, unit, reason, before=way, more=more)
        together = tuple(sorted(others))
        return self._next(Answer.WAIT, unit, NextReason.WITH_OTHERS, together=together, more=more)

    def _next(self, answer: Answer, unit: Iterable[int], reason: NextReason, **found: Any) -> Next:
        weighted = self._request.promise.values is not None
        ids = tuple(self._request.scores[0].ids)
        public = len(self._public)
        return Next(
            answer, tuple(sorted(unit)), reason, ids, public=public, weighted=weighted, **found
        )

    def _plan(self, pinned: frozenset[int], near: Plan | None) -> Plan:
        """The best plan with these photos in it."""
        promise = self._request.promise
        keep = tuple(sorted({*promise.keep, *pinned}))
        request = replace(self._request, promise=replace(promise, keep=keep))
        limits = SearchLimits(deadline=time.monotonic() + self._patience, work=math.inf)
        previous = frozenset(near.withheld) if near and near.found else None
        return solve_and_check(request, limits, previous, explain=None)


def one_by_one(
    scores: Any, truth: Any, *, public: Iterable[int | str] = (), **wishes: Any
) -> OneByOne:
    """An album that is posted photo by photo, from what `elsewhere.protect` takes."""
    request = read_request(scores, truth, **wishes)
    return OneByOne(request, read_photos(public, request.scores[0], "public"))


@dataclass(frozen=True)
class NextPhoto:
    """What to do with one photo of an album now."""

    decision: Next
    names: tuple[str, ...]
    """The photo, and those that go with it."""
    before: tuple[str, ...]
    """Photos to post first, in this order."""
    together: tuple[str, ...]
    """Photos that would have to go out with it, all at once."""
    album: AlbumPlan
    """The best plan for all of the album, as things stand."""
    alone: AlbumPlan | None
    """Where it may be posted and is not out yet: the plan that shares it and nothing else."""


def check_next_photo(
    scored: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    photo: str,
    *,
    posted: Posted = NOTHING_POSTED,
) -> NextPhoto:
    """May `photo`, a name in the album or a path, be posted now?"""
    if wishes.budget is not None or wishes.top is None:
        raise InputError("one photo at a time needs a top: a budget promises nothing at each step")
    number = _find_photo(scored, photo)
    best = plan_album(scored, places, wishes, posted=posted)
    tables = threat_scores(scored, best.threats, posted)
    request = Request(best.plan.promise, tables, several=True)
    public = posted.pinned(len(scored.photos))
    posting = OneByOne(request, public, best=best.plan if best.plan.found else None)
    decision = posting.ask(number)
    if decision.why is NextReason.DROPPED and scored.photos[number].id in best.telling_photos:
        decision = replace(decision, why=NextReason.TELLING_TEXT)
    ids = tables[0].ids
    alone = None
    if decision.answer is Answer.KEEP and not set(decision.photos) <= set(public):
        alone = _alone(request, {*public, *decision.photos}, best)
    names, before, together = (
        tuple(ids[n] for n in some)
        for some in (decision.photos, decision.before, decision.together)
    )
    return NextPhoto(decision, names, before, together, best, alone)


def edit_next_photo(
    scored: ScoredAlbum,
    checked: NextPhoto,
    *,
    confirm: Sequence[str] = (),
    cache: RowCache | None = None,
    progress: Callable[[Step], None] = lambda step: None,
) -> NextPhoto:
    """The answer with an edit of the photo, where one may be posted that must be withheld as it is.

    The edit is looked for as for a whole album of which everything else but what is public is
    dropped, so its promise is proved and confirmed beside that. `checked` is for wishes that say
    what edits may do; the renditions must be kept.
    """
    decision, best = checked.decision, checked.album
    reasons = {NextReason.DROPPED, NextReason.PUBLIC_BREAKS}
    single = len(decision.photos) == 1
    if decision.answer is not Answer.WITHHOLD or decision.why in reasons or not single:
        return checked
    (number,) = decision.photos
    photos, posted = scored.photos, best.posted
    others = tuple(
        photo.id for n, photo in enumerate(photos) if n != number and n not in posted.already
    )
    wishes = replace(best.wishes, drop=others)
    plan = plan_album(scored, best.places, wishes, posted=posted, top=best.top, attacked=True)
    plan = plan_with_edits(scored, plan, confirm=confirm, cache=cache, progress=progress)
    name = photos[number].id
    weaker = (plan.top or 0) < (best.top or 0)
    if not plan.plan.found or weaker or name not in plan.edits:
        return checked
    alone = replace(plan, one_photo=True, newly_shared=1, notes=(), advice=None)
    alone = replace(alone, plan=replace(plan.plan, explanation=messages.verdict(alone)))
    decision = replace(decision, answer=Answer.KEEP, why=NextReason.EDITED, more=0)
    return replace(checked, decision=decision, alone=alone)


def _find_photo(scored: ScoredAlbum, photo: str) -> int:
    """The photo that a name or a path means."""
    path = Path(photo)
    if path.is_file():
        for number, known in enumerate(scored.photos):
            if known.path.exists() and path.samefile(known.path):
                return number
        for out in scored.skipped:
            if out.path.exists() and path.samefile(out.path):
                raise InputError(f"{out.name} is not in the album: {out.reason}")
    found = matching([photo], [known.id for known in scored.photos], "photo", scored.skipped)
    if len(found) > 1:
        names = listed([scored.photos[n].id for n in list(found)[:3]])
        raise InputError(f"{photo!r} could be {names}: name one of them in full")
    return next(iter(found))


def _alone(request: Request, out: set[int], best: AlbumPlan) -> AlbumPlan:
    """The plan in which nothing is out but what is public and this photo; proved as every plan."""
    promise = request.promise
    rest = [n for n in range(promise.photos) if n not in out]
    only = replace(promise, keep=tuple(sorted(out)), drop=tuple(rest))
    limits = SearchLimits(deadline=time.monotonic() + PATIENCE, work=float("inf"))
    plan = solve_and_check(replace(request, promise=only), limits)
    assert plan.found
    alone = replace(best, plan=plan, one_photo=True, newly_shared=1, notes=(), advice=None)
    return replace(alone, plan=replace(plan, explanation=messages.verdict(alone)))
