"""Albums that are opened again, with what was decided of them; private, and gone when asked."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from elsewhere.app.api import models
from elsewhere.app.security.keys import Keys
from elsewhere.app.sessions import presenter
from elsewhere.app.sessions.planning import PlanningSession
from elsewhere.app.sessions.workspace import Workspace
from elsewhere.service import recent_albums, remember_album
from elsewhere.service.private_files import delete_private_data, private_data, recent_file
from elsewhere.service.recent_albums import MAX_ALBUMS, RecentAlbum
from tests.app.server import Made
from tests.service.makers import Stay, trip


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ELSEWHERE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ELSEWHERE_CACHE_DIR", str(tmp_path / "cache"))


def opened(album: Made, *, remember: bool = True) -> Workspace:
    space = Workspace(Keys(), scorers=(album.scorer,), use_ledger=False, remember=remember)
    space.open([album.folder]).join(120)
    assert space.state().stage == "ready", space.state().error
    return space


@pytest.fixture
def decided(album: Made) -> Iterator[Workspace]:
    """An album with a photo pinned and one dropped, closed again."""
    space = opened(album)
    ids = [photo.id for photo in space.session.scored.photos]
    wishes = space.session.current.wishes
    space.wish(wishes.model_copy(update={"keep": ids[:1], "drop": ids[1:2], "each_photo": False}))
    space.close()
    yield space
    space.close(force=True)


def test_what_was_decided_is_there_tomorrow(album: Made, decided: Workspace) -> None:
    (known,) = decided.state().recent
    assert known.paths == [str(album.folder)] and known.photos == 12
    again = opened(album)
    try:
        state = again.state()
        assert len(state.wishes.keep) == len(state.wishes.drop) == 1 and not state.wishes.each_photo
        assert state.restored == known.day and not state.recent and state.remembered
        assert state.undo.can_undo, "the usual wishes are one step away"
        assert again.step(-1).wishes.keep == []
    finally:
        again.close(force=True)


def test_photos_that_are_gone_are_not_asked_for(album: Made, decided: Workspace) -> None:
    before = decided.memory.wishes([album.folder], (), [album.scorer])
    assert before is not None and before[0].keep == before[0].drop == []


def test_only_its_owner_can_read_it_and_it_is_forgotten_when_asked(decided: Workspace) -> None:
    file = recent_file()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    link = file.with_name("other name")
    link.hardlink_to(file)
    decided.memory.forget(decided.state().recent[0].paths)
    assert not decided.state().recent and not file.exists()
    assert not link.read_bytes().strip(b"\0"), "nothing of it is left on the disk"


def test_deleting_everything_deletes_it(decided: Workspace) -> None:
    assert private_data().albums and decided.state().recent
    delete_private_data()
    assert not recent_file().exists() and not private_data().albums and not decided.state().recent


def test_nothing_is_noted_where_nothing_is_to_be_kept(album: Made) -> None:
    space = opened(album, remember=False)
    assert not space.state().remembered
    space.close()
    assert not recent_file().exists() and not space.state().recent


def test_a_damaged_file_costs_the_memory_alone(album: Made, decided: Workspace) -> None:
    for content in (b"", b"{", b'[{"paths": 3}]', b"[" * 100_000):
        recent_file().write_bytes(content)
        assert recent_albums() == () and decided.memory.home() is None
    again = opened(album)
    again.close()
    assert len(recent_albums()) == 1


def test_the_latest_come_first_and_the_oldest_go() -> None:
    for number in range(MAX_ALBUMS + 3):
        remember_album(RecentAlbum((f"/{number}",), "", 1, "2026-05-31", "{}"))
    remember_album(RecentAlbum(("/9",), "again", 1, "2026-05-31", "{}"))
    known = recent_albums()
    assert len(known) == MAX_ALBUMS and known[0].name == "again" and known[1].paths == ("/14",)


def test_home_is_what_was_hidden_alone_before_or_where_most_days_were() -> None:
    album = trip([Stay("Lisbon", 4, 0), Stay("Porto", 6, 3), Stay("Porto", 2, 6)], seed=4)
    session = PlanningSession(album, b"key")
    answer = session.wish(models.WishesModel(scorers=["made-up 0"], each_photo=False), 5.0)
    homes = {place.label: place.home for place in presenter.place_models(answer)}
    assert homes == {"Porto, Portugal": "days", "Lisbon, Portugal": None}
    near = presenter.place_models(answer, said=(38.72, -9.2))
    assert {place.label: place.home for place in near}["Lisbon, Portugal"] == "said"
    far = presenter.place_models(answer, said=(48.8, 2.3))
    assert {place.label: place.home for place in far}["Porto, Portugal"] == "days"


def test_the_price_of_each_place_is_worked_out_and_kept() -> None:
    album = trip([Stay("Lisbon", 6, 0), Stay("Porto", 6, 3)], seed=4)
    session = PlanningSession(album, b"key")
    answer = session.wish(models.WishesModel(scorers=["made-up 0"], each_photo=False), 5.0)
    prices = {}
    for place in answer.places.places:
        alone = answer.wishes.model_copy(update={"hide": [place.label]})
        prices[place.label] = session.price(answer, place.label, 10.0, lambda: False)
        plan = session.wish(alone, 10.0).feasible_plan
        assert prices[place.label] == (None if plan is None else len(plan.plan.withheld))
    assert session.price(answer, place.label, 0.0, lambda: True) == prices[place.label]
