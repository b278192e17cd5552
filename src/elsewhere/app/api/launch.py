"""The server as a program: a socket that only this machine reaches, a browser, and a clean end."""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elsewhere.app.api.server import guarded
from elsewhere.app.security import connections
from elsewhere.app.security.guard import Guard
from elsewhere.app.security.keys import TOKEN_SECONDS, Keys
from elsewhere.app.security.login_page import LoginPage
from elsewhere.app.sessions.uploads import sweep_uploads
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError
from elsewhere.scorers import RowCache

if TYPE_CHECKING:
    import uvicorn

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
            limit_concurrency=connections.MOST,
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
