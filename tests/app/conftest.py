"""One server for all tests of the app; each finds the same album on its table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from elsewhere.app.sessions import workspace
from tests.app.server import PHOTOS, Made, RunningServer, make, running_server


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests wait for their plans, however busy the machine is."""
    monkeypatch.setattr(workspace, "ANSWER_SECONDS", 30.0)
    monkeypatch.setattr(workspace, "OPENING_SECONDS", 60.0)


@pytest.fixture(scope="package")
def album(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("app"), PHOTOS, seed=15)


@pytest.fixture(scope="package")
def shared_server(album: Made) -> Iterator[RunningServer]:
    with running_server(album.scorer) as server:
        server.open(album.folder)
        yield server


@pytest.fixture
def server(shared_server: RunningServer, album: Made) -> RunningServer:
    """The server with the album as it was opened first."""
    state = shared_server.state()
    names = [photo["id"] for photo in state["album"]["photos"]] if state["album"] else []
    changed = state["undo"]["can_undo"] or state["undo"]["can_redo"] or state["exported"]
    if state["stage"] != "ready" or len(names) != PHOTOS or changed:
        shared_server.open(album.folder)
    return shared_server
