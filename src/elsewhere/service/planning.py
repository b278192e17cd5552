"""From an album that was seen, its places and a person's wishes to one plan for all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from threading import Event

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.errors import InputError
from elsewhere.globe import place as place_called
from elsewhere.service import alternatives, notes
from elsewhere.service.infeasibility import Reasons, explain_no_plan
from elsewhere.service.notes import low_detail_notes
from elsewhere.service.photo_selection import budget_of, bursts, photo_values, select_pinned
from elsewhere.service.places import NowhereError, guesses, select_places
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.scored_album import ScoredAlbum
from elsewhere.service.scores import solve_and_check
from elsewhere.service.secret_top import (
    candidate_tops,
    silent,
    solve_with_secret_top,
    without_each_photo,
)
from elsewhere.service.take_down import Blocked, blocked_by_posted, told
from elsewhere.service.threats import Threat, check_top, find_threats
from elsewhere.service.verdict import cannot, verdict
from elsewhere.solver.api import Explain, read_limits, withheld_by
from elsewhere.solver.requests import Request, read_request
from elsewhere.values.plan import Plan, Status
from elsewhere.values.wishes import Wishes, margin

__all__ = ["AlbumPlan", "Threat", "plan_album"]

TOP = 5
"""What single photos must keep out of under a budget where nothing else is said."""


@dataclass(frozen=True)
class AlbumPlan:
    """What to withhold of an album, and what is to be said of it."""

    plan: Plan
    """The engine's, over the photos that were seen, those already posted behind them; one
    attacker per watch. Its numbers give the secret k away: not for printing."""
    watches: tuple[Threat, ...]
    hidden: tuple[AlbumPlace, ...]
    public: tuple[AlbumPlace, ...]
    places: Places
    wishes: Wishes
    top: int | None
    """The secret k really used, at least the one asked for; None under a budget."""
    verdict: str
    """One honest sentence for people; it names no k but the one that was asked for."""
    notes: tuple[str, ...]
    """What has to be said beside it: coarse cells, photos placed by time, unplaced ones, …"""
    ways: tuple[alternatives.Alternative, ...] = ()
    """What could be asked for instead, where there is no plan or nearly all photos go."""
    advice: str = ""
    """What to ask for instead, once it was tried (`trying.py`): directly below the verdict."""
    blocked: Blocked | None = None
    """Where what is out already breaks the promise alone: what does, and what to take down."""

    @property
    def empty(self) -> bool:
        """Whether it promises nothing: within a small budget a place may stay the first guess."""
        return self.plan.found and not self.plan.protected_k


def plan_album(
    seen: ScoredAlbum,
    places: Places,
    wishes: Wishes,
    *,
    posted: Posted | None = None,
    near: Plan | None = None,
    draw: Random | None = None,
    top: int | None = None,
    stopped: Event | None = None,
    reasons: bool = True,
) -> AlbumPlan:
    """The fewest photos to withhold so that no hidden place is in any scorer's top k.

    `top` uses a k that was drawn before (one draw a session) where it still can be had, `draw`
    draws from elsewhere than the system, `near` prefers a plan like the one before. Whoever no
    longer wants the plan sets `stopped`; without `reasons` nobody waits for why there is none.
    Where no place is known, a NowhereError carries what the models guess.
    """
    if not places:
        raise NowhereError(guesses(seen))
    posted, photos = posted or NOTHING_POSTED, len(seen.photos)
    chosen = select_places(places, seen.photos, wishes.hide)
    width = wishes.width
    prior = None if wishes.prior is None else place_called(wishes.prior)
    watched = find_threats(seen, places, chosen.hidden, width, prior=prior, posted=posted)
    keep, drop = select_pinned(wishes.keep, wishes.drop, [p.id for p in seen.photos], seen.left)
    groups = bursts(seen.photos, places) if wishes.bursts else ()
    alone = wishes.each_photo
    if alone is None:
        alone = wishes.budget is None
    asked = _asked(
        seen, watched, wishes, posted=posted, pins=(keep, drop), groups=groups, alone=alone
    )
    limits = replace(read_limits(wishes.time_limit, wishes.work_limit), stopped=stopped)
    previous = withheld_by(near, asked)
    words = [attack.called for attack in seen.attacks]
    why = Reasons()
    explain = explain_no_plan(watched, words, keep, why) if reasons else silent

    def solved(asked: Request, explain: Explain) -> tuple[Plan, int | None]:
        if wishes.budget is not None:
            return solve_and_check(asked, limits, previous, explain), None
        most = min(len(watch.rivals) for watch in watched)
        least = asked.promise.against[0].top
        assert least is not None
        return solve_with_secret_top(
            asked,
            least,
            iter([least]) if wishes.exact_top else candidate_tops(least, most, draw, top),
            limits,
            previous=previous,
            explain=explain,
            useful=lambda found: bool(posted.fresh(found.kept, photos)),
        )

    unasked = alone and wishes.each_photo is None
    plan, k = solved(asked, silent if unasked else explain)
    together = unasked and plan.status == Status.INFEASIBLE
    if together:  # nobody insisted: what is promised of all of them matters more
        asked = without_each_photo(asked)
        plan, k = solved(asked, explain)
    fresh = len(posted.fresh(plan.kept, photos))
    said = verdict(plan, wishes, chosen.hidden, seen.attacks, photos=photos, fresh=fresh)
    blocked = None
    if plan.status == Status.INFEASIBLE and posted and reasons:
        blocked = blocked_by_posted(plan.promise, asked.scores, posted.pinned(photos))
    if blocked is not None:
        said = told(blocked, asked.scores[0].ids, cannot(wishes, chosen.hidden, seen.attacks))
    beside = notes.notes(
        seen, places, chosen, watched, width=width, prior=prior, groups=groups, posted=posted
    )
    ways: tuple[alternatives.Alternative, ...] = ()
    if blocked is None and (plan.found or reasons):  # what nobody asked about is no advice
        ways = alternatives.suggest(
            plan, wishes, chosen.hidden, watched, reasons=why, photos=photos
        )
        beside = (*beside, *alternatives.describe(plan, ways))
        if plan.status == Status.INFEASIBLE and not (ways or posted or wishes.bursts):
            beside = (*beside, notes.nothing_helps(chosen.hidden, wishes, seen.attacks))
    if plan.found and together:
        beside = (*beside, notes.TOGETHER)
    elif unasked and plan.found and not fresh:
        beside = (*beside, notes.ALONE)
    if plan.found:
        beside = (*beside, *low_detail_notes(seen, watched, plan, posted, wishes.top))
        # the engine's own words name the secret k
        plan = replace(plan, explanation=said)
    return AlbumPlan(
        plan,
        watched,
        chosen.hidden,
        chosen.public,
        places,
        wishes,
        k,
        said,
        beside,
        ways,
        blocked=blocked,
    )


def _asked(
    seen: ScoredAlbum,
    watched: Sequence[Threat],
    wishes: Wishes,
    *,
    posted: Posted,
    pins: tuple[tuple[int, ...], tuple[int, ...]],
    groups: Sequence[Sequence[int]],
    alone: bool,
) -> Request:
    """The wishes as the engine reads them, for the k that was asked for."""
    _refuse_what_cannot_be(wishes, watched)
    keep, drop = pins
    photos = len(seen.photos)
    for number in set(posted.already) & set(drop):
        raise InputError(
            f"{seen.photos[number].id} is posted already and cannot be dropped any more"
        )
    tables = [posted.behind(attack.scores, n) for n, attack in enumerate(seen.attacks)]
    values = photo_values(seen.photos, wishes.values, stars=wishes.stars, left=seen.left)
    each = (wishes.top or TOP) if alone else False
    listed = [values.get(n, Fraction(1)) for n in range(photos + len(posted.ids))]
    return read_request(
        [tables[watch.attack] for watch in watched],
        [watch.zone.cells.tolist() for watch in watched],
        top=None if wishes.budget is not None else wishes.top,
        budget=None if wishes.budget is None else budget_of(wishes.budget, photos),
        keep=sorted({*keep, *posted.pinned(photos)}),
        drop=drop,
        margin=margin(wishes.margin).theta,
        values=listed if values else None,
        groups=groups,
        rivals=[watch.rivals for watch in watched],
        sees=[watch.sees for watch in watched],
        each_photo=[each if watch.own else False for watch in watched],
        strict=wishes.strict,
    )


def _refuse_what_cannot_be(wishes: Wishes, watched: Sequence[Threat]) -> None:
    """What the engine would say of an attacker is said of a place here."""
    if wishes.top is None and wishes.budget is None:
        raise InputError("ask for a top (fewest withheld) or a budget (furthest down)")
    check_top(wishes.top, min(len(watch.rivals) for watch in watched))
