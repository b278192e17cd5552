"""The whole job through the server, from the folder to the proved copy."""

from __future__ import annotations

import gc
import json
import os
import threading
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import workspace
from elsewhere.app.sessions.album_jobs import start_frontier
from elsewhere.app.sessions.planning import PlannedAnswer
from elsewhere.app.sessions.uploads import safe_parts
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import FileError
from elsewhere.service.report import write_report
from elsewhere.values.plan import Status
from tests.app.server import PHOTOS, Made, RunningServer, picture


def put(server: RunningServer, **wishes: Any) -> dict[str, Any]:
    now = server.state()["wishes"]
    answer = server.client.put("/api/wishes", json={**now, **wishes})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def copy_to(server: RunningServer, target: str | Path) -> dict[str, Any]:
    """An export of the plan that is shown now."""
    return {"target": str(target), "version": server.state()["plan"]["version"]}


def unproved(entry: PlannedAnswer) -> PlannedAnswer:
    assert entry.plan is not None
    found = replace(entry.plan.plan, status=Status.FEASIBLE)
    return replace(entry, plan=replace(entry.plan, plan=found))


def ways(answer: dict[str, Any]) -> tuple[bool, bool]:
    return answer["undo"]["can_undo"], answer["undo"]["can_redo"]


def test_an_album_lies_on_the_table(server: RunningServer) -> None:
    told = server.state()
    assert told["stage"] == "ready"
    photos = told["album"]["photos"]
    assert [photo["n"] for photo in photos] == list(range(PHOTOS))
    assert {photo["place"] for photo in photos} == {"London, United Kingdom"}
    assert told["plan"]["proved"] and told["plan"]["status"] == "optimal"
    assert sorted(told["plan"]["withheld"] + told["plan"]["kept"]) == list(range(PHOTOS))
    for photo in photos:
        gone = photo["n"] in told["plan"]["withheld"]
        assert photo["state"] == ("withheld" if gone else "shared")
        picture = server.outsider.get(photo["thumb"])
        assert picture.status_code == 200 and picture.content.startswith(b"\xff\xd8")
    assert "London" in told["audit"]["verdict"]
    assert told["audit_after"][0]["rank"] > told["wishes"]["top"]


def test_a_pin_is_start_proof_and_undone(server: RunningServer) -> None:
    before = server.state()["plan"]
    ids = [photo["id"] for photo in server.state()["album"]["photos"]]
    dropped = before["kept"][0]
    for kept in before["withheld"]:  # not every photo can be kept
        answer = put(server, keep=[ids[kept]], top=1, exact_top=True, margin="none")
        if answer["plan"]["kept"]:
            break
        server.client.post("/api/undo")
    assert kept in answer["plan"]["kept"] and answer["states"][kept] == "kept"
    answer = put(server, keep=[], drop=[ids[dropped]])
    assert dropped in answer["plan"]["withheld"] and answer["states"][dropped] == "dropped"
    assert ways(answer) == (True, False)
    for _ in range(2):
        back = server.client.post("/api/undo").json()
    assert back["plan"]["withheld"] == before["withheld"]
    assert ways(back) == (False, True)
    again = server.client.post("/api/undo").json()
    assert again["plan"]["withheld"] == before["withheld"], "there is nothing before the first"
    forth = server.client.post("/api/redo").json()
    assert forth["states"][kept] == "kept"


def test_two_windows_do_not_overwrite_each_other(server: RunningServer) -> None:
    told = server.state()
    turn, now = told["undo"]["turn"], told["wishes"]
    one = server.client.put(f"/api/wishes?turn={turn}", json={**now, "top": 3})
    assert one.status_code == 200
    # the other window has not seen it
    other = server.client.put(f"/api/wishes?turn={turn}", json={**now, "top": 4})
    assert other.status_code == 409 and "another window" in other.json()["error"]
    assert server.client.post(f"/api/undo?turn={turn}").status_code == 409
    assert server.state()["wishes"]["top"] == 3
    turn = one.json()["undo"]["turn"]
    assert server.client.post(f"/api/undo?turn={turn}").json()["wishes"]["top"] == now["top"]
    # a better plan for the same wish is no turn
    assert server.final_state()["undo"]["turn"] == server.state()["undo"]["turn"] != turn


def test_two_windows_hear_one_frontier(server: RunningServer) -> None:
    first, second = start_frontier(server.workspace), start_frontier(server.workspace)
    assert second is first or first.ended
    put(server, top=3)
    assert start_frontier(server.workspace) is not first
    first.join(20)


def test_the_secret_k_is_drawn_once_and_what_is_reached_is_told(server: RunningServer) -> None:
    session = server.workspace.session
    first = session.current.plan
    assert first is not None and first.top is not None
    put(server, top=4)
    put(server, top=5)
    again = session.current.plan
    assert again is not None and again.top == first.top
    told = server.state()["plan"]
    # one number for headline, slider and map; that a larger top was drawn is said beside it
    assert told["protected_k"] == again.plan.protected_k >= again.top
    assert f"not among the first {told['protected_k']}" in told["headline"]
    assert "how many, up to 12, stays secret" in told["proof"] and len(told["rivals"]) <= 5
    assert "among its first 5 guesses" in told["verdict"]


def test_a_wish_that_cannot_be_understood_changes_nothing(server: RunningServer) -> None:
    before = server.state()
    now = before["wishes"]
    for wrong in (
        {"keep": ["no such photo.jpg"]},
        {"hide": ["Atlantis"]},
        {"margin": "bold"},
        {"top": None},
        {"budget": "many"},
        {"prior": "Portugal"},
        {"top": 100_000},
    ):
        answer = server.client.put("/api/wishes", json={**now, **wrong})
        assert answer.status_code == 400, (wrong, answer.text)
        assert list(answer.json()) == ["error"]
    for wrong in ({"top": 0}, {"top": "5"}, {"radius_km": -1}, {"unheard": 1}):
        answer = server.client.put("/api/wishes", json={**now, **wrong})
        assert answer.status_code == 422, (wrong, answer.text)
    after = server.state()
    assert after["wishes"] == now and after["undo"] == before["undo"]


def test_a_place_that_nobody_knows_comes_with_those_that_may_be_meant(
    server: RunningServer,
) -> None:
    now = server.state()["wishes"]
    answer = server.client.put("/api/wishes", json={**now, "prior": "United Kingdomm"})
    assert answer.status_code == 400 and "no place is called" in answer.json()["error"]
    assert answer.json()["choices"] == ["United Kingdom"]
    mended = server.client.put("/api/wishes", json={**now, "prior": "United Kingdom"})
    assert mended.status_code == 200


def test_a_path_that_is_refused_is_told_of_the_field_that_it_was_typed_in(
    server: RunningServer, album: Made, tmp_path: Path
) -> None:
    for wrong, field in (
        ({"target": str(album.folder / "inside")}, "target"),
        ({"target": "relative"}, "target"),
        ({"private": str(tmp_path / "copy" / "inside")}, "private"),
        ({"private": "relative"}, "private"),
    ):
        asked = {**copy_to(server, tmp_path / "copy"), **wrong}
        answer = server.client.post("/api/export", json=asked)
        assert answer.status_code == 400, answer.text
        assert answer.json()["field"] == field, answer.text
    assert not (tmp_path / "copy").exists()


def test_a_photo_that_is_public_already_counts_and_is_not_written(
    server: RunningServer, tmp_path: Path
) -> None:
    told = server.final_state()
    out = told["plan"]["withheld"][0]
    name = told["album"]["photos"][out]["id"]
    put(server, posted=[name])
    told = server.final_state()
    photo = told["album"]["photos"][out]
    assert photo["state"] == "posted" and photo["posted"]
    assert out not in told["plan"]["withheld"] and told["plan"]["status"] == "optimal"
    assert any(f"({name}) is public already" in note for note in told["plan"]["notes"])
    refused = server.client.put("/api/wishes", json={**told["wishes"], "drop": [name]})
    assert refused.status_code == 400 and "cannot be dropped" in refused.json()["error"]
    asked = {**copy_to(server, tmp_path / "copy"), "names": "keep"}
    answer = server.client.post("/api/export", json=asked)
    assert server.events(answer.json()["job"])[-1] == {"done": True}
    written = {file.name for file in (tmp_path / "copy").iterdir()}
    kept = {told["album"]["photos"][n]["id"] for n in told["plan"]["kept"]}
    assert written == kept - {name}
    back = server.client.post("/api/undo").json()
    assert back["states"][out] == "withheld"


def test_what_is_public_already_may_have_to_be_taken_down(server: RunningServer) -> None:
    everything = [photo["id"] for photo in server.state()["album"]["photos"]]
    answer = put(server, posted=everything[:-1], top=5, exact_top=True, each_photo=False)
    assert answer["plan"]["status"] == "infeasible"
    assert set(answer["states"][:-1]) == {"posted"}
    plan = server.final_state()["plan"]
    assert plan["headline"].endswith("with what is public already, no plan hides that.")
    assert "Withholding cannot help any more" in plan["explanation"]
    assert "taking down" in plan["explanation"] and not plan["ways"]


def test_a_server_that_is_there_says_so_to_its_own_page_alone(server: RunningServer) -> None:
    answer = server.client.get("/api/alive")
    assert answer.status_code == 204 and answer.content == b""
    assert server.outsider.get("/api/alive").status_code == 401


def test_what_cannot_be_done_is_said_with_its_reason(server: RunningServer) -> None:
    everything = [photo["id"] for photo in server.state()["album"]["photos"]]
    answer = put(server, keep=everything, top=5, exact_top=True)
    assert answer["plan"]["status"] == "infeasible"
    assert set(answer["states"]) == {"kept"} and answer["audit_after"] == []
    events = server.events(answer["job"])
    assert "No plan can do this" in events[-2]["answer"]["plan"]["explanation"]
    assert events[-1] == {"done": True}
    export = server.client.post("/api/export", json=copy_to(server, "/nowhere/copy"))
    assert export.status_code == 400 and "no plan" in export.json()["error"]


def test_the_frontier_streams_in_with_greedy_beside_it(server: RunningServer) -> None:
    with server.client.stream("GET", "/api/frontier") as answer:
        lines = [json.loads(line) for line in answer.iter_lines()]
    points = [line["point"] for line in lines if "point" in line]
    first = points[0]["withheld"]  # photos that give the place away alone must go in any case
    assert [point["withheld"] for point in points] == list(range(first, PHOTOS))
    ks = [point["protected_k"] for point in points]
    assert ks == sorted(ks)
    assert all(point["protected_k"] >= point["greedy_k"] for point in points if point["proved"])
    assert lines[-1] == {"done": True}
    greedy = [line["greedy"] for line in lines if "greedy" in line]
    assert greedy and greedy[0] >= len(server.state()["plan"]["withheld"])


def test_one_photo_and_the_map(server: RunningServer) -> None:
    details = server.client.get("/api/photos/0").json()
    assert details["photo"]["n"] == 0 and len(details["guesses"]) == 5
    assert any(kind == "position" for kind, _ in details["leaks"])
    assert "London" in details["changes"][0]
    assert server.outsider.get(details["picture"]).status_code == 200
    belief = server.client.get("/api/guesses").json()
    assert len(belief["zone"]) >= 17 and len(belief["before"]) == 30
    assert belief["rank_after"] > belief["rank_before"]
    for heat in (belief["heat_before"], belief["heat_after"]):
        chances = [p for _, _, p in heat]
        assert chances == sorted(chances, reverse=True) and 0.5 < sum(chances) <= 1.02
    assert server.state()["plan"]["finest_km"] == 0, "coarse cells are no circles"
    assert server.client.get("/api/photos/99").status_code == 400
    assert server.client.get("/api/photos/-1").status_code == 400


def test_the_copy_is_written_proved_verified_and_reported(
    server: RunningServer, tmp_path: Path, album: Made
) -> None:
    target, private = tmp_path / "copy", tmp_path / "private"
    asked = {**copy_to(server, target), "private": str(private)}
    events = server.events(server.client.post("/api/export", json=asked).json()["job"])
    stages = [event["stage"] for event in events if "stage" in event]
    assert {"writing", "proving", "telling"} <= set(stages)
    exported = events[-2]["exported"]
    assert sorted(exported["files"]) == sorted(path.name for path in target.iterdir())
    assert len(exported["files"]) == len(server.state()["plan"]["kept"])
    assert Path(exported["certificate"]).is_relative_to(private)
    verified = server.events(server.client.post("/api/verify").json()["job"])[-2]["verified"]
    assert verified["holds"] and verified["files"] == len(exported["files"])
    link = server.client.get("/api/report").json()["url"]
    report = server.outsider.get(link)
    assert report.status_code == 200 and "London" in report.text
    policy = report.headers["content-security-policy"]
    assert "sandbox" in policy and "script" not in policy
    (target / exported["files"][0]).write_bytes(b"other")
    verified = server.events(server.client.post("/api/verify").json()["job"])[-2]["verified"]
    assert not verified["holds"] and verified["problems"]
    again = server.client.post("/api/export", json=asked)
    assert again.status_code == 400 and "exists" in again.json()["error"]
    inside = server.client.post("/api/export", json=copy_to(server, album.folder / "copy"))
    assert inside.status_code == 400
    assert server.client.post("/api/export", json=copy_to(server, "copy")).status_code == 400


def test_no_other_plan_is_written_than_the_one_that_was_seen(
    server: RunningServer, tmp_path: Path
) -> None:
    asked = copy_to(server, tmp_path / "copy")
    put(server, top=1, exact_top=True, margin="none")
    late = server.client.post("/api/export", json=asked)
    assert late.status_code == 409 and "look, and try again" in late.json()["error"]
    assert not (tmp_path / "copy").exists() and server.state()["exported"] is None
    assert server.client.post("/api/export", json={"target": "/x"}).status_code == 422


def test_an_album_is_not_taken_away_under_its_copy(
    server: RunningServer, tmp_path: Path, album: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, real = threading.Event(), write_report

    def slowly(*args: Any, **more: Any) -> Path:
        assert go_on.wait(20)
        return real(*args, **more)

    monkeypatch.setattr("elsewhere.service.report.write_report", slowly)
    asked = copy_to(server, tmp_path / "copy")
    job = server.client.post("/api/export", json=asked).json()["job"]
    for answer in (
        server.client.delete("/api/albums"),
        server.client.post("/api/albums", json={"paths": [str(album.folder)]}),
        server.client.post("/api/uploads", files=[("files", ("a.jpg", picture(1)))]),
        server.client.post("/api/export", json={**asked, "target": str(tmp_path / "other")}),
    ):
        assert answer.status_code == 409 and "being written" in answer.json()["error"]
    assert [one["id"] for one in server.state()["jobs"]] == [job["id"]], "a reload finds it"
    go_on.set()
    assert server.events(job)[-1] == {"done": True}
    assert server.state()["exported"] is not None


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (FileError("the disk is full: make room"), "the disk is full: make room"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_a_copy_is_there_though_its_report_fails(
    server: RunningServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    problem: Exception,
    reason: str,
) -> None:
    def fail(*_: Any, **__: Any) -> Path:
        raise problem

    monkeypatch.setattr("elsewhere.service.report.write_report", fail)
    job = server.client.post("/api/export", json=copy_to(server, tmp_path / "copy")).json()["job"]
    events = server.events(job)
    assert events[-1] == {"done": True}
    exported = next(event["exported"] for event in events if "exported" in event)
    assert exported == server.state()["exported"] and (tmp_path / "copy").is_dir()
    assert exported["report"] is None and exported["reproved"] > 0
    note = exported["notes"][-1]
    assert "written and proved" in note and "it has no report" in note and reason in note
    assert server.client.get("/api/report").status_code == 404
    verified = server.events(server.client.post("/api/verify").json()["job"])
    assert verified[-1] == {"done": True}
    assert next(event["verified"] for event in verified if "verified" in event)["holds"]


def test_a_link_to_a_report_shows_no_other_one(server: RunningServer, tmp_path: Path) -> None:
    links = []
    for name in ("one", "two"):
        asked = copy_to(server, tmp_path / name)
        server.events(server.client.post("/api/export", json=asked).json()["job"])
        links.append(server.client.get("/api/report").json()["url"])
    assert server.outsider.get(links[1]).status_code == 200
    assert server.outsider.get(links[0]).status_code == 404
    server.client.delete("/api/albums")
    assert server.outsider.get(links[1]).status_code == 404


def test_a_link_to_a_picture_of_a_closed_album_shows_nothing(
    server: RunningServer, album: Made
) -> None:
    link = server.state()["album"]["photos"][0]["thumb"]
    server.open(album.folder)
    assert server.outsider.get(link).status_code == 404


def test_a_proof_lets_the_answer_be_painted_first(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, proofs = server.workspace.session, []
    monkeypatch.setattr(session, "prove", lambda *_: proofs.append(1))
    monkeypatch.setattr(workspace, "PROOF_DELAY", 30.0)
    waiting = server.workspace._start_proof(session, unproved(session.current))
    assert waiting is not None
    job = server.workspace.jobs.get(waiting.id)
    assert job is not None and not job.ended
    job.cancel()  # whoever clicks meanwhile does not wait for it either
    job.join(10)
    assert job.state == "cancelled" and proofs == []
    monkeypatch.setattr(workspace, "PROOF_DELAY", 0.0)
    going_on = server.workspace._start_proof(session, unproved(session.current))
    assert going_on is not None
    server.events(going_on.model_dump())
    assert proofs == [1]


def test_a_refused_wish_does_not_end_the_proof(server: RunningServer) -> None:
    entry = server.workspace.session.current
    session = server.workspace.session
    session._answers[session._position] = unproved(entry)
    refused = server.client.put(
        "/api/wishes", json={**server.state()["wishes"], "hide": ["Atlantis"]}
    )
    assert refused.status_code == 400
    assert server.final_state()["plan"]["proved"]


def test_nothing_of_a_closed_album_stays_in_memory(album: Made) -> None:
    workspace = Workspace(Keys(), scorers=[album.scorer], use_ledger=False)
    job = workspace.open([album.folder])
    job.join(60)
    start_frontier(workspace).join(30)
    session = weakref.ref(workspace.session)
    workspace.close()
    gc.collect()
    assert session() is None and workspace.jobs.get(job.id) is None


def test_a_loop_of_links_is_no_folder(server: RunningServer, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    odd = [str(loop), f"/{'x' * 300}", "/dev/null/x", "/proc/self/x", "/a\nb", "~nobody-here/x"]
    for path in odd:
        told = server.client.post("/api/albums", json={"paths": [path]})
        if told.status_code == 200:
            assert "error" in server.events(told.json()["job"])[-1]
        assert told.status_code < 500
        assert server.client.get("/api/folders").status_code == 200, path
    server.workspace._paths = (loop,)
    assert server.client.get("/api/folders").status_code == 200
    for path in odd:
        asked = {"target": path, "version": 0}
        assert 400 <= server.client.post("/api/export", json=asked).status_code < 500


def test_dropped_photos_are_read_and_then_forgotten(server: RunningServer) -> None:
    names = ["IMG_0000.jpg", "../../IMG_0001.jpg", "trip/IMG_0002.jpg", "notes.txt"]
    files = [
        ("files", (name, picture(number) if name.endswith("jpg") else b"hello"))
        for number, name in enumerate(names)
    ]
    answer = server.client.post("/api/uploads", files=files)
    assert answer.status_code == 200, answer.text
    server.events(answer.json()["job"])
    told = server.final_state()
    assert told["album"]["name"] == "Dropped photos", "no name of a temporary folder"
    assert sorted(photo["id"] for photo in told["album"]["photos"]) == [
        "IMG_0000.jpg",
        "IMG_0001.jpg",
        "trip/IMG_0002.jpg",
    ]
    assert [left["name"] for left in told["album"]["left"]] == ["notes.txt"]
    assert server.workspace._upload is not None
    folder = server.workspace._upload.folder.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert server.client.delete("/api/albums").json()["stage"] == "empty"
    assert not folder.exists()
    assert server.client.get("/api/photos/0").status_code == 400


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "a/../../b", "..\\..\\c", ".", "", "a\0b", "x" * 5000, "ü" * 400]
)
def test_a_dropped_name_leads_nowhere(name: str) -> None:
    found = safe_parts(name)
    assert found and all(part.strip(".") and not set(part) & set("/\\\0") for part in found)
    assert all(len(os.fsencode(part)) <= 130 for part in found)


def test_a_reload_hears_a_job_from_its_start(server: RunningServer, album: Made) -> None:
    answer = server.client.post("/api/albums", json={"paths": [str(album.folder)]})
    job = answer.json()["job"]
    first, second = server.events(job), server.events(job)
    for events in (first, second):
        laid = [event["photo"] for event in events if "photo" in event]
        assert [photo["n"] for photo in laid] == list(range(PHOTOS))
        assert events[-1] == {"done": True}
        assert all(server.outsider.get(photo["thumb"]).status_code == 200 for photo in laid)
    assert server.client.get("/api/jobs/none/events").status_code == 404


def test_what_fails_is_told(server: RunningServer, tmp_path: Path) -> None:
    answer = server.client.post("/api/albums", json={"paths": [str(tmp_path / "nothing")]})
    events = server.events(answer.json()["job"])
    assert "does not exist" in events[-1]["error"]
    told = server.state()
    assert told["stage"] == "failed" and "does not exist" in told["error"]
    (tmp_path / "empty").mkdir()
    answer = server.client.post("/api/albums", json={"paths": [str(tmp_path / "empty")]})
    assert "no photo" in server.events(answer.json()["job"])[-1]["error"]
    told = server.state()
    assert told["error"] and told["nothing"]["sentence"] == "There is no file in empty."
    (tmp_path / "empty" / "cut.jpg").write_bytes(b"\xff\xd8 and no more")
    answer = server.client.post("/api/albums", json={"paths": [str(tmp_path / "empty")]})
    server.events(answer.json()["job"])
    (file,) = server.state()["nothing"]["files"]
    assert file["name"] == "cut.jpg" and file["lost"] and file["reason"]
    assert str(tmp_path) not in server.client.get("/api/table").text
    assert server.client.post("/api/albums", json={"paths": ["relative"]}).status_code == 400
