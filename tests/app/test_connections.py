"""Nobody keeps the page's own requests out by connecting often, or by asking for ever."""

from __future__ import annotations

import asyncio
import json
import queue
import select
import socket
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest

from elsewhere.app.api.server import HOST
from elsewhere.app.security import connections, guard
from elsewhere.app.security.guard import SECRET_HEADER
from tests.app.server import RunningServer

PATIENCE = 100.0
"""Seconds after which a server would wait for ever, however busy the machine is."""


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
    with connected(server) as link, suppress(ConnectionError):  # they were quicker
        link.sendall(said)
        assert heard(link) == b""


def test_so_is_who_asked_properly_before(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with connected(server) as link:
        link.sendall(head(server))
        assert link.recv(15) == b"HTTP/1.1 200 OK"
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)
        time.sleep(0.6)  # nobody is hung up on for reading slowly
        link.sendall(b"GET /api/ta")
        assert b"HTTP/1.1" not in heard(link)


def test_who_takes_long_over_many_requests_is_not(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time is for each head, not for the connection."""
    call_later, clocks = asyncio.BaseEventLoop.call_later, queue.SimpleQueue[asyncio.TimerHandle]()

    def watched(self: asyncio.BaseEventLoop, delay: float, *more: Any) -> asyncio.TimerHandle:
        handle = call_later(self, delay, *more)
        if delay == connections.HEAD_SECONDS:
            clocks.put(handle)
        return handle

    monkeypatch.setattr(connections, "HEAD_SECONDS", 1234.5)
    monkeypatch.setattr(asyncio.BaseEventLoop, "call_later", watched)
    with connected(server) as link:
        for _ in range(4):
            link.sendall(head(server)[:20])
            clock = clocks.get(timeout=PATIENCE)
            assert not clock.cancelled()
            link.sendall(head(server)[20:])
            assert link.recv(15) == b"HTTP/1.1 200 OK"
            while not link.recv(1 << 20).endswith(b"}"):
                pass
            assert clock.cancelled()
    assert clocks.empty()


def test_so_many_at_once_and_no_more(server: RunningServer) -> None:
    """Who is being answered is not cut off for somebody else."""
    lines = "Content-Type: application/json", "Content-Length: 10", "Connection: close"
    with ExitStack() as many:
        links, answered = [], []
        for _ in range(connections.MAX_CONNECTIONS + 3):
            links.append(many.enter_context(connected(server)))
            links[-1].sendall(head(server, *lines, "Expect: 100-continue", first="PUT /api/wishes"))
            answered.append(links[-1].recv(12))
        begun = links[: connections.MAX_CONNECTIONS]
        assert answered == [b"HTTP/1.1 100"] * len(begun) + [b"HTTP/1.1 503"] * 3
        for link in begun:
            link.sendall(b"0123456789")
            assert b"HTTP/1.1 422" in heard(link)
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


@pytest.mark.parametrize("pieces", [1, 900])
def test_a_body_that_does_not_come_is_not_waited_for(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, pieces: int
) -> None:
    """Neither one that stops, nor one that drips."""
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.4)
    lines = "Content-Type: application/json", "Content-Length: 1000"
    with connected(server) as link:
        link.sendall(head(server, *lines, first="PUT /api/wishes"))
        for _ in range(pieces):
            link.sendall(b" ")
            if select.select([link], [], [], 0.1)[0]:  # an answer, while more was coming
                break
        else:
            assert pieces == 1
        told = heard(link)
    assert told.startswith(b"HTTP/1.1 408") and guard.TOO_SLOW.encode() in told
    assert b"content-security-policy" in told


def test_what_comes_slowly_but_comes_is_taken(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.4)
    monkeypatch.setattr(guard, "BODY_PACE", 20)  # what has come gives a hundred seconds
    wishes = json.dumps(server.state()["wishes"]).encode()
    body = wishes + b" " * (3000 - len(wishes))
    lines = "Content-Type: application/json", f"Content-Length: {len(body)}", "Connection: close"
    with connected(server) as link:
        link.sendall(head(server, *lines, first="PUT /api/wishes") + body[:2000])
        time.sleep(1.0)
        link.sendall(body[2000:])
        assert heard(link).startswith(b"HTTP/1.1 200")
