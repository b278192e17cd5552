"""One wish and what came of it: what was asked, of which photos, and the best plan so far.

One album's wishes and plans: what was asked, in which order, and the best answer so far.

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
from typing import Any

from elsewhere.album.places import Places, places_of
from elsewhere.app.api import models
from elsewhere.errors import InputError
from elsewhere.globe import place
from elsewhere.service import ScoredAlbum
from elsewhere.service.beliefs import Beliefs, ScoreCache
from elsewhere.service.ledger import Ledger
from elsewhere.service.photo_selection import matching
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.service.posted import NOTHING_POSTED, Posted
from elsewhere.service.posted_photos import find_posted
from elsewhere.values.plan import Status
from elsewhere.values.wishes import Wishes


class OvertakenError(InputError):
    """Something was asked by a window that has not seen what is on the table now."""

    def __init__(self) -> None:
        super().__init__(
            "the plan changed meanwhile, by its proof or in another window: look, and try again"
        )


@dataclass(frozen=True)
class PlannedAnswer:
    """A wish, and what came of it."""

    wishes: models.WishesModel
    seen: ScoredAlbum
    """The album as the attackers of these wishes see it."""
    places: Places
    posted: Posted
    plan: AlbumPlan | None
    """None where no place is known."""
    beliefs: Beliefs | None
    version: int

    @property
    def proved(self) -> bool:
        """Whether nothing is left to be done: that there is no plan needs a reason, too."""
        if self.plan is None or self.plan.plan.status == Status.OPTIMAL:
            return True
        return self.plan.plan.status == Status.INFEASIBLE and bool(self.plan.plan.explanation)


def as_typed(wishes: models.WishesModel, seconds: float | None) -> Wishes:
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


def one_try(wishes: models.WishesModel) -> bool:
    """Whether all the time is for one k; one that was drawn gets half, for smaller ones need some
    after it, too."""
    return wishes.exact_top or wishes.budget is not None


def where(wishes: models.WishesModel) -> object:
    """All that decides the watches, and what they see beside the album."""
    return (
        tuple(wishes.at),
        tuple(wishes.hide),
        wishes.hide_level,
        wishes.radius_km,
        wishes.prior,
        tuple(wishes.scorers),
        tuple(wishes.posted),
    )


def words_of(seen: ScoredAlbum) -> tuple[str, ...]:
    """Its attackers, as typed."""
    return tuple(attack.word for attack in seen.attacks)


def improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)


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
MOST_KEPT = 64
"""Choices of places whose looks are kept; a slider passes over many, and few are come back to."""


class PlanningSession:
    """The wishes for one album that was seen."""

    def __init__(self, seen: ScoredAlbum, seed: bytes, ledger: Ledger | None = None) -> None:
        self._seen = {words_of(seen): seen}
        self._first = seen
        self._seed = seed
        self._ledger = ledger
        self._lock = threading.RLock()
        self._entries: list[PlannedAnswer] = []
        self._at = -1
        self._version = 0
        self._turn = secrets.randbelow(1 << 30)  # no other album's turn is taken for ours
        self._nearest: AlbumPlan | None = None
        self._places: dict[tuple[str, ...], Places] = {}
        self._posted: dict[object, Posted] = {}
        self._beliefs: dict[object, Beliefs] = {}
        self._score_cache: ScoreCache = {}

    @property
    def now(self) -> PlannedAnswer:
        """The wish that counts, with its answer."""
        with self._lock:
            return self._entries[self._at]

    @property
    def seen(self) -> ScoredAlbum:
        """The album as those see it who attack now."""
        with self._lock:
            return self.now.seen if self._entries else self._first

    def knows(self, scorers: Sequence[str]) -> bool:
        """Whether all of these have looked at the photos already."""
        return tuple(scorers) in self._seen

    def learn(self, seen: ScoredAlbum) -> None:
        """The same photos, as other scorers see them."""
        assert [one.id for one in seen.photos] == [one.id for one in self._first.photos]
        with self._lock:
            self._seen[words_of(seen)] = seen

    @property
    def ways(self) -> models.UndoModel:
        """Which ways one can go from here."""
        with self._lock:
            return models.UndoModel(
                can_undo=self._at > 0,
                can_redo=self._at + 1 < len(self._entries),
                turn=self._turn,
            )

    def shown(self, version: int) -> PlannedAnswer:
        """The wish that counts, for whoever sees this plan of it; OvertakenError otherwise."""
        with self._lock:
            if self.now.version != version:
                raise OvertakenError
            return self.now

    def wish(
        self, wishes: models.WishesModel, seconds: float = QUICK, turn: int | None = None
    ) -> PlannedAnswer:
        """A new wish; what was undone before is forgotten.

        Whoever says which turn they saw is refused where it is not the last any more.
        """
        with self._lock:
            self._expect(turn)
            if self._entries and self.now.wishes == wishes:
                return self.now
            made = self._planned(wishes, seconds)
            self._turn += 1
            self._entries = [*self._entries[: self._at + 1], made][-MOST_STEPS:]
            self._at = len(self._entries) - 1
            self._remember(made)
            return made

    def step(self, by: int, turn: int | None = None) -> PlannedAnswer:
        """One wish back or forth; where there is none, nothing changes."""
        with self._lock:
            self._expect(turn)
            if 0 <= self._at + by < len(self._entries):
                self._at += by
                self._turn += 1
                self._version += 1
                self._entries[self._at] = replace(self.now, version=self._version)
                self._remember(self.now)
            return self.now

    def prove(
        self,
        entry: PlannedAnswer,
        stopped: Callable[[], bool],
        tell: Callable[[PlannedAnswer], None],
    ) -> None:
        """Go on until the entry's plan is proved, or nobody wants it any more."""
        shown = entry.plan
        assert shown is not None
        for seconds in SLICES:
            better = self._solve(entry, seconds, self._nearest, stopped=stopped)
            if stopped():
                return
            made = replace(entry, plan=better)
            if made.proved or improves(better, shown):
                shown = better
                told = self._replaced(made, stopped)
                if told is not None:
                    tell(told)
            if made.proved:
                return

    def _expect(self, turn: int | None) -> None:
        if turn is not None and turn != self._turn:
            raise OvertakenError

    def _replaced(self, made: PlannedAnswer, stopped: Callable[[], bool]) -> PlannedAnswer | None:
        """A better answer to a wish, kept where the wish is; None where it is not to be told,
        because another wish counts by now."""
        with self._lock:
            at = next((n for n, one in enumerate(self._entries) if one.wishes is made.wishes), None)
            if at is None:
                return None
            kept = self._entries[at]
            assert kept.plan is not None and made.plan is not None
            before, after = kept.plan.plan, made.plan.plan
            same = before.found and after.withheld == before.withheld
            if not same:  # a proof of the same plan is no other plan
                self._version += 1
            made = replace(made, version=kept.version if same else self._version)
            self._entries[at] = made
            if stopped() or at != self._at:
                return None
            self._remember(made)
            return made

    def _remember(self, entry: PlannedAnswer) -> None:
        """What the person sees now, for the next plan to be like it."""
        if entry.plan is not None and entry.plan.plan.found:
            self._nearest = entry.plan

    def _planned(self, wishes: models.WishesModel, seconds: float) -> PlannedAnswer:
        places = self._places_at(tuple(wishes.at))
        self._version += 1
        seen = self._seen[tuple(wishes.scorers)]
        empty = PlannedAnswer(wishes, seen, places, NOTHING_POSTED, None, None, self._version)
        if not places:
            return empty
        entry = replace(empty, posted=self._posted_for(wishes, seen, places))
        plan = self._solve(entry, seconds, self._nearest)
        if plan.plan.status == Status.UNKNOWN:
            plan = self._solve(entry, AGAIN * seconds, self._nearest)
        return replace(entry, plan=plan, beliefs=self._beliefs_for(entry, plan))

    def _solve(
        self,
        entry: PlannedAnswer,
        seconds: float,
        near: AlbumPlan | None,
        stopped: Callable[[], bool] | None = None,
    ) -> AlbumPlan:
        """A plan; one that nobody can stop is for somebody who waits, so it is not explained."""
        same = near is not None and near.plan.promise.photos == len(entry.seen.photos) + len(
            entry.posted.ids
        )
        return plan_album(
            entry.seen,
            entry.places,
            as_typed(entry.wishes, seconds if one_try(entry.wishes) else 2 * seconds),
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
            _room(self._places)
            self._places[at] = places_of(self._first.photos, at=told)
        return self._places[at]

    def _posted_for(self, wishes: models.WishesModel, seen: ScoredAlbum, places: Places) -> Posted:
        if self._ledger is None and not wishes.posted:
            return NOTHING_POSTED
        key = where(wishes)
        if key not in self._posted:
            typed = as_typed(wishes, None)
            marked = matching(wishes.posted, [one.id for one in seen.photos], "posted", seen.left)
            _room(self._posted)
            self._posted[key] = find_posted(seen, places, typed, marked=marked, ledger=self._ledger)
        return self._posted[key]

    def _beliefs_for(self, entry: PlannedAnswer, plan: AlbumPlan) -> Beliefs:
        key = where(entry.wishes)
        if key not in self._beliefs:
            _room(self._beliefs)
            self._beliefs[key] = Beliefs(entry.seen, plan.watches, entry.posted, self._score_cache)
        return self._beliefs[key]


def _room(kept: dict[Any, Any]) -> None:
    """For one more; the oldest goes."""
    if len(kept) >= MOST_KEPT:
        del kept[next(iter(kept))]
