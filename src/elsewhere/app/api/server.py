"""The application behind the guard: routes, the page, and one sentence for whatever goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

import elsewhere
from elsewhere.app.api import models, routes
from elsewhere.app.api.page_files import PageFile, page_files
from elsewhere.app.security.guard import Guard
from elsewhere.app.sessions import export_job
from elsewhere.app.sessions.answers import OvertakenError
from elsewhere.app.sessions.jobs import BusyError
from elsewhere.app.sessions.suggestions import names_instead
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import CheckError, ElsewhereError, PlaceError

_SENTENCES = {
    404: "there is nothing here",
    405: "this cannot be done here",
}


def application(
    table: Workspace,
    *,
    entered: Callable[[], None] = lambda: None,
    page: dict[str, PageFile] | None = None,
) -> FastAPI:
    """The routes and the page, not yet guarded."""
    wrong = {"model": models.Problem, "description": "one sentence that says what is wrong"}
    app = FastAPI(
        title="elsewhere",
        version=elsewhere.__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"4XX": wrong},
    )
    for some in (
        routes.session_routes(table, entered),
        routes.album_routes(table),
        routes.plan_routes(table),
        routes.job_routes(table),
    ):
        app.include_router(some)
    files = page_files() if page is None else page

    @app.get("/{path:path}", include_in_schema=False)
    def get_page(path: str) -> Response:
        """A file of the page."""
        found = files.get(f"/{path}")
        if found is None:
            return _problem(404, _SENTENCES[404])
        return Response(found.content, media_type=found.kind)

    _sentences(app)
    return app


def guarded(table: Workspace, port: int, entered: Callable[[], None] = lambda: None) -> Guard:
    """All of it, as it is served."""
    return Guard(application(table, entered=entered), table.keys, port)


def _sentences(app: FastAPI) -> None:
    """Whatever goes wrong comes out as one sentence."""

    @app.exception_handler(ElsewhereError)
    def on_purpose(request: Request, problem: ElsewhereError) -> JSONResponse:
        late = isinstance(problem, CheckError | OvertakenError | BusyError)
        field = problem.field if isinstance(problem, export_job.FieldError) else None
        choices = names_instead(problem) if isinstance(problem, PlaceError) else []
        return _problem(409 if late else 400, str(problem), field=field, choices=choices)

    @app.exception_handler(routes.NotThereError)
    def not_there(request: Request, problem: routes.NotThereError) -> JSONResponse:
        return _problem(404, _SENTENCES[404])

    @app.exception_handler(HTTPException)
    def http(request: Request, problem: HTTPException) -> JSONResponse:
        said = _SENTENCES.get(problem.status_code, "this request cannot be understood")
        return _problem(problem.status_code, said, problem.headers)

    @app.exception_handler(RequestValidationError)
    def misunderstood(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return _problem(422, f"{where[:80]} cannot be understood: {first['msg'][:200]}")


def _problem(
    status: int,
    sentence: str,
    headers: object = None,
    *,
    field: str | None = None,
    choices: Sequence[str] = (),
) -> JSONResponse:
    # what a stranger typed may hold characters that no text can carry
    said = sentence.encode("utf-8", "replace").decode("utf-8")
    kept = dict(headers) if isinstance(headers, dict) else None
    told = models.Problem(error=said, field=field, choices=list(choices))
    return JSONResponse(told.model_dump(exclude_defaults=True), status, headers=kept)
