"""One album's wishes and plans: what was asked, in which order, and the best answer so far.

A click is answered at once by the best plan that a few hundredths of a second give; where that is
not proved, somebody else goes on with the proof. Each plan prefers to be like the one before it,
and the secret k is drawn once a session for each top that is asked for, so a click changes as
little as it can. Each wish keeps the scores that it was answered with: where the attackers change,
what was asked of the others before can still be undone to.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from elsewhere.album.places import Places, places_of
from elsewhere.app import contract
from elsewhere.app.looks import Looks, Tables
from elsewhere.errors import InputError
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


class OvertakenError(InputError):
    """A wish was made by a window that has not seen the last one."""

    def __init__(self) -> None:
        super().__init__(
            "the album was changed in another window: this one shows it as it is now; click again"
        )


@dataclass(frozen=True)
class Entry:
    """A wish, and what came of it."""

    wishes: contract.Wishes
    seen: Seen
    """The album as the attackers of these wishes see it."""
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
        self._seen = {_words(seen): seen}
        self._first = seen
        self._seed = seed
        self._ledger = ledger
        self._lock = threading.RLock()
        self._entries: list[Entry] = []
        self._at = -1
        self._version = 0
        self._turn = secrets.randbelow(1 << 30)  # no other album's turn is taken for ours
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
    def seen(self) -> Seen:
        """The album as those see it who attack now."""
        with self._lock:
            return self.now.seen if self._entries else self._first

    def knows(self, scorers: Sequence[str]) -> bool:
        """Whether all of these have looked at the photos already."""
        return tuple(scorers) in self._seen

    def learn(self, seen: Seen) -> None:
        """The same photos, as other scorers see them."""
        assert [one.id for one in seen.photos] == [one.id for one in self._first.photos]
        with self._lock:
            self._seen[_words(seen)] = seen

    @property
    def ways(self) -> contract.Undo:
        """Which ways one can go from here."""
        with self._lock:
            return contract.Undo(
                can_undo=self._at > 0,
                can_redo=self._at + 1 < len(self._entries),
                turn=self._turn,
            )

    def expect(self, turn: int | None) -> None:
        """Refuse whoever looks at an older turn than ours; None asks for nothing."""
        if turn is not None and turn != self._turn:
            raise OvertakenError

    def wish(self, wishes: contract.Wishes, seconds: float = QUICK) -> Entry:
        """A new wish; what was undone before is forgotten."""
        with self._lock:
            if self._entries and self.now.wishes == wishes:
                return self.now
            made = self._planned(wishes, seconds)
            self._turn += 1
            self._entries = [*self._entries[: self._at + 1], made][-MOST_STEPS:]
            self._at = len(self._entries) - 1
            self._remember(made)
            return made

    def step(self, by: int) -> Entry:
        """One wish back or forth; where there is none, nothing changes."""
        with self._lock:
            if 0 <= self._at + by < len(self._entries):
                self._at += by
                self._turn += 1
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
        seen = self._seen[tuple(wishes.scorers)]
        empty = Entry(wishes, seen, places, NOTHING_POSTED, None, None, self._version)
        if not places:
            return empty
        entry = replace(empty, posted=self._posted_for(wishes, seen, places))
        plan = self._solve(entry, seconds, self._nearest)
        if plan.plan.status == Status.UNKNOWN:
            plan = self._solve(entry, AGAIN * seconds, self._nearest)
        return replace(entry, plan=plan, looks=self._looks_at(entry, plan))

    def _solve(
        self,
        entry: Entry,
        seconds: float,
        near: AlbumPlan | None,
        stopped: threading.Event | None = None,
    ) -> AlbumPlan:
        """A plan; one that nobody can stop is for somebody who waits, so it is not explained."""
        same = near is not None and near.plan.promise.photos == len(entry.seen.photos) + len(
            entry.posted.ids
        )
        return plan_album(
            entry.seen,
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
            self._places[at] = places_of(self._first.photos, at=told)
        return self._places[at]

    def _posted_for(self, wishes: contract.Wishes, seen: Seen, places: Places) -> Posted:
        if self._ledger is None:
            return NOTHING_POSTED
        key = _where(wishes)
        if key not in self._posted:
            typed = as_typed(wishes, None)
            self._posted[key] = posted_for(seen, places, typed, ledger=self._ledger)
        return self._posted[key]

    def _looks_at(self, entry: Entry, plan: AlbumPlan) -> Looks:
        key = _where(entry.wishes)
        if key not in self._looks:
            self._looks[key] = Looks(entry.seen, plan.watches, entry.posted, self._tables)
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
        tuple(wishes.scorers),
    )


def _words(seen: Seen) -> tuple[str, ...]:
    return tuple(attack.word for attack in seen.attacks)


def _improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)
