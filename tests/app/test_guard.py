"""Each guard is tested by a request that would get through without it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse

from elsewhere.app.security import guard
from elsewhere.app.security.guard import SECRET_HEADER, Guard
from elsewhere.app.security.keys import Keys

PORT = 5151
# written out, so that nobody loosens both at once
WANTED = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "font-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
HOME = f"http://127.0.0.1:{PORT}"


class House:
    """A server behind the guard, and somebody who knocks."""

    def __init__(self) -> None:
        inner = FastAPI()
        self.reached: list[str] = []

        @inner.api_route("/{rest:path}", methods=["GET", "POST", "PUT", "DELETE"])
        async def everything(request: Request) -> PlainTextResponse:
            self.reached.append(request.url.path)
            body = await request.body()
            if request.url.path == "/api/broken":
                raise RuntimeError("secret details")
            return PlainTextResponse(f"{len(body)}")

        self.keys = Keys()
        self.secret = self.keys.exchange(self.keys.token()) or ""
        self.app = Guard(inner, self.keys, PORT)

    def ask(
        self, path: str, method: str = "GET", headers: dict[str, str] | None = None, **more: Any
    ) -> httpx.Response:
        async def go() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
                return await client.request(method, path, headers=headers or {}, **more)

        return asyncio.run(go())

    def known(self, **more: str) -> dict[str, str]:
        return {SECRET_HEADER: self.secret, **more}


@pytest.fixture
def server() -> House:
    return House()


def test_our_page_gets_in(server: House) -> None:
    own = server.known(origin=HOME, **{"sec-fetch-site": "same-origin"})
    assert server.ask("/api/table", headers=own).status_code == 200
    assert server.ask("/").status_code == 200  # the page itself holds nothing private


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({SECRET_HEADER: "guess"}, 401),
        ({"cookie": "session=secret"}, 401),
        ({"host": "evil.example:5151"}, 421),
        ({"host": "127.0.0.1"}, 421),
        ({"host": "127.0.0.1:5152"}, 421),
        ({"host": "127.0.0.1:5151.evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:5152"}, 403),
        ({"origin": f"https://127.0.0.1:{PORT}"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
    ],
)
def test_others_do_not(server: House, headers: dict[str, str], status: int) -> None:
    secret = {} if status == 401 else server.known()
    answer = server.ask("/api/table", headers={**secret, **headers})
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert not server.reached


def test_a_page_elsewhere_cannot_even_load_ours(server: House) -> None:
    for site in ("cross-site", "same-site"):
        assert server.ask("/", headers={"sec-fetch-site": site}).status_code == 403
    assert server.ask("/", headers={"sec-fetch-site": "none"}).status_code == 200
    assert server.ask("/", headers={"host": "rebound.example"}).status_code == 421


def test_the_page_can_be_opened_from_our_redirect_file_but_not_put_into_another(
    server: House,
) -> None:
    """To a browser a file is another site; only the page itself may be come to from there."""
    opened = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    document = {**opened, "sec-fetch-dest": "document"}
    assert server.ask("/", headers=document).status_code == 200
    for path in ("/assets/page.js", "/api/table", "/thumbs/1", "/reports/last"):
        assert server.ask(path, headers={**server.known(), **document}).status_code == 403
    for other in ({"sec-fetch-dest": "iframe"}, {"sec-fetch-mode": "no-cors"}):
        assert server.ask("/", headers={**document, **other}).status_code == 403
    assert server.ask("/", "POST", headers=document).status_code == 403


def test_a_form_of_another_page_opens_no_session(server: House) -> None:
    form = {"content-type": "text/plain", "origin": "http://evil.example"}
    assert server.ask("/api/session", "POST", form, content=b"{}").status_code == 403
    assert server.ask("/api/session", "GET").status_code == 405
    assert not server.reached
    assert server.ask("/api/session", "POST", {"origin": HOME}).status_code == 200


def test_headers_that_are_sent_twice_are_refused(server: House) -> None:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(server.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
            pairs = [(SECRET_HEADER, "guess"), (SECRET_HEADER, server.secret)]
            return await client.get("/api/table", headers=pairs)

    assert asyncio.run(go()).status_code == 400


def test_pictures_need_a_signed_link(server: House) -> None:
    link = server.keys.sign("/thumbs/3/320")
    assert server.ask(link).status_code == 200
    for wrong in ("/thumbs/3/320", link.replace("/3/", "/4/"), link[:-1], link + "0"):
        assert server.ask(wrong).status_code == 403
    assert server.ask("/thumbs/3/320", headers=server.known()).status_code == 403
    assert server.reached == ["/thumbs/3/320"]


def test_large_bodies_are_refused_before_they_are_read(
    server: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "MAX_BODY", 100)
    monkeypatch.setattr(guard, "MAX_UPLOAD", 1000)
    known = server.known()
    assert server.ask("/api/wishes", "PUT", known, content=b"x" * 100).text == "100"
    assert server.ask("/api/wishes", "PUT", known, content=b"x" * 101).status_code == 413
    assert server.ask("/api/uploads", "POST", known, content=b"x" * 1000).text == "1000"
    assert server.ask("/api/uploads", "POST", known, content=b"x" * 1001).status_code == 413
    assert server.reached == ["/api/wishes", "/api/uploads"]


@pytest.mark.parametrize("length", ["-1", "ten", "²", "1e9", ""])
def test_a_length_that_is_none_is_refused(server: House, length: str) -> None:
    known = [
        (SECRET_HEADER.encode(), server.secret.encode()),
        (b"content-length", length.encode("utf-8")),
    ]

    async def go() -> int:
        transport = httpx.ASGITransport(server.app)
        async with httpx.AsyncClient(transport=transport, base_url=HOME) as client:
            request = client.build_request("PUT", "/api/wishes")
            request.headers = httpx.Headers([*request.headers.raw, *known])
            return (await client.send(request)).status_code

    assert asyncio.run(go()) in {400, 413}


def test_endless_bodies_are_cut_off(server: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "MAX_BODY", 1000)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 100
            yield b"x" * 100

    answer = server.ask("/api/wishes", "PUT", server.known(), content=endless())
    assert answer.status_code == 413
    assert sent < 3000


def test_every_answer_has_the_headers_of_the_house(server: House) -> None:
    for answer in (
        server.ask("/"),
        server.ask("/api/table", headers=server.known()),
        server.ask("/api/table"),
        server.ask("/api/broken", headers=server.known()),
    ):
        for name, value in WANTED.items():
            assert answer.headers[name] == value
        policy = dict(
            directive.strip().split(" ", 1)
            for directive in answer.headers["content-security-policy"].split(";")
        )
        assert policy == POLICY
        assert not [name for name in answer.headers if name.startswith("access-control")]
        assert "set-cookie" not in answer.headers


def test_what_goes_wrong_inside_stays_inside(server: House) -> None:
    answer = server.ask("/api/broken", headers=server.known())
    assert answer.status_code == 500
    assert "secret" not in answer.text and "Traceback" not in answer.text
    assert list(answer.json()) == ["error"]
