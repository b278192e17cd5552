"""The benchmark of the scorers, in small: it makes photos, measures, and can say no."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.scoring import photos, speed
from benchmarks.scoring.__main__ import _verdicts
from PIL import Image

from elsewhere.scorers.tower import WEIGHTS


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    monkeypatch.setattr(photos, "WIDTH", 1600)
    monkeypatch.setattr(photos, "HEIGHT", 1200)
    return photos.make(tmp_path, 3)


def test_photos_are_different_and_as_large_as_a_cameras(small: list[Path]) -> None:
    sizes = [path.stat().st_size / (1600 * 1200) for path in small]
    assert all(0.15 < size < 0.6 for size in sizes), "bytes per pixel at quality 90"
    pixels = [np.asarray(Image.open(path).resize((32, 24))) for path in small]
    assert all(seen.std() > 20 for seen in pixels)
    assert np.abs(pixels[0].astype(int) - pixels[1]).mean() > 10


def test_speed_is_measured_both_ways(small: list[Path]) -> None:
    told = speed.measure(small, WEIGHTS, rounds=1, seconds=0.2)
    assert len(told["tried"]) >= len(speed.BATCHES)
    for rate in told["fastest"].values():
        assert rate["per_second"] > 0
        assert rate["cpu_ms"] > 1
    assert 0 < told["ratio to bare"] < 5


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("speed", "ratio to bare", 0.79),
        ("first score", "cold", 3.1),
        ("memory", "peak MiB", 1100),
        ("memory", "last quarter MiB", 500),
    ],
)
def test_a_claim_that_does_not_hold_is_told(part: str, key: str, value: float) -> None:
    good: dict[str, Any] = {
        "speed": {
            "ratio to bare": 0.85,
            "fastest": {"whole": {"per_second": 8.5}, "bare": {"per_second": 10.0}},
            "photos": 50,
            "megabytes each": 3.5,
        },
        "first score": {"cold": 2.0, "warm": 1.5},
        "memory": {
            "photos": 5000,
            "peak MiB": 400,
            "second quarter MiB": 380,
            "last quarter MiB": 381,
        },
    }
    assert all(holds for _, holds, _ in _verdicts(good))
    bad = {name: dict(content) for name, content in good.items()}
    bad[part][key] = value
    assert [holds for _, holds, _ in _verdicts(bad)].count(False) == 1
