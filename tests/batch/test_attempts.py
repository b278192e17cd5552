"""Who is counted as dead: workers of this run that died over an album, and nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from elsewhere.batch.crash_blame import (
    ATTEMPTS,
    CAREFUL_AFTER,
    MAX_ALBUM_DEATHS,
    MAX_UNNAMED_DEATHS,
    Attempt,
)
from elsewhere.batch.grouping import group
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import Storage
from tests.batch.makers import Here, albums_in, dead_in, scored, write


def test_a_try_that_ends_leaves_no_note(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    for _ in range(MAX_UNNAMED_DEATHS + 1):
        with Attempt(storage, "run", "block") as tried:
            assert not tried.skip
            assert len(storage.names(f"{ATTEMPTS}/run/block")) == 1
        with pytest.raises(KeyError), Attempt(storage, "run", "block"):
            raise KeyError
    assert storage.names(f"{ATTEMPTS}/run/block") == []


def test_two_deaths_over_one_album_in_one_run(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    for number in range(CAREFUL_AFTER + MAX_ALBUM_DEATHS):
        tried = Attempt(storage, "run", "block")
        assert tried.reason_to_skip("slow") is None, number
        tried.start_album("slow")
    assert "died, 2 times" in str(Attempt(storage, "run", "block").reason_to_skip("slow"))
    assert Attempt(storage, "run", "block").reason_to_skip("other") is None
    assert Attempt(storage, "another run", "block").reason_to_skip("slow") is None


def test_many_that_kill_do_not_cost_the_others(tmp_path: Path) -> None:
    storage = Storage(str(tmp_path))
    for number in range(CAREFUL_AFTER + MAX_ALBUM_DEATHS * MAX_UNNAMED_DEATHS):
        tried = Attempt(storage, "run", "block")
        assert tried.reason_to_skip("healthy") is None
        tried.start_album(f"album {number // MAX_ALBUM_DEATHS}")
    assert len(Attempt(storage, "run", "block").skip) >= MAX_UNNAMED_DEATHS - 1


def test_a_run_that_was_killed_a_dozen_times_gives_nobody_up(tmp_path: Path) -> None:
    """The driver dies, its workers with it, and every time they were at the same slow album."""
    write(scored(4), tmp_path / "in" / "a.parquet")
    whole, killed = (
        Settings(str(tmp_path / "in"), str(tmp_path / name), key="k") for name in ("whole", "out")
    )
    run(whole, Here())
    storage, (job,) = Storage(killed.output), group(Source(killed.input), 1000).jobs

    class Killed(Here):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            tried = Attempt(storage, settings.run, job.name)
            tried.start_album("album-000001")
            raise KeyboardInterrupt

    for _ in range(12):
        with pytest.raises(KeyboardInterrupt):
            run(killed, Killed())
    run(killed, Here())
    assert albums_in(tmp_path / "out") == albums_in(tmp_path / "whole")
    assert dead_in(tmp_path / "out") == []


def test_a_note_that_is_taken_back_meanwhile_counts_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = Storage(str(tmp_path))
    monkeypatch.setattr(storage, "names", lambda folder="": ["gone"])
    assert Attempt(storage, "run", "block").skip == {}
