"""The frontier of what is on the table, as a job that tells each point as it is solved.

The copy and its proof, as jobs of the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elsewhere import messages
from elsewhere.album.export import check_target
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.sessions.jobs import Job
from elsewhere.app.sessions.planning import PlannedAnswer, as_typed
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.messages.verification import problem_text, verified_notes
from elsewhere.service import ProtectedAlbum, Step, export_with_report
from elsewhere.service.export import check_export
from elsewhere.service.frontier import greedy_frontier, greedy_needs, steps, tables
from elsewhere.service.ledger import Ledger
from elsewhere.service.planning import plan_album
from elsewhere.service.verify import verify_copy

PATIENCE = 10.0
"""Seconds; points stay open where that is not enough."""
ASIDE = 1.0
"""Seconds for how few photos the top itself would need."""


def start_frontier(table: Workspace) -> Job:
    """The frontier of the wishes that count now."""
    entry = table.desk.now
    plan = entry.plan
    if plan is None:
        raise InputError("no place is known yet, so there is nothing to withhold photos for")
    for running in table.jobs.running("frontier"):
        if running.about is entry.wishes and not running.cancelled.is_set():
            return running  # another window asked for it already
    table.jobs.cancel("frontier")

    def work(job: Job) -> None:
        few = _exactly(entry, job)
        if few is not None:
            job.say(EventModel(exactly=few))
        scores = tables(entry.seen, plan, entry.posted)
        greedy = greedy_frontier(plan.plan.promise, scores)
        greedy_k = dict(greedy)
        for step in steps(plan, scores, greedy, patience=PATIENCE, stopped=job.check_cancelled):
            job.check_cancelled()
            job.say(
                EventModel(
                    point=models.PointModel(
                        withheld=step.withheld,
                        protected_k=step.protected,
                        bound=step.bound,
                        proved=step.proved,
                        greedy_k=greedy_k.get(step.withheld),
                    )
                )
            )
        if plan.plan.found and plan.top is not None:
            would = greedy_needs(greedy, plan.top)
            if would is not None:
                job.say(EventModel(greedy=would))

    return table.jobs.start("frontier", work, about=entry.wishes)


def _exactly(entry: PlannedAnswer, job: Job) -> int | None:
    """How many photos the top that was asked for needs, where a larger one was drawn for it."""
    wishes = entry.wishes
    if wishes.budget is not None or wishes.exact_top or entry.plan is None:
        return None
    if not entry.plan.plan.found:
        return None
    exact = wishes.model_copy(update={"exact_top": True})
    found = plan_album(
        entry.seen,
        entry.places,
        as_typed(exact, ASIDE),
        posted=entry.posted,
        stopped=job.check_cancelled,
        reasons=False,
    )
    return len(found.plan.withheld) if found.plan.found else None


class FieldError(InputError):
    """Something that was typed cannot be used; `field` says which."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def export(table: Workspace, asked: models.ExportRequestModel) -> Job:
    """Write the copy of what is on the table now; refused at once where it could not be written."""
    desk = table.desk
    entry = desk.shown(asked.version)
    if entry.plan is None or not entry.plan.plan.found:
        raise InputError("there is no plan to export: change the wishes until there is one")
    plan = entry.plan
    with _typed_in("target"):
        target = path(asked.target)
        check_target(target, entry.seen.album.folders)
    with _typed_in("target" if asked.private is None else "private"):
        private = None if asked.private is None else path(asked.private)
        check_export(entry.seen, target, private, order=asked.order, names=asked.names)

    def work(job: Job) -> None:
        def progress(step: Step) -> None:
            if step.stage == "telling":  # the copy is there: nobody can stop it any more
                job.say(EventModel(stage=step.stage))
            else:
                job.step(step)

        done = export_with_report(
            ProtectedAlbum(entry.seen, plan, entry.posted),
            target,
            private=private,
            order=asked.order,
            names=asked.names,
            ledger=Ledger() if asked.remember else None,
            command="elsewhere app",
            progress=progress,
        )
        shared = done.export
        assert shared is not None
        warning = messages.report_warning(done.report_error)
        exported = models.ExportedModel(
            target=str(target),
            files=[file.name for file in shared.files],
            certificate=str(shared.certificate),
            report=None if done.report is None else str(done.report),
            reproved=shared.reproved,
            notes=[*shared.notes, *([warning] if warning else [])],
        )
        job.say(EventModel(exported=table.keep(desk, exported)))

    return table.jobs.start("export", work, alone=True)


@contextmanager
def _typed_in(field: str) -> Iterator[None]:
    """Whatever is refused in here was typed in this field."""
    try:
        yield
    except ElsewhereError as problem:
        raise FieldError(str(problem), field) from None


def verify_last(table: Workspace) -> Job:
    """Hold the last copy against its certificate, as a stranger would."""
    exported = table.exported
    if exported is None:
        raise InputError("nothing was exported yet, so there is nothing to verify")
    target, certificate = Path(exported.target), Path(exported.certificate)

    def work(job: Job) -> None:
        found = verify_copy(target, certificate, progress=job.step)
        job.say(
            EventModel(
                verified=models.VerifiedModel(
                    holds=bool(found),
                    problems=[problem_text(problem) for problem in found.problems],
                    notes=verified_notes(found),
                    files=found.files,
                    reproved=found.reproved,
                )
            )
        )

    return table.jobs.start("verify", work)


def path(text: str) -> Path:
    """A path as it was typed: whole, so that nobody wonders where it begins."""
    if "\0" in text:
        raise InputError("a path cannot hold a zero character: type it anew")
    try:
        whole = Path(text).expanduser()
    except RuntimeError:
        raise InputError(
            f"there is no home folder for {text[:40]!r}: give the whole path"
        ) from None
    if not whole.is_absolute():
        raise InputError(f"give the whole path of {text[:40]!r}, from / or ~ on")
    return whole
