"""The app over HTTP: its description, and a walk through an album as the page would make it."""

from __future__ import annotations

import hashlib
import json
import re
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import surfaces
from commands import ALBUM, Commands, Notes
from running import Product
from told import split

PATIENCE = 120.0
BOUNDARY = "a-boundary"
_SECRETS = re.compile(r"\?e=\d+&s=[0-9a-f]+")


class Server:
    """A running app, and how it is talked to."""

    def __init__(self, product: Product) -> None:
        self.process = product.start("app", "--no-browser", "--no-cache", home="app")
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(2)]
        address, file = re.search(r"http://\S+?/", lines[0]), re.search(r"/\S+\.html", lines[1])
        if address is None or file is None:
            raise RuntimeError(f"the app does not say where it is: {lines}")
        self.address = address[0].rstrip("/")
        token = re.search(r"#token=([\w-]+)", Path(file[0]).read_text("utf-8"))
        self.token = token[1] if token else ""
        self.secret = ""

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any, dict[str, str]]:
        """Status, content and headers of an answer; JSON lines come as a list."""
        data = None if body is None else body if isinstance(body, bytes) else _bytes(body)
        sent = {surfaces.SECRET_HEADER: self.secret, "content-type": "application/json"}
        request = urllib.request.Request(
            self.address + path, data=data, method=method, headers={**sent, **(headers or {})}
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, _read(answer.read()), dict(answer.headers)
        except urllib.error.HTTPError as refused:
            return refused.code, _read(refused.read()), dict(refused.headers)

    def end(self) -> int:
        """Stop it as Ctrl-C does; its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=PATIENCE)


def _bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def _read(content: bytes) -> Any:
    try:
        return json.loads(content)
    except (json.JSONDecodeError, UnicodeDecodeError):
        pass
    try:
        return [json.loads(line) for line in content.splitlines()]
    except (json.JSONDecodeError, UnicodeDecodeError):
        picture = content.startswith(b"\xff\xd8")
        seal = hashlib.sha256(content).hexdigest() if picture else ""
        return {"begins": content[:4].hex(), "picture": seal}


def record_app(product: Product) -> tuple[Notes, Any]:
    """The walk, and the description of the app."""
    at = Commands(product)
    server = Server(product)
    try:
        description = _walk(at, server)
    finally:
        at.notes.add("end", server.end())
    at.folder("export files", at.work / "exported")
    return at.notes, description


def _walk(at: Commands, server: Server) -> Any:
    def note(name: str, method: str, path: str, body: Any = None, **headers: str) -> Any:
        status, content, _ = server.ask(method, path, body, headers)
        fact, words = split(_steady(content), at.product)
        at.notes.add(name, {"status": status, "content": fact}, words)
        return content

    for name, path in {"no secret": "/api/table", "no secret, no route": "/api/nothing"}.items():
        note(name, "GET", path)
    note("wrong token", "POST", "/api/session", {"token": "wrong"})
    status, session, headers = server.ask("POST", "/api/session", {"token": server.token})
    if status != 200:
        raise RuntimeError(f"the app lets nobody in: {session}")
    server.secret = session["secret"]
    steady = {name: value for name, value in sorted(headers.items()) if name != "content-length"}
    at.notes.add("session", {"fields": sorted(session), "headers": steady})
    note("token twice", "POST", "/api/session", {"token": server.token})
    _, description, _ = server.ask("GET", surfaces.DESCRIPTION)
    note("alive", "GET", "/api/alive")
    note("another host", "GET", "/api/table", host="example.com")
    note("another origin", "POST", "/api/undo", origin="http://example.com")
    note("no such route", "GET", "/api/nothing")
    note("wrong method", "PUT", "/api/session", {})
    note("page", "GET", "/")
    note("no such page", "GET", "/nothing.html")
    note("empty table", "GET", "/api/table")
    note("wish without album", "PUT", "/api/wishes", {})
    note("open nowhere", "POST", "/api/albums", {"paths": ["/nowhere"]})
    opened = note("open", "POST", "/api/albums", {"paths": [str(at.work / ALBUM)]})
    _wait(server, opened)
    server.ask("PUT", "/api/wishes", {"exact_top": True})
    _settled(server)
    table = note("table", "GET", "/api/table")
    note("photos", "GET", "/api/photos")
    note("photo", "GET", "/api/photos/3")
    note("no such photo", "GET", "/api/photos/99")
    note("guesses", "GET", "/api/guesses")
    note("no such watch", "GET", "/api/guesses?watch=999")
    note("folders", "GET", "/api/folders")
    note("folders outside", "GET", "/api/folders?path=/etc")
    thumb = table["album"]["photos"][0]["thumb"]
    note("thumb", "GET", thumb)
    note("thumb unsigned", "GET", thumb.partition("?")[0])
    wishes = table["wishes"]
    asked: dict[str, dict[str, Any]] = {
        "exact top": {"exact_top": True},
        "top two": {"exact_top": True, "top": 2},
        "budget": {"top": None, "budget": 3},
        "pins": {"exact_top": True, "keep": ["fig.jpg"], "drop": ["wine.jpg"]},
        "posted": {"exact_top": True, "posted": ["bird-lamp.jpg"]},
        "country": {"exact_top": True, "hide_level": "country"},
        "margin": {"exact_top": True, "margin": "none"},
        "prior": {"exact_top": True, "prior": "France", "top": 1},
        "infeasible": {"exact_top": True, "margin": "20"},
        "bad top": {"top": 0},
        "bad place": {"prior": "Xyzzyville"},
        "bad field": {"nonsense": 1},
        "keep and drop": {"keep": ["fig.jpg"], "drop": ["fig.jpg"]},
        "bad photo": {"keep": ["nothing.jpg"]},
        "bad type": {"keep": [1]},
    }
    for name, changed in asked.items():
        status, content, _ = server.ask("PUT", "/api/wishes", {**wishes, **changed})
        if status == 200:
            _settled(server)
            status, content, _ = server.ask("GET", "/api/table")
        fact, words = split(_steady(content), at.product)
        at.notes.add(f"wish {name}", {"status": status, "content": fact}, words)
    server.ask("PUT", "/api/wishes", {**wishes, "exact_top": True})
    _settled(server)
    note("overtaken", "PUT", "/api/wishes?turn=0", wishes)
    for name in ("undo", "redo"):
        server.ask("POST", f"/api/{name}")
        _settled(server)
        note(f"after {name}", "GET", "/api/table")
    _, points, _ = server.ask("GET", "/api/frontier")
    found = {event["point"]["withheld"]: event["point"] for event in points if event.get("point")}
    at.notes.add("frontier", {f"{one:02}": found[one] for one in sorted(found)})
    note("report before", "GET", "/api/report")
    version = server.ask("GET", "/api/table")[1]["plan"]["version"]
    note("export nowhere", "POST", "/api/export", {"target": "/no/such/x", "version": version})
    note("export stale", "POST", "/api/export",
         {"target": str(at.work / "stale"), "version": version + 99})  # fmt: skip
    target = {"target": str(at.work / "exported"), "version": version, "order": "album"}
    started = note("export", "POST", "/api/export", target)
    _wait(server, started)
    note("after export", "GET", "/api/table")
    _wait(server, note("verify", "POST", "/api/verify"))
    note("after verify", "GET", "/api/table")
    link = server.ask("GET", "/api/report")[1]
    note("report", "GET", link.get("url", "/api/nothing"))
    note("close", "DELETE", "/api/albums")
    names = ("fig.jpg", "stream.heic", "stream.heic.xmp")
    form = _form({name: (at.work / ALBUM / name).read_bytes() for name in names})
    kind = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    _wait(server, note("upload", "POST", "/api/uploads", form, **kind))
    server.ask("PUT", "/api/wishes", {"exact_top": True})
    _settled(server)
    note("uploaded", "GET", "/api/table")
    note("upload nothing", "POST", "/api/uploads", _form({}), **kind)
    return description


def _form(files: dict[str, bytes]) -> bytes:
    """Files as a browser sends them."""
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, content in files.items()
    ]
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def _wait(server: Server, started: Any) -> None:
    """Until a job is over."""
    if isinstance(started, dict) and "job" in started:
        server.ask("GET", f"/api/jobs/{started['job']['id']}/events")


def _settled(server: Server) -> None:
    """Until the plan on the table is proved, or is as good as it gets."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        table = server.ask("GET", "/api/table")[1]
        plan = table.get("plan") or {}
        if plan.get("proved", True):
            return
        time.sleep(0.1)


def _steady(value: Any) -> Any:
    """Without what is drawn anew each time or depends on who is quicker: links, ids, jobs."""
    if isinstance(value, dict):
        if {"id", "kind", "state"} == value.keys():
            return f"a job: {value['kind']}"
        return {
            key: "(drawn)" if key in {"secret", "version", "turn"} else _steady(one)
            for key, one in value.items()
            if key != "jobs"
        }
    if isinstance(value, list):
        return [_steady(one) for one in value]
    return _SECRETS.sub("?SIGNED", value) if isinstance(value, str) else value
