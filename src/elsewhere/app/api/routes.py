"""The routes of the page: each a line or two between what was asked and the table."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

import elsewhere
from elsewhere.app.api import models
from elsewhere.app.api.forms import take_form
from elsewhere.app.api.models import EventModel
from elsewhere.app.sessions import album_jobs, presenter
from elsewhere.app.sessions.album_jobs import start_frontier
from elsewhere.app.sessions.jobs import Job
from elsewhere.app.sessions.photo_index import SIDES
from elsewhere.app.sessions.presenter import details_of
from elsewhere.app.sessions.uploads import UploadFolder, folders
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError

JobId = Annotated[str, "the id of a job"]
Turn = Annotated[int | None, Query(ge=0)]
"""The turn that the page saw last (`undo.turn`); 409 where another window was quicker."""
STREAM: dict[int | str, dict[str, Any]] = {
    200: {"model": models.EventModel, "description": "one Event a line, until the job is over"}
}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A report is one page with its own style and pictures inside, and no script at all."""


class NdjsonResponse(StreamingResponse):
    """Lines of JSON, as they come."""

    media_type = "application/x-ndjson"


class NotThereError(Exception):
    """What was asked for is not there (any more)."""


def session_routes(table: Workspace, entered: Callable[[], None]) -> APIRouter:
    """The way in; `entered` hears that somebody came."""
    routes = APIRouter(tags=["session"])

    @routes.post("/api/session")
    def open_session(asked: models.OpenSessionModel) -> models.SessionModel:
        """A session's secret for a fresh token, once."""
        secret = table.keys.exchange(asked.token)
        if secret is None:
            raise InputError("this link was used already or is too old: run `elsewhere app` again")
        entered()
        return models.SessionModel(secret=secret, version=elsewhere.__version__)

    @routes.get("/api/alive", status_code=204, response_class=Response)
    async def alive() -> Response:
        """Nothing but that the server is there: a page that hears no more of it says so."""
        return Response(status_code=204)

    return routes


def album_routes(table: Workspace) -> APIRouter:
    """What lies on the table."""
    routes = APIRouter(tags=["album"])

    @routes.get("/api/table", response_model=models.WorkspaceModel)
    def get_table() -> Response:
        """The whole state: what a page that was just loaded needs."""
        return _json(table.told())

    @routes.post("/api/albums")
    def open_album(asked: models.OpenAlbumModel) -> models.JobStartedModel:
        """Open folders and photos by path, instead of what is there."""
        paths = [album_jobs.path(text) for text in asked.paths]
        return models.JobStartedModel(job=table.open(paths, asked.scorers).told())

    @routes.post(
        "/api/uploads",
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "multipart/form-data": {
                        "schema": {
                            "type": "object",
                            "required": ["files"],
                            "properties": {
                                "files": {
                                    "type": "array",
                                    "items": {"type": "string", "format": "binary"},
                                }
                            },
                        }
                    }
                },
            }
        },
    )
    async def upload(request: Request) -> models.JobStartedModel:
        """Open photos that were dropped on the page (field `files`, many times)."""
        return models.JobStartedModel(job=(await _uploaded(table, request)).told())

    @routes.delete("/api/albums")
    def close_album() -> models.WorkspaceModel:
        """Take everything off the table."""
        table.close()
        return table.told()

    @routes.get("/api/photos")
    def get_photos() -> list[models.PhotoModel]:
        """All photos with fresh links."""
        return table.photos()

    @routes.get("/api/photos/{n}")
    def get_photo(n: int) -> models.PhotoDetailsModel:
        """One photo, looked at closely."""
        return details_of(table, n)

    @routes.get("/api/folders")
    def get_folders(
        path: Annotated[str, Query(max_length=4096)] = "",
    ) -> models.FoldersModel:
        """The folders in a folder below the user's home ("" for home itself)."""
        return folders(path, table.opened)

    @routes.get("/thumbs/{album}/{side}/{at}", response_class=Response, responses=_JPEG)
    def get_thumb(album: int, side: int, at: int) -> Response:
        """A photo's picture, by a signed link."""
        picture = table.picture(album, side, at) if side in SIDES else None
        if picture is None:
            raise NotThereError
        return Response(picture, media_type="image/jpeg")

    return routes


def plan_routes(table: Workspace) -> APIRouter:
    """Wishes and what comes of them."""
    routes = APIRouter(tags=["plan"])

    @routes.put("/api/wishes", response_model=models.AnswerModel)
    def put_wishes(wishes: models.WishesModel, turn: Turn = None) -> Response:
        """All wishes at once; the answer is the best plan so far."""
        return _json(table.wish(wishes, turn))

    @routes.post("/api/undo")
    def undo(turn: Turn = None) -> models.AnswerModel:
        """The wishes before, with their plan."""
        return table.step(-1, turn)

    @routes.post("/api/redo")
    def redo(turn: Turn = None) -> models.AnswerModel:
        """The wishes after, where some were undone."""
        return table.step(1, turn)

    @routes.get("/api/guesses")
    def get_guesses(
        watch: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    ) -> models.BeliefModel:
        """What one attacker believes before and after, with the zone and the decoys."""
        return presenter.belief_of(table.desk.now, watch)

    @routes.get("/api/frontier", response_class=NdjsonResponse, responses=STREAM)
    def get_frontier() -> NdjsonResponse:
        """What each number of withheld photos buys, point by point as it is solved."""
        return _stream(table, start_frontier(table))

    return routes


def job_routes(table: Workspace) -> APIRouter:
    """Long work, the copy, its proof and its report."""
    routes = APIRouter(tags=["jobs"])

    @routes.get("/api/jobs/{job}/events", response_class=NdjsonResponse, responses=STREAM)
    def get_events(job: JobId) -> NdjsonResponse:
        """All that a job told and tells, from the start."""
        return _stream(table, _job(table, job))

    @routes.delete("/api/jobs/{job}")
    def cancel(job: JobId) -> models.JobModel:
        """Stop a job."""
        found = _job(table, job)
        found.cancel()
        return found.told()

    @routes.post("/api/export")
    def export(asked: models.ExportRequestModel) -> models.JobStartedModel:
        """Write the copy and prove it."""
        return models.JobStartedModel(job=album_jobs.export(table, asked).told())

    @routes.post("/api/verify")
    def verify() -> models.JobStartedModel:
        """Prove the last copy again, from its files."""
        return models.JobStartedModel(job=album_jobs.verify_last(table).told())

    @routes.get("/api/report")
    def get_report() -> models.LinkModel:
        """A link to the private report of the last copy."""
        path = table.report()
        if path is None:
            raise NotThereError
        return models.LinkModel(url=table.keys.sign(path))

    @routes.get("/reports/{album}/{copy}", response_class=Response, responses=_HTML)
    def read_report(album: int, copy: int) -> Response:
        """The report itself, by a link that was signed for it."""
        exported = table.exported
        if table.report() != f"/reports/{album}/{copy}" or exported is None or not exported.report:
            raise NotThereError
        try:
            content = Path(exported.report).read_bytes()
        except OSError:
            raise NotThereError from None
        return Response(
            content,
            media_type="text/html; charset=utf-8",
            headers={"content-security-policy": REPORT_POLICY},
        )

    return routes


_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_HTML: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}}}


def _job(table: Workspace, job: str) -> Job:
    found = table.jobs.get(job)
    if found is None:
        raise NotThereError
    return found


def _stream(table: Workspace, job: Job) -> NdjsonResponse:
    async def lines() -> AsyncIterator[bytes]:
        async for event in job.events():
            yield _line(table.event_told(event))

    return NdjsonResponse(lines())


def _json(told: models.ResponseModel) -> Response:
    """What is of the right type already is not looked at once more: every click waits for it."""
    return Response(told.model_dump_json(), media_type="application/json")


def _line(event: EventModel) -> bytes:
    # what an event holds is told whole: a page must not guess at what was left out of a wish
    return event.model_dump_json(include=event.model_fields_set).encode() + b"\n"


async def _uploaded(table: Workspace, request: Request) -> Job:
    """The files of a form, in a folder of their own."""
    dropped = UploadFolder()
    try:
        kind = request.headers.get("content-type", "")
        if not await take_form(kind, request.stream(), dropped):
            raise InputError("no photo was dropped: send at least one")
        return await run_in_threadpool(table.open, [dropped.folder], own=dropped)
    except BaseException:
        dropped.forget()
        raise
