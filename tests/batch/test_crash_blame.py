"""Albums over which whole runs die: found, left alone, and nobody else with them."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest

from elsewhere.batch.blocks import perform, read_rows
from elsewhere.batch.crash_blame import (
    ATTEMPTS,
    ISOLATE_AFTER,
    ISOLATED,
    MAX_RUN_DEATHS,
    Attempt,
    find_suspects,
    isolation_noted,
)
from elsewhere.batch.grouping import group, split_block
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.batch.storage import CollapseError, Storage
from tests.batch.makers import Here, albums_in, dead_in, model, pixels, scored, write

FATAL = "album-000005"


class Fatal(Here):
    """An engine that dies, notes and all, whenever it comes to one album; two blocks at a time."""

    def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
        waiting = deque(jobs)
        storage = Storage(settings.output)
        while waiting:
            together = [waiting.popleft() for _ in range(min(len(waiting), self.workers or 2))]
            for job in together:
                names = read_rows(job, source.storage.address, settings, small=True)[
                    "album"
                ].to_pylist()
                if FATAL in names and not job.skip_reason:
                    for other in together:
                        Attempt(storage, settings.run, other.name)
                    raise CollapseError("all of it")
            for job in together:
                done = perform(job, source.storage.address, settings, None)
                waiting.extend(next_jobs(done))
                yield done


def settings(place: Path, name: str) -> Settings:
    return Settings(str(place / "in"), str(place / name), key="k", block=24)


def test_the_album_is_found_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(scored(30), tmp_path / "in" / "a.parquet")
    run(settings(tmp_path, "whole"), Here())
    given = settings(tmp_path, "out")
    written = []
    for _ in range(ISOLATE_AFTER + 1 + MAX_RUN_DEATHS):
        with pytest.raises(CollapseError):
            run(given, Fatal())
        written.append(len(albums_in(tmp_path / "out")))
    assert written == sorted(written) and written[ISOLATE_AFTER - 1] >= 20, "the rest is held up"
    assert run(given, Fatal()).albums == 30
    rows = {row["album"]: row for row in albums_in(tmp_path / "out")}
    assert rows[FATAL]["status"] == "broken"
    for row in albums_in(tmp_path / "whole"):
        assert row["album"] == FATAL or rows[row["album"]] == row
    (letter,) = dead_in(tmp_path / "out")
    assert (letter["album"], letter["kind"]) == (FATAL, "crash")
    assert letter["reason"].startswith("the whole run was killed, 3 times, while it worked on this")
    assert not (tmp_path / "out" / "_work").exists()


def test_a_run_that_stops_of_its_own_accord_leaves_no_note(tmp_path: Path) -> None:
    """Not even while one block is done alone: Ctrl-C, a full disk or a mistake blame nobody."""
    write(scored(6), tmp_path / "in" / "a.parquet")
    given = settings(tmp_path, "out")
    for _ in range(ISOLATE_AFTER + 1):
        with pytest.raises(CollapseError):
            run(given, Fatal())
    storage = Storage(given.output)
    before = find_suspects(storage)
    assert before.interrupted and before.alone

    class Stopped(Fatal):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            assert self.one_by_one and len(jobs) == 1
            Attempt(storage, settings.run, jobs[0].name)
            assert find_suspects(storage) != before
            raise KeyboardInterrupt
            yield

    for _ in range(5):
        with pytest.raises(KeyboardInterrupt):
            run(given, Stopped())
        assert find_suspects(storage) == before


def test_a_block_in_albums_is_the_same_rows(tmp_path: Path) -> None:
    write(scored(9), tmp_path / "in" / "a.parquet", group=10)
    source = Source(str(tmp_path / "in"))
    (block,) = group(source, 1000).jobs
    parts = split_block(source, block)
    assert [one.albums for one in parts] == [1] * 9
    assert sum(one.photos for one in parts) == block.photos
    assert len({one.name for one in parts}) == 9
    assert parts[0].ranges[0][:2] == block.ranges[0][:2]


def test_nothing_is_suspected_where_nothing_was_killed(tmp_path: Path) -> None:
    write(scored(9), tmp_path / "in" / "a.parquet")
    source, storage = Source(str(tmp_path / "in")), Storage(str(tmp_path / "out"))
    jobs = group(source, 24).jobs
    assert find_suspects(storage).split_jobs(jobs, source, set()) == (jobs, [])
    with isolation_noted(storage, "run", jobs[0]):
        assert storage.names(ISOLATED, recursive=True) == [f"{jobs[0].name}/run"]
    assert storage.names(ISOLATED, recursive=True) == []


def test_a_death_before_a_worker_began_counts_for_nobody(tmp_path: Path) -> None:
    write(scored(9), tmp_path / "in" / "a.parquet")
    source, storage = Source(str(tmp_path / "in")), Storage(str(tmp_path / "out"))
    jobs = group(source, 24).jobs
    for run_ in range(MAX_RUN_DEATHS + 1):
        storage.write(f"{ISOLATED}/{jobs[0].name}/{run_}", b"here")
        storage.write(f"{ATTEMPTS}/{run_}/{jobs[1].name}/a", b"{}")
    assert not find_suspects(storage).alone
    assert find_suspects(storage).split_jobs(jobs, source, set())[1] == [jobs[1]]


def test_who_was_under_way_once_comes_last(tmp_path: Path) -> None:
    write(scored(9), tmp_path / "in" / "a.parquet")
    source, storage = Source(str(tmp_path / "in")), Storage(str(tmp_path / "out"))
    jobs = group(source, 24).jobs
    assert len(jobs) > 2
    storage.write(f"{ATTEMPTS}/one/{jobs[0].name}-look/a", b"{}")
    storage.write(f"{ATTEMPTS}/one/{jobs[0].name}/b", b"{}")  # the same block in the same run
    together, alone = find_suspects(storage).split_jobs(jobs, source, set())
    assert (together, alone) == ([*jobs[1:], jobs[0]], [])
    storage.write(f"{ATTEMPTS}/two/{jobs[0].name}/c", b"{}")
    assert find_suspects(storage).split_jobs(jobs, source, set()) == (jobs[1:], [jobs[0]])


def test_a_part_of_a_giant_costs_its_photos(tmp_path: Path) -> None:
    """The album goes on without the slice over which whole runs were killed."""
    write(pixels(1, photos=10), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), (model(tmp_path),), block=4)
    first, *_ = group(Source(given.input), 4).jobs
    assert first.kind == "slice" and first.photos == 4

    class Stopped(Here):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            raise KeyboardInterrupt
            yield

    with pytest.raises(KeyboardInterrupt):
        run(given, Stopped())
    for number in range(MAX_RUN_DEATHS):
        for note in (
            f"{ISOLATED}/{first.name}/{number}",
            f"{ATTEMPTS}/{number}/{first.name}-look/a",
        ):
            Storage(given.output).write(note, b"{}")
    run(given, Here())
    (row,) = albums_in(tmp_path / "out")
    assert (row["photos"], row["left"], row["status"]) == (6, 4, "optimal")
    letters = dead_in(tmp_path / "out")
    assert [(one["photo"], one["kind"]) for one in letters] == [
        (f"{n:04}.jpg", "crash") for n in range(4)
    ]
    assert all("the whole run was killed" in one["reason"] for one in letters)
