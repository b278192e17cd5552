"""From an album that was seen, its places and a person's wishes to one plan for all of it."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from elsewhere.album.places import AlbumPlace, Places
from elsewhere.globe import Zone
from elsewhere.job.wishes import Wishes
from elsewhere.protect.plan import Plan

if TYPE_CHECKING:
    from elsewhere.job.posted import Posted
    from elsewhere.job.seen import Seen


@dataclass(frozen=True)
class Watch:
    """One attacker of the joint problem: one scorer × one hidden place × one scope."""

    attack: int
    """Which of `seen.attacks`."""
    place: AlbumPlace
    whole: bool
    """Whether the whole album is added up, or only the place's own photos and the unplaced."""
    zone: Zone
    """The truth: what must stay out of the top, in this scorer's cells."""
    sees: tuple[int, ...] | None
    """The photos that are added up; None for all."""


@dataclass(frozen=True)
class AlbumPlan:
    """What to withhold of an album, and what is to be said of it."""

    plan: Plan
    """The engine's, over the photos that were seen, those already posted behind them; one
    attacker per watch. Its numbers give the secret k away: not for printing."""
    watches: tuple[Watch, ...]
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


def plan_album(
    seen: Seen,
    places: Places,
    wishes: Wishes,
    *,
    posted: Posted | None = None,
    near: Plan | None = None,
    draw: Random | None = None,
    top: int | None = None,
) -> AlbumPlan:
    """The fewest photos to withhold so that no hidden place is in any scorer's top k.

    `top` uses a k that was drawn before (one draw a session), `draw` draws from elsewhere than the
    system, `near` prefers a plan like the one before.
    """
    raise NotImplementedError
