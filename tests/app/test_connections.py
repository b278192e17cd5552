"""Nobody keeps the page's own requests out by connecting often, or by asking for ever."""

from __future__ import annotations

import json
import select
import socket
import time
from contextlib import ExitStack

import pytest

from elsewhere.app.api.server import HOST
from elsewhere.app.security import connections, guard
from elsewhere.app.security.guard import SECRET_HEADER
from tests.app.server import RunningServer

PATIENCE = 8.0
"""Seconds after which a server would wait for ever."""


def connected(server: RunningServer) -> socket.socket:
    return socket.create_connection((HOST, server.port), timeout=PATIENCE)


def head(server: RunningServer, *lines: str, first: str = "GET /api/table") -> bytes:
    own = f"Host: {HOST}:{server.port}", f"{SECRET_HEADER}: {server.secret}"
    return "\r\n".join([f"{first} HTTP/1.1", *own, *lines, "", ""]).encode()


def heard(link: socket.socket) -> bytes:
    """All that comes until the server hangs up; a timeout where it does not."""
    parts = []
    while part := link.recv(65536):
        parts.append(part)
    return b"".join(parts)


@pytest.mark.parametrize("said", [b"", b"G", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_who_never_ends_the_head_of_a_request_is_hung_up_on(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    with connected(server) as link:
        link.sendall(said)
        assert heard(link) == b""


def test_so_is_who_asked_properly_before(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
    with connected(server) as link:
        link.sendall(head(server))
        assert link.recv(15) == b"HTTP/1.1 200 OK"
        time.sleep(0.6)  # nobody is hung up on for reading slowly
        link.sendall(b"GET /api/ta")
        begun = time.monotonic()
        assert b"HTTP/1.1" not in heard(link)
        assert time.monotonic() - begun < connections.HEAD_SECONDS + 3


def test_who_takes_long_over_many_requests_is_not(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is for each head, not for the connection."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    with connected(server) as link:
        for _ in range(4):
            link.sendall(head(server)[:20])
            time.sleep(0.2)
            link.sendall(head(server)[20:])
            assert link.recv(15) == b"HTTP/1.1 200 OK"
            while not link.recv(1 << 20).endswith(b"}"):
                pass


def test_so_many_at_once_and_no_more(server: RunningServer) -> None:
    """Who is being answered is not cut off for somebody else."""
    lines = "Content-Type: application/json", "Content-Length: 10"
    with ExitStack() as many:
        answered: list[bytes] = []
        for number in range(connections.MAX_CONNECTIONS + 3):
            patience = 0.02 if number < connections.MAX_CONNECTIONS else PATIENCE
            link = many.enter_context(connected(server))
            link.sendall(head(server, *lines, first="PUT /api/wishes"))
            if select.select([link], [], [], patience)[0]:
                answered.append(link.recv(12))
        assert answered == [b"HTTP/1.1 503"] * 3
    until = time.monotonic() + PATIENCE
    while (answer := server.raw(head(server, "Connection: close"))[:12]) == b"HTTP/1.1 503":
        assert time.monotonic() < until
        time.sleep(0.05)
    assert answer == b"HTTP/1.1 200"


def test_a_browser_is_far_from_being_too_many(server: RunningServer) -> None:
    with ExitStack() as many:
        for _ in range(6 * 4):
            many.enter_context(connected(server))
        assert server.raw(head(server, "Connection: close"))[:12] == b"HTTP/1.1 200"


@pytest.mark.parametrize("pieces", [1, 40])
def test_a_body_that_does_not_come_is_not_waited_for(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Neither one that stops, nor one that drips."""
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.4)
    lines = "Content-Type: application/json", "Content-Length: 1000"
    begun = time.monotonic()
    with connected(server) as link:
        link.sendall(head(server, *lines, first="PUT /api/wishes"))
        for _ in range(pieces):
            try:
                link.sendall(b" ")
            except OSError:  # they hung up
                break
            time.sleep(0.1)
            if time.monotonic() - begun > 2:
                break
        told = heard(link)
    assert told.startswith(b"HTTP/1.1 408") and guard.TOO_SLOW.encode() in told
    assert b"content-security-policy" in told
    assert time.monotonic() - begun < PATIENCE


def test_what_comes_slowly_but_comes_is_taken(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.4)
    monkeypatch.setattr(guard, "BODY_PACE", 1000)
    wishes = json.dumps(server.state()["wishes"]).encode()
    body = wishes + b" " * (3000 - len(wishes))
    lines = "Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close"
    with connected(server) as link:
        link.sendall(head(server, *lines, first="PUT /api/wishes") + body[:2000])
        time.sleep(1.0)
        link.sendall(body[2000:])
        assert heard(link).startswith(b"HTTP/1.1 200")
