"""Photos that are edited instead of withheld: searched in the job, drawn by hand, shown."""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from elsewhere.app.sessions.edits import AlbumEdits
from elsewhere.service import (
    ScoredAlbum,
    Threat,
    Workers,
    edit_planning,
    render_versions,
)
from elsewhere.values.versions import (
    DEFAULT_WEIGHTS,
    Edit,
    Rectangle,
    ScoredVersion,
    edit_cost,
)
from tests.app.server import RunningServer

SKY = Edit(crop=Rectangle(0, 250, 1000, 1000))
SMALL = Fraction(1, 20)
"""A drawn edit that loses less hides nothing."""


class PretendedSearch:
    """Finds one edit for each photo that hides the place well, without looking at a pixel."""

    asked: list[tuple[int, tuple[Edit, ...]]]
    telling: set[int]
    """The photos whose edits a second model finds out, among all that are shared."""

    def __init__(
        self, scored: ScoredAlbum, threats: Sequence[Threat], *, kind: str = "both", **_: Any
    ) -> None:
        self._scored, self._threats, self._kind = scored, threats, kind

    def __enter__(self) -> PretendedSearch:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def find_telling_edit(
        self, shared: Mapping[int, Edit | None], *_: Any, **__: Any
    ) -> int | None:
        edited = [n for n, edit in shared.items() if edit is not None]
        return next((n for n in edited if n in self.telling), None)

    def versions(
        self, number: int, *, wanted: Sequence[Edit] = (), **_: Any
    ) -> tuple[ScoredVersion, ...]:
        self.asked.append((number, tuple(wanted)))
        as_it_is = self._scored.models[0].scores.values[number]
        found = [ScoredVersion(None, Fraction(0), (as_it_is,))]
        for edit in [*wanted, *([] if self._kind == "none" else [SKY])]:
            row = np.array(as_it_is)
            if DEFAULT_WEIGHTS.loss(edit) > SMALL:
                row[self._threats[0].zone.cells] -= 30.0
            found.append(ScoredVersion(edit, edit_cost(DEFAULT_WEIGHTS.loss(edit)), (row,), (row,)))
        return tuple(found)


@pytest.fixture(autouse=True)
def search(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[PretendedSearch]]:
    monkeypatch.setattr(PretendedSearch, "asked", [], raising=False)
    monkeypatch.setattr(PretendedSearch, "telling", set(), raising=False)
    monkeypatch.setattr(edit_planning, "EditSearch", PretendedSearch)
    monkeypatch.setattr("elsewhere.app.sessions.edits.EditSearch", PretendedSearch)
    yield PretendedSearch


def put(server: RunningServer, **wishes: Any) -> dict[str, Any]:
    """Wish, and wait until nothing goes on."""
    answer = server.client.put("/api/wishes", json={**server.state()["wishes"], **wishes})
    assert answer.status_code == 200, answer.text
    return server.final_state()


def states(state: dict[str, Any]) -> list[str]:
    return [photo["state"] for photo in state["album"]["photos"]]


def picture(server: RunningServer, link: str) -> Image.Image:
    answer = server.client.get(link)
    assert answer.status_code == 200 and answer.headers["content-type"] == "image/jpeg"
    return Image.open(io.BytesIO(answer.content))


def test_withheld_photos_are_edited_while_one_watches(
    server: RunningServer, search: type[PretendedSearch]
) -> None:
    before = server.state()
    withheld = before["plan"]["withheld"]
    assert before["edits"] == [] and before["plan"]["counts"] == "" and not search.asked
    answer = server.client.put("/api/wishes", json={**before["wishes"], "edits": "both"}).json()
    events = server.events(answer["job"])
    searched = [event["name"] for event in events if event.get("stage") == "planning"]
    ids = [photo["id"] for photo in before["album"]["photos"]]
    assert searched[-1] in ids and set(searched) <= {ids[n] for n in withheld}
    assert [number for number, _ in search.asked][: len(withheld)] == withheld
    after = server.final_state()
    edited = [edit["n"] for edit in after["edits"]]
    assert edited and len(after["plan"]["withheld"]) < len(withheld)
    assert [n for n, state in enumerate(states(after)) if state == "edited"] == edited
    count = 12 - len(after["plan"]["withheld"])
    told = f"{count} of 12 photos shared, {len(edited)} of them cropped or covered (25\u00a0% of"
    assert after["plan"]["counts"].startswith(told)
    assert f"crop or cover {len(edited)}" in after["plan"]["headline"]
    for n in edited:
        assert after["edits"][0]["crop"] == [0, 250, 1000, 1000]
        details = server.client.get(f"/api/photos/{n}").json()
        assert details["proposal"]["n"] == n and details["proposal"]["lost"] == 0.25


def test_an_edited_photo_is_shown_as_it_would_go_out(server: RunningServer) -> None:
    state = put(server, edits="both")
    edit = state["edits"][0]
    photo = state["album"]["photos"][edit["n"]]
    shown = picture(server, edit["picture"])
    assert shown.width == photo["width"] and shown.height < 0.8 * photo["height"]
    assert picture(server, edit["thumb"]).width <= 320
    assert picture(server, photo["thumb"]).height > picture(server, edit["thumb"]).height
    path, _, signature = edit["picture"].partition("?")
    assert server.outsider.get(f"{path}0?{signature}").status_code in {401, 403, 404}


def test_undo_and_redo_need_no_other_search(
    server: RunningServer, search: type[PretendedSearch]
) -> None:
    first = server.state()
    edited = put(server, edits="both")
    asked = len(search.asked)
    server.client.post("/api/undo")
    back = server.final_state()
    assert back["edits"] == [] and back["plan"]["withheld"] == first["plan"]["withheld"]
    server.client.post("/api/redo")
    again = server.final_state()
    assert [edit["n"] for edit in again["edits"]] == [edit["n"] for edit in edited["edits"]]
    assert len(search.asked) == asked


def test_a_photo_can_be_wanted_as_it_is_or_withheld_instead(server: RunningServer) -> None:
    state = put(server, edits="both")
    ids = [photo["id"] for photo in state["album"]["photos"]]
    n = state["edits"][0]["n"]
    whole = put(server, as_is=[ids[n]])
    assert n not in [edit["n"] for edit in whole["edits"]]
    assert states(whole)[n] in {"shared", "withheld"}
    dropped = put(server, as_is=[], drop=[ids[n]])
    assert n not in [edit["n"] for edit in dropped["edits"]] and states(dropped)[n] == "dropped"


def test_a_drawn_edit_is_scored_at_once_and_taken_as_it_is(
    server: RunningServer, search: type[PretendedSearch]
) -> None:
    state = put(server, edits="both")
    ids = [photo["id"] for photo in state["album"]["photos"]]
    n = state["edits"][0]["n"]
    search.asked.clear()
    drawn = {"crop": None, "covers": [[200, 300, 800, 700]]}
    answer = server.client.put(
        "/api/wishes", json={**state["wishes"], "rectangles": {ids[n]: drawn}}
    ).json()
    assert search.asked[0] == (n, (Edit(covers=(Rectangle(200, 300, 800, 700),)),))
    (edit,) = [edit for edit in answer["edits"] if edit["n"] == n]
    assert edit["drawn"] and edit["covers"] == drawn["covers"] and edit["crop"] is None
    server.final_state()
    weak = put(server, rectangles={ids[n]: {"crop": None, "covers": [[0, 0, 90, 90]]}})
    assert states(weak)[n] == "withheld", "it is shared as drawn or not at all"
    details = server.client.get(f"/api/photos/{n}").json()
    assert details["proposal"]["covers"] == [[0, 0, 90, 90]]
    back = put(server, rectangles={})
    assert [edit["n"] for edit in back["edits"]] == [edit["n"] for edit in state["edits"]]


def test_an_edit_that_a_second_model_finds_out_is_taken_back(
    server: RunningServer, search: type[PretendedSearch]
) -> None:
    state = put(server, edits="both")
    first, *others = [edit["n"] for edit in state["edits"]]
    search.telling.add(first)
    ids = [photo["id"] for photo in state["album"]["photos"]]
    # a click plans with the versions that are known, and they are confirmed anew
    drawn = {"crop": None, "covers": [[200, 300, 800, 700]]}
    after = put(server, rectangles={ids[first]: drawn}, edits="none")
    assert after["edits"] == [] and states(after)[first] == "withheld"
    back = put(server, rectangles={}, edits="both")
    assert first not in [edit["n"] for edit in back["edits"]]
    assert others


def test_edits_that_were_not_confirmed_together_are_not_exported(
    server: RunningServer,
    search: type[PretendedSearch],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put(server, edits="both")
    monkeypatch.setattr(AlbumEdits, "search", lambda *_, **__: None)  # a click comes before it
    state = put(server, top=4)
    assert state["edits"]
    search.telling.update(range(12))
    asked = {"version": state["plan"]["version"], "target": str(tmp_path / "out")}
    answer = server.client.post("/api/export", json={**asked, "private": str(tmp_path / "mine")})
    told = str(server.events(answer.json()["job"]))
    assert "another model still finds the place in all photos together" in told
    assert not (tmp_path / "out").exists()


class RenderingSearch(PretendedSearch):
    """Renders what is wanted by real workers first."""

    def __init__(
        self, scored: ScoredAlbum, threats: Sequence[Threat], *, workers: Workers, **settings: Any
    ) -> None:
        super().__init__(scored, threats, **settings)
        self._workers = workers

    def versions(
        self, number: int, *, wanted: Sequence[Edit] = (), **settings: Any
    ) -> tuple[ScoredVersion, ...]:
        album = self._scored.album
        assert album.spool is not None
        for rendition in render_versions(
            self._scored.photos[number],
            wanted,
            workers=self._workers,
            spool=album.spool,
            recipe=album.recipe,
        ):
            assert rendition is not None
            rendition.forget()
        return super().versions(number, wanted=wanted, **settings)


def test_a_click_while_a_drawn_edit_is_rendered_leaves_the_next_edits_working(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elsewhere.app.sessions.edits.EditSearch", RenderingSearch)
    begun, may_end, ask = threading.Event(), threading.Event(), Workers.ask

    def slow_once(workers: Workers, *request: Any) -> Any:
        if not begun.is_set():
            begun.set()
            assert may_end.wait(60)
        return ask(workers, *request)

    monkeypatch.setattr(Workers, "ask", slow_once)
    state = server.state()
    ids = [photo["id"] for photo in state["album"]["photos"]]
    n = state["plan"]["withheld"][0]
    first, second = ({"crop": None, "covers": [[0, 0, right, 800]]} for right in (800, 900))
    for drawn in (first, second):
        wishes = {**state["wishes"], "rectangles": {ids[n]: drawn}}
        answer = server.client.put("/api/wishes", json=wishes)
        assert answer.status_code == 200, answer.text
        assert begun.wait(60)
    may_end.set()
    after = server.final_state()
    assert [edit["covers"] for edit in after["edits"]] == [second["covers"]]
    assert (
        picture(server, after["edits"][0]["picture"]).width == state["album"]["photos"][n]["width"]
    )


@pytest.mark.parametrize(
    ("wishes", "status", "told"),
    [
        ({"as_is": ["nobody.jpg"]}, 400, "no photo is called"),
        ({"rectangles": {"nobody.jpg": {"covers": [[0, 0, 9, 9]]}}}, 400, "no photo is called"),
        ({"rectangles": {"IMG_0000.jpg": {"covers": [[9, 0, 9, 9]]}}}, 400, "is empty"),
        ({"rectangles": {"IMG_0000.jpg": {}}}, 400, "give it a rectangle"),
        ({"rectangles": {"IMG_0000.jpg": {"crop": [0, 0, 1001, 9]}}}, 422, "1000"),
        ({"rectangles": {"IMG_0000.jpg": {"crop": [0, 0, 9]}}}, 422, ""),
        ({"edits": "blur"}, 422, "both"),
    ],
)
def test_edits_that_cannot_be_are_refused(
    server: RunningServer, wishes: dict[str, Any], status: int, told: str
) -> None:
    answer = server.client.put("/api/wishes", json={**server.state()["wishes"], **wishes})
    assert answer.status_code == status and told in answer.text


def frontier(server: RunningServer) -> list[dict[str, Any]]:
    with server.client.stream("GET", "/api/frontier") as answer:
        return [json.loads(line) for line in answer.iter_lines()]


def test_the_frontier_of_a_plan_with_edits_is_one_of_losses(server: RunningServer) -> None:
    assert server.state()["plan"]["loss"] is None
    assert {event["point"].get("loss") for event in frontier(server) if "point" in event} == {None}
    plan = put(server, edits="both")["plan"]
    assert len(plan["withheld"]) < plan["loss"] == plan["cost"]
    events = frontier(server)
    assert not any("greedy" in event or "exactly" in event for event in events), "they are photos"
    points = [event["point"] for event in events if "point" in event]
    losses = [point["loss"] for point in points]
    assert losses == sorted(set(losses)) and any(loss % 1 for loss in losses)
    assert len({point["withheld"] for point in points}) < len(points), "as many, for less or more"
    reached = max(point["protected_k"] for point in points if point["loss"] <= 2)
    within = put(server, budget=2)["plan"]
    assert within["loss"] <= 2 and within["protected_k"] >= reached > 0
