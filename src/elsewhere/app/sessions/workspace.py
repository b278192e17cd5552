"""The table: the one album that lies open, from its first photo read to the copy that was made.

All that the routes do is done here or in a job that is started here. Two locks: one for what lies
on the table, held for moments only, so that the page can look while an album is read; and the
desk's own, held while a wish is answered.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from elsewhere.album import Photo
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import presenter
from elsewhere.app.sessions.choices import choices
from elsewhere.app.sessions.jobs import BusyError, CancelledError, EmptyError, Job, Jobs, sentence
from elsewhere.app.sessions.photo_index import SIDES, PhotoIndex
from elsewhere.app.sessions.planning import FIRST, PlannedAnswer, PlanningSession
from elsewhere.app.sessions.uploads import UploadFolder
from elsewhere.errors import NoPhotoError
from elsewhere.scorers import RowCache, find
from elsewhere.service import ScoredAlbum, Step, rescore_album, score_album
from elsewhere.service.ledger import Ledger

BREATH = 0.1
"""Seconds before a proof goes on: what was answered is painted first, on the same processor."""


class Workspace:
    """What lies open, and everything that can be done with it."""

    def __init__(
        self,
        keys: Keys,
        *,
        scorers: Sequence[str] = ("embedded",),
        cache: RowCache | None = None,
        remembers: bool = True,
    ) -> None:
        self.keys = keys
        self._usual = tuple(scorers)
        self.jobs = Jobs()
        self.exported: models.ExportedModel | None = None
        self._cache = cache
        self._ledger = Ledger() if remembers else None
        self._seed = secrets.token_bytes(32)
        self._lock = threading.RLock()
        self._door = threading.Lock()  # one album comes or goes at a time
        self._laid = PhotoIndex(keys, 0)
        self._clear()

    def _clear(self) -> None:
        self._laid = PhotoIndex(self.keys, self._laid.number + 1)
        self._stage: str = "empty"
        self._error: str | None = None
        self._nothing: models.NoPhotosModel | None = None
        self._paths: tuple[Path, ...] = ()
        self._scorers = self._usual
        self._own: UploadFolder | None = None
        self._desk: PlanningSession | None = None
        self.exported = None
        self.copies = 0
        """How many were made of this album."""

    @property
    def desk(self) -> PlanningSession:
        """The wishes for the album; EmptyError where there is none."""
        with self._lock:
            if self._desk is None:
                raise EmptyError
            return self._desk

    @property
    def opened(self) -> tuple[Path, ...]:
        """What the user opened by path."""
        with self._lock:
            return () if self._own else self._paths

    def open(
        self,
        paths: Sequence[Path],
        scorers: Sequence[str] | None = None,
        *,
        own: UploadFolder | None = None,
    ) -> Job:
        """Read and score these, instead of what lies on the table now.

        Without `scorers`, by those that the server was started with. `own` are photos that were
        dropped; they go when the album does.
        """
        words = tuple(dict.fromkeys(scorers or self._usual))
        with self._door:
            self._refuse_while_copying()
            self._clear_away()
            with self._lock:
                self._stage, laid = "reading", self._laid
                self._paths, self._own, self._scorers = tuple(paths), own, words
                return self.jobs.start(
                    "reading", lambda job: self._read(job, laid, tuple(paths), words)
                )

    def close(self) -> None:
        """Take everything off the table; BusyError while a copy of it is written."""
        with self._door:
            self._refuse_while_copying()
            self._clear_away()

    def end(self) -> None:
        """The same at the end of all, whatever goes on."""
        with self._door:
            self._clear_away()

    def _refuse_while_copying(self) -> None:
        if self.jobs.running("export"):
            raise BusyError

    def _clear_away(self) -> None:
        """Whatever goes on is stopped first, so that nothing is closed under it."""
        with self._lock:
            desk, own, laid = self._desk, self._own, self._laid
            self._clear()
        self.jobs.close()
        laid.clear()
        if desk is not None:
            desk.seen.close()
        if own is not None:
            own.forget()

    def wish(self, wishes: models.WishesModel, turn: int | None = None) -> models.AnswerModel:
        """Answer a wish: a plan at once, and a job where something goes on."""
        desk = self.desk
        wishes = wishes.model_copy(update={"scorers": list(dict.fromkeys(wishes.scorers))})
        if not desk.knows(wishes.scorers):
            return self._score_first(desk, wishes, turn)
        return self._asked(desk, lambda: desk.wish(wishes, turn=turn))

    def step(self, by: int, turn: int | None = None) -> models.AnswerModel:
        """Undo or redo."""
        desk = self.desk
        return self._asked(desk, lambda: desk.step(by, turn))

    def told(self) -> models.WorkspaceModel:
        """The whole state."""
        # first what goes on: whoever hears of a job that is over by now hears of its end as well
        jobs = self.jobs.running("reading", "scoring", "proof", "export", "verify")
        with self._lock:
            desk, stage, error, laid = self._desk, self._stage, self._error, self._laid
            nothing = self._nothing
        shown = models.WorkspaceModel(
            stage=stage,  # type: ignore[arg-type]
            error=error,
            nothing=nothing,
            jobs=[job.told() for job in jobs],
            wishes=models.WishesModel(scorers=list(self._scorers)),
            exported=self.exported,
            choices=choices(),
        )
        if desk is None:
            if stage == "empty":
                return shown
            reading = models.AlbumModel(name="", photos=laid.told(), left=laid.left(), scorers=[])
            return shown.model_copy(update={"album": reading})
        entry = desk.now
        photos = presenter.photos_of(entry, laid.link)
        answer = presenter.answer_of(desk, entry)
        return shown.model_copy(
            update={
                "album": presenter.album_of(entry, photos),
                "places": answer.places,
                "wishes": entry.wishes,
                "plan": answer.plan,
                "audit": presenter.audit_of(entry),
                "audit_after": answer.audit_after,
                "undo": answer.undo,
            }
        )

    def photos(self) -> list[models.PhotoModel]:
        """The photos with fresh links."""
        with self._lock:
            desk, laid = self._desk, self._laid
        return laid.told() if desk is None else presenter.photos_of(desk.now, laid.link)

    def link(self, photo: Photo, side: int = SIDES[0]) -> str:
        """A signed link to a photo's picture."""
        return self._laid.link(photo, side)

    def picture(self, number: int, side: int, at: int) -> bytes | None:
        """The picture behind a link; None where the table has moved on."""
        laid = self._laid
        return laid.picture(side, at) if number == laid.number else None

    def event_told(self, event: EventModel) -> EventModel:
        """An event as it goes out."""
        return self._laid.event_told(event)

    def report(self) -> str | None:
        """The address of the last copy's report; None where there is none."""
        with self._lock:
            if self.exported is None or self.exported.report is None:
                return None
            return f"/reports/{self._laid.number}/{self.copies}"

    def keep(self, desk: PlanningSession, exported: models.ExportedModel) -> models.ExportedModel:
        """A copy was written; it is the table's where the album is still there."""
        with self._lock:
            if self._desk is desk:
                self.exported = exported
                self.copies += 1
        return exported

    def _asked(self, desk: PlanningSession, ask: Callable[[], PlannedAnswer]) -> models.AnswerModel:
        """Whatever was being proved is not wanted any more, unless the new wish is refused."""
        self.jobs.cancel("proof", "frontier")
        try:
            entry = ask()
        except BaseException:
            self._answered(desk, desk.now)
            raise
        return self._answered(desk, entry)

    def _answered(self, desk: PlanningSession, entry: PlannedAnswer) -> models.AnswerModel:
        job = None
        if not entry.proved:
            job = self.jobs.start("proof", lambda job: self._prove(job, desk, entry)).told()
        return presenter.answer_of(desk, entry, job)

    def _prove(self, job: Job, desk: PlanningSession, entry: PlannedAnswer) -> None:
        job.cancelled.wait(BREATH)
        job.check_cancelled()
        desk.prove(
            entry,
            job.check_cancelled,
            lambda better: job.say(EventModel(answer=presenter.answer_of(desk, better))),
        )
        job.check_cancelled()

    def _score_first(
        self, desk: PlanningSession, wishes: models.WishesModel, turn: int | None
    ) -> models.AnswerModel:
        """Other attackers are asked about the photos; until then all is as it was."""
        for word in wishes.scorers:
            find(word).load()  # what cannot be had is said at once
        self.jobs.cancel("scoring")
        scorers = {"scorers": wishes.scorers}
        entry = desk.wish(wishes.model_copy(update={"scorers": desk.now.wishes.scorers}), turn=turn)

        def work(job: Job) -> None:
            seen = rescore_album(desk.seen, wishes.scorers, cache=self._cache, progress=job.step)
            job.check_cancelled()
            desk.learn(seen)
            self.jobs.cancel("proof", "frontier")
            # what was wished meanwhile is kept
            made = desk.wish(desk.now.wishes.model_copy(update=scorers), FIRST)
            job.say(EventModel(answer=self._answered(desk, made)))

        return presenter.answer_of(desk, entry, self.jobs.start("scoring", work).told())

    def _read(
        self, job: Job, laid: PhotoIndex, paths: Sequence[Path], scorers: Sequence[str]
    ) -> None:
        def progress(step: Step) -> None:
            job.step(step)
            lying = laid.lay(step)
            if step.photo is not None:
                photo = laid.photo(lying - 1, step.photo)
                job.say(EventModel(stage="reading", photo=photo, count=step.done, total=step.total))

        seen: ScoredAlbum | None = None
        try:
            # renditions are kept: any may yet be looked at, scored by another model, exported
            seen = score_album(paths, scorers=scorers, cache=self._cache, progress=progress)
            desk = PlanningSession(seen, self._seed, self._ledger)
            entry = desk.wish(models.WishesModel(scorers=list(scorers)), FIRST)
            with self._lock:
                if laid is not self._laid:
                    raise CancelledError
                self._desk, self._stage = desk, "ready"
            if not entry.proved:
                self.jobs.start("proof", lambda job: self._prove(job, desk, entry))
        except BaseException as problem:
            laid.clear()
            if seen is not None:
                seen.close()
            with self._lock:
                if laid is self._laid:
                    self._stage, self._error = "failed", sentence(problem)
                    if isinstance(problem, NoPhotoError):
                        self._nothing = presenter.nothing_in(paths, problem, own=bool(self._own))
                    self._paths = ()  # nothing of yours was opened there
            raise
