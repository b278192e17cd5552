"""What no well-behaved client would send: raw bytes at the socket."""

from __future__ import annotations

import json

import pytest

from elsewhere.app.security.guard import HEADERS, SECRET_HEADER
from tests.app.server import RunningServer, picture


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def head(answer: bytes) -> list[bytes]:
    return answer.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")[1:]


def ask(
    server: RunningServer, *lines: str, host: bool = True, first: str = "GET /api/table"
) -> bytes:
    hosts = [f"Host: 127.0.0.1:{server.port}"] if host else []
    whole = [f"{first} HTTP/1.1", *hosts, *lines, "Connection: close", "", ""]
    return server.raw("\r\n".join(whole).encode("latin-1"))


def test_what_is_right_gets_through(server: RunningServer) -> None:
    answer = ask(server, f"{SECRET_HEADER}: {server.secret}")
    assert status(answer) == 200
    names = {line.split(b":")[0].decode() for line in head(answer)}
    assert set(HEADERS) <= names
    assert not names & {"server", "date", "set-cookie", "x-powered-by"}


@pytest.mark.parametrize(
    "lines",
    [
        ["Host: evil.example", "{secret}"],
        ["{secret}", "{secret}"],
        ["X-Elsewhere-Session: wrong", "{secret}"],
        ["{secret}", "Origin: {home}", "Origin: http://evil.example"],
        ["{secret}", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"],
        ["{secret}", "Content-Length: 0", "Content-Length: 5"],
        ["{secret}", "Content-Length: 5, 0"],
        ["{secret}", "Content-Length: -1"],
        ["{secret}", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
        ["{secret}", " folded: header"],
        ["{secret}", "Bad Name: x"],
        ["{secret}", "Bad\0Name: x"],
        ["{secret}", "Bad: x\ny: z\0"],
    ],
)
def test_headers_that_could_mean_two_things_are_refused(
    server: RunningServer, lines: list[str]
) -> None:
    own = f"{SECRET_HEADER}: {server.secret}"
    answer = ask(server, *(line.format(secret=own, home=server.home) for line in lines))
    assert 400 <= status(answer) < 500


def test_a_request_without_a_host_is_refused(server: RunningServer) -> None:
    assert 400 <= status(ask(server, f"{SECRET_HEADER}: {server.secret}", host=False)) < 500
    old = server.raw(
        f"GET /api/table HTTP/1.0\r\n{SECRET_HEADER}: {server.secret}\r\n\r\n".encode()
    )
    assert 400 <= status(old) < 500


@pytest.mark.parametrize("place", ["{x}", "/api/folders?path={x}", "/api/jobs/{x}/events"])
@pytest.mark.parametrize("injected", ["%0d%0aX-Planted:%20yes", "%0aX-Planted:yes", "\u010dX"])
def test_nothing_that_is_sent_becomes_a_header(
    server: RunningServer, place: str, injected: str
) -> None:
    target = place.format(x=injected).encode("utf-8").decode("latin-1")
    target = target if target.startswith("/") else f"/{target}"
    answer = ask(server, f"{SECRET_HEADER}: {server.secret}", first=f"GET {target}")
    assert 400 <= status(answer) < 500
    assert not [line for line in head(answer) if line.startswith(b"x-planted")]


def test_nothing_in_a_file_name_becomes_a_header_or_a_line(server: RunningServer) -> None:
    name = "IMG_0001.jpg%0d%0aX-Planted: yes\u2028\u202egpj"
    answer = server.client.post("/api/uploads", files=[("files", (name, picture(1)))])
    assert "x-planted" not in answer.headers
    server.events(answer.json()["job"])
    shown = json.dumps(server.final_state(), ensure_ascii=False)
    assert "\u2028" not in shown and "\u202e" not in shown


def test_the_whole_address_as_target_is_no_way_round(server: RunningServer) -> None:
    secret = f"{SECRET_HEADER}: {server.secret}"
    for first in ("GET http://evil.example/api/table", "CONNECT evil.example:443", "GET *"):
        assert 400 <= status(ask(server, secret, first=first)) < 500


def test_methods_that_nobody_needs_are_refused(server: RunningServer) -> None:
    secret = f"{SECRET_HEADER}: {server.secret}"
    for method in ("TRACE", "PATCH", "PROPFIND", "OPTIONS"):
        answer = ask(server, secret, first=f"{method} /api/table")
        assert status(answer) == 405
        assert b"access-control" not in answer.lower()


def test_no_other_protocol_is_spoken(server: RunningServer) -> None:
    upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"]
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
    answer = ask(server, *upgrade, key, first="GET /api/jobs/1/events")
    assert status(answer) == 401
    assert server.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03").startswith(b"HTTP/1.1 400")


def test_a_form_that_is_none_is_refused(server: RunningServer) -> None:
    for kind, body in (
        ("multipart/form-data", b"x"),
        ("multipart/form-data; boundary=x", b"no boundary"),
        ("multipart/form-data; boundary=x", b"--x\r\n"),
        ("multipart/form-data; boundary=x", b"--x\r\n" + b"a" * 20000 + b": b\r\n\r\n--x--"),
        ("multipart/form-data; boundary=x", b"--x\r\n" + b"a: b\r\n" * 100 + b"\r\n--x--\r\n"),
        ("application/json", b"{}"),
        ("text/plain", b"files=1"),
        ("", b""),
    ):
        answer = server.client.post("/api/uploads", content=body, headers={"content-type": kind})
        assert answer.status_code == 400, (kind, body[:30])
        assert list(answer.json()) == ["error"]


def test_the_server_proves_itself_to_whoever_asks_and_tells_no_more(server: RunningServer) -> None:
    nonce = "0f" * 32
    answer = server.outsider.post("/api/proof", json={"nonce": nonce})
    assert answer.json() == {"proof": server.workspace.keys.prove(nonce)}
    for wrong in ("", "0f", "0F" * 32, "0f" * 33, "zz" * 32, server.secret):
        assert server.outsider.post("/api/proof", json={"nonce": wrong}).status_code == 422
    foreign = {"origin": "http://evil.example"}
    assert server.outsider.post("/api/proof", json={"nonce": nonce}, headers=foreign).is_error
