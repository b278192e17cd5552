"""The engine on this machine: processes that take one job after another.

Each holds one block at a time, so memory grows with the processes and not with the dataset. A
worker that is killed costs its block another attempt. When this process is killed, its workers end.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import cast

from elsewhere.batch.blocks import JobResult
from elsewhere.batch.grouping import Job
from elsewhere.errors import ElsewhereError, FileError
from elsewhere.platform.machine import (
    interrupts_blocked,
    single_threaded,
    worker_count,
)

NextJobs = Callable[[JobResult], Sequence[Job]]  # the jobs that follow from a result

_log = logging.getLogger(__name__)
_GPU_WORKERS = 4  # workers that share a GPU, at most: each has a tower and a context there
_MAX_DEATHS = 20  # deaths in a row after which the run is given up


def gpu_workers(workers: int | None) -> tuple[int, int]:
    """How many workers share a GPU, and how many processes decode photos for each.

    There are twice as many decoders as cores: while some workers score, others plan and prove.
    """
    cores = worker_count(limit=None)
    workers = workers or min(cores, _GPU_WORKERS)
    return workers, max(2, -(-2 * cores // workers))


def run(
    jobs: Sequence[Job],
    arguments: dict[str, str],
    scored: bool,
    workers: int | None,
    next_jobs: NextJobs,
) -> Generator[JobResult]:
    """Do all jobs and those that follow from them; yield each result."""
    queue = deque(jobs)
    deaths = 0
    size = min(workers or worker_count(), max(1, len(queue)))
    pool = [_WorkerProcess(arguments, scored) for _ in range(size)]
    try:
        while True:
            for worker in pool:
                if queue and worker.job is None:
                    worker.send(queue.popleft())
            busy = {worker.pipe: worker for worker in pool if worker.job is not None}
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker = busy[cast(Connection, pipe)]
                assert worker.job is not None
                answer = worker.receive()
                if isinstance(answer, JobResult):
                    deaths = 0
                    queue.extend(next_jobs(answer))
                    yield answer
                elif isinstance(answer, str):
                    raise FileError(answer)
                else:
                    deaths += 1
                    if deaths > _MAX_DEATHS:
                        raise FileError(
                            f"workers died {deaths} times in a row: look at the memory of this "
                            "machine, or use smaller blocks or fewer workers; then run it again"
                        )
                    queue.append(worker.job)
                    worker.end()
                    pool[pool.index(worker)] = _WorkerProcess(arguments, scored)
    finally:
        for worker in pool:
            worker.end()


class _WorkerProcess:
    """One process, and its job."""

    def __init__(self, arguments: dict[str, str], scored: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, worker_end = context.Pipe()
        self.job: Job | None = None
        self._process: BaseProcess = context.Process(
            target=_main, args=(worker_end, scored), kwargs=arguments
        )
        with single_threaded(), interrupts_blocked():
            self._process.start()
        worker_end.close()

    def send(self, job: Job) -> None:
        self.job = job
        with suppress(OSError):  # a dead worker is noticed by receive()
            self.pipe.send(job)

    def receive(self) -> JobResult | str | None:
        """Its result, or a sentence on why it stopped; None where it died."""
        try:
            answer: JobResult | str = self.pipe.recv()
        except (EOFError, OSError):
            return None
        if isinstance(answer, JobResult):
            self.job = None
        return answer

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _main(pipe: Connection, scored: bool, *, dataset: str, settings: str) -> None:
    """The program of a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    from elsewhere.batch.blocks import perform
    from elsewhere.batch.scoring import RowScorer
    from elsewhere.batch.settings import Settings

    parsed = Settings.from_json(settings)
    scorer: RowScorer | None = None
    try:
        while True:
            job: Job = pipe.recv()
            if scorer is None and not scored and job.kind not in {"join", "merge"}:
                scorer = RowScorer(parsed)
            pipe.send(perform(job, dataset, parsed, scorer))
    except (EOFError, BrokenPipeError, ConnectionError):
        pass  # the parent is gone
    except ElsewhereError as problem:
        pipe.send(str(problem))
    except Exception as problem:  # to die of it would look like a lack of memory
        _log.debug("worker", exc_info=True)
        pipe.send(
            f"a worker stopped over a mistake of ours ({type(problem).__name__}): please report "
            "it; what is written stays"
        )
    finally:
        if scorer is not None:
            scorer.close()
