"""The routes of the API: each passes a request to the workspace or to a job."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

import elsewhere
from elsewhere.app.api import models
from elsewhere.app.sessions import album_jobs, presenter
from elsewhere.app.sessions.jobs import AppJob
from elsewhere.app.sessions.presenter import SIDES
from elsewhere.app.sessions.uploads import UploadFolder, UploadForm, list_folders
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError

NDJSON = "application/x-ndjson"
Turn = Annotated[int | None, Query(ge=0)]
"""The turn that the page saw last (`undo.turn`); 409 where another window was quicker."""
STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "one Event a line, until the job is over",
        "content": {NDJSON: {"schema": {"$ref": "#/components/schemas/Event"}}},
    }
}
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""A report is one page with its own style and pictures inside, and no script at all."""


_FILES = {"type": "array", "items": {"type": "string", "format": "binary"}}
_FORM = {"type": "object", "required": ["files"], "properties": {"files": _FILES}}
_UPLOAD = {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": _FORM}}}}


def session_routes(workspace: Workspace, on_session: Callable[[], None]) -> APIRouter:
    """Opening a session; `on_session` is called when one was opened."""
    routes = APIRouter(tags=["session"])

    @routes.post("/api/session")
    def open_session(body: models.OpenSessionModel) -> models.SessionModel:
        """Exchange a fresh token for the session's secret, once."""
        secret = workspace.keys.exchange(body.token)
        if secret is None:
            raise InputError("this link was used already or is too old: run `elsewhere app` again")
        on_session()
        return models.SessionModel(secret=secret, version=elsewhere.__version__)

    @routes.post("/api/proof")
    async def prove(body: models.NonceModel) -> models.ProofModel:
        """Show that this server knows the session's secret, before it is sent here."""
        return models.ProofModel(proof=workspace.keys.prove(body.nonce))

    @routes.get("/api/alive", status_code=204, response_class=Response)
    async def alive() -> Response:
        """Only says that the server is there."""
        return Response(status_code=204)

    return routes


def album_routes(workspace: Workspace) -> APIRouter:
    """The open album."""
    routes = APIRouter(tags=["album"])

    @routes.get("/api/table", response_model=models.WorkspaceModel)
    def get_table() -> Response:
        """The whole state: what a page that was just loaded needs."""
        return _json(workspace.state())

    @routes.post("/api/albums")
    def open_album(body: models.OpenAlbumModel) -> models.JobStartedModel:
        """Open folders, zips and photos by path, instead of the open album."""
        paths = [album_jobs.parse_path(text) for text in body.paths]
        return _started(workspace.open(paths, body.scorers))

    @routes.post("/api/uploads", openapi_extra=_UPLOAD)
    async def upload(request: Request) -> models.JobStartedModel:
        """Open photos and zips that were dropped on the page (field `files`, many times)."""
        return _started(await _upload(workspace, request))

    @routes.post("/api/recent/forget")
    def forget_recent(body: models.ForgetModel) -> models.WorkspaceModel:
        """Forget a recent album and what was decided of it, or all of them."""
        workspace.memory.forget(body.paths)
        return workspace.state()

    @routes.post("/api/text")
    def read_text(body: models.ReadTextModel) -> models.WorkspaceModel:
        """Read the text on the photos again where that failed, or go on without it."""
        workspace.read_text(wanted=body.wanted)
        return workspace.state()

    @routes.delete("/api/albums")
    def close_album() -> models.WorkspaceModel:
        """Close the album."""
        workspace.close()
        return workspace.state()

    @routes.get("/api/photos")
    def get_photos() -> list[models.PhotoModel]:
        """All photos with fresh links."""
        return workspace.photos()

    @routes.get("/api/photos/{n}")
    def get_photo(n: int) -> models.PhotoDetailsModel:
        """One photo in detail."""
        return presenter.photo_details_model(workspace.session, n, workspace.index)

    @routes.get("/api/folders")
    def get_folders(path: Annotated[str, Query(max_length=4096)] = "") -> models.FoldersModel:
        """The folders and zips in a folder below the user's home ("" for home itself)."""
        return list_folders(path, workspace.opened_paths)

    @routes.get("/thumbs/{album}/{side}/{at}", response_class=Response, responses=_JPEG)
    def get_thumb(album: int, side: int, at: int) -> Response:
        """A photo's picture, by a signed link."""
        index = workspace.index
        fits = side in SIDES and album == index.number  # another album may be open by now
        picture = index.picture(side, at) if fits else None
        if picture is None:
            raise HTTPException(404)
        return Response(picture, media_type="image/jpeg")

    @routes.get("/thumbs/{album}/{side}/{at}/{edit}", response_class=Response, responses=_JPEG)
    def get_edited(album: int, side: int, at: int, edit: str) -> Response:
        """The picture of a photo as it would go out edited, by a signed link."""
        index = workspace.index
        fits = side in SIDES and album == index.number
        picture = index.edited_picture(side, at, edit) if fits else None
        if picture is None:
            raise HTTPException(404)
        return Response(picture, media_type="image/jpeg")

    return routes


def plan_routes(workspace: Workspace) -> APIRouter:
    """Wishes and their plans."""
    routes = APIRouter(tags=["plan"])

    @routes.put("/api/wishes", response_model=models.AnswerModel)
    def put_wishes(wishes: models.WishesModel, turn: Turn = None) -> Response:
        """Set all wishes at once; the answer is the best plan so far."""
        return _json(workspace.wish(wishes, turn))

    @routes.post("/api/undo")
    def undo(turn: Turn = None) -> models.AnswerModel:
        """Go back to the wishes before, with their plan."""
        return workspace.step(-1, turn)

    @routes.post("/api/redo")
    def redo(turn: Turn = None) -> models.AnswerModel:
        """Go forward to wishes that were undone."""
        return workspace.step(1, turn)

    @routes.get("/api/guesses")
    def get_guesses(
        watch: Annotated[int | None, Query(ge=0, le=10_000)] = None,
    ) -> models.BeliefModel:
        """What one attacker believes before and after, with the zone and the decoys."""
        return presenter.belief_model(workspace.session.current, watch)

    @routes.get("/api/frontier", response_class=StreamingResponse, responses=STREAM)
    def get_frontier() -> StreamingResponse:
        """What each number of withheld photos buys, point by point as it is solved."""
        return _stream(workspace, album_jobs.start_frontier(workspace))

    @routes.get("/api/prices", response_class=StreamingResponse, responses=STREAM)
    def get_prices() -> StreamingResponse:
        """How many photos it costs to hide each place alone, one after the other."""
        return _stream(workspace, album_jobs.start_prices(workspace))

    return routes


def job_routes(workspace: Workspace) -> APIRouter:
    """Jobs, the copy, its proof and its report."""
    routes = APIRouter(tags=["jobs"])

    @routes.get("/api/jobs/{job}/events", response_class=StreamingResponse, responses=STREAM)
    def get_events(job: str) -> StreamingResponse:
        """All events of a job, from the start."""
        return _stream(workspace, _job(workspace, job))

    @routes.delete("/api/jobs/{job}")
    def cancel(job: str) -> models.JobModel:
        """Stop a job."""
        cancelled = _job(workspace, job)
        cancelled.cancel()
        return cancelled.to_model()

    @routes.post("/api/exported/open", status_code=204, response_class=Response)
    def open_exported() -> Response:
        """Show the last copy in the file manager of the machine that the server runs on."""
        album_jobs.open_exported(workspace)
        return Response(status_code=204)

    @routes.post("/api/export")
    def export(body: models.ExportRequestModel) -> models.JobStartedModel:
        """Write the copy and prove it."""
        return _started(album_jobs.start_export(workspace, body))

    @routes.post("/api/verify")
    def verify() -> models.JobStartedModel:
        """Verify the last copy, from its files."""
        return _started(album_jobs.start_verify(workspace))

    @routes.get("/api/report")
    def get_report() -> models.LinkModel:
        """A link to the private report of the last copy."""
        path = workspace.report_path()
        if path is None:
            raise HTTPException(404)
        return models.LinkModel(url=workspace.keys.sign(path))

    @routes.get("/reports/{album}/{copy}", response_class=Response, responses=_HTML)
    def read_report(album: int, copy: int) -> Response:
        """The report itself, by a signed link."""
        exported, path = workspace.exported, workspace.report_path()
        if path != f"/reports/{album}/{copy}" or exported is None or not exported.report:
            raise HTTPException(404)
        try:
            content = Path(exported.report).read_bytes()
        except OSError:
            raise HTTPException(404) from None
        policy = {"content-security-policy": REPORT_POLICY}
        return Response(content, media_type="text/html; charset=utf-8", headers=policy)

    return routes


_JPEG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/jpeg": {}}}}
_HTML: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {}}}}


def _job(workspace: Workspace, job: str) -> AppJob:
    known = workspace.jobs.get(job)
    if known is None:
        raise HTTPException(404)
    return known


def _started(job: AppJob) -> models.JobStartedModel:
    return models.JobStartedModel(job=job.to_model())


def _stream(workspace: Workspace, job: AppJob) -> StreamingResponse:
    async def lines() -> AsyncIterator[bytes]:
        async for event in job.events():
            fresh = workspace.index.refresh_link(event)
            # only what was set: the page must not take a default for a value
            yield fresh.model_dump_json(include=fresh.model_fields_set).encode() + b"\n"

    return StreamingResponse(lines(), media_type=NDJSON)


def _json(model: models.ResponseModel) -> Response:
    """A response that is not validated again: every click waits for it."""
    return Response(model.model_dump_json(), media_type="application/json")


async def _upload(workspace: Workspace, request: Request) -> AppJob:
    """Open the files of a form, in a folder of their own."""
    upload = UploadFolder()
    try:
        form = UploadForm(request.headers.get("content-type", ""), upload)
        if not await form.save(request.stream()):
            raise InputError("no photo was dropped: send at least one")
        return await run_in_threadpool(workspace.open, upload.roots(), upload=upload)
    except BaseException:
        upload.delete()
        raise
