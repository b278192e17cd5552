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
from tests.app.server import PHOTOS, Made, Served, picture


def put(house: Served, **wishes: Any) -> dict[str, Any]:
    now = house.told()["wishes"]
    answer = house.client.put("/api/wishes", json={**now, **wishes})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def copy_to(house: Served, target: str | Path) -> dict[str, Any]:
    """An export of the plan that is shown now."""
    return {"target": str(target), "version": house.told()["plan"]["version"]}


def unproved(entry: PlannedAnswer) -> PlannedAnswer:
    assert entry.plan is not None
    found = replace(entry.plan.plan, status=Status.FEASIBLE)
    return replace(entry, plan=replace(entry.plan, plan=found))


def ways(answer: dict[str, Any]) -> tuple[bool, bool]:
    return answer["undo"]["can_undo"], answer["undo"]["can_redo"]


def test_an_album_lies_on_the_table(house: Served) -> None:
    told = house.told()
    assert told["stage"] == "ready"
    photos = told["album"]["photos"]
    assert [photo["n"] for photo in photos] == list(range(PHOTOS))
    assert {photo["place"] for photo in photos} == {"London, United Kingdom"}
    assert told["plan"]["proved"] and told["plan"]["status"] == "optimal"
    assert sorted(told["plan"]["withheld"] + told["plan"]["kept"]) == list(range(PHOTOS))
    for photo in photos:
        gone = photo["n"] in told["plan"]["withheld"]
        assert photo["state"] == ("withheld" if gone else "shared")
        picture = house.stranger.get(photo["thumb"])
        assert picture.status_code == 200 and picture.content.startswith(b"\xff\xd8")
    assert "London" in told["audit"]["verdict"]
    assert told["audit_after"][0]["rank"] > told["wishes"]["top"]


def test_a_pin_is_start_proof_and_undone(house: Served) -> None:
    before = house.told()["plan"]
    ids = [photo["id"] for photo in house.told()["album"]["photos"]]
    dropped = before["kept"][0]
    for kept in before["withheld"]:  # not every photo can be kept
        answer = put(house, keep=[ids[kept]], top=1, exact_top=True, margin="none")
        if answer["plan"]["kept"]:
            break
        house.client.post("/api/undo")
    assert kept in answer["plan"]["kept"] and answer["states"][kept] == "kept"
    answer = put(house, keep=[], drop=[ids[dropped]])
    assert dropped in answer["plan"]["withheld"] and answer["states"][dropped] == "dropped"
    assert ways(answer) == (True, False)
    for _ in range(2):
        back = house.client.post("/api/undo").json()
    assert back["plan"]["withheld"] == before["withheld"]
    assert ways(back) == (False, True)
    again = house.client.post("/api/undo").json()
    assert again["plan"]["withheld"] == before["withheld"], "there is nothing before the first"
    forth = house.client.post("/api/redo").json()
    assert forth["states"][kept] == "kept"


def test_two_windows_do_not_overwrite_each_other(house: Served) -> None:
    told = house.told()
    turn, now = told["undo"]["turn"], told["wishes"]
    one = house.client.put(f"/api/wishes?turn={turn}", json={**now, "top": 3})
    assert one.status_code == 200
    # the other window has not seen it
    other = house.client.put(f"/api/wishes?turn={turn}", json={**now, "top": 4})
    assert other.status_code == 409 and "another window" in other.json()["error"]
    assert house.client.post(f"/api/undo?turn={turn}").status_code == 409
    assert house.told()["wishes"]["top"] == 3
    turn = one.json()["undo"]["turn"]
    assert house.client.post(f"/api/undo?turn={turn}").json()["wishes"]["top"] == now["top"]
    # a better plan for the same wish is no turn
    assert house.settled()["undo"]["turn"] == house.told()["undo"]["turn"] != turn


def test_two_windows_hear_one_frontier(house: Served) -> None:
    first, second = start_frontier(house.workspace), start_frontier(house.workspace)
    assert second is first or first.ended
    put(house, top=3)
    assert start_frontier(house.workspace) is not first
    first.join(20)


def test_the_secret_k_is_drawn_once_and_what_is_reached_is_told(house: Served) -> None:
    session = house.workspace.session
    first = session.current.plan
    assert first is not None and first.top is not None
    put(house, top=4)
    put(house, top=5)
    again = session.current.plan
    assert again is not None and again.top == first.top
    told = house.told()["plan"]
    # one number for headline, slider and map; that a larger top was drawn is said beside it
    assert told["protected_k"] == again.plan.protected_k >= again.top
    assert f"not among the first {told['protected_k']}" in told["headline"]
    assert "drawn in secret from 5 to 15" in told["proof"] and len(told["rivals"]) <= 5
    assert "among its first 5 guesses" in told["verdict"]


def test_a_wish_that_cannot_be_understood_changes_nothing(house: Served) -> None:
    before = house.told()
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
        answer = house.client.put("/api/wishes", json={**now, **wrong})
        assert answer.status_code == 400, (wrong, answer.text)
        assert list(answer.json()) == ["error"]
    for wrong in ({"top": 0}, {"top": "5"}, {"radius_km": -1}, {"unheard": 1}):
        answer = house.client.put("/api/wishes", json={**now, **wrong})
        assert answer.status_code == 422, (wrong, answer.text)
    after = house.told()
    assert after["wishes"] == now and after["undo"] == before["undo"]


def test_a_place_that_nobody_knows_comes_with_those_that_may_be_meant(house: Served) -> None:
    now = house.told()["wishes"]
    answer = house.client.put("/api/wishes", json={**now, "prior": "United Kingdomm"})
    assert answer.status_code == 400 and "no place is called" in answer.json()["error"]
    assert answer.json()["choices"] == ["United Kingdom"]
    mended = house.client.put("/api/wishes", json={**now, "prior": "United Kingdom"})
    assert mended.status_code == 200


def test_a_path_that_is_refused_is_told_of_the_field_that_it_was_typed_in(
    house: Served, album: Made, tmp_path: Path
) -> None:
    for wrong, field in (
        ({"target": str(album.folder / "inside")}, "target"),
        ({"target": "relative"}, "target"),
        ({"private": str(tmp_path / "copy" / "inside")}, "private"),
        ({"private": "relative"}, "private"),
    ):
        asked = {**copy_to(house, tmp_path / "copy"), **wrong}
        answer = house.client.post("/api/export", json=asked)
        assert answer.status_code == 400, answer.text
        assert answer.json()["field"] == field, answer.text
    assert not (tmp_path / "copy").exists()


def test_a_photo_that_is_public_already_counts_and_is_not_written(
    house: Served, tmp_path: Path
) -> None:
    told = house.settled()
    out = told["plan"]["withheld"][0]
    name = told["album"]["photos"][out]["id"]
    put(house, posted=[name])
    told = house.settled()
    photo = told["album"]["photos"][out]
    assert photo["state"] == "posted" and photo["posted"]
    assert out not in told["plan"]["withheld"] and told["plan"]["status"] == "optimal"
    assert any(f"({name}) is out already" in note for note in told["plan"]["notes"])
    refused = house.client.put("/api/wishes", json={**told["wishes"], "drop": [name]})
    assert refused.status_code == 400 and "cannot be dropped" in refused.json()["error"]
    asked = {**copy_to(house, tmp_path / "copy"), "names": "keep"}
    answer = house.client.post("/api/export", json=asked)
    assert house.events(answer.json()["job"])[-1] == {"done": True}
    written = {file.name for file in (tmp_path / "copy").iterdir()}
    kept = {told["album"]["photos"][n]["id"] for n in told["plan"]["kept"]}
    assert written == kept - {name}
    back = house.client.post("/api/undo").json()
    assert back["states"][out] == "withheld"


def test_what_is_public_already_may_have_to_be_taken_down(house: Served) -> None:
    everything = [photo["id"] for photo in house.told()["album"]["photos"]]
    answer = put(house, posted=everything[:-1], top=5, exact_top=True, each_photo=False)
    assert answer["plan"]["status"] == "infeasible"
    assert set(answer["states"][:-1]) == {"posted"}
    plan = house.settled()["plan"]
    assert plan["headline"].endswith("with what is public already, no plan hides that.")
    assert "Withholding cannot help any more" in plan["explanation"]
    assert "taking down" in plan["explanation"] and not plan["ways"]


def test_a_server_that_is_there_says_so_to_its_own_page_alone(house: Served) -> None:
    answer = house.client.get("/api/alive")
    assert answer.status_code == 204 and answer.content == b""
    assert house.stranger.get("/api/alive").status_code == 401


def test_what_cannot_be_done_is_said_with_its_reason(house: Served) -> None:
    everything = [photo["id"] for photo in house.told()["album"]["photos"]]
    answer = put(house, keep=everything, top=5, exact_top=True)
    assert answer["plan"]["status"] == "infeasible"
    assert set(answer["states"]) == {"kept"} and answer["audit_after"] == []
    events = house.events(answer["job"])
    assert "No plan can do this" in events[-2]["answer"]["plan"]["explanation"]
    assert events[-1] == {"done": True}
    export = house.client.post("/api/export", json=copy_to(house, "/nowhere/copy"))
    assert export.status_code == 400 and "no plan" in export.json()["error"]


def test_the_frontier_streams_in_with_greedy_beside_it(house: Served) -> None:
    with house.client.stream("GET", "/api/frontier") as answer:
        lines = [json.loads(line) for line in answer.iter_lines()]
    points = [line["point"] for line in lines if "point" in line]
    first = points[0]["withheld"]  # photos that give the place away alone must go in any case
    assert [point["withheld"] for point in points] == list(range(first, PHOTOS))
    ks = [point["protected_k"] for point in points]
    assert ks == sorted(ks)
    assert all(point["protected_k"] >= point["greedy_k"] for point in points if point["proved"])
    assert lines[-1] == {"done": True}
    greedy = [line["greedy"] for line in lines if "greedy" in line]
    assert greedy and greedy[0] >= len(house.told()["plan"]["withheld"])


def test_one_photo_and_the_map(house: Served) -> None:
    details = house.client.get("/api/photos/0").json()
    assert details["photo"]["n"] == 0 and len(details["guesses"]) == 5
    assert any(kind == "position" for kind, _ in details["leaks"])
    assert "London" in details["changes"][0]
    assert house.stranger.get(details["picture"]).status_code == 200
    belief = house.client.get("/api/guesses").json()
    assert len(belief["zone"]) >= 17 and len(belief["before"]) == 30
    assert belief["rank_after"] > belief["rank_before"]
    assert house.client.get("/api/photos/99").status_code == 400
    assert house.client.get("/api/photos/-1").status_code == 400


def test_the_copy_is_written_proved_verified_and_reported(
    house: Served, tmp_path: Path, album: Made
) -> None:
    target, private = tmp_path / "copy", tmp_path / "private"
    asked = {**copy_to(house, target), "private": str(private)}
    events = house.events(house.client.post("/api/export", json=asked).json()["job"])
    stages = [event["stage"] for event in events if "stage" in event]
    assert {"writing", "proving", "telling"} <= set(stages)
    exported = events[-2]["exported"]
    assert sorted(exported["files"]) == sorted(path.name for path in target.iterdir())
    assert len(exported["files"]) == len(house.told()["plan"]["kept"])
    assert Path(exported["certificate"]).is_relative_to(private)
    verified = house.events(house.client.post("/api/verify").json()["job"])[-2]["verified"]
    assert verified["holds"] and verified["files"] == len(exported["files"])
    link = house.client.get("/api/report").json()["url"]
    report = house.stranger.get(link)
    assert report.status_code == 200 and "London" in report.text
    policy = report.headers["content-security-policy"]
    assert "sandbox" in policy and "script" not in policy
    (target / exported["files"][0]).write_bytes(b"other")
    verified = house.events(house.client.post("/api/verify").json()["job"])[-2]["verified"]
    assert not verified["holds"] and verified["problems"]
    again = house.client.post("/api/export", json=asked)
    assert again.status_code == 400 and "exists" in again.json()["error"]
    inside = house.client.post("/api/export", json=copy_to(house, album.folder / "copy"))
    assert inside.status_code == 400
    assert house.client.post("/api/export", json=copy_to(house, "copy")).status_code == 400


def test_no_other_plan_is_written_than_the_one_that_was_seen(house: Served, tmp_path: Path) -> None:
    asked = copy_to(house, tmp_path / "copy")
    put(house, top=1, exact_top=True, margin="none")
    late = house.client.post("/api/export", json=asked)
    assert late.status_code == 409 and "look, and try again" in late.json()["error"]
    assert not (tmp_path / "copy").exists() and house.told()["exported"] is None
    assert house.client.post("/api/export", json={"target": "/x"}).status_code == 422


def test_an_album_is_not_taken_away_under_its_copy(
    house: Served, tmp_path: Path, album: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, real = threading.Event(), write_report

    def slowly(*args: Any, **more: Any) -> Path:
        assert go_on.wait(20)
        return real(*args, **more)

    monkeypatch.setattr("elsewhere.service.report.write_report", slowly)
    asked = copy_to(house, tmp_path / "copy")
    job = house.client.post("/api/export", json=asked).json()["job"]
    for answer in (
        house.client.delete("/api/albums"),
        house.client.post("/api/albums", json={"paths": [str(album.folder)]}),
        house.client.post("/api/uploads", files=[("files", ("a.jpg", picture(1)))]),
        house.client.post("/api/export", json={**asked, "target": str(tmp_path / "other")}),
    ):
        assert answer.status_code == 409 and "being written" in answer.json()["error"]
    assert [one["id"] for one in house.told()["jobs"]] == [job["id"]], "a reload finds it"
    go_on.set()
    assert house.events(job)[-1] == {"done": True}
    assert house.told()["exported"] is not None


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        (FileError("the disk is full: make room"), "the disk is full: make room"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_a_copy_is_there_though_its_report_fails(
    house: Served,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    problem: Exception,
    reason: str,
) -> None:
    def fail(*_: Any, **__: Any) -> Path:
        raise problem

    monkeypatch.setattr("elsewhere.service.report.write_report", fail)
    job = house.client.post("/api/export", json=copy_to(house, tmp_path / "copy")).json()["job"]
    events = house.events(job)
    assert events[-1] == {"done": True}
    exported = next(event["exported"] for event in events if "exported" in event)
    assert exported == house.told()["exported"] and (tmp_path / "copy").is_dir()
    assert exported["report"] is None and exported["reproved"] > 0
    note = exported["notes"][-1]
    assert "written and proved" in note and "report is not there" in note and reason in note
    assert house.client.get("/api/report").status_code == 404
    verified = house.events(house.client.post("/api/verify").json()["job"])
    assert verified[-1] == {"done": True}
    assert next(event["verified"] for event in verified if "verified" in event)["holds"]


def test_a_link_to_a_report_shows_no_other_one(house: Served, tmp_path: Path) -> None:
    links = []
    for name in ("one", "two"):
        asked = copy_to(house, tmp_path / name)
        house.events(house.client.post("/api/export", json=asked).json()["job"])
        links.append(house.client.get("/api/report").json()["url"])
    assert house.stranger.get(links[1]).status_code == 200
    assert house.stranger.get(links[0]).status_code == 404
    house.client.delete("/api/albums")
    assert house.stranger.get(links[1]).status_code == 404


def test_a_link_to_a_picture_of_a_closed_album_shows_nothing(house: Served, album: Made) -> None:
    link = house.told()["album"]["photos"][0]["thumb"]
    house.open(album.folder)
    assert house.stranger.get(link).status_code == 404


def test_a_proof_lets_the_answer_be_painted_first(
    house: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, proofs = house.workspace.session, []
    monkeypatch.setattr(session, "prove", lambda *_: proofs.append(1))
    monkeypatch.setattr(workspace, "PROOF_DELAY", 30.0)
    waiting = house.workspace._start_proof(session, unproved(session.current))
    assert waiting is not None
    job = house.workspace.jobs.get(waiting.id)
    assert job is not None and not job.ended
    job.cancel()  # whoever clicks meanwhile does not wait for it either
    job.join(10)
    assert job.state == "cancelled" and proofs == []
    monkeypatch.setattr(workspace, "PROOF_DELAY", 0.0)
    going_on = house.workspace._start_proof(session, unproved(session.current))
    assert going_on is not None
    house.events(going_on.model_dump())
    assert proofs == [1]


def test_a_refused_wish_does_not_end_the_proof(house: Served) -> None:
    entry = house.workspace.session.current
    session = house.workspace.session
    session._answers[session._position] = unproved(entry)
    refused = house.client.put("/api/wishes", json={**house.told()["wishes"], "hide": ["Atlantis"]})
    assert refused.status_code == 400
    assert house.settled()["plan"]["proved"]


def test_nothing_of_a_closed_album_stays_in_memory(album: Made) -> None:
    workspace = Workspace(Keys(), scorers=[album.scorer], use_ledger=False)
    job = workspace.open([album.folder])
    job.join(60)
    start_frontier(workspace).join(30)
    session = weakref.ref(workspace.session)
    workspace.close()
    gc.collect()
    assert session() is None and workspace.jobs.get(job.id) is None


def test_a_loop_of_links_is_no_folder(house: Served, tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    odd = [str(loop), f"/{'x' * 300}", "/dev/null/x", "/proc/self/x", "/a\nb", "~nobody-here/x"]
    for path in odd:
        told = house.client.post("/api/albums", json={"paths": [path]})
        if told.status_code == 200:
            assert "error" in house.events(told.json()["job"])[-1]
        assert told.status_code < 500
        assert house.client.get("/api/folders").status_code == 200, path
    house.workspace._paths = (loop,)
    assert house.client.get("/api/folders").status_code == 200
    for path in odd:
        asked = {"target": path, "version": 0}
        assert 400 <= house.client.post("/api/export", json=asked).status_code < 500


def test_dropped_photos_are_read_and_then_forgotten(house: Served) -> None:
    names = ["IMG_0000.jpg", "../../IMG_0001.jpg", "trip/IMG_0002.jpg", "notes.txt"]
    files = [
        ("files", (name, picture(number) if name.endswith("jpg") else b"hello"))
        for number, name in enumerate(names)
    ]
    answer = house.client.post("/api/uploads", files=files)
    assert answer.status_code == 200, answer.text
    house.events(answer.json()["job"])
    told = house.settled()
    assert told["album"]["name"] == "photos", "no name of a temporary folder"
    assert sorted(photo["id"] for photo in told["album"]["photos"]) == [
        "IMG_0000.jpg",
        "IMG_0001.jpg",
        "trip/IMG_0002.jpg",
    ]
    assert [left["name"] for left in told["album"]["left"]] == ["notes.txt"]
    assert house.workspace._upload is not None
    folder = house.workspace._upload.folder.parent
    assert folder.stat().st_mode & 0o777 == 0o700
    assert house.client.delete("/api/albums").json()["stage"] == "empty"
    assert not folder.exists()
    assert house.client.get("/api/photos/0").status_code == 400


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "a/../../b", "..\\..\\c", ".", "", "a\0b", "x" * 5000, "ü" * 400]
)
def test_a_dropped_name_leads_nowhere(name: str) -> None:
    found = safe_parts(name)
    assert found and all(part.strip(".") and not set(part) & set("/\\\0") for part in found)
    assert all(len(os.fsencode(part)) <= 130 for part in found)


def test_a_reload_hears_a_job_from_its_start(house: Served, album: Made) -> None:
    answer = house.client.post("/api/albums", json={"paths": [str(album.folder)]})
    job = answer.json()["job"]
    first, second = house.events(job), house.events(job)
    for events in (first, second):
        laid = [event["photo"] for event in events if "photo" in event]
        assert [photo["n"] for photo in laid] == list(range(PHOTOS))
        assert events[-1] == {"done": True}
        assert all(house.stranger.get(photo["thumb"]).status_code == 200 for photo in laid)
    assert house.client.get("/api/jobs/none/events").status_code == 404


def test_what_fails_is_told(house: Served, tmp_path: Path) -> None:
    answer = house.client.post("/api/albums", json={"paths": [str(tmp_path / "nothing")]})
    events = house.events(answer.json()["job"])
    assert "does not exist" in events[-1]["error"]
    told = house.told()
    assert told["stage"] == "failed" and "does not exist" in told["error"]
    (tmp_path / "empty").mkdir()
    answer = house.client.post("/api/albums", json={"paths": [str(tmp_path / "empty")]})
    assert "no photo" in house.events(answer.json()["job"])[-1]["error"]
    told = house.told()
    assert told["error"] and told["nothing"]["sentence"] == "There is no file in empty."
    (tmp_path / "empty" / "cut.jpg").write_bytes(b"\xff\xd8 and no more")
    answer = house.client.post("/api/albums", json={"paths": [str(tmp_path / "empty")]})
    house.events(answer.json()["job"])
    (file,) = house.told()["nothing"]["files"]
    assert file["name"] == "cut.jpg" and file["lost"] and file["reason"]
    assert str(tmp_path) not in house.client.get("/api/table").text
    assert house.client.post("/api/albums", json={"paths": ["relative"]}).status_code == 400
