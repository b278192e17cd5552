"""An album of thirty places: every click is answered at once, however long its plan takes."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from elsewhere.app.api import models
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import planning, presenter, workspace
from elsewhere.app.sessions.album_jobs import start_frontier
from elsewhere.app.sessions.jobs import AppJob, CancelledError, Jobs
from elsewhere.app.sessions.photo_index import PhotoIndex
from elsewhere.app.sessions.planning import PlanningSession
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.errors import InputError
from elsewhere.globe import Cells
from elsewhere.service import ScoredAlbum, plan_album
from tests.service.makers import NOON, Stay, attack, photo, seen, trip

TOWNS, PHOTOS = 30, 400
CLICK, SLOWEST_CLICK = 0.1, 0.5
"""Seconds of a processor for a click, without the moment in which a plan may come."""
PATIENCE = 100.0
"""Seconds after which something would never come, however busy the machine is."""


@pytest.fixture(scope="module")
def many() -> ScoredAlbum:
    """Thirty towns, each telling by its own photos: more than any solver plans in a moment."""
    leaves, rng = Cells.leaves(), np.random.default_rng(5)
    lats, lons = leaves.points
    towns = rng.choice(leaves.count, TOWNS, replace=False)
    photos, rows = [], np.empty((PHOTOS, leaves.count), np.float32)
    for number in range(PHOTOS):
        town = int(towns[number % TOWNS])
        near = np.exp(-((lats - lats[town]) ** 2 + (lons - lons[town]) ** 2) / 8)
        row = rng.normal(scale=1.5, size=leaves.count) + rng.uniform(1, 8) * near
        rows[number] = row - np.log(np.exp(row).sum())
        where = float(lats[town]), float(lons[town])
        photos.append(photo(f"IMG_{number:04}.jpg", where, NOON + timedelta(hours=number)))
    ids = [one.id for one in photos]
    return seen(photos, attack(rows, ids, "embedded", globe=leaves))


@pytest.fixture
def opened(many: ScoredAlbum, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """A workspace with the album, just opened, and requests as impatient as they are."""
    monkeypatch.setattr(workspace, "ANSWER_SECONDS", 0.08)
    space = Workspace(Keys(), use_ledger=False)
    session = PlanningSession(many, b"key")
    session.begin(models.WishesModel())
    space._session, space._stage = session, "ready"
    yield space
    space.jobs.close()  # not the album, whose spool is that of all made-up ones


def test_every_click_is_answered_at_once(opened: Workspace) -> None:
    session = opened.session
    labels = [place.label for place in session.current.places.places]
    assert len(labels) == TOWNS
    base = models.WishesModel()
    clicks = [base]
    clicks += [base.model_copy(update={"hide": labels[:n]}) for n in (29, 28, 27, 2)]
    clicks += [clicks[-1].model_copy(update={"keep": [f"IMG_{n:04}.jpg"]}) for n in (0, 31)]
    seconds = []
    for wishes in clicks:
        start = time.thread_time()
        answer = opened.wish(wishes)
        seconds.append(time.thread_time() - start)
        assert answer.wishes == wishes
        hidden = [place.label for place in answer.places if place.hidden]
        assert hidden == (labels if wishes.hide == ["all"] else wishes.hide)
        if answer.pending:  # no verdict is better than one for other wishes
            assert answer.plan is None and answer.job is not None and not answer.audit_after
        start = time.thread_time()
        state = opened.state()
        seconds.append(time.thread_time() - start)
        assert state.pending == (state.plan is None)
    start = time.thread_time()
    undone = opened.step(-1)
    seconds.append(time.thread_time() - start)
    assert undone.wishes == clicks[-2]
    assert statistics.median(seconds) <= CLICK, seconds
    assert max(seconds) <= SLOWEST_CLICK, seconds


def test_what_is_looked_for_is_stopped_at_once_and_can_be_looked_for_again(
    opened: Workspace,
) -> None:
    answer = opened.wish(models.WishesModel())
    assert answer.pending and answer.job is not None
    job = opened.jobs.get(answer.job.id)
    assert job is not None
    start = time.process_time()
    job.cancel()
    job.join(PATIENCE)
    assert job.state == "cancelled" and time.process_time() - start < 2.0
    assert opened.state().pending and not opened.state().jobs
    again = opened.wish(models.WishesModel())
    assert again.job is not None and again.job.id != job.id


def test_a_plan_that_comes_late_is_published_and_counts(
    opened: Workspace, many: ScoredAlbum, monkeypatch: pytest.MonkeyPatch
) -> None:
    solve = plan_album
    go = threading.Event()

    def slow(*args: object, **more: object) -> object:
        assert go.wait(PATIENCE)
        return solve(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(planning, "plan_album", slow)
    monkeypatch.setattr(PlanningSession, "prove", lambda *_: None)
    label = opened.session.current.places.places[0].label
    wishes = models.WishesModel(hide=[label], each_photo=False, top=1, exact_top=True)
    answer = opened.wish(wishes)
    assert answer.pending and answer.job is not None
    with pytest.raises(InputError, match="still being looked for"):
        start_frontier(opened)
    go.set()
    job = opened.jobs.get(answer.job.id)
    assert job is not None
    job.join(PATIENCE)
    current = opened.session.current
    assert not current.pending and current.plan is not None
    assert current.version > 0 and opened.state().plan is not None


def test_wishes_that_are_refused_late_are_taken_back(
    opened: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, go = opened.state(), threading.Event()

    def refuse(*args: object, **more: object) -> object:
        assert go.wait(PATIENCE)
        raise InputError("that cannot be")

    monkeypatch.setattr(planning, "plan_album", refuse)
    answer = opened.wish(models.WishesModel(top=7))
    assert answer.pending and answer.job is not None
    go.set()
    job = opened.jobs.get(answer.job.id)
    assert job is not None
    job.join(PATIENCE)
    after = opened.state()
    assert job.state == "failed" and after.wishes == before.wishes
    assert after.undo.turn > answer.undo.turn, "the page must see that it changed"


def test_a_loop_that_checks_nothing_is_interrupted() -> None:
    begun = threading.Event()

    def work(job: AppJob) -> None:
        with job.interruptible():
            begun.set()
            while True:
                sum(range(1000))

    jobs = Jobs()
    job = jobs.start("proof", work)
    assert begun.wait(PATIENCE)
    job.cancel()
    job.join(PATIENCE)
    assert job.state == "cancelled"


def test_nothing_is_interrupted_after_its_work() -> None:
    left, go = threading.Event(), threading.Event()
    finished = []

    def work(job: AppJob) -> None:
        try:
            with job.interruptible():
                pass
            left.set()
            assert go.wait(PATIENCE)
            finished.append(sum(range(100_000)))
        except CancelledError:
            finished.append(-1)

    job = Jobs().start("proof", work)
    assert left.wait(PATIENCE)
    job.cancel()
    go.set()
    job.join(PATIENCE)
    assert finished == [sum(range(100_000))]


SERVER = """
import sys, threading, time
from elsewhere.app.api import server
from elsewhere.app.sessions.workspace import Workspace
def busy(job):
    with job.interruptible():
        while True:
            sum(range(1000))
real = Workspace.__init__
def made(self, *args, **more):
    real(self, *args, **more)
    self.jobs.start("proof", busy)
Workspace.__init__ = made
server.serve(browser=False, cache=False, echo=lambda text: print(text, flush=True))
"""


def processor_seconds(process: int) -> float:
    told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="counts processor time in /proc")
def test_ctrl_c_ends_a_busy_server_within_two_seconds(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as process:
        try:
            assert process.stdout is not None and "elsewhere is at" in process.stdout.readline()
            process.stdout.readline()
            start = processor_seconds(process.pid)
            process.send_signal(signal.SIGINT)
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            assert processor_seconds(process.pid) - start < 2.0
        finally:
            process.kill()


def test_places_are_a_list_by_danger_with_a_likely_home_and_the_headline_one_sentence() -> None:
    stays = [Stay("Lisbon", 4, 0), Stay("Porto", 6, 3), Stay("Paris", 5, 5), Stay("Rome", 3, 9)]
    album = trip([*stays, Stay("Porto", 2, 6)], seed=4)
    session = PlanningSession(album, b"key")
    wishes = models.WishesModel(scorers=["made-up 0"], each_photo=False)
    answer = session.wish(wishes, 5.0)
    places = presenter.answer_model(session, answer, PhotoIndex(Keys(), 1)).places
    ranks = [place.rank for place in places]
    assert None not in ranks and ranks == sorted(ranks, key=lambda rank: rank or 0)
    assert [place.label.split(",")[0] for place in places if place.home] == ["Porto"]
    plan = presenter.plan_model(answer)
    assert plan is not None and "4 places" in plan.headline
    assert not any(place.label in plan.headline for place in places)
    assert len(plan.headline) < 220 and plan.headline.count(".") == 1
    only = session.wish(wishes.model_copy(update={"hide": [places[0].label]}), 5.0)
    later = presenter.answer_model(session, only, PhotoIndex(Keys(), 1)).places
    assert {place.label: place.rank for place in later} == {p.label: p.rank for p in places}
