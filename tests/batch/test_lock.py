"""One run at a time: the second is refused, a dead one's lock is nobody's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from elsewhere.batch import state
from elsewhere.batch.columns import BLOCKS
from elsewhere.batch.runner import run
from elsewhere.batch.settings import Settings
from elsewhere.batch.state import LOCK, run_lock
from elsewhere.batch.storage import Storage
from elsewhere.errors import FileError, InputError
from elsewhere.platform.threads import start_thread
from tests.batch.makers import Here, albums_in, scored, write

HOLDER = """
import sys, time
from elsewhere.batch.state import run_lock
from elsewhere.batch.storage import Storage
with run_lock(Storage(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_run_is_refused_and_spoils_nothing(tmp_path: Path) -> None:
    write(scored(5), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"))
    refused: list[str] = []

    class Twice(Here):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            with pytest.raises(InputError) as told:
                run(given, Here())
            refused.append(str(told.value))
            return super().run(jobs, source, settings, next_jobs)

    run(given, Twice())
    assert refused == [
        f"another run is at work in {given.output}: wait until it is over or stop it, or name "
        "another folder"
    ]
    assert len(albums_in(tmp_path / "out")) == 5
    assert run(given, Here()).albums == 5, "the lock was not given back"


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is another thing there")
def test_a_dead_process_holds_nothing(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    storage = Storage(str(tmp_path))
    with pytest.raises(InputError, match="another run is at work"), run_lock(storage):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    holder.communicate()
    with run_lock(storage):
        pass


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[threading.Event]:
    """One event for each thread that was started, set at its end."""
    ends: list[threading.Event] = []

    def start(run: Callable[[], None]) -> None:
        ended = threading.Event()
        ends.append(ended)

        def run_and_tell() -> None:
            run()
            ended.set()

        start_thread(run_and_tell)

    monkeypatch.setattr(state, "start_thread", start)
    return ends


def test_where_there_are_no_locks_signs_of_life_are_waited_for(
    threads: list[threading.Event],
) -> None:
    pytest.importorskip("fsspec")
    storage = Storage("memory://lock")
    with run_lock(storage, 0.02):
        told = r"another run \(on .+\) is at work"
        with pytest.raises(InputError, match=told), run_lock(storage, 1.0):
            pass
        assert storage.is_file(LOCK)
    assert not storage.is_file(LOCK)
    storage.write(LOCK, b"dead 1 2 3")  # whoever wrote that never writes again
    with run_lock(storage, 0.02):
        assert storage.read(LOCK).split()[0] != b"dead"
    assert len(threads) == 2 and all(one.wait(100) for one in threads)


def test_a_run_without_memory_for_its_signs_of_life_leaves_no_lock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("fsspec")

    def no_memory(run: object) -> None:
        raise MemoryError

    monkeypatch.setattr(state, "start_thread", no_memory)
    storage = Storage("memory://short")
    with pytest.raises(MemoryError), run_lock(storage, 0.02):
        pass
    assert not storage.is_file(LOCK)


def test_a_disk_that_knows_no_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "take", lambda handle: None)
    storage = Storage(str(tmp_path))
    refused = pytest.raises(InputError, match="another run")
    with run_lock(storage, 0.02), refused, run_lock(storage, 1.0):
        pass


def test_a_run_whose_lock_is_taken_stops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: list[threading.Event]
) -> None:
    monkeypatch.setattr(state, "take", lambda handle: None)
    monkeypatch.setattr(state, "BEAT", 0.02)
    write(scored(12), tmp_path / "in" / "a.parquet")
    given = Settings(str(tmp_path / "in"), str(tmp_path / "out"), block=24)
    storage = Storage(given.output)

    class Taken(Here):
        def run(self, jobs, source, settings, next_jobs):  # type: ignore[no-untyped-def]
            (ended,) = threads
            for done in super().run(jobs, source, settings, next_jobs):
                while not ended.wait(0.1):  # until it finds another's name, who lives, too
                    storage.write(LOCK, b"other 1 2 3")
                yield done

    with pytest.raises(FileError, match="another run has taken over"):
        run(given, Taken())
    assert storage.read(LOCK) == b"other 1 2 3"
    assert len(storage.names(BLOCKS)) == 1 and not storage.is_file("summary.json")
