"""One album's wishes and plans: what was asked, in which order, and the best answer so far.

A click is answered at once by the best plan that a few hundredths of a second give; where that is
not proved, somebody else goes on with the proof. Each plan prefers to be like the one before it,
and the secret k is drawn once a session for each top that is asked for, so a click changes as
little as it can.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from elsewhere.album.places import Places, places_of
from elsewhere.app import contract
from elsewhere.app.looks import Looks, Tables
from elsewhere.globe import place
from elsewhere.job import Seen
from elsewhere.job.ledger.entries import Ledger
from elsewhere.job.planning.album_plan import AlbumPlan, plan_album
from elsewhere.job.planning.wishes import Wishes
from elsewhere.job.posted.files import posted_for
from elsewhere.job.posted.values import NOTHING_POSTED, Posted
from elsewhere.protect.plan import Status

QUICK = 0.035
"""Seconds for the first answer to a wish."""
FIRST = 1.0
"""Seconds for the first plan of all, which nobody clicked for."""
AGAIN = 2
"""Where that was too short to find any plan, so many times as long, once."""
SLICES = (0.5, 3.0, 30.0)
"""Seconds for the proof: one try after the other, so that better plans are told on the way."""
MOST_STEPS = 500
"""So many wishes back can be undone."""


@dataclass(frozen=True)
class Entry:
    """A wish, and what came of it."""

    wishes: contract.Wishes
    places: Places
    posted: Posted
    plan: AlbumPlan | None
    """None where no place is known."""
    looks: Looks | None
    version: int

    @property
    def proved(self) -> bool:
        """Whether nothing is left to be done: that there is no plan needs a reason, too."""
        if self.plan is None or self.plan.plan.status == Status.OPTIMAL:
            return True
        return self.plan.plan.status == Status.INFEASIBLE and bool(self.plan.plan.explanation)


class Desk:
    """The wishes for one album that was seen."""

    def __init__(self, seen: Seen, seed: bytes, ledger: Ledger | None = None) -> None:
        self.seen = seen
        self._seed = seed
        self._ledger = ledger
        self._lock = threading.RLock()
        self._entries: list[Entry] = []
        self._at = -1
        self._version = 0
        self._nearest: AlbumPlan | None = None
        self._places: dict[tuple[str, ...], Places] = {}
        self._posted: dict[object, Posted] = {}
        self._looks: dict[object, Looks] = {}
        self._tables: Tables = {}

    @property
    def now(self) -> Entry:
        """The wish that counts, with its answer."""
        with self._lock:
            return self._entries[self._at]

    @property
    def ways(self) -> contract.Undo:
        """Which ways one can go from here."""
        with self._lock:
            return contract.Undo(can_undo=self._at > 0, can_redo=self._at + 1 < len(self._entries))

    def wish(self, wishes: contract.Wishes, seconds: float = QUICK) -> Entry:
        """A new wish; what was undone before is forgotten."""
        with self._lock:
            if self._entries and self.now.wishes == wishes:
                return self.now
            made = self._planned(wishes, seconds)
            self._entries = [*self._entries[: self._at + 1], made][-MOST_STEPS:]
            self._at = len(self._entries) - 1
            self._remember(made)
            return made

    def step(self, by: int) -> Entry:
        """One wish back or forth; where there is none, nothing changes."""
        with self._lock:
            if 0 <= self._at + by < len(self._entries):
                self._at += by
                self._version += 1
                self._entries[self._at] = replace(self.now, version=self._version)
                self._remember(self.now)
            return self.now

    def prove(self, entry: Entry, stopped: threading.Event, tell: Callable[[Entry], None]) -> None:
        """Go on until the entry's plan is proved, or nobody wants it any more."""
        shown = entry.plan
        assert shown is not None
        for seconds in SLICES:
            better = self._solve(entry, seconds, self._nearest, stopped=stopped)
            if stopped.is_set():
                return
            made = replace(entry, plan=better)
            if made.proved or _improves(better, shown):
                shown = better
                tell(self._replaced(made))
            if made.proved:
                return

    def _replaced(self, made: Entry) -> Entry:
        """A better answer to a wish, where the wish is still to be found."""
        with self._lock:
            self._version += 1
            made = replace(made, version=self._version)
            for number, one in enumerate(self._entries):
                if one.wishes is made.wishes:
                    self._entries[number] = made
            self._remember(made)
            return made

    def _remember(self, entry: Entry) -> None:
        """What the person sees now, for the next plan to be like it."""
        if entry.plan is not None and entry.plan.plan.found:
            self._nearest = entry.plan

    def _planned(self, wishes: contract.Wishes, seconds: float) -> Entry:
        places = self._places_at(tuple(wishes.at))
        self._version += 1
        empty = Entry(wishes, places, NOTHING_POSTED, None, None, self._version)
        if not places:
            return empty
        entry = replace(empty, posted=self._posted_for(wishes, places))
        plan = self._solve(entry, seconds, self._nearest)
        if plan.plan.status == Status.UNKNOWN:
            plan = self._solve(entry, AGAIN * seconds, self._nearest)
        return replace(entry, plan=plan, looks=self._looks_at(wishes, plan, entry.posted))

    def _solve(
        self,
        entry: Entry,
        seconds: float,
        near: AlbumPlan | None,
        stopped: threading.Event | None = None,
    ) -> AlbumPlan:
        """A plan; one that nobody can stop is for somebody who waits, so it is not explained."""
        same = near is not None and near.plan.promise.photos == len(self.seen.photos) + len(
            entry.posted.ids
        )
        return plan_album(
            self.seen,
            entry.places,
            as_typed(entry.wishes, seconds if _one_try(entry.wishes) else 2 * seconds),
            posted=entry.posted,
            near=near.plan if near is not None and same else None,
            # the same draws for the same top, as long as the session lasts
            draw=Random(self._seed + str(entry.wishes.top).encode()),
            stopped=stopped,
            reasons=stopped is not None,
        )

    def _places_at(self, at: tuple[str, ...]) -> Places:
        if at not in self._places:
            told = [place(text) for text in at] or None
            self._places[at] = places_of(self.seen.photos, at=told)
        return self._places[at]

    def _posted_for(self, wishes: contract.Wishes, places: Places) -> Posted:
        if self._ledger is None:
            return NOTHING_POSTED
        key = _where(wishes)
        if key not in self._posted:
            typed = as_typed(wishes, None)
            self._posted[key] = posted_for(self.seen, places, typed, ledger=self._ledger)
        return self._posted[key]

    def _looks_at(self, wishes: contract.Wishes, plan: AlbumPlan, posted: Posted) -> Looks:
        key = _where(wishes)
        if key not in self._looks:
            self._looks[key] = Looks(self.seen, plan.watches, posted, self._tables)
        return self._looks[key]


def as_typed(wishes: contract.Wishes, seconds: float | None) -> Wishes:
    """The wishes as every door gives them to the job."""
    return Wishes(
        top=None if wishes.budget is not None else wishes.top,
        budget=wishes.budget,
        hide=tuple(wishes.hide),
        hide_level=wishes.hide_level,
        radius_km=wishes.radius_km,
        keep=tuple(wishes.keep),
        drop=tuple(wishes.drop),
        stars=wishes.stars,
        margin=wishes.margin,
        each_photo=None if wishes.each_photo else False,
        bursts=wishes.bursts,
        prior=wishes.prior or None,
        exact_top=wishes.exact_top,
        time_limit=seconds,
    )


def _one_try(wishes: contract.Wishes) -> bool:
    """Whether all the time is for one k; one that was drawn gets half, for smaller ones need some
    after it, too."""
    return wishes.exact_top or wishes.budget is not None


def _where(wishes: contract.Wishes) -> object:
    """All that decides the watches."""
    return (
        tuple(wishes.at),
        tuple(wishes.hide),
        wishes.hide_level,
        wishes.radius_km,
        wishes.prior,
    )


def _improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)
