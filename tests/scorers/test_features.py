"""The tower is asked once for a rendition, however many heads look at it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from elsewhere.scorers import protocol, tower
from elsewhere.scorers.embedded import HALVES
from elsewhere.scorers.protocol import Features, Photo
from elsewhere.scorers.sessions import Session


@pytest.fixture(autouse=True)
def nothing_known() -> Iterator[None]:
    tower.forget_features()
    yield
    tower.forget_features()


def picture(seed: int) -> bytes:
    file = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


def test_the_halves_look_at_the_features_of_the_first_head(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    ask = Session.__call__

    def counted(self: Session, *given: object) -> object:
        runs.append(self.name)
        return ask(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Session, "__call__", counted)
    photo = Photo("a", Path("a"), picture(1))
    words = ("embedded", *(f"embedded:{half}" for half in HALVES))
    scorers = [protocol.find(word) for word in words]
    abouts = [scorer.load() for scorer in scorers]
    rows = [scorer.score(photo) for scorer in scorers]
    assert len(runs) == 1
    assert [about.name for about in abouts] == list(words)
    assert len({about.fingerprint for about in abouts}) == len({row.tobytes() for row in rows}) == 3
    tower.forget_features()
    assert all(
        (scorer.score(photo) == row).all() for scorer, row in zip(scorers, rows, strict=True)
    )
    assert len(runs) == 2


def test_other_bytes_other_towers_and_files_are_not_taken_for_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def infer(photo: Photo) -> Features:
        asked.append(photo.name)
        return np.full(2, len(asked), np.float32)

    one, other = (Photo(str(n), tmp_path / "x", picture(n)) for n in (1, 2))
    first = tower.cached_features("t", one, infer)
    assert tower.cached_features("t", one, infer) is first
    tower.cached_features("t", other, infer)
    tower.cached_features("u", one, infer)
    for _ in range(2):
        tower.cached_features("t", Photo("file", tmp_path / "x"), infer)
    assert asked == ["1", "2", "1", "file", "file"]
    monkeypatch.setattr(tower, "MAX_REMEMBERED", 1)
    tower.cached_features("v", one, infer)
    assert list(tower._known) == [("v", next(iter(tower._known))[1])]
