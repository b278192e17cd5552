"""The benchmark of batch, in small: it measures, and can say no."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.batch import data, memory, speed
from benchmarks.batch.__main__ import FLAT, MOST, claims

from elsewhere.batch.runner import Engine
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source


def test_scores_are_made_and_planned(tmp_path: Path) -> None:
    data.write_scores(tmp_path / "in" / "a.arrow", 6)
    assert Source(str(tmp_path / "in")).rows == 6 * data.PHOTOS
    alone = speed.solver_alone(tmp_path / "in", albums=3)
    assert alone["albums per second"] > 0 < alone["processor ms per album"]
    settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"), key="k", block=32)
    told = speed.timed(settings, Engine("local", 1))
    assert told["photos per second"] == pytest.approx(told["albums per second"] * data.PHOTOS)
    assert 0 < told["seconds to the first block"] < told["seconds"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_the_memory_of_driver_and_workers_is_seen(tmp_path: Path) -> None:
    data.write_scores(tmp_path / "in" / "a.arrow", 6)
    told = memory.peak(tmp_path / "in", tmp_path / "out")
    assert told["MiB in all"] >= told["MiB of driver and workers"] > told["MiB of the driver"] > 10


def test_small_photos_are_photos(tmp_path: Path) -> None:
    data.write_small(tmp_path / "a.parquet", 5, 2)
    source = Source(str(tmp_path))
    rows = source.read(0, 0, 5).to_pylist()
    assert [row["album"][-1] for row in rows] == list("00112")
    assert all(row["content"].startswith(b"\xff\xd8\xff") for row in rows)


def test_claims_follow_from_what_was_measured() -> None:
    document: dict[str, Any] = {
        "memory": {"any": {str(n): {"MiB of driver and workers": 100.0} for n in (1, 4, 16)}},
        "pixels": {"processor ratio": MOST},
    }
    assert list(claims(document).values()) == [True, True]
    document["memory"]["any"]["16"]["MiB of driver and workers"] = 100 * FLAT + 1
    document["pixels"]["processor ratio"] = MOST + 0.01
    assert list(claims(document).values()) == [False, False]
    assert claims({}) == {}
