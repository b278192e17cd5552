"""A clean copy from the app: no plan and no place are needed, and nothing is promised."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from elsewhere import messages
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions.workspace import Workspace
from tests.app.server import PHOTOS, Made, RunningServer


def request(target: Path, **more: object) -> dict[str, object]:
    return {"version": 0, "target": str(target), "clean": True, **more}


def test_a_clean_copy_needs_no_plan(server: RunningServer, tmp_path: Path) -> None:
    before = server.state()
    photo = before["album"]["photos"][0]["id"]
    wishes = {**before["wishes"], "top": 100_000, "drop": [photo]}
    turn = before["undo"]["turn"]
    refused = server.client.put(f"/api/wishes?turn={turn}", json={**wishes, "top": 400}).json()
    assert refused["plan"]["status"] == "infeasible"
    assert "not hidden" in before["choices"]["not_hidden"] == messages.NOT_HIDDEN
    target = tmp_path / "bare"
    answer = server.client.post("/api/export", json=request(target))
    assert answer.status_code == 200, answer.text
    events = server.events(answer.json()["job"])
    assert events[-1] == {"done": True}
    exported = server.state()["exported"]
    assert exported["certificate"] is None and exported["report"] is None
    assert len(exported["files"]) == PHOTOS - 1 == len(list(target.iterdir()))
    verify = server.client.post("/api/verify")
    assert verify.status_code == 400
    assert "nothing is promised" in verify.json()["error"]


def test_what_cannot_be_written_is_refused_at_once(
    server: RunningServer, album: Made, tmp_path: Path
) -> None:
    answer = server.client.post("/api/export", json=request(album.folder / "in"))
    assert answer.status_code == 400 and answer.json()["field"] == "target"
    assert "among the originals" in answer.json()["error"]
    state = server.state()
    ids = [photo["id"] for photo in state["album"]["photos"]]
    server.client.put("/api/wishes", json={**state["wishes"], "drop": ids})
    answer = server.client.post("/api/export", json=request(tmp_path / "none"))
    assert answer.status_code == 400 and "every photo is dropped" in answer.json()["error"]


def test_only_the_last_copy_can_be_shown_in_the_file_manager(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    none = server.client.post("/api/exported/open")
    assert none.status_code == 400 and "nothing is exported" in none.json()["error"]
    target = tmp_path / "copy.zip"
    server.events(server.client.post("/api/export", json=request(target)).json()["job"])
    opened: list[list[str]] = []
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: opened.append(command))
    monkeypatch.setenv("DISPLAY", ":0")
    assert server.client.post("/api/exported/open").status_code == 204
    assert [command[1:] for command in opened] == [[str(tmp_path)]]
    monkeypatch.setattr(shutil, "which", lambda name: None)
    refused = server.client.post("/api/exported/open")
    assert refused.status_code == 400 and str(target) in refused.json()["error"]


def test_no_clean_copy_of_what_another_window_decided(
    server: RunningServer, tmp_path: Path
) -> None:
    state = server.state()
    turn, wishes = state["undo"]["turn"], state["wishes"]
    first = state["album"]["photos"][0]["id"]
    server.client.put("/api/wishes", json={**wishes, "drop": [first]})
    late = server.client.post("/api/export", json=request(tmp_path / "copy", turn=turn))
    assert late.status_code == 409 and not (tmp_path / "copy").exists()
    now = server.final_state()["undo"]["turn"]
    job = server.client.post("/api/export", json=request(tmp_path / "copy", turn=now)).json()["job"]
    server.events(job)
    assert len(list((tmp_path / "copy").iterdir())) == len(state["album"]["photos"]) - 1


def test_ones_own_stop_is_no_error(album: Made) -> None:
    space = Workspace(Keys(), scorers=[album.scorer], use_ledger=False)
    job = space.open([album.folder])
    job.cancel()
    job.join(30)
    state = space.state()
    assert state.stage == "empty" and state.error is None and state.album is None
    space.close()
