"""Another user of the machine opens a thousand connections: the page is still answered."""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from elsewhere.app.api.server import HOST
from elsewhere.app.security import connections
from elsewhere.app.security.guard import SECRET_HEADER
from tests.app.server import RunningServer
from tests.app.test_connections import PATIENCE, connected, head
from tests.app.test_launch import Program

FLOOD = 1_500
MAX_DESCRIPTORS = 180
"""Connections, those on their way out, and what the app opens for itself."""

PROGRAM = """
from elsewhere.app.security import connections
from elsewhere.cli import main
connections.HEAD_SECONDS = 1e6
main()
"""
"""The program, where silence alone ends no connection: only room for others does."""

linux = pytest.mark.skipif(sys.platform != "linux", reason="counts descriptors in /proc")


@contextmanager
def limited_program(tmp_path: Path, descriptors: int) -> Iterator[Program]:
    """The app, with so many descriptors; what it says of errors goes to the file `errors`."""
    own = {"TMPDIR": str(tmp_path), "ELSEWHERE_CACHE_DIR": str(tmp_path / "cache")}
    command = f'ulimit -n {descriptors}; exec "$0" -u -c "$1" app --no-browser'
    with (
        (tmp_path / "errors").open("w") as errors,
        subprocess.Popen(
            ["sh", "-c", command, sys.executable, PROGRAM],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **own},
        ) as process,
    ):
        try:
            yield Program(process)
        finally:
            process.kill()


def flood(stack: ExitStack, port: int, count: int) -> None:
    """So many connections, opened without waiting for any of them."""
    for _ in range(count):
        link = stack.enter_context(socket.socket())
        link.setblocking(False)
        problem = link.connect_ex((HOST, port))
        assert problem in (0, errno.EINPROGRESS, errno.EAGAIN)


@linux
@pytest.mark.parametrize("descriptors", [1024, 200])
def test_a_thousand_idle_connections_do_not_keep_the_page_out(
    tmp_path: Path, descriptors: int
) -> None:
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = FLOOD + 500
    if 0 <= soft < wanted:
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (min(hard, wanted) if hard > 0 else wanted, hard)
        )
    with limited_program(tmp_path, descriptors) as app, ExitStack() as stack:
        token = {"token": app.token}
        answer = httpx.post(f"{app.address}api/session", json=token, timeout=PATIENCE)
        port = urlsplit(app.address).port or 0
        headers = {SECRET_HEADER: answer.json()["secret"]}
        open_files = Path(f"/proc/{app.process.pid}/fd")
        for _ in range(3):
            flood(stack, port, FLOOD // 3)
            answer = httpx.get(f"{app.address}api/alive", headers=headers, timeout=PATIENCE)
            assert answer.status_code == 204
            assert len(list(open_files.iterdir())) < min(MAX_DESCRIPTORS, descriptors)
        app.process.send_signal(signal.SIGINT)
        assert app.process.wait(PATIENCE) == 0
    said = (tmp_path / "errors").read_text()
    assert "Traceback" not in said
    assert len(said) < 1_000


def test_who_waits_without_asking_gives_way(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1e6)
    with ExitStack() as many:
        idle = [
            many.enter_context(connected(server)) for _ in range(connections.MAX_CONNECTIONS + 20)
        ]
        with connected(server) as one_more:
            one_more.sendall(head(server))
            assert one_more.recv(12) == b"HTTP/1.1 200"
        assert idle[0].recv(1) == b""
        assert not select.select([idle[-1]], [], [], 0)[0]


def test_who_has_asked_before_stays_longer(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page's own connections are older than those of whoever floods."""
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1e6)
    with ExitStack() as many:
        own = many.enter_context(connected(server))
        own.sendall(head(server))
        while not own.recv(1 << 20).endswith(b"}"):
            pass
        for _ in range(2 * connections.MAX_CONNECTIONS):
            many.enter_context(connected(server))
        own.sendall(head(server))
        assert own.recv(12) == b"HTTP/1.1 200"
