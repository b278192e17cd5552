"""Who is kept out: every attack fails, and succeeds once the guard that stops it is taken out.

An attack is a function that says whether it got what it wanted. Each is tried twice: against the
server as it is, and against the same server without the one guard that is named beside it. So no
test here can pass for another reason than its guard.
"""

from __future__ import annotations

import re
import struct
import tempfile
import threading
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import httpx
import pytest

from elsewhere.album.album import read_album
from elsewhere.album.decode import MAX_PIXELS
from elsewhere.app.security import guard, keys
from elsewhere.app.security.guard import SECRET_HEADER, Guard
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import uploads
from tests.album.makers import chunk
from tests.app.server import RunningServer, picture

Patch = pytest.MonkeyPatch


class Attack(NamedTuple):
    """What somebody tries, and what stops them."""

    tried: Callable[[RunningServer, Path], bool]
    without: Callable[[Patch], None]


def without(check: Callable[..., None]) -> Callable[[Patch], None]:
    """The guard's checks but one."""

    def take_out(patch: Patch) -> None:
        left = tuple(one for one in guard.CHECKS if one is not check)
        assert len(left) == len(guard.CHECKS) - 1
        patch.setattr(guard, "CHECKS", left)

    return take_out


def got(answer: httpx.Response) -> bool:
    return answer.status_code < 400


def no_secret(server: RunningServer, _: Path) -> bool:
    return got(server.outsider.get("/api/table"))


def a_cookie_instead(server: RunningServer, _: Path) -> bool:
    return got(server.outsider.get("/api/table", headers={"cookie": f"session={server.secret}"}))


def wrong_secret(server: RunningServer, _: Path) -> bool:
    return got(server.outsider.get("/api/table", headers={SECRET_HEADER: "x" * 43}))


def token_twice(server: RunningServer, _: Path) -> bool:
    token = server.workspace.keys.token()
    first = server.outsider.post("/api/session", json={"token": token})
    assert first.status_code == 200
    return got(server.outsider.post("/api/session", json={"token": token}))


def token_late(server: RunningServer, _: Path) -> bool:
    token = server.workspace.keys.token()
    with pytest.MonkeyPatch.context() as later:
        real = server.workspace.keys._clock
        later.setattr(server.workspace.keys, "_clock", lambda: real() + 61.0)
        return got(server.outsider.post("/api/session", json={"token": token}))


def session_by_link(server: RunningServer, _: Path) -> bool:
    """Whatever it then answers: it was let in."""
    told = server.outsider.get("/api/session").json()
    return bool(told["error"] != "a session is opened by POST")


def foreign_host(server: RunningServer, _: Path) -> bool:
    return got(server.client.get("/api/table", headers={"host": f"evil.example:{server.port}"}))


def foreign_host_for_the_page(server: RunningServer, _: Path) -> bool:
    return got(server.outsider.get("/", headers={"host": f"localhost.evil.example:{server.port}"}))


def foreign_origin(server: RunningServer, _: Path) -> bool:
    return got(server.client.get("/api/table", headers={"origin": "http://evil.example"}))


def origin_of_another_port(server: RunningServer, _: Path) -> bool:
    return got(server.client.get("/api/table", headers={"origin": "http://127.0.0.1:1"}))


def cross_site_form(server: RunningServer, _: Path) -> bool:
    """A form of another page, sent by a browser that names no origin; it even has the token."""
    sent = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    told = {"token": server.workspace.keys.token()}
    return got(server.outsider.post("/api/session", json=told, headers=sent))


def framed(server: RunningServer, _: Path) -> bool:
    sent = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    return got(server.outsider.get("/", headers={**sent, "sec-fetch-dest": "iframe"}))


def forged_link(server: RunningServer, _: Path) -> bool:
    link = server.state()["album"]["photos"][0]["thumb"]
    return got(server.outsider.get(re.sub(r"/\d+\?", "/1?", link)))


def late_link(server: RunningServer, _: Path) -> bool:
    link = server.state()["album"]["photos"][0]["thumb"]
    with pytest.MonkeyPatch.context() as later:
        real = server.workspace.keys._clock
        later.setattr(server.workspace.keys, "_clock", lambda: real() + 601.0)
        return got(server.outsider.get(link))


def bare_link(server: RunningServer, _: Path) -> bool:
    return got(server.outsider.get(server.state()["album"]["photos"][0]["thumb"].partition("?")[0]))


def oversized_wish(server: RunningServer, _: Path) -> bool:
    many = {"keep": ["x" * 4000] * 300}
    return server.client.put("/api/wishes", json=many).status_code != 413


def oversized_upload(server: RunningServer, _: Path) -> bool:
    with pytest.MonkeyPatch.context() as small:
        if guard.MAX_UPLOAD == 2 << 30:  # the real limit, made small enough to be tried
            small.setattr(guard, "MAX_UPLOAD", 100_000)
        files = [("files", ("a.jpg", picture(1) + bytes(200_000)))]
        return server.client.post("/api/uploads", files=files).status_code != 413


def endless_upload(server: RunningServer, _: Path) -> bool:
    """A body that never says how long it is, and never ends; given up after some megabytes."""
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.jpg"\r\n\r\n'
        while sent < 8_000_000:
            sent += 10_000
            yield bytes(10_000)

    kind = {"content-type": "multipart/form-data; boundary=x"}
    with pytest.MonkeyPatch.context() as small:
        if guard.MAX_UPLOAD == 2 << 30:
            small.setattr(guard, "MAX_UPLOAD", 100_000)
        try:
            answer = server.client.post("/api/uploads", content=endless(), headers=kind)
        except httpx.TransportError:  # the server hung up on us
            return False
    return answer.status_code != 413


def bomb(server: RunningServer, _: Path) -> bool:
    """A small file that is a large picture, for a limit that is made as small as that."""
    limits = read_album.__kwdefaults__ or {}
    with pytest.MonkeyPatch.context() as small:
        if limits["pixels"] == MAX_PIXELS:
            small.setitem(limits, "pixels", 1_000_000)
        return "pixels" not in _kinds_left(server, blank(2000, 1000))


def blank(width: int, height: int) -> bytes:
    """A PNG of one colour: its pixels take a thousandth of their number in bytes."""
    rows = zlib.compressobj(9)
    line = bytes(1 + (width + 7) // 8)
    packed = b"".join(rows.compress(line) for _ in range(height)) + rows.flush()
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", packed), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def _kinds_left(server: RunningServer, content: bytes) -> set[str]:
    """Why a photo that was dropped beside a good one is not on the table."""
    files = [("files", ("IMG_0000.png", content)), ("files", ("IMG_0001.jpg", picture(1)))]
    answer = server.client.post("/api/uploads", files=files)
    server.events(answer.json()["job"])
    told = server.final_state()
    assert "IMG_0001.jpg" in [photo["id"] for photo in told["album"]["photos"]]
    return {left["kind"] for left in told["album"]["left"] if left["name"] == "IMG_0000.png"}


def dropped_outside(server: RunningServer, outside: Path) -> bool:
    """A file whose name leads out of the folder for dropped photos."""
    name = f"../../../../../../../../{outside}/planted.jpg"
    server.client.post("/api/uploads", files=[("files", (name, picture(1)))])
    server.final_state()
    return (outside / "planted.jpg").exists()


def folders_up(server: RunningServer, outside: Path) -> bool:
    (outside / "private-name").mkdir(exist_ok=True)
    answers = [
        server.client.get("/api/folders", params={"path": path})
        for path in (str(outside), f"~/../{outside}", f"../../../../../../../../{outside}", "/etc")
    ]
    return any(got(answer) for answer in answers)


def folders_by_link(server: RunningServer, outside: Path) -> bool:
    """A link inside the home that leads out of it."""
    link = Path.home() / "out"
    if not link.is_symlink():
        link.symlink_to(outside)
    return got(server.client.get("/api/folders", params={"path": "out"}))


def tokens_stay(patch: Patch) -> None:
    real = Keys.exchange

    def exchange(self: Keys, token: str) -> str | None:
        kept = dict(self._tokens)
        found = real(self, token)
        self._tokens = kept
        return found

    patch.setattr(Keys, "exchange", exchange)


def set_to(thing: object, name: str, value: object) -> Callable[[Patch], None]:
    return lambda patch: patch.setattr(thing, name, value)


def everything_is_home(patch: Patch) -> None:
    patch.setattr(uploads, "_NOT_THERE", "")
    patch.setattr(Path, "is_relative_to", lambda self, *other: True)


ATTACKS = {
    "no secret": Attack(no_secret, without(Guard.check_secret)),
    "a cookie instead": Attack(a_cookie_instead, without(Guard.check_secret)),
    "wrong secret": Attack(wrong_secret, set_to(Keys, "admits", lambda self, secret: True)),
    "token used twice": Attack(token_twice, tokens_stay),
    "token late": Attack(token_late, set_to(keys, "TOKEN_SECONDS", 1e6)),
    "session by a link": Attack(session_by_link, without(Guard.check_method)),
    "foreign Host": Attack(foreign_host, without(Guard.check_host)),
    "foreign Host for the page": Attack(foreign_host_for_the_page, without(Guard.check_host)),
    "foreign Origin": Attack(foreign_origin, without(Guard.check_origin)),
    "Origin of another port": Attack(origin_of_another_port, without(Guard.check_origin)),
    "cross-site form post": Attack(cross_site_form, without(Guard.check_site)),
    "put into a frame": Attack(framed, without(Guard.check_site)),
    "forged link": Attack(forged_link, without(Guard.check_signature)),
    "late link": Attack(late_link, set_to(Keys.sign, "__defaults__", (1e6,))),
    "bare link": Attack(bare_link, without(Guard.check_signature)),
    "oversized wish": Attack(oversized_wish, set_to(guard, "MAX_BODY", 1 << 40)),
    "oversized upload": Attack(oversized_upload, set_to(guard, "MAX_UPLOAD", 1 << 40)),
    "endless upload": Attack(endless_upload, set_to(guard, "MAX_UPLOAD", 1 << 40)),
    "decompression bomb": Attack(
        bomb, lambda patch: patch.setitem(read_album.__kwdefaults__ or {}, "pixels", 1 << 40)
    ),
    "dropped outside": Attack(dropped_outside, set_to(uploads, "safe_parts", lambda name: [name])),
    "folders above home": Attack(folders_up, everything_is_home),
    "folders by a link": Attack(folders_by_link, everything_is_home),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_fails_and_would_not_without_its_guard(
    name: str, server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    monkeypatch.setenv("HOME", str(home))
    attack = ATTACKS[name]
    assert not attack.tried(server, outside)
    attack.without(monkeypatch)
    assert attack.tried(server, outside), "the guard is not what stopped it"


def test_no_route_answers_without_the_secret(server: RunningServer) -> None:
    """Every route of the description, and every method."""
    described = server.client.get("/api/openapi.json").json()["paths"]
    assert len(described) > 15
    for path, methods in described.items():
        asked = re.sub(r"\{[^}]*\}", "0", path)
        for method in {*methods, "get", "head", "options", "trace", "post"}:
            if path in {"/api/session", "/api/proof"} and method == "post":
                continue
            answer = server.outsider.request(method, asked)
            assert answer.status_code in {401, 403, 405}, (method, path)
            assert "access-control-allow-origin" not in answer.headers
    assert server.outsider.get("/api/openapi.json").status_code == 401


CLIMBS = [
    "../../../../../../etc/passwd",
    "..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "..%252f..%252fetc%252fpasswd",
    "....//....//etc/passwd",
    "..\\..\\..\\etc\\passwd",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "%00/etc/passwd",
    "..%c0%af..%c0%afetc/passwd",
    "~root/.ssh/id_rsa",
]


@pytest.mark.parametrize("climb", CLIMBS)
def test_no_parameter_leads_to_a_file(server: RunningServer, climb: str) -> None:
    """Every parameter in every path and query, and the page's own paths, byte for byte."""
    described = server.client.get("/api/openapi.json").json()["paths"]
    targets = [f"/{climb}", f"/assets/{climb}", f"/thumbs/{climb}", f"/reports/{climb}"]
    for path, methods in described.items():
        targets += [path.replace("{" + name + "}", climb) for name in re.findall(r"{(\w+)}", path)]
        for told in methods.values():
            named = [one["name"] for one in told.get("parameters", ()) if one["in"] == "query"]
            targets += [f"{re.sub('{.*?}', '0', path)}?{name}={climb}" for name in named]
    for target in targets:
        request = (
            f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"{SECRET_HEADER}: {server.secret}\r\nConnection: close\r\n\r\n"
        )
        answer = server.raw(request.encode())
        status = int(answer.split(b" ", 2)[1])
        assert 400 <= status < 500, (target, answer[:300])
        assert b"root:" not in answer


@pytest.mark.parametrize(
    "climb", ["../../../../etc/passwd", "/etc/passwd", "~nobody-here/x", "\0/etc"]
)
def test_no_text_in_a_body_leads_to_a_file(server: RunningServer, climb: str) -> None:
    """Every text that a request may carry, one after the other; scorers open files by path."""
    now, plan = server.state()["wishes"], server.state()["plan"]
    texts = ["prior", "margin", "budget", "hide_level"]
    lists = [key for key, value in now.items() if isinstance(value, list)]
    asked = [{**now, key: climb} for key in texts] + [{**now, key: [climb]} for key in lists]
    asked += [{**now, "scorers": [f"{kind}:{climb}"]} for kind in ("table", "onnx")]
    answers = [server.client.put("/api/wishes", json=one) for one in asked]
    private = {"target": "/nowhere/copy", "private": climb, "version": plan["version"]}
    target = {"target": climb, "version": plan["version"]}
    answers += [server.client.post("/api/export", json=one) for one in (private, target)]
    answers.append(server.client.delete(f"/api/jobs/{quote(climb, safe='')}"))
    for answer in answers:
        assert 400 <= answer.status_code < 500, answer.text
        assert "root:" not in answer.text
    told = server.client.post("/api/albums", json={"paths": [climb]})
    said = told.text + " ".join(map(str, server.events(told.json()["job"]))) if got(told) else ""
    assert "root:" not in said


def test_a_signed_climb_leads_to_no_file(server: RunningServer) -> None:
    """Where the guard would let it in, the route does not."""
    for climb in ("../../etc/passwd", "1/320/..%2f..%2fetc%2fpasswd", "/etc/passwd", "1/320/-1"):
        for room in ("/thumbs/", "/reports/"):
            answer = server.outsider.get(server.workspace.keys.sign(room + climb))
            assert 400 <= answer.status_code < 500 and "root:" not in answer.text


def test_a_decompression_bomb_costs_itself_only(server: RunningServer) -> None:
    """Two and a half thousand megapixels in a few hundred kilobytes."""
    content = blank(50_000, 50_000)
    assert len(content) < 1_000_000
    assert _kinds_left(server, content) == {"pixels"}


@pytest.mark.parametrize(
    "paths", [["/etc/passwd"], ["/etc/shadow"], ["/dev/zero"], ["/proc/self/environ"]]
)
def test_what_is_no_photo_is_not_read_out(server: RunningServer, paths: list[str]) -> None:
    answer = server.client.post("/api/albums", json={"paths": paths})
    told = " ".join(event.get("error", "") for event in server.events(answer.json()["job"]))
    assert told and "root:" not in told
    assert server.state()["album"]["photos"] == []


def test_a_link_in_an_album_is_not_followed(server: RunningServer, tmp_path: Path) -> None:
    folder, outside = tmp_path / "album", tmp_path / "outside"
    folder.mkdir()
    outside.mkdir()
    (outside / "IMG_0003.jpg").write_bytes(picture(3))
    (folder / "IMG_0001.jpg").write_bytes(picture(1))
    (folder / "IMG_0002.jpg").symlink_to(outside / "IMG_0003.jpg")
    (folder / "more").symlink_to(outside)
    told = server.open(folder)
    assert [photo["id"] for photo in told["album"]["photos"]] == ["IMG_0001.jpg"]
    assert {left["kind"] for left in told["album"]["left"]} == {"link"}


def test_no_more_is_kept_of_an_endless_upload_than_may_come(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(guard, "MAX_UPLOAD", 100_000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert not endless_upload(server, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_two_answers_never_mix(server: RunningServer) -> None:
    """Many at once: each gets its own."""
    told: list[int] = []

    def ask(number: int) -> None:
        answer = httpx.get(
            f"{server.home}/api/photos/{number % 12}", headers={SECRET_HEADER: server.secret}
        )
        told.append(answer.json()["photo"]["n"] == number % 12)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert told == [True] * 24
