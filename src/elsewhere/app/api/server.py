"""The built page: read once, as a fixed list of files. What is not on the list does not exist.

No path of a request is ever joined to a folder, so there is nothing to climb out of.

The application behind the guard: routes, the page, and one sentence for whatever goes wrong.

The server as a program: a socket that only this machine reaches, a browser, and a clean end.
"""

from __future__ import annotations

import json
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

import elsewhere
from elsewhere.app.api import models, routes
from elsewhere.app.security import connections
from elsewhere.app.security.guard import Guard
from elsewhere.app.security.keys import TOKEN_SECONDS, Keys
from elsewhere.app.security.login_page import LoginPage
from elsewhere.app.sessions import album_jobs
from elsewhere.app.sessions.jobs import BusyError
from elsewhere.app.sessions.planning import OvertakenError
from elsewhere.app.sessions.presenter import names_instead
from elsewhere.app.sessions.uploads import sweep_uploads
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import CheckError, ElsewhereError, InputError, PlaceError
from elsewhere.scorers import RowCache

if TYPE_CHECKING:
    import uvicorn

FOLDER = Path(__file__).parent.parent / "page"
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
_NOT_BUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>elsewhere</title>"
    "<p>The page is not built in this checkout: run <code>make web</code>."
)


@dataclass(frozen=True)
class PageFile:
    """One file of the page."""

    content: bytes
    kind: str


def page_files(folder: Path = FOLDER) -> dict[str, PageFile]:
    """Every file of the page by the path at which it is asked for."""
    found = {
        f"/{path.relative_to(folder).as_posix()}": PageFile(path.read_bytes(), TYPES[path.suffix])
        for path in sorted(folder.rglob("*"))
        if path.suffix in TYPES and path.is_file() and not path.is_symlink()
    }
    index = found.get("/index.html")
    return {**found, "/": index or PageFile(_NOT_BUILT.encode(), TYPES[".html"])}


class Application(FastAPI):
    """FastAPI, with the names of components as clients know them: without the suffix `Model`."""

    def openapi(self) -> dict[str, Any]:
        """The description, made once."""
        if self.openapi_schema is None:
            text = json.dumps(super().openapi())
            self.openapi_schema = json.loads(text.replace('Model"', '"'))
        return self.openapi_schema


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
    wrong = {"model": models.ProblemModel, "description": "one sentence that says what is wrong"}
    app = Application(
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
        field = problem.field if isinstance(problem, album_jobs.FieldError) else None
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
    told = models.ProblemModel(error=said, field=field, choices=list(choices))
    return JSONResponse(told.model_dump(exclude_defaults=True), status, headers=kept)


HOST = "127.0.0.1"
TURN = 0.001
"""Seconds that one thread may keep the others waiting while it computes: a click that comes in the
middle of a proof passes from hand to hand several times, and Python's own 5 ms would count each."""


def listening(port: int = 0) -> socket.socket:
    """A socket on this machine alone, at this port or at any that is free."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if port and sys.platform != "win32":  # there it would let others take the port as well
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((HOST, port))
        # from now on: a browser may be quicker than the rest of us, and nobody else gets the port
        made.listen(128)
    except (OSError, OverflowError) as problem:
        made.close()
        reason = getattr(problem, "strerror", None) or problem
        raise InputError(
            f"port {port} cannot be used ({reason}): give another one, or none for any free one"
        ) from None
    return made


def web_server(app: Guard, ending: Callable[[], None] = lambda: None) -> uvicorn.Server:
    """What speaks HTTP: tells nobody what it is, and writes nothing down.

    `ending` is called before it waits for what is still being answered.
    """
    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending()
            app.close()
            # whatever is cut off from now on is cut off on purpose
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
            limit_concurrency=connections.MAX_CONNECTIONS,
            log_level="error",
            timeout_graceful_shutdown=3,
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
    say: Callable[[str], None] = print,
) -> None:
    """Serve the app until somebody stops it."""
    sock = listening(port)
    sys.setswitchinterval(TURN)
    sweep_uploads()
    number = sock.getsockname()[1]
    table = Workspace(Keys(), scorers=scorers, cache=RowCache() if cache else None)
    redirect = LoginPage(f"http://{HOST}:{number}/", table.keys.token())
    late = threading.Timer(TOKEN_SECONDS, redirect.remove)
    late.daemon = True
    server = web_server(guarded(table, number, redirect.remove), table.jobs.fall_silent)
    try:
        _end_like_an_interrupt()
        if album:
            table.open([Path(path).absolute() for path in album])
        say(f"elsewhere is at http://{HOST}:{number}/")
        late.start()
        if browser and redirect.show():
            say(
                "Your browser opens it; keep that window, for no other one gets in. Ctrl-C ends it."
            )
        else:
            say(f"Open this file in your browser within a minute: {redirect.file}")
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        pass  # that is how it is ended
    finally:
        late.cancel()
        redirect.remove()
        table.end()
        sock.close()


def _end_like_an_interrupt() -> None:
    """Whoever ends us politely, or closes the terminal, finds us as tidy as after Ctrl-C."""

    def interrupt(*told: object) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), interrupt)
