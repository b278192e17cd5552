"""How many may be connected at once, and how long somebody who says nothing is waited for.

Another user of the machine can connect as well, and nobody knows who they are before they have
asked for something. The web server itself waits as long as anybody likes for the head of a request,
so a few hundred who never finish theirs would keep the page's own requests out. What comes after
the head is the guard's: a body has its time there.

The door of the server: every request passes here before anything looks at it.

A server on 127.0.0.1 can be reached by every web page in the user's browser and by every other
user of the machine. So a request must be addressed to us by our own name (a foreign name that was
made to point here is how DNS rebinding works), must come from our own page, must know the
session's secret or carry a signed link, and must not be larger than it may be. Whatever goes
wrong behind this door comes out as one sentence, never as a stack trace.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from elsewhere.app.security.keys import Keys

MOST = 64
"""Connections at once. A browser makes six to one address, and keeps other windows waiting."""
HEAD_SECONDS = 10.0
"""From the connection, or from the first letter after an answer, to the end of a request's head."""


def protocol() -> type[asyncio.Protocol]:
    """The web server's protocol, less patient."""
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is h11.IDLE:
                self._wait()
            else:
                self._heard()

        def connection_lost(self, exc: Exception | None) -> None:
            self._heard()
            super().connection_lost(exc)

        def _wait(self) -> None:
            if self._late is None:
                self._late = self.loop.call_later(HEAD_SECONDS, self._hang_up)

        def _heard(self) -> None:
            if self._late is not None:
                self._late.cancel()
                self._late = None

        def _hang_up(self) -> None:
            self._late = None
            if self.conn.their_state is h11.IDLE:
                self.transport.close()

    return Protocol


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SECRET_HEADER = "x-elsewhere-session"
MAX_BODY = 1 << 20
"""A wish is a few kilobytes; a thousand names of photos are a few hundred."""
MAX_UPLOAD = 2 << 30
"""All photos that are dropped on the page at once."""
UPLOADS = "/api/uploads"
TOO_LARGE = "that is more than can be taken at once"
BODY_SECONDS = 30.0
"""For a body to begin, or to go on: whoever sends nothing is not waited for longer."""
BODY_PACE = 64 << 10
"""Bytes that buy a body one second more: even an upload from a slow disk is quicker."""
TOO_SLOW = "this request took too long to arrive"
BROKEN = "something went wrong here; see the terminal"
OPEN = frozenset({"/api/session"})
"""What needs no secret, because it gives it."""
SIGNED = ("/thumbs/", "/reports/")
"""What is asked for by a signed link, because a picture or a window carries no header."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}


class RefusedError(Exception):
    """A request that may not go on, with the status and the sentence that say so."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class IncomingRequest(NamedTuple):
    """What is known of a request before anything looks at its body."""

    method: str
    path: str
    query: bytes
    headers: dict[str, str]


class Body:
    """A request's body as it arrives, cut off where it grows too large, whatever it declared."""

    def __init__(self, receive: Receive, limit: int, closing: asyncio.Event) -> None:
        self._receive = receive
        self._limit = limit
        self._closing = closing
        self._had = 0
        self._whole = False
        self._begun = time.monotonic()
        self.refused: RefusedError | None = None
        """Why no more of it is taken."""

    def declared(self, headers: dict[str, str]) -> None:
        """Refuse at once what already says that it is too large."""
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit:
            raise RefusedError(413, TOO_LARGE)

    async def receive(self) -> Message:
        """The next piece."""
        message = await (self._receive() if self._whole else self._before_the_end())
        self._had += len(message.get("body", b""))
        self._whole = not message.get("more_body", False)
        if self._had > self._limit:
            raise self._refuse(413, TOO_LARGE)
        return message

    def _refuse(self, status: int, sentence: str) -> RefusedError:
        self.refused = RefusedError(status, sentence)
        return self.refused

    async def _before_the_end(self) -> Message:
        """A server that ends waits for no body, and no server waits for ever."""
        piece = asyncio.ensure_future(self._receive())
        end = asyncio.ensure_future(self._closing.wait())
        until = self._begun + BODY_SECONDS + self._had / BODY_PACE
        left = max(0.0, until - time.monotonic())
        try:
            await asyncio.wait({piece, end}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if piece.done():
                return piece.result()
            if end.done():
                raise self._refuse(503, "elsewhere is being ended")
            raise self._refuse(408, TOO_SLOW)
        finally:
            end.cancel()
            piece.cancel()


class Answer:
    """What goes out: with the headers of the house, and with our sentence where the inside only
    has a stack trace, or its own idea of a body that was cut off."""

    def __init__(self, send: Send, body: Body) -> None:
        self._send = send
        self._body = body
        self._begun = False
        self._replaced = False

    async def send(self, message: Message) -> None:
        """One message from the inside."""
        if message["type"] == "http.response.start":
            refused = self._body.refused
            if refused is not None:
                await self.instead(refused.status, str(refused))
            elif message["status"] == 500:
                await self.instead(500, BROKEN)
            self._begun = True
            message["headers"] = _headed(message.get("headers", ()))
        if not self._replaced:
            await self._send(message)

    async def instead(self, status: int, sentence: str) -> None:
        """Our own answer, unless one is on its way already."""
        if self._begun or self._replaced:
            return
        self._replaced = True
        body = json.dumps({"error": sentence}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        if status == 408:  # or they could go on as slowly
            headers.append((b"connection", b"close"))
        await self._send(
            {"type": "http.response.start", "status": status, "headers": _headed(headers)}
        )
        await self._send({"type": "http.response.body", "body": body})


class Guard:
    """The ASGI application around ours: refuses, limits, and puts the same headers on all."""

    def __init__(self, inner: App, keys: Keys, port: int) -> None:
        self._inner = inner
        self._keys = keys
        self._names = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{name}" for name in self._names}
        self._closing = asyncio.Event()

    def close(self) -> None:
        """The server ends: nobody is waited for who still sends something."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the server's own start and end."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing here speaks anything else
            return
        limit = MAX_UPLOAD if scope["path"] == UPLOADS else MAX_BODY
        body = Body(receive, limit, self._closing)
        answer = Answer(send, body)
        try:
            body.declared(self._admit(scope).headers)
            await self._inner(scope, body.receive, answer.send)
        except RefusedError as refused:
            await answer.instead(refused.status, str(refused))
        except Exception:  # whatever it is, nobody is told more than this
            await answer.instead(500, BROKEN)
            raise

    def _admit(self, scope: Scope) -> IncomingRequest:
        """What is known of it, or the reason why this request may not go on."""
        asked = IncomingRequest(
            scope["method"], scope["path"], scope.get("query_string", b""), _read(scope)
        )
        for check in CHECKS:
            check(self, asked)
        return asked

    def addressed(self, asked: IncomingRequest) -> None:
        """To us, by our own name: a foreign one that leads here is how DNS rebinding works."""
        if asked.headers.get("host", "") not in self._names:
            raise RefusedError(421, "this server answers only to its own address")

    def of_our_page(self, asked: IncomingRequest) -> None:
        """A page of another origin says so with everything that it sends."""
        origin = asked.headers.get("origin")
        if origin is not None and origin not in self._origins:
            raise RefusedError(403, "this request comes from another page")

    def of_our_site(self, asked: IncomingRequest) -> None:
        """A browser says where a request comes from even where it names no origin."""
        if not _from_here(asked):
            raise RefusedError(403, "this request comes from another site")

    def signed(self, asked: IncomingRequest) -> None:
        """Pictures and reports are asked for by links that we signed."""
        if asked.path.startswith(SIGNED):
            query = dict(parse_qsl(asked.query.decode("latin-1")))
            if not self._keys.signed(asked.path, query.get("e", ""), query.get("s", "")):
                raise RefusedError(403, "this link is not valid, or no longer")

    def known(self, asked: IncomingRequest) -> None:
        """Everything else that is not the page itself needs the session's secret."""
        if asked.path in OPEN or not asked.path.startswith("/api/"):
            return
        if not self._keys.admits(asked.headers.get(SECRET_HEADER, "")):
            raise RefusedError(
                401, "this window is not connected: run `elsewhere app` and use its window"
            )

    def by_post(self, asked: IncomingRequest) -> None:
        """A session is not opened by a link."""
        if asked.path in OPEN and asked.method != "POST":
            raise RefusedError(405, "a session is opened by POST")


CHECKS = (
    Guard.addressed,
    Guard.of_our_page,
    Guard.of_our_site,
    Guard.signed,
    Guard.known,
    Guard.by_post,
)
"""In this order: who is not addressed to us learns nothing more."""


def _from_here(asked: IncomingRequest) -> bool:
    """Whether a browser says that our own page asks, or that the user typed it.

    The page itself may be opened from anywhere, for our own redirect file is another site to a
    browser, and there is nothing private in it.
    """
    headers, path = asked.headers, asked.path
    site = headers.get("sec-fetch-site")
    if site is None:  # no browser, or one that says nothing: the other guards decide
        return True
    mode, what = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    if (asked.method, path, mode, what) == ("GET", "/", "navigate", "document"):
        return True
    return site == "same-origin" or (site == "none" and not path.startswith("/api/"))


def _read(scope: Scope) -> dict[str, str]:
    """The headers by name; one that may be said once only, and is said twice, is refused."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        once = key in {"host", "origin", "sec-fetch-site", "content-length", SECRET_HEADER}
        if once and key in found:
            raise RefusedError(400, f"the header {key} was sent twice")
        found[key] = value.decode("latin-1")
    return found


def _headed(headers: Any) -> list[tuple[bytes, bytes]]:
    """The response's own headers, and ours where it has none of that name."""
    given = {name.lower() for name, _ in headers}
    ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    return [*headers, *(pair for pair in ours if pair[0] not in given)]
