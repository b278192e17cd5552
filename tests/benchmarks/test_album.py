"""The benchmark of the album job, in small: it measures both sides, and can say no."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.album import stages, turns
from benchmarks.album.__main__ import MOST, PLACE, placed, verdict
from benchmarks.album.turns import Cost
from benchmarks.scoring import photos

from elsewhere.album import Recipe, read_album


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(photos, "WIDTH", 800)
    monkeypatch.setattr(photos, "HEIGHT", 600)
    return photos.make(tmp_path, 3, placed)


def test_photos_say_where_and_when_as_a_phones_do(small: list[Path]) -> None:
    album = read_album(small)
    for photo in album.photos:
        assert photo.metadata.position == pytest.approx(PLACE, abs=0.02)
        assert photo.metadata.time is not None
    assert len({photo.metadata.time for photo in album.photos}) == 3
    assert len({photo.rendition.digest for photo in album.photos}) == 3
    album.close()


def test_both_sides_are_measured_anew_in_each_turn(small: list[Path]) -> None:
    lines: list[str] = []
    told = turns.measure(small, Recipe(400), rounds=2, tell=lines.append)
    assert len(lines) == len(told["turns"]) == 2
    for turn in told["turns"]:
        # what the first turn scored must not be remembered in the second: the model runs again
        assert turn["whole"]["processor"] > turn["bare"]["processor"] > 0.03 * len(small)
        assert turn["whole"]["clock"] > turn["whole"]["plan"] > 0
    assert told["plan"] == "optimal"
    assert told["rendition"] == "JPEG 90 4:2:0, 400 px"


def test_medians_and_the_verdict_follow_from_the_turns() -> None:
    sides = [(3.0, 2.0), (4.0, 2.5), (9.0, 5.0)]
    told = turns.results(
        [{"whole": Cost(a, a, 0.5), "bare": Cost(b, b)} for a, b in sides], photos=10
    )
    assert told["ratio"] == told["processor ratio"] == pytest.approx(1.6)
    assert told["whole photos per second"] == pytest.approx(2.5)
    assert told["bare photos per second"] == pytest.approx(4.0)
    document: dict[str, Any] = {**told, "photos": 10, "megabytes each": 3.2}
    claim, holds, measured = verdict(document)
    assert holds
    assert str(MOST) in claim
    assert "1.60 on the clock" in measured
    assert not verdict(document | {"ratio": 1.61})[1]


def test_what_a_photo_costs_is_taken_apart(small: list[Path]) -> None:
    told = stages.measure(small[:1], Recipe(400), rounds=2)
    assert list(told) == [
        "decode", f"decode to {stages.LESS} px", "encode", "decode again", "tensor", "tower",
    ]  # fmt: skip
    assert all(spent > 0 for spent in told.values())
    assert told["tower"] == max(told.values())
