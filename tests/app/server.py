"""A whole server for the tests: a real socket, a real album of twelve photos, a client inside.

The photos' scores come from a table, so nothing waits for a model; everything else is as it is
when somebody types `elsewhere app`.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from benchmarks.app.album import Made, make, picture

from elsewhere.app.api.server import HOST, guarded_application, open_socket, web_server
from elsewhere.app.security.guard import SECRET_HEADER
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions.workspace import Workspace

PHOTOS = 12
__all__ = ["PHOTOS", "Made", "RunningServer", "make", "picture", "running_server"]


class RunningServer:
    """A server that runs, and ways to knock at its door."""

    def __init__(self, workspace: Workspace, port: int) -> None:
        self.workspace, self.port = workspace, port
        self.home = f"http://{HOST}:{port}"
        self.secret = workspace.keys.exchange(workspace.keys.token()) or ""
        self.outsider = httpx.Client(base_url=self.home, timeout=60)
        self.client = httpx.Client(
            base_url=self.home, timeout=60, headers={SECRET_HEADER: self.secret}
        )

    def raw(self, request: bytes) -> bytes:
        """Bytes in, bytes out, as nobody's library would write them."""
        with socket.create_connection((HOST, self.port), timeout=100) as link:
            link.sendall(request)
            parts = []
            while part := link.recv(65536):
                parts.append(part)
        return b"".join(parts)

    def events(self, job: dict[str, Any]) -> list[dict[str, Any]]:
        """All that a job tells until it is over."""
        with self.client.stream("GET", f"/api/jobs/{job['id']}/events") as answer:
            assert answer.status_code == 200
            return [json.loads(line) for line in answer.iter_lines()]

    def open(self, *paths: Path) -> dict[str, Any]:
        """Lay an album on the table, and wait until it is read and its plan proved."""
        answer = self.client.post("/api/albums", json={"paths": [str(path) for path in paths]})
        assert answer.status_code == 200, answer.text
        self.events(answer.json()["job"])
        return self.final_state()

    def final_state(self) -> dict[str, Any]:
        """The table, once nothing goes on any more."""
        while (state := self.state())["jobs"]:
            self.events(state["jobs"][0])
        return state

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.client.get("/api/table").json()
        return state


@contextmanager
def running_server(scorer: str) -> Iterator[RunningServer]:
    """A server on a free port, until the end of the block."""
    sock = open_socket()
    port = sock.getsockname()[1]
    workspace = Workspace(Keys(), scorers=[scorer], use_ledger=False)
    uvicorn_server = web_server(guarded_application(workspace, port))
    thread = threading.Thread(target=uvicorn_server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not uvicorn_server.started:
        time.sleep(0.01)
    server = RunningServer(workspace, port)
    # FastAPI builds its routes at the first request, which two threads of one process must not do
    # at once: a program has one server, the tests may have two.
    server.outsider.get("/")
    try:
        yield server
    finally:
        server.client.close()
        server.outsider.close()
        uvicorn_server.should_exit = True
        thread.join(100)
        workspace.close()
        workspace.jobs.close()
        sock.close()
        assert not thread.is_alive()
