"""One server for all tests of the app; each finds the same album on its table."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.server import PHOTOS, Made, Served, make, served


@pytest.fixture(scope="package")
def album(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("app"), PHOTOS, seed=15)


@pytest.fixture(scope="package")
def one_house(album: Made) -> Iterator[Served]:
    with served(album.scorer) as house:
        house.open(album.folder)
        yield house


@pytest.fixture
def house(one_house: Served, album: Made) -> Served:
    """The server with the album as it was opened first."""
    told = one_house.told()
    names = [photo["id"] for photo in told["album"]["photos"]] if told["album"] else []
    changed = told["undo"]["can_undo"] or told["undo"]["can_redo"] or told["exported"]
    if told["stage"] != "ready" or len(names) != PHOTOS or changed:
        one_house.open(album.folder)
    return one_house
