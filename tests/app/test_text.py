"""Text in the app: plans come first, the text is read beside them, and exports wait for it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from elsewhere.album import Photo
from elsewhere.app.api.models import ExportRequestModel
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import presenter, workspace
from elsewhere.app.sessions.album_jobs import start_export, start_frontier, start_prices
from elsewhere.app.sessions.planning import PlannedAnswer
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import FileError, InputError
from elsewhere.text.understanding import understand
from elsewhere.values.photo_text import PhotoText, TextBox, TextLine
from tests.app.server import Made


class Reading:
    """Texts that are there once somebody lets them be."""

    def __init__(self) -> None:
        self.may_end = threading.Event()
        self.said: dict[int, str] = {}
        self.fails = False

    def __call__(self, photos: Sequence[Photo], **settings: Any) -> dict[str, PhotoText]:
        assert self.may_end.wait(60)
        if self.fails:
            raise FileError("the disk is full")
        found = {photo.id: PhotoText(photo.id) for photo in photos}
        for number, text in self.said.items():
            name = photos[number].id
            found[name] = understand(name, [TextLine(text, 0.99, TextBox(0, 0, 30, 10))])
        return found


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Reading:
    made = Reading()
    monkeypatch.setattr(workspace, "read_texts", made)
    return made


@pytest.fixture
def space(album: Made, reading: Reading) -> Iterator[Workspace]:
    made = Workspace(Keys(), scorers=[album.scorer], use_ledger=False, read_text=True)
    made.open([album.folder]).join(60)
    yield made
    reading.may_end.set()
    made.close(force=True)


def finish(space: Workspace, reading: Reading) -> None:
    jobs = space.jobs.running("text")
    reading.may_end.set()
    for job in jobs:
        job.join(60)
    for job in space.jobs.running("proof"):
        job.join(60)


def shared(space: Workspace) -> int:
    plan = space.session.current.feasible_plan
    assert plan is not None
    return plan.plan.kept[0]


def test_a_plan_is_there_before_the_text_is_read(space: Workspace, reading: Reading) -> None:
    state = space.state()
    assert state.plan is not None and "text" in [job.kind for job in state.jobs]
    number = shared(space)
    town = space.session.current.places.places[0].label.partition(",")[0]
    reading.said[number] = town
    before = state.plan.version
    finish(space, reading)
    after = space.state()
    assert after.plan is not None and after.plan.version > before
    assert number in after.plan.withheld
    assert "with readable names near it" in after.plan.verdict
    assert "text" not in [job.kind for job in after.jobs]
    (line,) = presenter.photo_details_model(space.session, number, space.index).texts
    assert line.telling and line.words == f"“{town}”" and line.box is not None


def test_text_that_says_nothing_changes_no_plan(space: Workspace, reading: Reading) -> None:
    before = space.state().plan
    reading.said[shared(space)] = "OPEN"
    finish(space, reading)
    after = space.state().plan
    assert before is not None and after is not None
    assert (before.version, before.withheld) == (after.version, after.withheld)


def test_an_undone_plan_is_made_again_with_the_text(space: Workspace, reading: Reading) -> None:
    session = space.session
    number = shared(space)
    wishes = session.current.wishes
    space.wish(wishes.model_copy(update={"margin": "none"}))
    reading.said[number] = session.current.places.places[0].label.partition(",")[0]
    finish(space, reading)
    space.step(-1)
    for job in space.jobs.running("proof"):
        job.join(60)
    assert session.current.wishes == wishes
    plan = session.current.plan
    assert plan is not None and number in plan.plan.withheld


def test_an_export_waits_for_the_text(space: Workspace, reading: Reading, tmp_path: Path) -> None:
    plan = space.state().plan
    assert plan is not None
    number = shared(space)
    reading.said[number] = space.session.current.places.places[0].label.partition(",")[0]
    request = ExportRequestModel(
        version=plan.version, target=str(tmp_path / "copy"), private=str(tmp_path / "mine")
    )
    job = start_export(space, request)
    assert not job.ended
    finish(space, reading)
    job.join(60)
    assert job.state == "failed" and not (tmp_path / "copy").exists()


def test_no_copy_is_written_where_reading_failed(
    space: Workspace, reading: Reading, tmp_path: Path
) -> None:
    reading.fails = True
    plan = space.state().plan
    assert plan is not None
    request = ExportRequestModel(
        version=plan.version, target=str(tmp_path / "copy"), private=str(tmp_path / "mine")
    )
    waiting = start_export(space, request)
    finish(space, reading)
    waiting.join(60)
    assert waiting.state == "failed" and not (tmp_path / "copy").exists()
    state = space.state()
    assert state.reading == "failed"
    assert state.reading_problem == (
        "The text on the photos could not be read (the disk is full), and a sign may name the "
        "place: read it again, or go on without reading it."
    )
    with pytest.raises(InputError, match="read it again, or go on without"):
        start_export(space, request)
    reading.fails = False
    reading.may_end.clear()
    space.read_text(wanted=True)
    assert space.state().reading == "reading"
    finish(space, reading)
    assert space.state().reading == "read" and space.state().reading_problem == ""
    start_export(space, request).join(60)
    assert (tmp_path / "copy").is_dir()


def test_a_person_may_go_on_without_reading(
    space: Workspace, reading: Reading, tmp_path: Path
) -> None:
    reading.fails = True
    finish(space, reading)
    space.read_text(wanted=False)
    plan = space.state().plan
    assert space.state().reading == "off" and plan is not None
    request = ExportRequestModel(
        version=plan.version, target=str(tmp_path / "copy"), private=str(tmp_path / "mine")
    )
    start_export(space, request).join(60)
    assert (tmp_path / "copy").is_dir()


def test_prices_and_the_frontier_are_worked_out_again_with_the_text(
    space: Workspace, reading: Reading
) -> None:
    for job in space.jobs.running("proof"):
        job.join(60)
    session = space.session
    before, label = session.current, session.current.places.places[0].label
    assert session.price(before, label, 5, lambda: False) is not None
    frontier, prices = start_frontier(space), start_prices(space)
    for number in range(len(before.scored.photos)):
        reading.said[number] = label.partition(",")[0]
    finish(space, reading)
    frontier.join(60)
    prices.join(60)
    assert session.price(session.current, label, 5, lambda: False) is None
    assert start_frontier(space) is not frontier


def test_an_export_is_of_the_plan_that_was_seen(
    space: Workspace, reading: Reading, tmp_path: Path
) -> None:
    """A proof that finds a better plan while text is read does not refuse the copy."""
    for job in space.jobs.running("proof"):
        job.join(60)
    session = space.session
    seen = session.current
    reading.said[shared(space)] = "OPEN"
    target = tmp_path / "copy"
    request = ExportRequestModel(
        version=seen.version, target=str(target), private=str(tmp_path / "mine")
    )
    job = start_export(space, request)
    assert seen.plan is not None
    better = seen.wishes.model_copy(update={"top": 1, "exact_top": True})
    session.wish(better)
    finish(space, reading)
    job.join(60)
    assert job.state == "done" and session.current.version > seen.version
    assert len(list(target.iterdir())) == len(seen.plan.plan.kept)


def test_a_plan_that_was_made_while_text_was_read_is_made_again(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = space.session
    answer = session.begin(session.current.wishes.model_copy(update={"budget": 1}))
    plan, texts = session._plan, {photo.id: PhotoText(photo.id) for photo in session.scored.photos}

    def read_meanwhile(answer: PlannedAnswer, seconds: float) -> PlannedAnswer:
        planned = plan(answer, seconds)
        session.add_texts(texts)
        return planned

    monkeypatch.setattr(session, "_plan", read_meanwhile)
    assert session.plan_first(answer, 5) is None
    monkeypatch.undo()
    assert session.current.pending and session.current.wishes == answer.wishes
    planned = session.plan_first(session.current, 5)
    assert planned is session.current and planned.scored.texts == texts


def test_wishes_are_refused_where_text_was_read_meanwhile(
    space: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = space.session
    before = session.current.wishes
    session.begin(before.model_copy(update={"budget": 1}))
    answer = session.add_texts({})
    assert answer is session.current and answer.pending

    def refuse(answer: PlannedAnswer, seconds: float) -> PlannedAnswer:
        raise InputError("there is no such place")

    monkeypatch.setattr(session, "_plan", refuse)
    with pytest.raises(InputError):
        session.plan_first(answer, 5)
    assert session.current.wishes == before and session.current.pending
