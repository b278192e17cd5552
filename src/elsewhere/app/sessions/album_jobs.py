"""Jobs on the open album: the frontier, the copy with its proof, and its verification."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elsewhere import messages
from elsewhere.app.api import models
from elsewhere.app.api.models import EventModel
from elsewhere.app.sessions import presenter
from elsewhere.app.sessions.jobs import AppJob
from elsewhere.app.sessions.planning import to_wishes
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import ElsewhereError, InputError
from elsewhere.messages.verification import problem_text, verified_notes
from elsewhere.service import (
    Ledger,
    ProtectedAlbum,
    Step,
    check_copy_target,
    check_target,
    export_clean,
    export_with_report,
    greedy_frontier,
    greedy_needs,
    greedy_reach,
    loss_in_photos,
    plan_album,
    steps,
    threat_scores,
    verify_copy,
)

FRONTIER_SECONDS = 10.0  # points stay unproved where that is not enough
PRICE_SECONDS = 1.0  # for each place
EXACT_SECONDS = 1.0  # to count how many photos the top itself would need


WAIT_SECONDS = 0.1
"""How often an export that waits looks whether it was stopped."""

UNREAD = "the text on the photos could not be read: read it again, or go on without reading it"


class FieldError(InputError):
    """Something that was typed cannot be used; `field` names where."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


def start_frontier(workspace: Workspace) -> AppJob:
    """Solve the frontier of the current wishes, point by point."""
    answer = workspace.session.current
    plan, wishes = answer.plan, answer.wishes
    if answer.pending:
        raise InputError("a plan is still being looked for: wait for it")
    if plan is None:
        raise InputError(
            "no place is known yet, so there is nothing to hide: say where the photos were taken"
        )
    for running in workspace.jobs.running("frontier"):
        if running.subject is wishes and not running.cancelled.is_set():
            return running  # another window asked for it already
    workspace.jobs.cancel("frontier")

    def solve(job: AppJob) -> None:
        edited = plan.plan.promise.versions is not None
        if plan.plan.found and wishes.budget is None and not wishes.exact_top and not edited:
            exact = plan_album(
                answer.scored,
                answer.places,
                to_wishes(wishes.model_copy(update={"exact_top": True}), EXACT_SECONDS),
                posted=answer.posted,
                stopped=job.check_cancelled,
                reasons=False,
            )
            if exact.plan.found:
                job.publish(EventModel(exactly=len(exact.plan.withheld)))
        scores = threat_scores(answer.scored, plan.threats, plan.posted, plan.versions)
        greedy = greedy_frontier(plan.plan.promise, scores)
        for step in steps(
            plan, scores, greedy, patience=FRONTIER_SECONDS, stopped=job.check_cancelled
        ):
            job.check_cancelled()
            point = models.PointModel(
                withheld=step.withheld,
                protected_k=step.protected,
                bound=step.bound,
                proved=step.proved,
                greedy_k=greedy_reach(greedy, step),
                loss=None if step.lost is None else loss_in_photos(plan, step.lost),
            )
            job.publish(EventModel(point=point))
        if plan.plan.found and plan.top is not None and not edited:
            needed = greedy_needs(greedy, plan.top)
            if needed is not None:
                job.publish(EventModel(greedy=int(needed)))

    def work(job: AppJob) -> None:
        with job.interruptible():
            solve(job)

    return workspace.jobs.start("frontier", work, subject=wishes)


def start_prices(workspace: Workspace) -> AppJob:
    """Work out what it costs to hide each place alone, the most easily found first."""
    session = workspace.session
    answer = session.current
    if answer.pending or answer.plan is None:
        raise InputError("a plan is still being looked for: wait for it")
    places = presenter.place_models(answer, session.place_ranks(answer))
    workspace.jobs.cancel("prices")

    def work(job: AppJob) -> None:
        with job.interruptible():
            for place in places:
                job.check_cancelled()
                withheld = session.price(answer, place.label, PRICE_SECONDS, job.check_cancelled)
                price = models.PriceModel(place=place.label, withheld=withheld)
                job.publish(EventModel(price=price))

    return workspace.jobs.start("prices", work)


def start_export(workspace: Workspace, request: models.ExportRequestModel) -> AppJob:
    """Write the copy of the current plan; refused at once where it cannot be written."""
    session = workspace.session
    if request.clean:
        return _start_clean(workspace, request)
    answer = session.expect_version(request.version)
    plan, folders = answer.feasible_plan, answer.scored.album.folders
    if plan is None:
        raise InputError("there is no plan to export: change the wishes until there is one")
    if workspace.reading == "failed":
        raise InputError(UNREAD)
    with _field("target"):
        target = parse_path(request.target)
        check_target(target, folders)
    with _field("target" if request.private is None else "private"):
        private = None if request.private is None else parse_path(request.private)
        check_copy_target(folders, target, private, order=request.order, names=request.names)

    def work(job: AppJob) -> None:
        def progress(step: Step) -> None:
            if step.stage == "telling":  # the copy is there: it cannot be cancelled any more
                job.publish(EventModel(stage=step.stage))
            else:
                job.report_progress(step)

        scored, chosen = answer.scored, plan
        readings = workspace.jobs.running("text")
        for reading in readings:
            while not reading.ended:  # no photo goes out whose text nobody has read
                job.check_cancelled()
                reading.join(WAIT_SECONDS)
        if workspace.reading == "failed":
            raise InputError(UNREAD)
        if readings or not session.knows_texts(answer):
            scored, chosen = session.read_plan(answer)
        result = export_with_report(
            ProtectedAlbum(scored, chosen),
            target,
            private=private,
            order=request.order,
            names=request.names,
            ledger=Ledger() if request.remember else None,
            command="elsewhere app",
            cache=session.edits.cache,
            progress=progress,
        )
        copy, warning = result.export, messages.report_warning(result.report_error)
        assert copy is not None
        exported = models.ExportedModel(
            target=str(target),
            files=[file.name for file in copy.files],
            certificate=str(copy.certificate),
            report=None if result.report is None else str(result.report),
            reproved=copy.reproved,
            notes=[*copy.notes, *([warning] if warning else [])],
        )
        session.note_export()
        workspace.record_export(session, exported)
        job.publish(EventModel(exported=exported))

    return workspace.jobs.start("export", work, exclusive=True)


def _start_clean(workspace: Workspace, request: models.ExportRequestModel) -> AppJob:
    """Write every photo but the dropped ones without metadata; nothing is hidden or promised."""
    session = workspace.session
    answer = session.expect_turn(request.turn)
    scored, drop = answer.scored, answer.wishes.drop
    with _field("target"):
        target = parse_path(request.target)
        check_target(target, scored.album.folders)
    if set(drop).issuperset(photo.id for photo in scored.photos):
        raise InputError("every photo is dropped: take one back to export a copy")

    def work(job: AppJob) -> None:
        copy = export_clean(
            scored.photos,
            target,
            folders=scored.album.folders,
            skipped=scored.skipped,
            drop=drop,
            order=request.order,
            names=request.names,
            progress=job.report_progress,
        )
        exported = models.ExportedModel(
            target=str(target),
            files=[file.name for file in copy.files],
            certificate=None,
            report=None,
            reproved=0,
            notes=list(copy.notes),
        )
        workspace.record_export(session, exported)
        job.publish(EventModel(exported=exported))

    return workspace.jobs.start("export", work, exclusive=True)


@contextmanager
def _field(name: str) -> Iterator[None]:
    """What is refused in here was typed in this field."""
    try:
        yield
    except ElsewhereError as problem:
        raise FieldError(str(problem), name) from None


def start_verify(workspace: Workspace) -> AppJob:
    """Verify the last copy against its certificate, from its files."""
    exported = workspace.exported
    if exported is None:
        raise InputError(
            "nothing is exported yet, so there is nothing to verify: export a copy first"
        )
    if exported.certificate is None:
        raise InputError("nothing is promised of this copy, so there is nothing to verify")
    target, certificate = Path(exported.target), Path(exported.certificate)

    def work(job: AppJob) -> None:
        result = verify_copy(target, certificate, progress=job.report_progress)
        verified = models.VerifiedModel(
            holds=bool(result),
            problems=[problem_text(problem) for problem in result.problems],
            notes=verified_notes(result),
            files=result.files,
            reproved=result.reproved,
        )
        job.publish(EventModel(verified=verified))

    return workspace.jobs.start("verify", work)


def open_exported(workspace: Workspace) -> None:
    """Show the last copy in the system's file manager. No page can name another folder."""
    exported = workspace.exported
    if exported is None:
        raise InputError("nothing is exported yet: export a copy first")
    target = Path(exported.target)
    folder = target if target.is_dir() else target.parent
    openers = {"darwin": "open", "win32": "explorer"}
    opener = shutil.which(openers.get(sys.platform, "xdg-open"))
    no_screen = sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    if opener is None or no_screen or not folder.is_dir():
        raise InputError(f"no file manager can be opened here: the copy is at {target}")
    subprocess.Popen(
        [opener, str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def parse_path(text: str) -> Path:
    """A path as it was typed; it must be absolute."""
    if "\0" in text:
        raise InputError("a path cannot hold a zero character: type it again")
    try:
        path = Path(text).expanduser()
    except RuntimeError:
        raise InputError(
            f"there is no home folder for {text[:40]!r}: give the whole path"
        ) from None
    if not path.is_absolute():
        raise InputError(f"give the whole path of {text[:40]!r}, from / or ~ on")
    return path
