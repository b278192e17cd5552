"""What every request must pass before the application sees it.

Every web page in the user's browser and every user of the machine can reach a server on 127.0.0.1.
A request must therefore name our own address as its host (DNS rebinding makes a foreign name point
here), come from our own page, carry the session's secret or a signed link, and stay within a size.
Whatever goes wrong inside is answered with one sentence, never with a stack trace.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from elsewhere.app.security.keys import Keys

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]

SECRET_HEADER = "x-elsewhere-session"
MAX_BODY = 1 << 20  # wishes are a few kilobytes; a thousand names of photos are a few hundred
MAX_UPLOAD = 2 << 30  # all photos that are dropped on the page at once
UPLOADS = "/api/uploads"
TOO_LARGE = "that is too much at once: send less, or open the folder or zip by its path"
BODY_SECONDS = 30.0  # for a body to begin, or to go on
BODY_PACE = 64 << 10
"""Bytes that give a body one more second: even an upload from a slow disk is quicker."""
TOO_SLOW = "this request took too long to arrive"
INTERNAL_ERROR = "something went wrong here; see the terminal"
OPEN_PATHS = frozenset({"/api/session", "/api/proof"})
"""Paths that need no secret: one gives it, the other shows that the server knows it."""
SIGNED_PATHS = ("/thumbs/", "/reports/")
"""Paths that need a signed link: an image or a window carries no header."""
SINGLE_HEADERS = frozenset({"host", "origin", "sec-fetch-site", "content-length", SECRET_HEADER})
"""Headers that a request may send only once."""

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


class RequestRefusedError(Exception):
    """A request that is refused, with its status and one sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


class IncomingRequest(NamedTuple):
    """What is known of a request before its body."""

    method: str
    path: str
    query: bytes
    headers: dict[str, str]


class RequestBody:
    """A request's body as it arrives, cut off where it is too large, whatever it declared."""

    def __init__(self, receive: Receive, limit: int, closing: asyncio.Event) -> None:
        self._receive = receive
        self._limit = limit
        self._closing = closing
        self._received = 0
        self._complete = False
        self._started = time.monotonic()
        self.refused: RequestRefusedError | None = None
        """Why no more of it is taken."""

    def check_declared_length(self, headers: dict[str, str]) -> None:
        """Refuse a body that declares that it is too large."""
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limit:
            raise RequestRefusedError(413, TOO_LARGE)

    async def receive(self) -> Message:
        """The next piece."""
        message = await (self._receive() if self._complete else self._receive_in_time())
        self._received += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._received > self._limit:
            raise self._refuse(413, TOO_LARGE)
        return message

    def _refuse(self, status: int, sentence: str) -> RequestRefusedError:
        self.refused = RequestRefusedError(status, sentence)
        return self.refused

    async def _receive_in_time(self) -> Message:
        """The next piece, unless it takes too long or the server ends."""
        piece = asyncio.ensure_future(self._receive())
        closing = asyncio.ensure_future(self._closing.wait())
        deadline = self._started + BODY_SECONDS + self._received / BODY_PACE
        timeout = max(0.0, deadline - time.monotonic())
        try:
            await asyncio.wait(
                {piece, closing}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if piece.done():
                return piece.result()
            if closing.done():
                raise self._refuse(503, "elsewhere is being ended")
            raise self._refuse(408, TOO_SLOW)
        finally:
            closing.cancel()
            piece.cancel()


class GuardedResponse:
    """A response with our headers, and with our sentence instead of a stack trace or of the
    framework's own answer to a body that was cut off."""

    def __init__(self, send: Send, body: RequestBody) -> None:
        self._send = send
        self._body = body
        self._started = False
        self._replaced = False

    async def send(self, message: Message) -> None:
        """Pass on one message of the application."""
        if message["type"] == "http.response.start":
            refused = self._body.refused
            if refused is not None:
                await self.replace(refused.status, str(refused))
            elif message["status"] == 500:
                await self.replace(500, INTERNAL_ERROR)
            self._started = True
            message["headers"] = _with_our_headers(message.get("headers", ()))
        if not self._replaced:
            await self._send(message)

    async def replace(self, status: int, sentence: str) -> None:
        """Send our own response, unless another one was started."""
        if self._started or self._replaced:
            return
        self._replaced = True
        body = json.dumps({"error": sentence}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
        if status == 408:  # or the client could go on as slowly
            headers.append((b"connection", b"close"))
        await self._send(
            {"type": "http.response.start", "status": status, "headers": _with_our_headers(headers)}
        )
        await self._send({"type": "http.response.body", "body": body})


class Guard:
    """The ASGI application around ours: checks requests, limits bodies, sets headers."""

    def __init__(self, inner: AsgiApp, keys: Keys, port: int) -> None:
        self._inner = inner
        self._keys = keys
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._origins = {f"http://{host}" for host in self._hosts}
        self._closing = asyncio.Event()
        self.last_used = time.monotonic()
        """When a request was let in last."""

    def close(self) -> None:
        """The server ends: wait for no more bodies."""
        self._closing.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request, or the server's own start and end."""
        if scope["type"] == "lifespan":
            await self._inner(scope, receive, send)
            return
        if scope["type"] != "http":  # no other protocol is spoken
            return
        limit = MAX_UPLOAD if scope["path"] == UPLOADS else MAX_BODY
        body = RequestBody(receive, limit, self._closing)
        response = GuardedResponse(send, body)
        try:
            body.check_declared_length(self._admit(scope).headers)
            await self._inner(scope, body.receive, response.send)
        except RequestRefusedError as refused:
            await response.replace(refused.status, str(refused))
        except Exception:  # the client learns no more than this
            await response.replace(500, INTERNAL_ERROR)
            raise

    def _admit(self, scope: Scope) -> IncomingRequest:
        """The request, or RequestRefusedError."""
        request = IncomingRequest(
            scope["method"], scope["path"], scope.get("query_string", b""), _read_headers(scope)
        )
        for check in CHECKS:
            check(self, request)
        self.last_used = time.monotonic()
        return request

    def check_host(self, request: IncomingRequest) -> None:
        """Refuse a foreign host name that leads here: that is how DNS rebinding works."""
        if request.headers.get("host", "") not in self._hosts:
            raise RequestRefusedError(421, "this server answers only to its own address")

    def check_origin(self, request: IncomingRequest) -> None:
        """Refuse the pages of other origins, which send their origin with every request."""
        origin = request.headers.get("origin")
        if origin is not None and origin not in self._origins:
            raise RequestRefusedError(403, "this request comes from another page")

    def check_site(self, request: IncomingRequest) -> None:
        """Refuse other sites, which browsers report even without an origin."""
        if not _is_same_site(request):
            raise RequestRefusedError(403, "this request comes from another site")

    def check_signature(self, request: IncomingRequest) -> None:
        """Pictures and reports need a link that we signed."""
        if request.path.startswith(SIGNED_PATHS):
            query = dict(parse_qsl(request.query.decode("latin-1")))
            if not self._keys.signed(request.path, query.get("e", ""), query.get("s", "")):
                raise RequestRefusedError(
                    403, "this link is not valid or has expired: reload the page"
                )

    def check_secret(self, request: IncomingRequest) -> None:
        """The rest of the API needs the session's secret."""
        if request.path in OPEN_PATHS or not request.path.startswith("/api/"):
            return
        if not self._keys.admits(request.headers.get(SECRET_HEADER, "")):
            raise RequestRefusedError(
                401, "this window is not connected: run `elsewhere app` and use its window"
            )

    def check_method(self, request: IncomingRequest) -> None:
        """A link must not open a session, nor get a proof."""
        if request.path in OPEN_PATHS and request.method != "POST":
            raise RequestRefusedError(405, "a session is opened by POST")


CHECKS = (
    Guard.check_host,
    Guard.check_origin,
    Guard.check_site,
    Guard.check_signature,
    Guard.check_secret,
    Guard.check_method,
)
"""In this order: a request that is not addressed to us learns nothing more."""


def _is_same_site(request: IncomingRequest) -> bool:
    """Whether the browser reports that our own page asks, or that the user typed the address.

    The page itself may be opened from anywhere: to a browser our login file is another site, and
    the page holds nothing private.
    """
    headers, path = request.headers, request.path
    site = headers.get("sec-fetch-site")
    if site is None:  # not a browser, or one that reports nothing: the other checks decide
        return True
    mode, destination = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    if (request.method, path, mode, destination) == ("GET", "/", "navigate", "document"):
        return True
    return site == "same-origin" or (site == "none" and not path.startswith("/api/"))


def _read_headers(scope: Scope) -> dict[str, str]:
    """The headers by name; RequestRefusedError where one that must be unique is sent twice."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        if key in SINGLE_HEADERS and key in headers:
            raise RequestRefusedError(400, f"the header {key} was sent twice")
        headers[key] = value.decode("latin-1")
    return headers


def _with_our_headers(headers: Any) -> list[tuple[bytes, bytes]]:
    """The response's own headers, and ours where it has none of that name."""
    given = {name.lower() for name, _ in headers}
    ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    return [*headers, *(pair for pair in ours if pair[0] not in given)]
