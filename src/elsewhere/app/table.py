"""The table: the one album that lies open, from its first photo read to the copy that was made.

All that the routes do is done here or in a job that is started here. Two locks: one for what lies
on the table, held for moments only, so that the page can look while an album is read; and the
desk's own, held while a wish is answered.
"""

from __future__ import annotations

import secrets
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path

from elsewhere.album import Photo, Rendition
from elsewhere.app import contract, telling
from elsewhere.app.choices import choices
from elsewhere.app.contract import Event
from elsewhere.app.desk import FIRST, Desk, Entry
from elsewhere.app.jobs import CancelledError, Job, Jobs, left_of, sentence
from elsewhere.app.keys import Keys
from elsewhere.app.rescoring import scored_by
from elsewhere.app.thumbs import SIDES, Thumbs
from elsewhere.errors import InputError
from elsewhere.job import Seen, Step, see
from elsewhere.job.ledger.entries import Ledger
from elsewhere.scorers import RowCache, find


class EmptyError(InputError):
    """Something was asked of an album, and none lies on the table."""

    def __init__(self) -> None:
        super().__init__("no album is on the table yet: open one, or wait until it is read")


class Table:
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
        self.thumbs = Thumbs()
        self.exported: contract.Exported | None = None
        self._cache = cache
        self._ledger = Ledger() if remembers else None
        self._seed = secrets.token_bytes(32)
        self._lock = threading.RLock()
        self._number = 0
        self._clear()

    def _clear(self) -> None:
        self._number += 1
        self._stage: str = "empty"
        self._error: str | None = None
        self._paths: tuple[Path, ...] = ()
        self._scorers = self._usual
        self._own: Path | None = None
        self._laid: list[Photo] = []
        self._keys_of: dict[str, int] = {}
        self._left: list[contract.Left] = []
        self._desk: Desk | None = None
        self.exported = None

    @property
    def desk(self) -> Desk:
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
        own: Path | None = None,
    ) -> Job:
        """Read and score these, instead of what lies on the table now.

        Without `scorers`, by those that the server was started with. `own` is a folder of ours
        that goes when the album does.
        """
        self.close()
        with self._lock:
            self._stage = "reading"
            self._paths, self._own = tuple(paths), own
            self._scorers = tuple(dict.fromkeys(scorers or self._usual))
            number = self._number
            return self.jobs.start("reading", lambda job: self._read(job, number))

    def close(self) -> None:
        """Take everything off the table."""
        self.jobs.cancel()
        with self._lock:
            desk, own = self._desk, self._own
            self._clear()
            self.thumbs.clear()
        if desk is not None:
            desk.seen.close()
        if own is not None:
            shutil.rmtree(own, ignore_errors=True)

    def wish(self, wishes: contract.Wishes, turn: int | None = None) -> contract.Answer:
        """Answer a wish: a plan at once, and a job where something goes on."""
        desk = self.desk
        desk.expect(turn)
        wishes = wishes.model_copy(update={"scorers": list(dict.fromkeys(wishes.scorers))})
        if not desk.knows(wishes.scorers):
            return self._score_first(desk, wishes)
        self.jobs.cancel("proof", "frontier")
        return self._answered(desk, desk.wish(wishes))

    def step(self, by: int, turn: int | None = None) -> contract.Answer:
        """Undo or redo."""
        desk = self.desk
        desk.expect(turn)
        self.jobs.cancel("proof", "frontier")
        return self._answered(desk, desk.step(by))

    def told(self) -> contract.Table:
        """The whole state."""
        # first what goes on: whoever hears of a job that is over by now hears of its end as well
        jobs = self.jobs.running("reading", "scoring", "proof", "export", "verify")
        with self._lock:
            desk, stage, error = self._desk, self._stage, self._error
            laid, left = list(self._laid), list(self._left)
        shown = contract.Table(
            stage=stage,  # type: ignore[arg-type]
            error=error,
            jobs=[job.told() for job in jobs],
            wishes=contract.Wishes(scorers=list(self._scorers)),
            exported=self.exported,
            choices=choices(),
        )
        if desk is None:
            if stage == "empty":
                return shown
            photos = [self.photo_laid(n, photo) for n, photo in enumerate(laid)]
            return shown.model_copy(
                update={"album": contract.Album(name="", photos=photos, left=left, scorers=[])}
            )
        entry = desk.now
        answer = telling.answer_of(desk, entry)
        return shown.model_copy(
            update={
                "album": telling.album_of(entry, self._photos(entry), left),
                "places": answer.places,
                "wishes": entry.wishes,
                "plan": answer.plan,
                "audit": telling.audit_of(entry),
                "audit_after": answer.audit_after,
                "undo": answer.undo,
            }
        )

    def photos(self) -> list[contract.Photo]:
        """The photos with fresh links."""
        with self._lock:
            desk, laid = self._desk, list(self._laid)
        if desk is None:
            return [self.photo_laid(n, photo) for n, photo in enumerate(laid)]
        return self._photos(desk.now)

    def _photos(self, entry: Entry) -> list[contract.Photo]:
        return telling.photos_of(entry, self.link)

    def photo_laid(self, n: int, photo: Photo) -> contract.Photo:
        """A photo that was read and is not yet scored."""
        made = photo.rendition
        return contract.Photo(
            n=n, id=photo.id, width=made.width, height=made.height, thumb=self.link(photo)
        )

    def link(self, photo: Photo, side: int = SIDES[0]) -> str:
        """A signed link to a photo's picture."""
        with self._lock:
            at = self._keys_of.get(photo.rendition.digest, 0)
            return self.keys.sign(f"/thumbs/{self._number}/{side}/{at}")

    def rendition(self, number: int, at: int) -> Rendition | None:
        """The rendition behind a link; None where the table has moved on."""
        with self._lock:
            if number != self._number or not 0 <= at < len(self._laid):
                return None
            return self._laid[at].rendition

    def event_told(self, event: Event) -> Event:
        """An event as it goes out: a photo in it gets a link that works from now on."""
        if event.photo is None:
            return event
        with self._lock:
            if event.photo.n >= len(self._laid):
                return event
            photo = self._laid[event.photo.n]
        return event.model_copy(update={"photo": self.photo_laid(event.photo.n, photo)})

    def _answered(self, desk: Desk, entry: Entry) -> contract.Answer:
        job = None
        if not entry.proved:
            job = self.jobs.start("proof", lambda job: self._prove(job, desk, entry)).told()
        return telling.answer_of(desk, entry, job)

    def _prove(self, job: Job, desk: Desk, entry: Entry) -> None:
        desk.prove(
            entry,
            job.cancelled,
            lambda better: job.say(Event(answer=telling.answer_of(desk, better))),
        )
        job.check()

    def _score_first(self, desk: Desk, wishes: contract.Wishes) -> contract.Answer:
        """Other attackers are asked about the photos; until then all is as it was."""
        for word in wishes.scorers:
            find(word).load()  # what cannot be had is said at once
        self.jobs.cancel("scoring")
        scorers = {"scorers": wishes.scorers}
        entry = desk.wish(wishes.model_copy(update={"scorers": desk.now.wishes.scorers}))

        def work(job: Job) -> None:
            seen = scored_by(desk.seen, wishes.scorers, cache=self._cache, progress=job.step)
            job.check()
            desk.learn(seen)
            self.jobs.cancel("proof", "frontier")
            # what was wished meanwhile is kept
            made = desk.wish(desk.now.wishes.model_copy(update=scorers), FIRST)
            job.say(Event(answer=self._answered(desk, made)))

        return telling.answer_of(desk, entry, self.jobs.start("scoring", work).told())

    def _read(self, job: Job, number: int) -> None:
        def progress(step: Step) -> None:
            job.step(step)
            self._lay(number, step)
            if step.photo is not None:
                with self._lock:
                    n = len(self._laid) - 1
                job.say(
                    Event(stage="reading", photo=self.photo_laid(n, step.photo), count=step.done,
                          total=step.total)
                )  # fmt: skip

        seen: Seen | None = None
        try:
            seen = see(self._paths, scorers=self._scorers, cache=self._cache, progress=progress)
            desk = Desk(seen, self._seed, self._ledger)
            entry = desk.wish(contract.Wishes(scorers=list(self._scorers)), FIRST)
            with self._lock:
                if number != self._number:
                    raise CancelledError
                self._desk, self._stage = desk, "ready"
                self._left = [left_of(one) for one in seen.left]
            if not entry.proved:
                self.jobs.start("proof", lambda job: self._prove(job, desk, entry))
        except BaseException as problem:
            if seen is not None:
                seen.close()
            with self._lock:
                if number == self._number:
                    self._stage = "failed"
                    self._error = sentence(problem)
            raise

    def _lay(self, number: int, step: Step) -> None:
        """What was just read, on the table at once."""
        with self._lock:
            if number != self._number:
                raise CancelledError
            self._left += [left_of(one) for one in step.left]
            if step.photo is not None:
                self._keys_of[step.photo.rendition.digest] = len(self._laid)
                self._laid.append(step.photo)
