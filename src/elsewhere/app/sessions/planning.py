"""One album's wishes and plans: what was asked, in which order, and the best answer so far.

A click is answered by the best plan that a few hundredths of a second give; where that is not
proved, a job goes on with the proof. Each plan prefers to resemble the one before it, and the
secret top comes from the user's key and the album, so a click changes as little as it can.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import TypeVar

from elsewhere.app.api import models
from elsewhere.app.sessions.edits import AlbumEdits, to_edit
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.service import (
    NOTHING_POSTED,
    AlbumPlan,
    Beliefs,
    Ledger,
    Places,
    Posted,
    RowCache,
    ScoredAlbum,
    Step,
    album_draw,
    check_top,
    check_wishes,
    find_places,
    find_posted,
    keep_with_text,
    matching,
    plan_album,
    select_edits,
    select_places,
    with_chosen_rows,
    with_public_versions,
)
from elsewhere.values.notes import NoteKind
from elsewhere.values.photo_text import PhotoText
from elsewhere.values.plan import Status
from elsewhere.values.versions import Edit, ScoredVersion
from elsewhere.values.wishes import Wishes

QUICK_SECONDS = 0.03  # for the first answer to wishes
FIRST_SECONDS = 1.0  # for the first plan of all, which nobody clicked for
RETRY_FACTOR = 2  # where the time was too short to find any plan, so many times as long, once
PROOF_SECONDS = (0.5, 3.0, 30.0)
"""For the proof: one try after the other, so that better plans are shown on the way."""
MAX_HISTORY = 500  # wishes that can be undone
MAX_CACHED = 64  # choices of places whose beliefs are kept: a slider passes over many
THREAT_FIELDS = {"at", "hide", "hide_level", "radius_km", "prior", "scorers", "posted"}
"""The wishes that decide the threats, and what they see beside the album."""
EDIT_FIELDS = THREAT_FIELDS | {"edits"}
"""The wishes that decide which versions of a photo are found."""
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
    pending: bool = False  # whether its first plan is still being looked for
    candidates: Mapping[int, tuple[ScoredVersion, ...]] = field(default_factory=dict)
    """The versions that the plan chose among, by photo's number."""

    @cached_property
    def shown(self) -> ScoredAlbum:
        """The album with the photos as they would go out, as the models see them."""
        plan = self.feasible_plan
        return self.scored if plan is None else with_chosen_rows(self.scored, plan)

    @cached_property
    def shown_beliefs(self) -> Beliefs | None:
        """What is believed of the photos as they would go out."""
        if self.beliefs is None or self.shown is self.scored:
            return self.beliefs
        return Beliefs(self.shown, self.beliefs.threats, self.posted)

    @property
    def proved(self) -> bool:
        """Whether nothing is left to be done: that there is no plan needs a reason, too."""
        if self.pending:
            return False
        if self.plan is None or self.plan.plan.status == Status.OPTIMAL:
            return True
        return self.plan.plan.status == Status.INFEASIBLE and bool(self.plan.plan.explanation)

    @property
    def settled(self) -> bool:
        """Whether nothing will change it: a plan for places is what it is once it was attacked."""
        if self.plan is None or not self.plan.plan.found:
            return self.proved
        if all(against.circles is None for against in self.plan.plan.promise.against):
            return self.proved
        return self.plan.attacked

    @property
    def feasible_plan(self) -> AlbumPlan | None:
        """The plan, where there is one that keeps the promise."""
        return self.plan if self.plan is not None and self.plan.plan.found else None


def to_wishes(wishes: models.WishesModel, seconds: float | None = None) -> Wishes:
    """The wishes as the service takes them."""
    fields = wishes.model_dump(exclude={"at", "posted", "scorers"})
    fields |= {name: tuple(fields[name]) for name in ("hide", "keep", "drop", "as_is")}
    fields["rectangles"] = {name: to_edit(edit) for name, edit in wishes.rectangles.items()}
    fields["each_photo"] = None if wishes.each_photo else False
    fields["prior"] = wishes.prior or None
    if wishes.budget is not None:
        fields["top"] = None
    return Wishes(**fields, time_limit=seconds)


def _improves(new: AlbumPlan, old: AlbumPlan) -> bool:
    """Whether a plan is worth showing instead of another for the same wishes."""
    if not new.plan.found or not old.plan.found:
        return new.plan.found
    if new.attacked and not old.attacked:
        return True
    if new.wishes.budget is not None:
        return new.plan.protected_k > old.plan.protected_k
    return Fraction(new.plan.cost) < Fraction(old.plan.cost)


class PlanningSession:
    """The wishes for one scored album."""

    def __init__(
        self,
        scored: ScoredAlbum,
        key: bytes | None = None,
        ledger: Ledger | None = None,
        cache: RowCache | None = None,
    ) -> None:
        """`key` is what the secret top is drawn by; None for the user's own."""
        self.edits = AlbumEdits(scored, cache)
        self._first = scored
        self._scored: dict[tuple[str, ...], ScoredAlbum] = {}  # by the specs of its models
        self._texts: Mapping[str, PhotoText] = {}
        self._key = key
        self._ledger = ledger
        self._cache = cache
        self._lock = threading.RLock()
        self._answers: list[PlannedAnswer] = []
        self._position = -1
        self._version = 0
        self._turn = secrets.randbelow(1 << 30)  # no turn of another album is taken for ours
        self._refusable: tuple[PlannedAnswer, list[PlannedAnswer], int] | None = None
        """The last answer that was begun, and the answers and the position before it."""
        self._nearest: AlbumPlan | None = None  # what the user sees: the next should resemble it
        self._places: dict[object, Places] = {}
        self._posted: dict[object, Posted] = {}
        self._exports = 0  # a photo that is posted is posted as it was exported last
        self._public: tuple[ScoredAlbum, Posted, ScoredAlbum] | None = None
        self._beliefs: dict[object, Beliefs] = {}
        self.said_home: tuple[float, float] | None = None
        """Where home is, as far as the user said so in another album."""
        self._prices: dict[object, int | None] = {}  # by wishes that hide one place alone
        self._ranks: dict[object, dict[str, int]] = {}  # of places by name, hidden now or before
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
            if not self._answers:
                return self._first
            return self._scored[tuple(self.current.wishes.scorers)]

    def has_scores(self, scorers: Sequence[str]) -> bool:
        """Whether all of these have scored the photos already."""
        return tuple(scorers) in self._scored

    def add_scores(self, scored: ScoredAlbum) -> None:
        """The same photos, as other models see them."""
        assert [photo.id for photo in scored.photos] == [photo.id for photo in self._first.photos]
        with self._lock:
            scored = replace(scored, texts=self._texts)
            self._scored[tuple(model.spec for model in scored.models)] = scored

    def note_export(self) -> None:
        """A copy was written: what is marked as posted from now on is posted as it is there."""
        with self._lock:
            self._exports += 1

    def add_texts(self, texts: Mapping[str, PhotoText]) -> PlannedAnswer:
        """What is written on the photos: every plan before is made again when it is asked for.

        The current answer, whose plan does not know it yet.
        """
        with self._lock:
            self._texts = texts
            self._scored = {k: replace(known, texts=texts) for k, known in self._scored.items()}
            now = self.current
            self._answers = [
                self._with_texts(known, keep_plan=known is now) for known in self._answers
            ]
            if self._refusable is not None:
                refusable, before, position = self._refusable
                self._refusable = None
                if refusable is now:
                    before = [self._with_texts(known) for known in before]
                    self._refusable = (self.current, before, position)
            return self.current

    def _with_texts(self, answer: PlannedAnswer, *, keep_plan: bool = False) -> PlannedAnswer:
        """An answer of the photos with their text; a plan that does not know it is forgotten."""
        scored = self._as_public(self._scored[tuple(answer.wishes.scorers)], answer.posted)
        read = replace(answer, scored=scored)
        if keep_plan or read.plan is None:
            return read
        return replace(read, plan=None, pending=True, candidates={})

    def plan_again(self, answer: PlannedAnswer) -> PlannedAnswer:
        """An answer with a plan that knows the photos' text; its version stays if the plan does."""
        if answer.plan is None:
            return answer  # it is pending, or there is nothing to hide
        kept = keep_with_text(answer.scored, answer.plan)
        plan = self._solve(answer, FIRST_SECONDS) if kept is None else kept
        return self._replace(replace(answer, plan=plan), lambda: False) or self.current

    def knows_texts(self, answer: PlannedAnswer) -> bool:
        """Whether an answer is of the photos with all of their text that was read."""
        with self._lock:
            return answer.scored.texts is self._texts

    def read_plan(self, answer: PlannedAnswer) -> tuple[ScoredAlbum, AlbumPlan]:
        """An answer's album and plan with the text that was read since, to be exported.

        OvertakenError where that text makes it another plan than the user saw.
        """
        with self._lock:
            plan = answer.feasible_plan
            assert plan is not None
            read = replace(self._scored[tuple(answer.wishes.scorers)], texts=self._texts)
            scored = self._as_public(read, answer.posted)
            kept = keep_with_text(scored, plan)
            if kept is None:
                now = self.expect_version(answer.version)
                assert now.feasible_plan is not None, "a plan of the same version shares the same"
                scored, kept = now.scored, now.feasible_plan
            return scored, kept

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
        """Answer new wishes with their first plan; what was undone before is forgotten.

        With `turn`, OvertakenError where that is not the last one any more.
        """
        answer = self.begin(wishes, turn)
        planned = self.plan_first(answer, seconds) if answer.pending else answer
        return self.current if planned is None else planned

    def begin(self, wishes: models.WishesModel, turn: int | None = None) -> PlannedAnswer:
        """Take new wishes at once. Where they need a plan, the answer is pending."""
        with self._lock:
            self._check_turn(turn)
            if self._answers and self.current.wishes == wishes:
                return self.current
            answer = self._pending(wishes)
            before = self._answers, self._position
            self._turn += 1
            self._answers = [*self._answers[: self._position + 1], answer][-MAX_HISTORY:]
            self._position = len(self._answers) - 1
            self._refusable = (answer, *before)
            return answer

    def plan_first(self, answer: PlannedAnswer, seconds: float) -> PlannedAnswer | None:
        """The first plan of a pending answer. Wishes that are refused are taken back.

        None where the photos' text was read meanwhile: the plan does not know it.
        """
        try:
            planned = self._plan(answer, seconds)
        except ElsewhereError:
            self._take_back(answer)
            raise
        with self._lock:
            self._version += 1
            planned = replace(planned, version=self._version)
            for number, known in enumerate(self._answers):
                if known.wishes is answer.wishes:
                    if known.scored is not answer.scored:
                        return None
                    self._answers[number] = planned
            if self.current is planned:
                self._nearest = planned.feasible_plan or self._nearest
            return planned

    def _take_back(self, answer: PlannedAnswer) -> None:
        """Forget wishes that were refused; what was undone before them can be redone again."""
        with self._lock:
            if self._refusable is None or self._refusable[0] is not answer:
                return
            if self.current is answer and self._refusable[1]:
                _, self._answers, self._position = self._refusable
                self._turn -= 1
                self._refusable = None

    def renew_turn(self) -> None:
        """Make a turn that no page has seen: wishes that one was told of were taken back."""
        with self._lock:
            self._turn += 2

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
            started = monotonic()
            plan = self._solve(answer, seconds, stopped)
            if stopped():
                return
            improved = replace(answer, plan=plan)
            if improved.proved or _improves(plan, best):
                best = plan
                current = self._replace(improved, stopped)
                if current is not None:
                    publish(current)
            in_time = all(note.kind is not NoteKind.TIME_DECIDED for note in plan.notes)
            if improved.settled and in_time and monotonic() - started < seconds:
                return  # more time would not change it

    def edit(
        self,
        answer: PlannedAnswer,
        stopped: Callable[[], bool],
        progress: Callable[[Step], None],
        publish: Callable[[PlannedAnswer], None],
    ) -> None:
        """Look for edits of what the answer's plan withholds; publish better answers."""
        with self._lock:
            # a proof may have improved it
            same = [known for known in self._answers if known.wishes is answer.wishes]
        if not same or not self.edits.may_help(same[0]):
            return
        answer = same[0]
        plan = answer.plan
        assert plan is not None
        plan = replace(plan, wishes=replace(plan.wishes, time_limit=None))

        def show(better: AlbumPlan) -> None:
            candidates = {} if better.versions is None else {**better.versions.candidates}
            ids = [photo.id for photo in answer.scored.photos]
            # what the user drew is shared so or not at all, whatever becomes of this plan
            drawn = {
                n: v for n, v in answer.candidates.items() if ids[n] in answer.wishes.rectangles
            }
            candidates = {**drawn, **candidates}
            current = self._replace(replace(answer, plan=better, candidates=candidates), stopped)
            if current is not None:
                publish(current)

        self.edits.search(
            self._edit_key(answer),
            answer,
            plan,
            stopped=stopped,
            progress=progress,
            publish=show,
        )

    def goes_on(self, answer: PlannedAnswer) -> bool:
        """Whether a proof or edits may still change an answer."""
        return not answer.settled or self.edits.may_help(answer)

    def proposal(self, answer: PlannedAnswer, number: int) -> Edit | None:
        """How a photo could be edited that does not go out so: as it was drawn, or found."""
        drawn = answer.wishes.rectangles.get(answer.scored.photos[number].id)
        if drawn is not None:
            return to_edit(drawn)
        return self.edits.proposal(self._edit_key(answer), number)

    def expect_turn(self, turn: int | None) -> PlannedAnswer:
        """The current answer, if it is the one of this turn; OvertakenError otherwise."""
        with self._lock:
            self._check_turn(turn)
            return self.current

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
            if old.scored is not improved.scored:
                return None  # the photos' text was read meanwhile: the plan does not know it
            assert old.plan is not None and improved.plan is not None
            before, after = old.plan.plan, improved.plan.plan
            same = before.found and after.withheld == before.withheld
            same = same and improved.plan.edits == old.plan.edits
            if not same:  # a proof of the same plan is not another plan
                self._version += 1
            improved = replace(improved, version=old.version if same else self._version)
            self._answers[at] = improved
            if stopped() or at != self._position:
                return None
            self._nearest = improved.feasible_plan or self._nearest
            return improved

    def _pending(self, wishes: models.WishesModel) -> PlannedAnswer:
        """Wishes whose plan is still to be found, with what can be refused at once."""
        at = tuple(wishes.at)
        places = _cached(self._places, at, lambda: find_places(self._first.photos, at))
        scored = self._scored[tuple(wishes.scorers)]
        # the album knows its places by name, and looking them up takes a while
        asked = to_wishes(wishes)
        check_wishes(replace(asked, hide=("all",)))
        select_edits(asked, [photo.id for photo in scored.photos], scored.skipped)
        for model in scored.models:
            check_top(asked.top, model.about.cells - 1)
        if places:
            select_places(places, scored.photos, tuple(wishes.hide))
        self._version += 1
        return PlannedAnswer(
            wishes, scored, places, NOTHING_POSTED, None, None, self._version, bool(places)
        )

    def _plan(self, answer: PlannedAnswer, seconds: float) -> PlannedAnswer:
        """A pending answer with its first plan."""
        wishes = answer.wishes
        key = self._threat_key(wishes)
        if self._ledger is not None or wishes.posted:
            posted = _cached(self._posted, key, lambda: self._find_posted(answer))
            scored = self._as_public(answer.scored, posted)
            answer = replace(answer, posted=posted, scored=scored)
        if wishes.rectangles and key not in self._beliefs:
            threats = self._solve(answer, seconds).threats  # what drawn edits are scored for
            self._beliefs[key] = Beliefs(answer.scored, threats, answer.posted)
        if wishes.edits != "none" or wishes.rectangles:
            beliefs = self._beliefs.get(key)
            threats = () if beliefs is None else beliefs.threats
            candidates = self.edits.candidates(self._edit_key(answer), answer, threats)
            answer = replace(answer, candidates=candidates)
        plan = self._solve(answer, seconds)
        if plan.plan.status == Status.UNKNOWN:
            plan = self._solve(answer, RETRY_FACTOR * seconds)
        beliefs = _cached(
            self._beliefs, key, lambda: Beliefs(answer.scored, plan.threats, answer.posted)
        )
        return replace(answer, plan=plan, beliefs=beliefs, pending=False)

    def price(
        self, answer: PlannedAnswer, label: str, seconds: float, stopped: Callable[[], bool]
    ) -> int | None:
        """How many photos are withheld to hide this place alone; None where that is not known."""
        wishes = answer.wishes.model_copy(update={"hide": [label], "edits": "none"})
        key = wishes.model_dump_json(), bool(answer.scored.texts)
        with self._lock:
            if key in self._prices:
                return self._prices[key]
        posted = answer.posted
        plan = plan_album(
            answer.scored,
            answer.places,
            to_wishes(wishes, seconds),
            posted=posted,
            draw=album_draw(answer.scored.photos, self._key),
            stopped=stopped,
            reasons=False,
            attacked=False,
        ).plan
        price = len(set(plan.withheld) - set(plan.promise.drop)) if plan.found else None
        if not stopped():
            with self._lock:
                _cached(self._prices, key, lambda: price)
        return price

    def place_ranks(self, answer: PlannedAnswer) -> dict[str, int]:
        """Which guess is the first to find each place in the album as it is.

        Of a place that is public now, what was known while it was hidden.
        """
        key = answer.wishes.model_dump_json(include=THREAT_FIELDS - {"hide"})
        with self._lock:
            ranks = _cached(self._ranks, key, dict)
        for belief in answer.beliefs.before if answer.beliefs is not None else ():
            label = belief.threat.place.label
            ranks[label] = min(belief.rank, ranks.get(label, belief.rank))
        return ranks

    @staticmethod
    def _edit_key(answer: PlannedAnswer) -> str:
        key = answer.wishes.model_dump_json(include=EDIT_FIELDS)
        return f"{key} text" if answer.scored.texts else key

    def _threat_key(self, wishes: models.WishesModel) -> str:
        """What decides the threats, and what is public beside the album."""
        key = wishes.model_dump_json(include=THREAT_FIELDS)
        return f"{key} {self._exports}" if wishes.posted else key

    def _as_public(self, scored: ScoredAlbum, posted: Posted) -> ScoredAlbum:
        """The album with the rows of public versions: the same object for the same arguments."""
        if not posted.versions:
            return scored
        with self._lock:
            last = self._public
            if last is None or last[0] is not scored or last[1] is not posted:
                seen = with_public_versions(scored, posted.versions)
                self._public = last = scored, posted, seen
            return last[2]

    def _find_posted(self, answer: PlannedAnswer) -> Posted:
        wishes, scored = answer.wishes, answer.scored
        ids = [photo.id for photo in scored.photos]
        marked = matching(wishes.posted, ids, "posted", scored.skipped)
        return find_posted(
            scored,
            answer.places,
            to_wishes(wishes),
            marked=marked,
            ledger=self._ledger,
            cache=self._cache,
        )

    def _solve(
        self, answer: PlannedAnswer, seconds: float, stopped: Callable[[], bool] | None = None
    ) -> AlbumPlan:
        """A plan. One that cannot be stopped is for a click: it is not explained or attacked."""
        wishes, near = answer.wishes, self._nearest
        photos = len(answer.scored.photos) + len(answer.posted.ids)
        if near is not None and near.plan.promise.photos != photos:
            near = None
        known = self._beliefs.get(self._threat_key(wishes))
        # a secret top gets half of the time: smaller ones need some after it, too
        single = wishes.exact_top or wishes.budget is not None
        return plan_album(
            answer.scored,
            answer.places,
            to_wishes(wishes, seconds if single else 2 * seconds),
            posted=answer.posted,
            near=None if near is None else near.plan,
            draw=album_draw(answer.scored.photos, self._key),
            stopped=stopped,
            reasons=stopped is not None,
            attacked=stopped is not None,
            quick=stopped is None,
            candidates=answer.candidates,
            threats=None if known is None else known.threats,
        )


def _cached(cache: dict[object, T], key: object, make: Callable[[], T]) -> T:
    """The entry of a key, made where it is missing; then the oldest entry may go."""
    if key not in cache:
        value = make()
        if len(cache) >= MAX_CACHED:
            del cache[next(iter(cache))]
        cache[key] = value
    return cache[key]
