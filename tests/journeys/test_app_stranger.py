"""A stranger takes the port of a server that ended: the open page sends them nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.app.window import app

from elsewhere.app.api.server import HOST, open_socket
from elsewhere.app.security.guard import SECRET_HEADER
from tests.app.server import PHOTOS, Made, make
from tests.journeys.test_app_troubles import doomed

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.slow, pytest.mark.needs("chromium")]

DROP = """
() => {
  const data = new DataTransfer()
  data.items.add(new File(['private pixels'], 'private.jpg', { type: 'image/jpeg' }))
  document.querySelector('.page').dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
}
"""
STATE = (
    b'{"stage": "empty", "error": null, "nothing": null, "album": null, "places": [], '
    b'"wishes": null, "plan": null, "audit": null, "audit_after": [], "jobs": [], '
    b'"undo": {"can_undo": false, "can_redo": false, "turn": 0}, "choices": null, '
    b'"exported": null, "job": {"id": "1", "kind": "reading"}, "proof": "' + b"0" * 64 + b'"}'
)


class Stranger:
    """A server that answers whatever is asked, and writes down what it was sent."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], bytes]] = []

    @contextmanager
    def listening(self, port: int) -> Iterator[None]:
        stranger = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                stranger.requests.append((self.path, headers, body))
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(STATE)))
                self.end_headers()
                self.wfile.write(STATE)

            do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815 - the library's names

            def log_message(self, format: str, *args: object) -> None:
                """Nothing is printed."""

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

        server = Server((HOST, port), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()

    def learned(self) -> list[str]:
        """What was sent besides a nonce."""
        return [
            path
            for path, headers, body in self.requests
            if headers.get(SECRET_HEADER) or b"private" in body
        ]


@pytest.fixture(scope="module")
def album(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("stranger"), PHOTOS, seed=15)


def end(process: int) -> None:
    os.kill(process, signal.SIGINT)


def wait_until_free(port: int, page: Page) -> None:
    import socket

    for _ in range(2_000):
        with socket.socket() as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                sock.bind((HOST, port))
                return
            except OSError:
                page.wait_for_timeout(50)
    raise AssertionError("the port is not free")


@pytest.mark.parametrize("noticed", [False, True], ids=["at once", "after the end was noticed"])
def test_a_stranger_on_the_port_is_sent_nothing(
    browser: Browser, album: Made, tmp_path: Path, noticed: bool
) -> None:
    stranger = Stranger()
    with open_socket() as free:
        port = free.getsockname()[1]
    with (
        # a port of one's own choice can be taken again at once
        app(tmp_path, [Path("--port"), Path(str(port))], scorers=[album.scorer]) as running,
        doomed(browser, running) as page,
    ):
        page.wait_for_selector("[data-stage=empty]")
        if not noticed:  # it is not looked for meanwhile
            page.route("**/api/alive", lambda route: None)
        end(running.process)
        if noticed:
            page.wait_for_selector("[data-gone=ended]")
            page.click("dialog button:has-text('Back to the page')")
        wait_until_free(port, page)
        page.wait_for_timeout(1_200)  # what was proved is old by then
        with stranger.listening(port):
            page.evaluate(DROP)
            page.wait_for_timeout(11_000 if noticed else 1_000)
            page.evaluate("dispatchEvent(new Event('focus'))")
            page.wait_for_timeout(1_000)
        assert page.locator("[data-stage=locked], [data-gone=ended]").count() == 1
    assert stranger.learned() == []
    if noticed:
        assert stranger.requests == [], "the page stays ended"
