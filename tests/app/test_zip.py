"""A zip in the app: dropped on the page or opened by its path, it is an album like any other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.app.server import PHOTOS, Made, RunningServer


def test_a_zip_is_dropped_or_opened_by_its_path(
    server: RunningServer, album: Made, tmp_path: Path
) -> None:
    path = Path(shutil.make_archive(str(tmp_path / "trip"), "zip", album.folder))
    before = path.read_bytes()
    form = [("files", ("trip.zip", before, "application/zip"))]
    server.events(server.client.post("/api/uploads", files=form).json()["job"])
    dropped = server.final_state()
    opened = server.open(path)
    for state in (dropped, opened):
        assert state["stage"] == "ready" and state["album"]["name"] == "trip"
        assert len(state["album"]["photos"]) == PHOTOS and state["plan"]["status"] == "optimal"
    assert dropped["plan"]["withheld"] == opened["plan"]["withheld"]
    link = opened["album"]["photos"][0]["thumb"]
    assert server.client.get(link).headers["content-type"] == "image/jpeg"
    answer = server.client.post(
        "/api/export", json={"version": 0, "target": str(tmp_path / "out"), "clean": True}
    )
    assert server.events(answer.json()["job"])[-1] == {"done": True}
    assert len(list((tmp_path / "out").iterdir())) == PHOTOS and path.read_bytes() == before


def test_a_broken_zip_says_what_is_wrong(server: RunningServer, tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"PK cut short")
    state = server.open(tmp_path / "no.zip")
    assert state["stage"] == "failed" and "no.zip" in state["nothing"]["sentence"]
    assert "damaged, or no zip" in state["nothing"]["files"][0]["reason"]


def test_the_chooser_shows_zips_and_no_other_file(server: RunningServer, tmp_path: Path) -> None:
    server.workspace._paths = (tmp_path,)
    (tmp_path / "b.zip").touch()
    (tmp_path / "a.ZIP").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "link.zip").symlink_to(tmp_path / "b.zip")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.zip")
    found = server.client.get("/api/folders", params={"path": str(tmp_path)}).json()
    assert found["archives"] == ["a.ZIP", "b.zip"] and found["folders"] == []
    assert "notes" not in str(found)
