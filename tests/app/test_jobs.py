from __future__ import annotations

import asyncio
import sys
import threading
import time

import pytest

from elsewhere.app.api.models import EventModel, PointModel
from elsewhere.app.security.guard import INTERNAL_ERROR
from elsewhere.app.sessions.jobs import MAX_JOBS, AppJob, Jobs, report_ignored
from elsewhere.errors import FileError
from elsewhere.service import Step

PATIENCE = 100.0
"""Seconds after which something would never come, however busy the machine is."""


def heard(job: AppJob) -> list[EventModel]:
    async def listen() -> list[EventModel]:
        return [event async for event in job.events()]

    return asyncio.run(listen())


def test_events_come_in_order_to_those_who_come_late() -> None:
    def work(job: AppJob) -> None:
        for k in range(3):
            job.publish(
                EventModel(point=PointModel(withheld=k, protected_k=k, bound=k, proved=True))
            )

    job = Jobs().start("frontier", work)
    job.join()
    first, again = heard(job), heard(job)
    assert [event.point.withheld for event in first if event.point] == [0, 1, 2]
    assert first[-1] == EventModel(done=True) and first == again and job.state == "done"


def test_whoever_listens_from_the_start_hears_it_as_it_comes() -> None:
    go_on, told = threading.Event(), []

    def work(job: AppJob) -> None:
        job.report_progress(Step("reading", 1, 2, "a.jpg"))
        go_on.wait(PATIENCE)
        job.report_progress(Step("reading", 2, 2, "b.jpg"))

    job = Jobs().start("reading", work)

    async def listen() -> None:
        async for event in job.events():
            told.append(event)
            go_on.set()

    asyncio.run(asyncio.wait_for(listen(), PATIENCE))
    assert [event.count for event in told] == [1, 2, 0]


def test_of_ten_thousand_steps_only_the_last_is_kept() -> None:
    def work(job: AppJob) -> None:
        for count in range(10_000):
            job.report_progress(Step("scoring", count, 10_000))

    job = Jobs().start("reading", work)
    job.join()
    assert [event.count for event in heard(job)] == [9999, 0]


def test_a_job_is_stopped_at_its_next_step() -> None:
    begun = threading.Event()

    def work(job: AppJob) -> None:
        begun.set()
        while True:
            job.report_progress(Step("writing", 0, 1))

    jobs = Jobs()
    job = jobs.start("export", work)
    assert begun.wait(PATIENCE)
    assert jobs.running("export") == [job]
    jobs.cancel("proof")
    assert not job.cancelled.is_set()
    jobs.cancel("export")
    job.join(PATIENCE)
    last = heard(job)[-1]
    assert job.state == "cancelled" and last.error == "it was stopped" and last.stopped


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (FileError("a.jpg is damaged: copy it anew"), "a.jpg is damaged: copy it anew"),
        (MemoryError(), "there is not enough memory for this: open fewer photos"),
        (OSError(28, "No space left on device", "/secret"), "a file cannot be used"),
        (RuntimeError("secret"), INTERNAL_ERROR),
    ],
)
def test_what_goes_wrong_is_one_sentence(
    problem: Exception, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def work(job: AppJob) -> None:
        raise problem

    job = Jobs().start("verify", work)
    job.join()
    error = heard(job)[-1].error or ""
    assert not heard(job)[-1].stopped
    assert error.startswith(said) and "secret" not in error and job.state == "failed"
    assert ("Traceback" in capsys.readouterr().err) == (said == INTERNAL_ERROR)


def test_a_job_that_cannot_begin_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(run: object) -> None:
        raise MemoryError

    monkeypatch.setattr("elsewhere.app.sessions.jobs.start_thread", no_memory)
    jobs = Jobs()
    job = jobs.start("export", lambda job: None, exclusive=True)
    job.join()
    assert job.state == "failed" and not jobs.running()
    assert (heard(job)[-1].error or "").startswith("there is not enough memory")
    assert jobs.start("export", lambda job: None, exclusive=True).id != job.id


def test_old_jobs_are_forgotten_and_running_ones_are_not() -> None:
    stop = threading.Event()
    jobs = Jobs()

    def work(job: AppJob) -> None:
        stop.wait(PATIENCE)

    slow = jobs.start("reading", work)
    ended = [jobs.start("verify", lambda job: None) for _ in range(3 * MAX_JOBS)]
    for job in ended:
        job.join()
    last = jobs.start("verify", lambda job: None)
    assert jobs.get(slow.id) is slow and jobs.get(last.id) is last
    assert jobs.get(ended[0].id) is None
    assert sum(jobs.get(job.id) is not None for job in ended) <= MAX_JOBS
    stop.set()
    slow.join(PATIENCE)
    jobs.close()
    assert not jobs.running() and jobs.get(slow.id) is None


def test_whoever_looks_whether_to_stop_is_ended_by_the_look() -> None:
    """A solver asks as it goes, deep inside, and would finish with care what it began."""
    begun, after = threading.Event(), []

    def work(job: AppJob) -> None:
        while not job.check_cancelled():
            begun.set()
        after.append("what it has is put in order")

    jobs = Jobs()
    job = jobs.start("proof", work)
    assert begun.wait(PATIENCE)
    jobs.cancel("proof")
    job.join(PATIENCE)
    assert job.state == "cancelled" and after == []
    assert heard(job)[-1].error == "it was stopped"


def test_a_stop_that_comes_inside_a_finalizer_is_no_news(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", report_ignored)
    inside = threading.Event()

    class Slow:
        def __del__(self) -> None:
            inside.set()
            deadline = time.monotonic() + 5
            while time.monotonic() < deadline:
                pass

    def work(job: AppJob) -> None:
        with job.interruptible():
            slow = Slow()
            del slow

    job = Jobs().start("proof", work)
    assert inside.wait(5)
    job.cancel()
    job.join(4)
    assert job.state == "cancelled"
    assert capsys.readouterr().err == ""
