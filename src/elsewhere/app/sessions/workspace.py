"""The open album, from its first photo read to the copy that was made.

Its lock is held for moments only, so that the page can ask while an album is read. The planning
session has its own lock, held while wishes are answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from elsewhere import messages
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.security.guard import INTERNAL_ERROR
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import presenter
from elsewhere.app.sessions.jobs import AppJob, BusyError, CancelledError, Jobs, problem_message
from elsewhere.app.sessions.memory import AlbumMemory
from elsewhere.app.sessions.photo_index import PhotoIndex
from elsewhere.app.sessions.planning import (
    FIRST_SECONDS,
    QUICK_SECONDS,
    PlannedAnswer,
    PlanningSession,
)
from elsewhere.app.sessions.uploads import UploadFolder
from elsewhere.errors import ElsewhereError, InputError, NoPhotoError
from elsewhere.service import (
    Ledger,
    RowCache,
    ScoredAlbum,
    Step,
    album_name,
    describe_scorer,
    read_texts,
    rescore_album,
    score_album,
)

ANSWER_SECONDS = 0.06
"""For so long a request waits for the first plan. A plan that takes longer comes with its job."""
EDITED_SECONDS = 1.0
"""The same where photos may be edited: what was drawn is scored first."""
OPENING_SECONDS = 2.0
"""For so long an album that was just read waits for its first plan before it is shown."""
PROOF_DELAY = 0.1
"""Seconds before a proof goes on: the page paints the answer first, on the same processor."""


class FirstAnswer:
    """The first plan for wishes, for whoever waits a moment for it."""

    def __init__(self) -> None:
        self._given = threading.Event()
        self._lock = threading.Lock()
        self._awaited = True
        self._answer: PlannedAnswer | None = None
        self._problem: BaseException | None = None

    def give(
        self, answer: PlannedAnswer | None = None, *, problem: BaseException | None = None
    ) -> bool:
        """Hand over the answer, or why there is none; whether anybody still waits for it."""
        with self._lock:
            self._answer, self._problem = answer, problem
            self._given.set()
            return self._awaited

    def wait(self, seconds: float) -> PlannedAnswer | None:
        """The answer, or None where it takes longer or was overtaken; raises what went wrong."""
        self._given.wait(seconds)
        with self._lock:
            self._awaited = False
            if self._problem is not None and not isinstance(self._problem, CancelledError):
                raise self._problem
            return self._answer


class Workspace:
    """The open album and everything that can be done with it."""

    def __init__(
        self,
        keys: Keys,
        *,
        scorers: Sequence[str] = ("embedded",),
        cache: RowCache | None = None,
        use_ledger: bool = True,
        remember: bool = False,
        read_text: bool = False,
    ) -> None:
        """With `remember`, albums that are opened by path are found again with their wishes.

        With `read_text`, the photos' text is read once there is a first plan.
        """
        self.keys = keys
        self.jobs = Jobs()
        self.memory = AlbumMemory(enabled=remember)
        self.exported: models.ExportedModel | None = None
        self._default_scorers = tuple(scorers)
        self._cache = cache
        self._read_text = read_text
        self._ledger = Ledger() if use_ledger else None
        self._lock = threading.RLock()
        self._switch_lock = threading.Lock()  # albums are opened and closed one at a time
        self.index = PhotoIndex(keys, 0)
        self._reset()

    def _reset(self) -> None:
        self.index = PhotoIndex(self.keys, self.index.number + 1)
        self._stage: str = "empty"
        self._error: str | None = None
        self._no_photos: models.NoPhotosModel | None = None
        self._paths: tuple[Path, ...] = ()
        self._scorers = self._default_scorers
        self._upload: UploadFolder | None = None
        self._session: PlanningSession | None = None
        self.exported = None
        self._copies = 0
        self._restored = ""
        self._reading: models.ReadingState = "off"
        self._reading_problem = ""

    @property
    def session(self) -> PlanningSession:
        """The wishes for the album; InputError where there is none."""
        with self._lock:
            if self._session is None:
                raise InputError("no album is open yet: open one, or wait until it is read")
            return self._session

    @property
    def reading(self) -> models.ReadingState:
        """How far the text on the album's photos is read."""
        with self._lock:
            return self._reading

    def read_text(self, *, wanted: bool) -> None:
        """Read the text on the photos again where that failed; or go on without it."""
        session = self.session
        with self._lock:
            if self._reading != "failed":
                return
            if wanted:
                self._start_text(session)
            else:
                self._reading, self._reading_problem = "off", ""

    @property
    def opened_paths(self) -> tuple[Path, ...]:
        """What the user opened by path."""
        with self._lock:
            return () if self._upload else self._paths

    def open(
        self,
        paths: Sequence[Path],
        scorers: Sequence[str] | None = None,
        *,
        upload: UploadFolder | None = None,
    ) -> AppJob:
        """Read and score these instead of the open album.

        `upload` is the folder of dropped photos; it is deleted with the album.
        """
        specs = tuple(dict.fromkeys(scorers or self._default_scorers))
        with self._switch_lock:
            self._discard()
            with self._lock:
                self._stage, index = "reading", self.index
                self._paths, self._upload, self._scorers = tuple(paths), upload, specs
                return self.jobs.start(
                    "reading", lambda job: self._read(job, index, tuple(paths), specs)
                )

    def close(self, *, force: bool = False) -> None:
        """Close the album; BusyError while a copy of it is written, unless `force`."""
        with self._switch_lock:
            self._discard(force=force)

    def _discard(self, *, force: bool = False) -> None:
        """Stop the jobs first, so that nothing is closed while they use it."""
        if not force and self.jobs.running("export"):
            raise BusyError
        self.memory.flush()
        with self._lock:
            session, upload, index = self._session, self._upload, self.index
            self._reset()
        self.jobs.close()
        index.clear()
        if session is not None:
            session.edits.close()
            session.scored.close()
        if upload is not None:
            upload.delete()

    def wish(self, wishes: models.WishesModel, turn: int | None = None) -> models.AnswerModel:
        """Answer wishes: a plan at once, and a job where something goes on."""
        session = self.session
        wishes = wishes.model_copy(update={"scorers": list(dict.fromkeys(wishes.scorers))})
        if not session.has_scores(wishes.scorers):
            return self._start_scoring(session, wishes, turn)
        return self._replan(session, lambda: session.begin(wishes, turn))

    def step(self, by: int, turn: int | None = None) -> models.AnswerModel:
        """Undo or redo."""
        session = self.session
        return self._replan(session, lambda: session.step(by, turn))

    def state(self) -> models.WorkspaceModel:
        """The whole state."""
        # jobs first: a page that follows a job that is over by now still receives its end
        jobs = self.jobs.running("reading", "scoring", "text", "proof", "export", "verify")
        with self._lock:
            session, stage, index = self._session, self._stage, self.index
            error, no_photos = self._error, self._no_photos
            uploaded = self._upload is not None
            reading, problem = self._reading, self._reading_problem
        state = models.WorkspaceModel(
            stage=stage,  # type: ignore[arg-type]
            error=error,
            nothing=no_photos,
            jobs=[job.to_model() for job in jobs],
            wishes=models.WishesModel(scorers=list(self._scorers)),
            exported=self.exported,
            recent=self.memory.recent() if stage in {"empty", "failed"} else [],
            restored=self._restored,
            reading=reading,
            reading_problem=problem,
            choices=presenter.choices_model(),
        )
        if session is None:
            album = None if stage == "empty" else index.album()
            return state.model_copy(update={"album": album})
        current = session.current
        answer = presenter.answer_model(session, current, index)
        photos = presenter.photo_models(current, index.link)
        names = ("places", "edits", "wishes", "plan", "pending", "audit_after", "undo")
        update: dict[str, object] = {name: getattr(answer, name) for name in names}
        update["album"] = presenter.album_model(current, photos, uploaded=uploaded)
        update["audit"] = presenter.audit_model(current)
        update["remembered"] = self.memory.remembers(self.opened_paths, current)
        return state.model_copy(update=update)

    def photos(self) -> list[models.PhotoModel]:
        """The photos with fresh links."""
        with self._lock:
            session, index = self._session, self.index
        if session is None:
            return index.album().photos
        return presenter.photo_models(session.current, index.link)

    def report_path(self) -> str | None:
        """The address of the last copy's report; None where there is none."""
        with self._lock:
            if self.exported is None or self.exported.report is None:
                return None
            return f"/reports/{self.index.number}/{self._copies}"

    def record_export(self, session: PlanningSession, exported: models.ExportedModel) -> None:
        """Remember a copy that was written, where its album is still open."""
        with self._lock:
            if self._session is session:
                self.exported = exported
                self._copies += 1

    def _replan(
        self, session: PlanningSession, plan: Callable[[], PlannedAnswer]
    ) -> models.AnswerModel:
        """Stop the proof that was running; it goes on where the new wishes are refused.

        A plan that takes longer than a moment is not waited for: the job brings it.
        """
        self.jobs.cancel("proof", "frontier", "prices")
        try:
            answer = plan()
            if answer.pending:
                job, first = self._start_planning(session, answer)
                editing = answer.wishes.edits != "none" or answer.wishes.rectangles
                answer = first.wait(EDITED_SECONDS if editing else ANSWER_SECONDS) or answer
                going_on = job.to_model() if session.goes_on(answer) else None
                return presenter.answer_model(session, answer, self.index, going_on)
        except BaseException:
            self._start_proof(session, session.current)
            raise
        finally:
            self._note(session)
        proof = self._start_proof(session, answer)
        return presenter.answer_model(session, answer, self.index, proof)

    def _note(self, session: PlanningSession) -> None:
        """Have the wishes noted, where the album can be opened again."""
        with self._lock:
            paths = self._paths if self._session is session and self._upload is None else ()
        self.memory.note(paths, album_name(session.scored), session.current)

    def _start_planning(
        self, session: PlanningSession, answer: PlannedAnswer, seconds: float = QUICK_SECONDS
    ) -> tuple[AppJob, FirstAnswer]:
        """Look for the first plan of a pending answer in a job, and then for its proof."""
        first, index = FirstAnswer(), self.index

        def work(job: AppJob) -> None:
            try:
                with job.interruptible():
                    planned = session.plan_first(answer, seconds)
                    if planned is None:
                        raise CancelledError  # the job that read the text plans it again
                    model = presenter.answer_model(session, planned, index)
            except BaseException as problem:
                if not first.give(problem=problem) and isinstance(problem, ElsewhereError):
                    session.renew_turn()
                    before = presenter.answer_model(session, session.current, index)
                    job.publish(EventModel(answer=before))  # the wishes were taken back
                raise
            first.give(planned)
            job.publish(EventModel(answer=model))
            if session.goes_on(planned):
                self._improve(job, session, planned)

        return self.jobs.start("proof", work), first

    def _start_proof(
        self, session: PlanningSession, answer: PlannedAnswer
    ) -> models.JobModel | None:
        """Go on with the proof and with edits in a job; None where nothing is left to be done."""
        if answer.pending:
            return self._start_planning(session, answer)[0].to_model()
        if not session.goes_on(answer):
            return None
        return self.jobs.start("proof", lambda job: self._improve(job, session, answer)).to_model()

    def _improve(self, job: AppJob, session: PlanningSession, answer: PlannedAnswer) -> None:
        """Prove the plan by withholding, then look for edits."""
        index = self.index

        def publish(better: PlannedAnswer) -> None:
            job.publish(EventModel(answer=presenter.answer_model(session, better, index)))

        job.cancelled.wait(PROOF_DELAY)
        if not answer.settled:
            with job.interruptible():
                session.prove(answer, job.check_cancelled, publish)
        session.edit(answer, job.check_cancelled, job.report_progress, publish)
        job.check_cancelled()

    def _start_scoring(
        self, session: PlanningSession, wishes: models.WishesModel, turn: int | None
    ) -> models.AnswerModel:
        """Score the photos with other models; until then the old models count."""
        for spec in wishes.scorers:
            describe_scorer(spec)  # what cannot be used is refused at once
        self.jobs.cancel("scoring")
        scorers, old_scorers = wishes.scorers, session.current.wishes.scorers
        answer = session.begin(wishes.model_copy(update={"scorers": old_scorers}), turn)
        self._start_proof(session, answer)

        def work(job: AppJob) -> None:
            scored = rescore_album(
                session.scored, scorers, cache=self._cache, progress=job.report_progress
            )
            job.check_cancelled()
            session.add_scores(scored)
            self.jobs.cancel("proof", "frontier", "prices")
            # what was wished meanwhile is kept
            latest = session.current.wishes.model_copy(update={"scorers": scorers})
            with job.interruptible():
                planned = session.wish(latest, FIRST_SECONDS)
            proof = self._start_proof(session, planned)
            model = presenter.answer_model(session, planned, self.index, proof)
            job.publish(EventModel(answer=model))

        scoring = self.jobs.start("scoring", work).to_model()
        return presenter.answer_model(session, answer, self.index, scoring)

    def _start_text(self, session: PlanningSession) -> None:
        """Read the photos' text in a job, and plan again with it."""

        def work(job: AppJob) -> None:
            try:
                texts = read_texts(
                    session.scored.photos, cache=self._cache, progress=job.report_progress
                )
                self.jobs.cancel("proof")
                answer = session.add_texts(texts)
                # after it: what was asked for meanwhile does not know the text either
                self.jobs.cancel("proof", "frontier", "prices")
                with job.interruptible():
                    planned = session.plan_again(answer)
            except BaseException as problem:
                reason = problem_message(problem) or INTERNAL_ERROR
                self._end_reading(session, "failed", messages.page.reading_failed(reason))
                raise
            self._end_reading(session, "read")
            proof = self._start_proof(session, planned)
            model = presenter.answer_model(session, planned, self.index, proof)
            job.publish(EventModel(answer=model))

        self._reading, self._reading_problem = "reading", ""
        self.jobs.start("text", work)

    def _end_reading(
        self, session: PlanningSession, state: models.ReadingState, problem: str = ""
    ) -> None:
        with self._lock:
            if self._session is session:
                self._reading, self._reading_problem = state, problem

    def _read(
        self, job: AppJob, index: PhotoIndex, paths: Sequence[Path], scorers: Sequence[str]
    ) -> None:
        def progress(step: Step) -> None:
            job.report_progress(step)
            photo = index.add(step)
            if photo is not None:
                count, total = step.done, step.total
                job.publish(EventModel(stage="reading", photo=photo, count=count, total=total))

        scored: ScoredAlbum | None = None
        try:
            # renditions are kept: any may be shown, scored by another model, or exported
            scored = score_album(paths, scorers=scorers, cache=self._cache, progress=progress)
            session = PlanningSession(scored, None, self._ledger, self._cache)
            session.said_home = self.memory.home()
            index.edits = session.edits
            day = self._begin(session, paths, scorers)
            if session.current.pending:
                job.report_progress(Step("planning", 0, 0))
                self._plan_opened(session)
            with self._lock:
                if index is not self.index:
                    raise CancelledError
                self._session, self._stage = session, "ready"
                self._restored = day if session.undo_state.can_undo else ""
                if self._read_text:
                    self._start_text(session)
            self._note(session)
        except BaseException as problem:
            index.clear()
            if scored is not None:
                scored.close()
            with self._lock:
                if index is self.index and isinstance(problem, CancelledError):
                    self._stage, self._paths = "empty", ()  # one's own stop is no error
                elif index is self.index:
                    self._stage = "failed"
                    self._error = problem_message(problem) or INTERNAL_ERROR
                    if isinstance(problem, NoPhotoError):
                        self._no_photos = presenter.no_photos_model(
                            paths, problem, uploaded=self._upload is not None
                        )
                    self._paths = ()  # nothing was opened there
            raise

    def _begin(
        self, session: PlanningSession, paths: Sequence[Path], scorers: Sequence[str]
    ) -> str:
        """Take the usual wishes, then those of the last time; the day of these, if there are any.

        Undo leads from what was decided before to the usual.
        """
        session.begin(models.WishesModel(scorers=list(scorers)))
        before = None
        if self._upload is None:
            before = self.memory.wishes(paths, session.scored.photos, scorers)
        if before is None:
            return ""
        try:
            session.begin(before[0])
        except ElsewhereError:
            return ""
        return before[1]

    def _plan_opened(self, session: PlanningSession) -> None:
        """Wait a moment for the first plan. Wishes of another day that cannot be kept are gone."""
        answer = session.current
        try:
            self._start_planning(session, answer, FIRST_SECONDS)[1].wait(OPENING_SECONDS)
        except ElsewhereError:
            if session.current is answer:
                raise
            self._start_planning(session, session.current, FIRST_SECONDS)[1].wait(OPENING_SECONDS)
