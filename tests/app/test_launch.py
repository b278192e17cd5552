"""`elsewhere app` as a program: what others on the machine can see of it, and how it ends."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from elsewhere.app.api import server
from elsewhere.app.api.server import open_socket
from elsewhere.app.security import login_page
from elsewhere.app.security.guard import SECRET_HEADER, Guard
from elsewhere.app.security.login_page import LoginPage
from elsewhere.errors import InputError
from tests.app.server import Made

PATIENCE = 100.0
"""Seconds after which something would never come, however busy the machine is."""
_BROWSER = """\
#!{python}
import pathlib, sys, time
pathlib.Path({seen!r}).write_text("\\n".join(sys.argv[1:]))
time.sleep(200)
"""


class Program:
    """The program, and what it said."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout
        self.address = process.stdout.readline().split()[-1]
        self.said = process.stdout.readline()

    @property
    def file(self) -> Path:
        return Path(self.said.split(": ", 1)[1].strip())

    @property
    def token(self) -> str:
        found = re.search(r"#token=([\w-]{43})", self.file.read_text("utf-8"))
        assert found
        return found[1]

    def family(self) -> Iterator[bytes]:
        """The command lines of the program and of everything that it started."""
        ids = {self.process.pid}
        for _ in range(3):
            for entry in Path("/proc").glob("[0-9]*/stat"):
                try:
                    parent = int(entry.read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
                if parent in ids:
                    ids.add(int(entry.parent.name))
        for one in ids:
            try:
                yield Path(f"/proc/{one}/cmdline").read_bytes()
            except OSError:
                continue


@contextmanager
def program(tmp_path: Path, *arguments: str, **more: str) -> Iterator[Program]:
    own = {"TMPDIR": str(tmp_path), "ELSEWHERE_CACHE_DIR": str(tmp_path / "cache"), **more}
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "elsewhere", "app", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **own},
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


def wait_until(come: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not come():
        assert time.monotonic() < end
        time.sleep(0.02)


def left_behind(tmp_path: Path) -> list[str]:
    own = ("elsewhere-", ".elsewhere-")
    return [path.name for path in tmp_path.iterdir() if path.name.startswith(own)]


@pytest.mark.skipif(sys.platform == "win32", reason="modes and /proc are POSIX's")
def test_another_user_of_the_machine_gets_nothing(tmp_path: Path, album: Made) -> None:
    """Neither from a process list nor from the file, which is gone once it was used."""
    arguments = str(album.folder), "--scorer", album.scorer, "--no-browser", "--no-cache"
    with program(tmp_path, *arguments) as app:
        file, token = app.file, app.token
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert token not in app.said and token not in app.address
        assert app.address.startswith("http://127.0.0.1:")
        lines = list(app.family())
        assert lines and not any(token.encode() in line for line in lines)
        answer = httpx.post(f"{app.address}api/session", json={"token": token})
        secret = answer.json()["secret"]
        assert not file.parent.exists()
        assert not any(secret.encode() in line for line in app.family())
        again = httpx.post(f"{app.address}api/session", json={"token": token})
        assert again.status_code == 400
        table = httpx.get(f"{app.address}api/table", headers={SECRET_HEADER: secret}).json()
        assert table["stage"] in {"reading", "ready"}
        port = int(app.address.rstrip("/").rpartition(":")[2])
        with pytest.raises(OSError), socket.create_connection((_other_address(), port), timeout=2):
            pass
        app.process.send_signal(signal.SIGINT)
        assert app.process.wait(PATIENCE) == 0
        assert app.process.stderr and app.process.stderr.read() == ""
    assert left_behind(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM"])
def test_it_ends_quietly_whatever_is_under_way(tmp_path: Path, album: Made, how: str) -> None:
    """Somebody listens to a job, somebody else is sending photos: no stack trace, nothing left."""
    arguments = str(album.folder), "--scorer", album.scorer, "--no-browser", "--no-cache"
    with program(tmp_path, *arguments) as app:
        told = httpx.post(f"{app.address}api/session", json={"token": app.token}).json()
        known = {SECRET_HEADER: told["secret"]}
        port = int(app.address.rstrip("/").rpartition(":")[2])
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as sending,
            httpx.Client(base_url=app.address, headers=known, timeout=PATIENCE) as client,
        ):
            sending.sendall(_an_endless_form(port, told["secret"]))
            wait_until(lambda: left_behind(tmp_path))  # what is sent, while it is sent
            with client.stream("GET", "/api/frontier") as stream:
                app.process.send_signal(getattr(signal, how))
                stream.read()
            assert app.process.wait(PATIENCE) == 0
        assert app.process.stderr and app.process.stderr.read() == ""
    assert left_behind(tmp_path) == []


def _an_endless_form(port: int, secret: str) -> bytes:
    """The beginning of one, with many files in it."""
    head = (
        f"POST /api/uploads HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{SECRET_HEADER}: {secret}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000000\r\n\r\n"
    )
    part = (
        '--b\r\nContent-Disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'
        f"{'x' * 1000}\r\n"
    )
    return (head + 400 * part).encode()


def test_the_file_is_gone_after_a_minute_though_nobody_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_page.tempfile, "tempdir", str(tmp_path))  # type: ignore[attr-defined]
    monkeypatch.setattr(server, "TOKEN_SECONDS", 0.2)
    looked, seen, remove = threading.Event(), [], LoginPage.remove

    def remove_later(page: LoginPage) -> None:
        assert looked.wait(PATIENCE)
        remove(page)

    class Waiting:
        def run(self, sockets: list[socket.socket]) -> None:
            seen.extend(left_behind(tmp_path))
            looked.set()
            wait_until(lambda: not left_behind(tmp_path))

    monkeypatch.setattr(LoginPage, "remove", remove_later)
    monkeypatch.setattr(server, "web_server", lambda *_: Waiting())
    monkeypatch.setattr(server, "_interrupt_on_signals", lambda: None)
    server.serve(browser=False, cache=False, echo=lambda _: None)
    assert len(seen) == 1


def test_no_thread_keeps_a_click_waiting_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    before, seen = sys.getswitchinterval(), []

    class Looking:
        def run(self, sockets: list[socket.socket]) -> None:
            seen.append(sys.getswitchinterval())

    monkeypatch.setattr(server, "web_server", lambda *_: Looking())
    monkeypatch.setattr(server, "_interrupt_on_signals", lambda: None)
    sys.setswitchinterval(0.005)
    try:
        server.serve(browser=False, cache=False, echo=lambda _: None)
    finally:
        sys.setswitchinterval(before)
    assert seen == [pytest.approx(0.001)]


def test_it_ends_when_nobody_used_it_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    class Idle:
        should_exit = False

        def __init__(self, app: Guard) -> None:
            self.app, self.ended = app, 0.0

        def run(self, sockets: list[socket.socket]) -> None:
            start = time.monotonic()
            while time.monotonic() < start + 1.5:  # longer than allowed, and used all the time
                self.app.last_used = time.monotonic()
                assert not self.should_exit
                time.sleep(0.05)
            wait_until(lambda: self.should_exit)
            ended.append(time.monotonic() - self.app.last_used)

    ended: list[float] = []
    monkeypatch.setattr(server, "web_server", lambda app, *_: Idle(app))
    monkeypatch.setattr(server, "_interrupt_on_signals", lambda: None)
    server.serve(browser=False, cache=False, unused_minutes=1 / 60, echo=lambda _: None)
    assert len(ended) == 1 and ended[0] >= 1


def _other_address() -> str:
    """This machine by another of its addresses: the whole 127/8 leads here."""
    return "127.0.0.2"


@pytest.mark.skipif(sys.platform != "linux", reason="the browser here is a script")
def test_the_browser_is_given_a_file_and_no_secret(tmp_path: Path) -> None:
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(_BROWSER.format(python=sys.executable, seen=str(seen)))
    browser.chmod(0o700)
    with program(tmp_path, "--no-cache", BROWSER=f"{browser} %s") as app:
        wait_until(lambda: seen.exists() and seen.read_text())
        given = seen.read_text()
        assert given.startswith("file://") and given.endswith("/open.html")
        page = Path(given.removeprefix("file://")).read_text("utf-8")
        found = re.search(r"#token=([\w-]{43})", page)
        assert found and not any(found[1].encode() in line for line in app.family())
        app.process.send_signal(signal.SIGTERM)
        app.process.wait(PATIENCE)
    assert left_behind(tmp_path) == []


def test_the_file_is_the_users_alone_under_any_umask(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(login_page.tempfile, "tempdir", str(tmp_path))  # type: ignore[attr-defined]
    before = os.umask(0)
    try:
        made = LoginPage("http://127.0.0.1:1/", 'to"ken')
    finally:
        os.umask(before)
    if sys.platform != "win32":
        assert stat.S_IMODE(made.file.stat().st_mode) == 0o600
        assert stat.S_IMODE(made.file.parent.stat().st_mode) == 0o700
    assert "#token=to&quot;ken" in made.file.read_text("utf-8")
    made.remove()
    made.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_said() -> None:
    with open_socket() as taken, pytest.raises(InputError, match="cannot be used"):
        open_socket(taken.getsockname()[1])
    with open_socket() as own:
        assert own.getsockname()[0] == "127.0.0.1"


def test_the_built_page_is_found() -> None:
    files = server.page_files()
    assert {"/", "/index.html", "/index.css", "/page.js", "/favicon.svg"} <= files.keys()
    assert b"page.js" in files["/"].content
