from __future__ import annotations

import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import CancelledError
from typing import Any

import pytest

from elsewhere.platform import threads
from elsewhere.platform.threads import ThreadPool, start_thread


def die_at_start(run: Callable[[], None], args: tuple[Any, ...]) -> int:
    """A thread that memory is too short for: it is started, and never runs."""
    del run
    return 1


def refuse(run: Callable[[], None], args: tuple[Any, ...]) -> int:
    raise RuntimeError("can't start new thread")


def test_a_thread_runs() -> None:
    ended = threading.Event()
    start_thread(ended.set)
    assert ended.wait(30)


@pytest.mark.parametrize("start", [die_at_start, refuse])
def test_a_thread_that_cannot_begin_is_an_error(
    start: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "start_new_thread", start)
    with pytest.raises(MemoryError):
        start_thread(lambda: None)


def test_a_thread_that_begins_late_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(run: Callable[[], None], args: tuple[Any, ...]) -> int:
        threading.Timer(0.2, run).start()
        return 1

    monkeypatch.setattr(threads, "start_new_thread", start)
    ended = threading.Event()
    start_thread(ended.set)
    assert ended.wait(30)


def test_results_and_errors_come_through_futures() -> None:
    with ThreadPool(3) as pool:
        assert list(pool.map(lambda number: number * 2, range(50))) == list(range(0, 100, 2))
        failed = pool.submit(int, "x")
        with pytest.raises(ValueError, match="invalid literal"):
            failed.result(30)
    with pytest.raises(RuntimeError, match="ended"):
        pool.submit(print)


def test_calls_that_have_not_begun_are_cancelled() -> None:
    begun, go_on = threading.Event(), threading.Event()
    pool = ThreadPool(1)

    def wait() -> bool:
        begun.set()
        return go_on.wait(30)

    first = pool.submit(wait)
    second = pool.submit(print)
    assert begun.wait(30)
    pool.shutdown(wait=False, cancel_futures=True)
    assert second.cancelled()
    with pytest.raises(CancelledError):
        second.result(0)
    go_on.set()
    pool.shutdown()
    assert first.done() and first.result() is True


@pytest.mark.parametrize("start", [die_at_start, refuse])
def test_a_pool_makes_do_with_the_threads_that_start(
    start: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = ThreadPool(4)
    first = pool.submit(threading.get_ident)
    monkeypatch.setattr(threads, "start_new_thread", start)
    rest = [pool.submit(threading.get_ident) for _ in range(5)]
    pool.shutdown()
    assert {future.result(0) for future in rest} == {first.result(0)}
    with pytest.raises(MemoryError):
        ThreadPool(4).submit(print)


def test_a_thread_that_ctrl_c_left_uncounted_keeps_no_other_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(run: Callable[[], None]) -> None:
        start_thread(run)
        raise KeyboardInterrupt

    pool = ThreadPool(4)
    with monkeypatch.context() as patch:
        patch.setattr(threads, "start_thread", interrupted)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                pool.submit(print)
    assert pool.submit(int, "7").result(30) == 7
    ending = threading.Thread(target=pool.shutdown, daemon=True)
    ending.start()
    ending.join(30)
    assert not ending.is_alive()


def test_calls_that_were_given_are_done_before_the_program_ends() -> None:
    code = (
        "import time\n"
        "from elsewhere.platform.threads import ThreadPool\n"
        "pool = ThreadPool(2)\n"
        "for number in range(4):\n"
        "    pool.submit(lambda: (time.sleep(0.1), print('done', flush=True)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.count("done") == 4 and not done.stderr


def test_an_idle_pool_holds_no_result() -> None:
    """Photos are large: what a call was given goes with it."""

    class Held:
        pass

    with ThreadPool(1) as pool:
        held = Held()
        gone = weakref.ref(held)
        pool.submit(id, held).result(30)
        del held
        deadline = time.monotonic() + 30
        while gone() is not None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
