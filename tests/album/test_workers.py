"""Whatever a file does to its worker costs that file, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from _thread import allocate_lock
from collections.abc import Iterator
from pathlib import Path

import pytest

from elsewhere.album.workers import Limits, Workers
from elsewhere.errors import FileError

TASK = "tests.album.misbehaving:act"
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is kept on Linux")
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX only")


@pytest.fixture(scope="module")
def two() -> Iterator[Workers]:
    with Workers(TASK, Limits(seconds=30, memory=400 << 20), count=2) as workers:
        yield workers


def echo(say: str) -> dict[str, object]:
    return {"do": "echo", "say": say}


def test_answers_come_in_order(two: Workers) -> None:
    said = [reply.answer["said"] for reply in two.each(echo(str(n)) for n in range(40))]
    assert said == [str(n) for n in range(40)]


def test_large_answers_come_whole(two: Workers) -> None:
    reply = two.ask({"do": "echo", "say": "x" * 1000, "times": 20_000})
    assert reply.blobs == [b"x" * 20_000_000]


def test_both_workers_are_used_and_stay(two: Workers) -> None:
    pids = {reply.answer["pid"] for reply in two.each([{"do": "pid"}] * 60)}
    assert 1 <= len(pids) <= 2
    assert os.getpid() not in pids


@pytest.mark.parametrize(
    ("what", "word"),
    [("crash", "crash"), ("exit", "crash"), ("raise", "damaged"), ("recurse", "damaged")],
)
def test_a_failure_costs_one_file(two: Workers, what: str, word: str) -> None:
    replies = list(two.each([echo("before"), {"do": what}, echo("after"), echo("later")]))
    assert [reply.failed for reply in replies] == ["", word, "", ""]
    assert replies[3].answer["said"] == "later"


@pytest.mark.parametrize("what", ["hang", "spin"])
def test_what_takes_too_long_is_ended(what: str) -> None:
    with Workers(TASK, Limits(seconds=2), count=1) as one:
        assert one.ask(echo("warm")).failed == ""
        assert one.ask({"do": what}).failed == "time"
        # The next one starts afresh, and the time that this takes is not its own.
        assert one.ask(echo("after")).failed == ""


@linux
def test_memory_is_bounded(two: Workers) -> None:
    assert two.ask({"do": "grow", "megabytes": 100}).answer == {"held": 100}
    assert two.ask({"do": "grow", "megabytes": 800}).failed == "memory"
    assert two.ask(echo("after")).failed == ""


@posix
def test_memory_is_watched_where_no_limit_is_kept() -> None:
    import resource

    # A process inherits the peak of the one that started it, here of all tests before this one.
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    with Workers(TASK, Limits(memory=200 << 20, watch=True), count=1) as one:
        assert one.ask({"do": "grow", "megabytes": 20}).failed == ""
        assert one.ask({"do": "grow", "megabytes": 2000 + inherited}).failed == "memory"
        assert one.ask(echo("after")).failed == ""


def test_where_the_system_knows_no_limits_the_clock_remains() -> None:
    with Workers("tests.album.without_resource:act", Limits(seconds=2), count=1) as one:
        assert one.ask(echo("works")).answer == {"said": "works"}
        assert one.ask({"do": "spin"}).failed == "time"
        assert one.ask({"do": "crash"}).failed == "crash"
        assert one.ask(echo("still")).answer == {"said": "still"}


@posix
def test_a_worker_cannot_write_a_file(two: Workers, tmp_path: Path) -> None:
    original = tmp_path / "original.jpg"
    original.write_bytes(b"as it was")
    before = original.stat()
    reply = two.ask({"do": "write", "path": str(tmp_path / "new.jpg")})
    assert reply.failed == "damaged"
    assert "wrote" not in reply.answer
    assert original.read_bytes() == b"as it was"
    assert original.stat().st_mtime_ns == before.st_mtime_ns


def test_chatter_goes_nowhere_and_nothing_is_read() -> None:
    code = (
        "from elsewhere.album.workers import Workers\n"
        f"with Workers({TASK!r}, count=1) as one:\n"
        "    print(one.ask({'do': 'chatter'}).answer)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        input="typed by the user",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert told.stdout.strip() == "{'read': ''}"
    assert told.stderr == ""


def test_modules_are_not_taken_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The current folder may be the strangers': a PIL.py there must not be run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    with Workers(TASK, count=1) as one:
        told = one.ask({"do": "path"}).answer
    assert "" not in told["path"]
    assert str(tmp_path) not in told["path"]
    assert "numpy" not in told["modules"]
    assert "elsewhere.solver" not in told["modules"]


def test_no_worker_is_left() -> None:
    with Workers(TASK, count=2) as workers:
        pids = {reply.answer["pid"] for reply in workers.each([{"do": "pid"}] * 20)}
    for pid in pids:
        with pytest.raises(OSError):
            os.kill(pid, 0)


def test_stopping_early_does_not_wait_for_the_rest() -> None:
    with Workers(TASK, Limits(seconds=1e6), count=1) as one:
        replies = one.each([echo("first"), {"do": "hang"}, {"do": "hang"}])
        assert next(replies).answer["said"] == "first"
        replies.close()  # or the test waits for ever


def test_a_worker_that_cannot_start_is_told_in_one_sentence() -> None:
    with (
        Workers("tests.album.no_such_module:act", count=1) as one,
        pytest.raises(FileError, match="no worker process could be started"),
    ):
        one.ask(echo("anybody?"))


def test_no_program_is_told_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(FileError, match="no worker process could be started with /no/such"):
        Workers(TASK, count=2)


PARENT = """
import sys
from elsewhere.album.workers import Limits, Workers
try:
    with Workers("tests.album.misbehaving:act", Limits(seconds=60), count=2) as two:
        print(*{reply.answer["pid"] for reply in two.each([{"do": "pid"}] * 30)}, flush=True)
        list(two.each([{"do": sys.argv[1]}] * int(sys.argv[2])))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    # one that has ended and was not yet fetched by its new parent is dead all the same
    told = Path(f"/proc/{pid}/stat")
    return not told.exists() or told.read_text().rpartition(")")[2].split()[0] != "Z"


@posix
@pytest.mark.parametrize(("what", "count"), [("hang", 1), ("hang", 9), ("spin", 2)])
def test_an_interrupted_parent_leaves_no_worker(what: str, count: int) -> None:
    left_alone(what, count, signal.SIGINT, "interrupted")


@posix
def test_a_killed_parent_leaves_no_worker() -> None:
    """Its workers hear that nobody is there, as soon as they are done with what they have."""
    left_alone("nap", 2, signal.SIGKILL, "")


def left_alone(what: str, count: int, how: int, said: str) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, what, str(count)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert parent.stdout
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert pids
    time.sleep(0.5)
    parent.send_signal(how)
    assert parent.stdout.read().strip() == said
    parent.stdout.close()
    parent.wait(timeout=100)
    deadline = time.monotonic() + 100
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


def test_several_threads_may_ask(two: Workers) -> None:
    said: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: said.append(two.ask(echo(str(n))).answer["said"]))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == [str(n) for n in range(8)]


def test_a_clock_that_rings_late_costs_no_later_file() -> None:
    """The clock of an answer that has come finds the worker waiting for the next one."""
    with Workers(TASK, count=1) as workers:
        assert workers.ask(echo("one")).answer["said"] == "one"
        (worker,) = workers._all
        old, new = allocate_lock(), allocate_lock()
        worker._unanswered = new
        worker._time_out(worker.process, old)
        worker._unanswered = None
        assert worker.process.poll() is None
        assert workers.ask(echo("two")).answer["said"] == "two"
