"""Other attackers: only they are asked, and nothing that was wished is lost."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from benchmarks.app.album import rows

from elsewhere.app.sessions.jobs import CancelledError
from elsewhere.errors import InputError
from elsewhere.formats.score_files import write_scores
from elsewhere.globe import Cells
from elsewhere.service import Step, rescore_album
from elsewhere.values.scores import Scores
from tests.app.server import PHOTOS, RunningServer


def other_scorer(folder: Path, seed: int = 16, photos: int = PHOTOS) -> str:
    file = folder / f"other-{seed}.npz"
    names = [f"IMG_{number:04}.jpg" for number in range(photos)]
    grid = Cells.paper().fingerprint
    write_scores(file, Scores(rows(PHOTOS, seed)[:photos], names, scorer=f"o {seed}", grid=grid))
    return f"table:{file}"


def put(server: RunningServer, **wishes: Any) -> dict[str, Any]:
    answer = server.client.put("/api/wishes", json={**server.state()["wishes"], **wishes})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def test_another_attacker_costs_neither_pins_nor_undo(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = server.state()
    first = before["wishes"]["scorers"]
    ids = [photo["id"] for photo in before["album"]["photos"]]
    dropped = before["plan"]["kept"][0]
    put(server, drop=[ids[dropped]])
    known = {id(attack.scores) for attack in server.workspace.session.scored.models}
    monkeypatch.setattr(
        "elsewhere.app.sessions.workspace.score_album", lambda *_, **__: pytest.fail("read again")
    )
    answer = put(server, scorers=[*first, other_scorer(tmp_path)])
    assert answer["job"]["kind"] == "scoring"
    assert answer["wishes"]["scorers"] == first, "until then all is as it was"
    events = server.events(answer["job"])
    asked = [event for event in events if event.get("stage") == "scoring"]
    assert asked[-1]["count"] == asked[-1]["total"] == PHOTOS, "the first was asked before"
    made = next(event["answer"] for event in events if "answer" in event)
    assert made["states"][dropped] == "dropped" and len(made["wishes"]["scorers"]) == 2
    now = server.final_state()
    assert [one["word"] for one in now["album"]["scorers"]] == made["wishes"]["scorers"]
    assert known <= {id(attack.scores) for attack in server.workspace.session.scored.models}
    for _ in range(2):
        back = server.client.post("/api/undo").json()
    assert back["wishes"] == before["wishes"]
    assert back["plan"]["withheld"] == before["plan"]["withheld"]
    assert len(server.client.get("/api/guesses").json()["watches"]) == 1
    server.client.post("/api/redo")
    forth = server.client.post("/api/redo").json()
    assert forth["plan"]["withheld"] == now["plan"]["withheld"]
    assert forth["wishes"]["scorers"] == made["wishes"]["scorers"] and forth["job"] is None


def test_what_is_wished_meanwhile_is_kept(
    server: RunningServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    real = rescore_album

    def slowly(*args: Any, **more: Any) -> Any:
        assert go_on.wait(20)
        return real(*args, **more)

    monkeypatch.setattr("elsewhere.app.sessions.workspace.rescore_album", slowly)
    first = server.state()["wishes"]["scorers"]
    job = put(server, scorers=[*first, other_scorer(tmp_path)])["job"]
    assert job["id"] in [one["id"] for one in server.state()["jobs"]], "a reload finds it"
    assert put(server, top=3)["plan"] is not None
    go_on.set()
    server.events(job)
    now = server.final_state()["wishes"]
    assert now["top"] == 3 and len(now["scorers"]) == 2


def test_an_attacker_who_cannot_see_every_photo_is_none(
    server: RunningServer, tmp_path: Path
) -> None:
    before = server.state()
    first = before["wishes"]["scorers"]
    events = server.events(
        put(server, scorers=[*first, other_scorer(tmp_path, 17, PHOTOS - 1)])["job"]
    )
    assert "cannot score every photo" in events[-1]["error"]
    after = server.state()
    assert after["wishes"] == before["wishes"] and after["stage"] == "ready"
    unknown = {**before["wishes"], "scorers": ["nobody"]}
    assert server.client.put("/api/wishes", json=unknown).status_code == 400


def test_asking_can_be_stopped(server: RunningServer, tmp_path: Path) -> None:
    seen = server.workspace.session.scored

    def stop(step: Step) -> None:
        raise CancelledError

    with pytest.raises(CancelledError):
        rescore_album(seen, [other_scorer(tmp_path, 18)], progress=stop)
    with pytest.raises(InputError):
        rescore_album(seen, [other_scorer(tmp_path, 19, 3)])
