"""What the album commands are tried on: a folder of photos and a model that is quick to ask."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from elsewhere.album.workers import Workers
from elsewhere.globe import Cells
from elsewhere.service import photo_texts
from tests.album.makers import jpeg
from tests.scorers.models import described


@pytest.fixture(scope="session")
def text_workers() -> Iterator[Workers]:
    """Warm workers that read text, for all commands: loading the models takes a second."""
    with Workers(photo_texts.TASK, photo_texts.LIMITS) as workers:
        yield workers


@pytest.fixture(autouse=True)
def warm_text(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands use the warm workers, and do not end them."""

    class Warm:
        def __init__(self, *settings: object) -> None:
            self.ask = request.getfixturevalue("text_workers").ask

        def close(self) -> None:
            pass

    monkeypatch.setattr(photo_texts, "Workers", Warm)


@pytest.fixture
def bare_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands are typed: model/tiny.onnx over the default cells, an album that is still
    empty, and places of its own for whatever is remembered."""
    monkeypatch.chdir(tmp_path)
    for name in ("CACHE", "DATA"):
        monkeypatch.setenv(f"ELSEWHERE_{name}_DIR", str(tmp_path / name.lower()))
    for folder in ("model", "album"):
        (tmp_path / folder).mkdir()
    described(tmp_path / "model", Cells.paper())
    return tmp_path


@pytest.fixture
def home(bare_home: Path) -> Path:
    """The same with six photos that say nothing of the place."""
    for number in range(6):
        (bare_home / "album" / f"IMG_{number}.jpg").write_bytes(jpeg(number + 1))
    return bare_home
