"""The server: the application behind the guard, and the program that serves it.

The built page is read once, as a fixed list of files. No path of a request is joined to a folder,
so there is nothing to climb out of. Whatever goes wrong is answered with one sentence.
"""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

import elsewhere
from elsewhere.app.api import models, routes
from elsewhere.app.security import connections
from elsewhere.app.security.guard import Guard
from elsewhere.app.security.keys import TOKEN_SECONDS, Keys
from elsewhere.app.security.login_page import LoginPage
from elsewhere.app.sessions.album_jobs import FieldError
from elsewhere.app.sessions.jobs import BusyError, report_ignored
from elsewhere.app.sessions.planning import OvertakenError
from elsewhere.app.sessions.uploads import sweep_uploads
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import CheckError, ElsewhereError, InputError, PlaceError
from elsewhere.platform.threads import start_thread
from elsewhere.service import RowCache, similar_places

if TYPE_CHECKING:
    import uvicorn

HOST = "127.0.0.1"
PAGE_FOLDER = Path(__file__).parent.parent / "page"
MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
SWITCH_SECONDS = 0.001
"""How long one thread may keep the others waiting. A click during a proof passes between threads
several times, and each time would cost Python's own 5 ms."""
MAX_PLACE_NAMES = 4  # offered where the name of a place is not understood
_QUEUE = 128  # connections that wait to be accepted
_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>elsewhere</title>"
    "<p>The page is not built in this checkout: run <code>make web</code>."
)
_HTTP_ERRORS = {404: "there is nothing here", 405: "this cannot be done here"}


class PageFile(NamedTuple):
    """One file of the page."""

    content: bytes
    media_type: str


def page_files() -> dict[str, PageFile]:
    """Every file of the page by its address."""
    files = {"/index.html": PageFile(_NOT_BUILT.encode(), MEDIA_TYPES[".html"])}
    for path in sorted(PAGE_FOLDER.rglob("*")):
        if path.suffix in MEDIA_TYPES and path.is_file() and not path.is_symlink():
            address = f"/{path.relative_to(PAGE_FOLDER).as_posix()}"
            files[address] = PageFile(path.read_bytes(), MEDIA_TYPES[path.suffix])
    return {**files, "/": files["/index.html"]}


class Application(FastAPI):
    """FastAPI, with the events of streams in its description, and components without `Model`."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            description = super().openapi()
            _, events = models_json_schema(
                [(models.EventModel, "serialization")], ref_template="#/components/schemas/{model}"
            )
            components = description["components"]
            components["schemas"] = {**events["$defs"], **components["schemas"]}
            text = json.dumps(description)
            self.openapi_schema = json.loads(text.replace('Model"', '"'))
        return self.openapi_schema


def application(workspace: Workspace, on_session: Callable[[], None] = lambda: None) -> FastAPI:
    """The routes and the page, without the guard."""
    problem = {"model": models.ProblemModel, "description": "one sentence that says what is wrong"}
    app = Application(
        title="elsewhere",
        version=elsewhere.__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses={"4XX": problem},
    )
    app.include_router(routes.session_routes(workspace, on_session))
    for router in (routes.album_routes, routes.plan_routes, routes.job_routes):
        app.include_router(router(workspace))
    files = page_files()

    @app.get("/{path:path}", include_in_schema=False)
    def get_page(path: str) -> Response:
        """A file of the page."""
        file = files.get(f"/{path}")
        if file is None:
            return _problem_response(404, _HTTP_ERRORS[404])
        return Response(file.content, media_type=file.media_type)

    _handle_errors(app)
    return app


def guarded_application(
    workspace: Workspace, port: int, on_session: Callable[[], None] = lambda: None
) -> Guard:
    """The application behind the guard, as it is served."""
    return Guard(application(workspace, on_session), workspace.keys, port)


def _handle_errors(app: FastAPI) -> None:
    """Answer every error with one sentence."""

    @app.exception_handler(ElsewhereError)
    def expected(request: Request, problem: ElsewhereError) -> JSONResponse:
        conflict = isinstance(problem, CheckError | OvertakenError | BusyError)
        field = problem.field if isinstance(problem, FieldError) else None
        choices = []
        if isinstance(problem, PlaceError):
            choices = similar_places(problem, MAX_PLACE_NAMES)
        status = 409 if conflict else 400
        return _problem_response(status, str(problem), field=field, choices=choices)

    @app.exception_handler(HTTPException)
    def http(request: Request, problem: HTTPException) -> JSONResponse:
        sentence = _HTTP_ERRORS.get(problem.status_code, "this request cannot be understood")
        return _problem_response(problem.status_code, sentence, problem.headers)

    @app.exception_handler(RequestValidationError)
    def invalid(request: Request, problem: RequestValidationError) -> JSONResponse:
        first = problem.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
        return _problem_response(422, f"{where[:80]} cannot be understood: {first['msg'][:200]}")


def _problem_response(
    status: int, sentence: str, headers: Mapping[str, str] | None = None, **details: Any
) -> JSONResponse:
    # what a stranger typed may hold characters that no text can carry
    error = sentence.encode("utf-8", "replace").decode("utf-8")
    model = models.ProblemModel(error=error, **details)
    return JSONResponse(model.model_dump(exclude_defaults=True), status, headers=headers)


def open_socket(port: int = 0) -> socket.socket:
    """A socket that only this machine reaches, at this port or at any that is free."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if port and sys.platform != "win32":  # there others could take the port as well
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
        # at once: the browser may be quicker than the rest of us, and nobody else gets the port
        sock.listen(_QUEUE)
    except (OSError, OverflowError) as problem:
        sock.close()
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(
            f"port {port} cannot be used ({reason}): give another one, or none for any free one"
        ) from None
    return sock


def web_server(app: Guard, on_shutdown: Callable[[], None] = lambda: None) -> uvicorn.Server:
    """Uvicorn without a log; `on_shutdown` is called before it waits for open responses."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            asyncio.get_running_loop().set_exception_handler(connections.AcceptErrors())
            await super().startup(sockets)
            for sock in sockets or ():
                sock.listen(_QUEUE)  # uvicorn made the queue as short as `backlog`

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            on_shutdown()
            app.close()
            # what is cut off from now on is cut off on purpose
            logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
            await super().shutdown(sockets)

    return Server(
        uvicorn.Config(
            app,
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="off",
            ws="none",
            http=connections.protocol(),
            limit_concurrency=connections.MAX_CONNECTIONS + 1,
            backlog=connections.ACCEPTED_AT_ONCE,
            log_level="error",
            timeout_graceful_shutdown=1,
            proxy_headers=False,
        )
    )


def serve(
    album: Sequence[Path] = (),
    *,
    port: int = 0,
    scorers: Sequence[str] = ("embedded",),
    browser: bool = True,
    cache: bool = True,
    text: bool = True,
    unused_minutes: float | None = None,
    echo: Callable[[str], None] = print,
) -> None:
    """Serve the app until it is stopped, or for so long has done nothing and shown no page."""
    sock = open_socket(port)
    sys.setswitchinterval(SWITCH_SECONDS)
    sys.unraisablehook = report_ignored
    sweep_uploads()
    number = sock.getsockname()[1]
    rows = RowCache() if cache else None
    workspace = Workspace(Keys(), scorers=scorers, cache=rows, remember=cache, read_text=text)
    login_page = LoginPage(f"http://{HOST}:{number}/", workspace.keys.token())
    over = threading.Event()

    def expire() -> None:
        if not over.wait(TOKEN_SECONDS):
            login_page.remove()

    app = guarded_application(workspace, number, login_page.remove)
    server = web_server(app, workspace.jobs.end_streams)

    def end_unused(seconds: float) -> None:
        left = seconds
        while left > 0 or workspace.jobs.running():
            if over.wait(max(left, 1.0)):
                return
            left = app.last_used + seconds - time.monotonic()
        server.should_exit = True

    try:
        _interrupt_on_signals()
        if album:
            workspace.open([Path(path).absolute() for path in album])
        echo(f"elsewhere is at http://{HOST}:{number}/")
        start_thread(expire)
        if unused_minutes is not None:
            start_thread(lambda: end_unused(60 * unused_minutes))
        if browser and login_page.show():
            echo("Your browser opens it; no other browser gets in. Ctrl-C ends it.")
        else:
            echo(f"Open this file in your browser within a minute: {login_page.file}")
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        pass  # that is how it is stopped
    finally:
        over.set()
        login_page.remove()
        workspace.close(force=True)
        sock.close()


def _interrupt_on_signals() -> None:
    """Clean up after SIGTERM or a closed terminal as after Ctrl-C."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), interrupt)
