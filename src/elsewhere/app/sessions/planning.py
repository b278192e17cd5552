"""One album's wishes and plans: what was asked, in which order, and the best answer so far.

A click is answered by the best plan that a few hundredths of a second give; where that is not
proved, a job goes on with the proof. Each plan prefers to resemble the one before it, and the
secret top is drawn once a session for each top, so a click changes as little as it can.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import TypeVar

from elsewhere.app.api import models
from elsewhere.errors import InputError
from elsewhere.service import (
    NOTHING_POSTED,
    AlbumPlan,
    Beliefs,
    Ledger,
    Places,
    Posted,
    ScoreCache,
    ScoredAlbum,
    find_places,
    find_posted,
    matching,
    plan_album,
)
from elsewhere.values.plan import Status
from elsewhere.values.wishes import Wishes

QUICK_SECONDS = 0.035  # for the first answer to wishes
FIRST_SECONDS = 1.0  # for the first plan of all, which nobody clicked for
RETRY_FACTOR = 2  # where the time was too short to find any plan, so many times as long, once
PROOF_SECONDS = (0.5, 3.0, 30.0)
"""For the proof: one try after the other, so that better plans are shown on the way."""
MAX_HISTORY = 500  # wishes that can be undone
MAX_CACHED = 64  # choices of places whose beliefs are kept: a slider passes over many
THREAT_FIELDS = {"at", "hide", "hide_level", "radius_km", "prior", "scorers", "posted"}
"""The wishes that decide the threats, and what they see beside the album."""
T = TypeVar("T")


class OvertakenError(InputError):
    """A request was made by a window that has not seen the current plan."""

    def __init__(self) -> None:
        super().__init__(
            "the plan changed meanwhile, by its proof or in another window: look, and try again"
        )


@dataclass(frozen=True)
class PlannedAnswer:
    """Wishes, and what came of them."""

    wishes: models.WishesModel
    scored: ScoredAlbum  # as the models of these wishes see it
    places: Places
    posted: Posted
    plan: AlbumPlan | None  # None where no place is known
    beliefs: Beliefs | None
    version: int

    @property
    def proved(self) -> bool:
        """Whether nothing is left to be done: that there is no plan needs a reason, too."""
        if self.plan is None or self.plan.plan.status == Status.OPTIMAL:
            return True
        return self.plan.plan.status == Status.INFEASIBLE and bool(self.plan.plan.explanation)

    @property
    def feasible_plan(self) -> AlbumPlan | None:
        """The plan, where there is one that keeps the promise."""
        return self.plan if self.plan is not None and self.plan.plan.found else None


def to_wishes(wishes: models.WishesModel, seconds: float | None = None) -> Wishes:
    """The wishes as the service takes them."""
    fields = wishes.model_dump(exclude={"at", "posted", "scorers"})
    fields |= {name: tuple(fields[name]) for name in ("hide", "keep", "drop")}
    fields["each_photo"] = None if wishes.each_photo else False
    fields["prior"] = wishes.prior or None
    if wishes.budget is not None:
        fields["top"] = None
    return Wishes(**fields, time_limit=seconds)


def _improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)


class PlanningSession:
    """The wishes for one scored album."""

    def __init__(self, scored: ScoredAlbum, seed: bytes, ledger: Ledger | None = None) -> None:
        self._first = scored
        self._scored: dict[tuple[str, ...], ScoredAlbum] = {}  # by the specs of its models
        self._seed = seed
        self._ledger = ledger
        self._lock = threading.RLock()
        self._answers: list[PlannedAnswer] = []
        self._position = -1
        self._version = 0
        self._turn = secrets.randbelow(1 << 30)  # no turn of another album is taken for ours
        self._nearest: AlbumPlan | None = None  # what the user sees: the next should resemble it
        self._places: dict[object, Places] = {}
        self._posted: dict[object, Posted] = {}
        self._beliefs: dict[object, Beliefs] = {}
        self._score_cache: ScoreCache = {}
        self.add_scores(scored)

    @property
    def current(self) -> PlannedAnswer:
        """The wishes that count, with their answer."""
        with self._lock:
            return self._answers[self._position]

    @property
    def scored(self) -> ScoredAlbum:
        """The album as the current models see it."""
        with self._lock:
            return self.current.scored if self._answers else self._first

    def has_scores(self, scorers: Sequence[str]) -> bool:
        """Whether all of these have scored the photos already."""
        return tuple(scorers) in self._scored

    def add_scores(self, scored: ScoredAlbum) -> None:
        """The same photos, as other models see them."""
        assert [photo.id for photo in scored.photos] == [photo.id for photo in self._first.photos]
        with self._lock:
            self._scored[tuple(model.spec for model in scored.models)] = scored

    @property
    def undo_state(self) -> models.UndoModel:
        """Whether undo and redo are possible, and the current turn."""
        with self._lock:
            return models.UndoModel(
                can_undo=self._position > 0,
                can_redo=self._position + 1 < len(self._answers),
                turn=self._turn,
            )

    def expect_version(self, version: int) -> PlannedAnswer:
        """The current answer, if it has this version; OvertakenError otherwise."""
        with self._lock:
            if self.current.version != version:
                raise OvertakenError
            return self.current

    def wish(
        self, wishes: models.WishesModel, seconds: float = QUICK_SECONDS, turn: int | None = None
    ) -> PlannedAnswer:
        """Answer new wishes; what was undone before is forgotten.

        With `turn`, OvertakenError where that is not the last one any more.
        """
        with self._lock:
            self._check_turn(turn)
            if self._answers and self.current.wishes == wishes:
                return self.current
            answer = self._plan(wishes, seconds)
            self._turn += 1
            self._answers = [*self._answers[: self._position + 1], answer][-MAX_HISTORY:]
            self._position = len(self._answers) - 1
            self._nearest = answer.feasible_plan or self._nearest
            return answer

    def step(self, by: int, turn: int | None = None) -> PlannedAnswer:
        """Undo or redo; where there is nothing to, nothing changes."""
        with self._lock:
            self._check_turn(turn)
            if 0 <= self._position + by < len(self._answers):
                self._position += by
                self._turn += 1
                self._version += 1
                self._answers[self._position] = replace(self.current, version=self._version)
                self._nearest = self.current.feasible_plan or self._nearest
            return self.current

    def prove(
        self,
        answer: PlannedAnswer,
        stopped: Callable[[], bool],
        publish: Callable[[PlannedAnswer], None],
    ) -> None:
        """Go on until the answer's plan is proved or `stopped`; publish better answers."""
        best = answer.plan
        assert best is not None
        for seconds in PROOF_SECONDS:
            plan = self._solve(answer, seconds, stopped)
            if stopped():
                return
            improved = replace(answer, plan=plan)
            if improved.proved or _improves(plan, best):
                best = plan
                current = self._replace(improved, stopped)
                if current is not None:
                    publish(current)
            if improved.proved:
                return

    def _check_turn(self, turn: int | None) -> None:
        if turn is not None and turn != self._turn:
            raise OvertakenError

    def _replace(
        self, improved: PlannedAnswer, stopped: Callable[[], bool]
    ) -> PlannedAnswer | None:
        """Keep a better answer in the place of the old one; None where other wishes count now."""
        with self._lock:
            numbers = range(len(self._answers))
            at = next((n for n in numbers if self._answers[n].wishes is improved.wishes), None)
            if at is None:
                return None
            old = self._answers[at]
            assert old.plan is not None and improved.plan is not None
            before, after = old.plan.plan, improved.plan.plan
            same = before.found and after.withheld == before.withheld
            if not same:  # a proof of the same plan is not another plan
                self._version += 1
            improved = replace(improved, version=old.version if same else self._version)
            self._answers[at] = improved
            if stopped() or at != self._position:
                return None
            self._nearest = improved.feasible_plan or self._nearest
            return improved

    def _plan(self, wishes: models.WishesModel, seconds: float) -> PlannedAnswer:
        at = tuple(wishes.at)
        places = _cached(self._places, at, lambda: find_places(self._first.photos, at))
        self._version += 1
        scored, posted = self._scored[tuple(wishes.scorers)], NOTHING_POSTED
        answer = PlannedAnswer(wishes, scored, places, posted, None, None, self._version)
        if not places:
            return answer
        key = wishes.model_dump_json(include=THREAT_FIELDS)
        if self._ledger is not None or wishes.posted:
            posted = _cached(self._posted, key, lambda: self._find_posted(answer))
            answer = replace(answer, posted=posted)
        plan = self._solve(answer, seconds)
        if plan.plan.status == Status.UNKNOWN:
            plan = self._solve(answer, RETRY_FACTOR * seconds)
        beliefs = _cached(
            self._beliefs, key, lambda: Beliefs(scored, plan.threats, posted, self._score_cache)
        )
        return replace(answer, plan=plan, beliefs=beliefs)

    def _find_posted(self, answer: PlannedAnswer) -> Posted:
        wishes, scored = answer.wishes, answer.scored
        ids = [photo.id for photo in scored.photos]
        marked = matching(wishes.posted, ids, "posted", scored.skipped)
        return find_posted(
            scored, answer.places, to_wishes(wishes), marked=marked, ledger=self._ledger
        )

    def _solve(
        self, answer: PlannedAnswer, seconds: float, stopped: Callable[[], bool] | None = None
    ) -> AlbumPlan:
        """A plan. One that cannot be stopped is for a click that waits, so it is not explained."""
        wishes, near = answer.wishes, self._nearest
        photos = len(answer.scored.photos) + len(answer.posted.ids)
        if near is not None and near.plan.promise.photos != photos:
            near = None
        # a secret top gets half of the time: smaller ones need some after it, too
        single = wishes.exact_top or wishes.budget is not None
        return plan_album(
            answer.scored,
            answer.places,
            to_wishes(wishes, seconds if single else 2 * seconds),
            posted=answer.posted,
            near=None if near is None else near.plan,
            # the same draws for the same top, as long as the session lasts
            draw=Random(self._seed + str(wishes.top).encode()),
            stopped=stopped,
            reasons=stopped is not None,
        )


def _cached(cache: dict[object, T], key: object, make: Callable[[], T]) -> T:
    """The entry of a key, made where it is missing; then the oldest entry may go."""
    if key not in cache:
        value = make()
        if len(cache) >= MAX_CACHED:
            del cache[next(iter(cache))]
        cache[key] = value
    return cache[key]
