"""What a node of a Ray cluster does of a run: actors that look, tasks that plan and write.

All of them do what the workers of the engine here do; only how a job and its outcome travel is
Ray's.

The engine on a Ray cluster: the same jobs as a stream of Ray Data.

Ray Data keeps as many blocks under way as the cluster has room for and lets none wait for another;
it does again what a dead worker or node had begun. Looking is a pool of actors, each with one warm
session; planning is tasks. What is planned is written by whoever planned it, so that nothing but
a word on each block comes back here.
"""

from __future__ import annotations

import json
import logging
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from elsewhere.batch import blocks
from elsewhere.batch.blocks import JobResult
from elsewhere.batch.columns import arrow
from elsewhere.batch.grouping import Job
from elsewhere.batch.input_rows import unpacked
from elsewhere.batch.scoring import RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import CollapseError
from elsewhere.errors import ElsewhereError, FileError
from elsewhere.service import has_cuda_build
from elsewhere.values.wording import installed_by


class Looking:
    """An actor with warm workers and sessions."""

    def __init__(self, dataset: str, settings: str) -> None:
        self._dataset, self._settings = dataset, Settings.from_json(settings)
        told = self._settings
        self.look = RowScorer(told.scorers, told.max_side, told.input, device=told.device)

    def __call__(self, batch: Any) -> Any:
        """The partial rows of each job, as one piece that nobody divides."""
        jobs = batch.column("job").to_pylist()
        rows = [self._one(Job.from_json(text)) for text in jobs]
        return arrow().table({"job": jobs, "rows": arrow().array(rows, arrow().large_binary())})

    def _one(self, job: Job) -> bytes:
        if blocks.is_done(job, self._settings):
            return b""
        return bytes(blocks.look(job, self._dataset, self._settings, self.look))


class Alone:
    """An actor that does all of a job, as a worker of the engine here does."""

    def __init__(self, dataset: str, settings: str, scored: bool) -> None:
        self._dataset, self._settings = dataset, Settings.from_json(settings)
        self._look = None if scored else Looking(dataset, settings).look

    def perform(self, job: str) -> str:
        """One job."""
        done = blocks.perform(Job.from_json(job), self._dataset, self._settings, self._look)
        return json.dumps(asdict(done))


def planned(batch: Any, dataset: str, settings: str) -> Any:
    """Jobs that were looked at, planned and written."""
    told = Settings.from_json(settings)
    out = []
    for text, rows in zip(batch.column("job"), batch.column("rows"), strict=True):
        job = Job.from_json(text.as_py())
        if blocks.is_done(job, told):
            out.append(blocks.done(job))
        elif job.kind == "slice":
            out.append(blocks.keep_slice(job, rows.as_buffer(), told))
        else:
            out.append(blocks.finish(job, unpacked(rows.as_buffer()), told))
    return _told(out)


def plan(batch: Any, dataset: str, settings: str) -> Any:
    """Jobs of scores, planned and written."""
    told = Settings.from_json(settings)
    jobs = (Job.from_json(text) for text in batch.column("job").to_pylist())
    return _told([blocks.perform(job, dataset, told, None) for job in jobs])


def join(job: str, settings: str) -> str:
    """A giant, planned from its slices."""
    done = blocks.perform(Job.from_json(job), "", Settings.from_json(settings), None)
    return json.dumps(asdict(done))


def _told(done: Sequence[JobResult]) -> Any:
    return arrow().table({"done": [json.dumps(asdict(one)) for one in done]})


def read_result(text: str) -> JobResult:
    """What a node says of a job."""
    return JobResult(**json.loads(text))


Then = Callable[[JobResult], Sequence[Job]]

_LOOKING, _PLANNING = 0.9, 0.1
"""Cores: one looks and, now and then, plans what was looked at; planning takes moments."""
_WAITING = 2
"""Blocks that an actor has: one at work, one that waits; with more, others would have none."""
_RETRIES = 20


def run(
    jobs: Sequence[Job],
    dataset: str,
    settings: str,
    *,
    scored: bool,
    workers: int | None,
    then: Then,
    address: str | None = None,
    gpus: float | None = None,
    one_by_one: bool = False,
) -> Generator[JobResult]:
    """Do all jobs and those that follow from them; each is told when it is done."""
    ray, ours = _ray(workers, address)
    given = {"dataset": dataset, "settings": settings}
    try:
        if one_by_one:
            yield from _one_by_one(ray, jobs, given, scored=scored, gpus=gpus, then=then)
            return
        giants = _JoinTasks(ray, settings)
        giants.ask([job for job in jobs if job.kind == "join"])
        ready = [job for job in jobs if job.kind != "join"]
        for done in _stream(ray, ready, given, scored=scored, workers=workers, gpus=gpus):
            giants.ask(then(done))
            yield done
            yield from giants.done()
        while giants:
            yield from giants.done(wait=True)
    except ray.exceptions.RayError as problem:
        cause = getattr(problem, "cause", None)
        told = str(cause or problem).strip().splitlines()
        kind = FileError if isinstance(cause, ElsewhereError) else CollapseError
        raise kind(
            f"the run on Ray stopped ({told[-1] if told else type(problem).__name__}): "
            "run it again, and it goes on from here"
        ) from None
    finally:
        if ours:
            ray.shutdown()


class _JoinTasks:
    """Plans of giants beside the stream: as many at a time as there are cores, told as they come.

    They ask for no more of a core than other plans do: while photos are looked at no more is free,
    and giants would all wait for the last photo of the dataset.
    """

    def __init__(self, ray: Any, settings: str) -> None:
        self._ray, self._settings = ray, settings
        self._join = ray.remote(num_cpus=_PLANNING, max_retries=_RETRIES)(join)
        self._limit = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._waiting: deque[Job] = deque()
        self._under_way: list[Any] = []

    def __bool__(self) -> bool:
        return bool(self._waiting or self._under_way)

    def ask(self, jobs: Sequence[Job]) -> None:
        self._waiting.extend(jobs)
        while self._waiting and len(self._under_way) < self._limit:
            job = self._waiting.popleft()
            self._under_way.append(self._join.remote(job.to_json(), self._settings))

    def done(self, wait: bool = False) -> list[JobResult]:
        """Those that are over; unless told to wait for one, those that are over already."""
        if not self._under_way:
            return []
        count = 1 if wait else len(self._under_way)
        over, self._under_way = self._ray.wait(
            self._under_way, num_returns=count, timeout=None if wait else 0
        )
        self.ask([])
        return [read_result(text) for text in self._ray.get(over)]


def _stream(
    ray: Any,
    jobs: Sequence[Job],
    given: dict[str, str],
    *,
    scored: bool,
    workers: int | None,
    gpus: float | None,
) -> Iterator[JobResult]:
    """The jobs through Ray Data; in whichever order they come out."""
    if not jobs:
        return
    data = import_module("ray.data")
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    items = [{"job": job.to_json()} for job in jobs]
    flow = data.from_items(items, override_num_blocks=len(items))
    how = {"batch_size": 1, "batch_format": "pyarrow"}
    if scored:
        tasks = data.TaskPoolStrategy(size=workers) if workers else None
        flow = flow.map_batches(plan, compute=tasks, fn_kwargs=given, num_cpus=1, **how)
    else:
        share, most = _pool(ray, given, workers, gpus, len(jobs))
        flow = flow.map_batches(
            Looking,
            compute=data.ActorPoolStrategy(
                min_size=1,  # a node that is gone must not stop the others
                max_size=most,
                initial_size=most,
                max_tasks_in_flight_per_actor=_WAITING,
            ),
            fn_constructor_kwargs=given,
            num_cpus=_LOOKING,
            num_gpus=share or None,
            **how,
        ).map_batches(planned, fn_kwargs=given, num_cpus=_PLANNING, **how)
    for batch in flow.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        yield from (read_result(text) for text in batch.column("done").to_pylist())


def _one_by_one(
    ray: Any,
    jobs: Sequence[Job],
    given: dict[str, str],
    *,
    scored: bool,
    gpus: float | None,
    then: Then,
) -> Iterator[JobResult]:
    """One job after the other on one actor: nothing else of the run is under way meanwhile."""
    share = 0.0 if scored else _pool(ray, given, 1, gpus, 1)[0]
    actor = ray.remote(
        num_cpus=_LOOKING, num_gpus=share, max_restarts=-1, max_task_retries=_RETRIES
    )(Alone).remote(**given, scored=scored)
    waiting = deque(jobs)
    while waiting:
        done = read_result(ray.get(actor.perform.remote(waiting.popleft().to_json())))
        waiting.extend(then(done))
        yield done


def _pool(
    ray: Any, given: dict[str, str], workers: int | None, gpus: float | None, jobs: int
) -> tuple[float, int]:
    told = Settings.from_json(given["settings"])
    device = told.device if told.can_use_gpu else "cpu"
    return pool(ray.cluster_resources(), device, workers, gpus, jobs)


def pool(
    cluster: Mapping[str, float],
    device: str,
    workers: int | None,
    gpus: float | None,
    jobs: int,
) -> tuple[float, int]:
    """How much of a GPU each actor gets, and how many actors there are at most.

    Unless told, an actor gets a whole one where the cluster has some and ONNX Runtime can use it.
    """
    here = cluster.get("GPU", 0.0)
    if gpus is None:
        wanted = device == "cuda" or (device == "auto" and here > 0 and has_cuda_build())
        gpus = 1.0 if wanted else 0.0
    most = int(cluster.get("CPU", 1))
    if gpus:
        if here < gpus:
            raise FileError(
                f"the cluster has {here:g} GPUs, and {gpus:g} of one is wanted for each worker: "
                "use --device cpu, or add nodes that have them"
            )
        most = min(most, int(here / gpus))
    return gpus, max(1, min(workers or most, most, jobs))


def refuse_missing() -> None:
    """FileError where Ray is not installed, said before anything is begun; Ray is not imported."""
    if find_spec("ray") is None:
        raise _missing()


def _missing() -> FileError:
    return FileError(f"the engine ray is not installed: {installed_by('ray')}")


def _ray(workers: int | None, address: str | None) -> tuple[Any, bool]:
    """Ray, joined to the cluster that is asked for, or started here; whether it is ours to end."""
    try:
        ray: Any = import_module("ray")
        import_module("ray.data")
    except ImportError:
        raise _missing() from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ours = not ray.is_initialized()
    if ours:
        here: dict[str, Any] = {"num_cpus": workers, "include_dashboard": False}
        try:
            with _heard_as_before(signal.SIGTERM):
                ray.init(
                    address=address or "local",
                    logging_level=logging.ERROR,
                    log_to_driver=False,
                    **({} if address else here),
                )
        except Exception as problem:  # one that starts too slowly is a bare Exception to Ray
            why = (str(problem).strip() or type(problem).__name__).splitlines()[0].rstrip(".")
            if address:
                raise FileError(f"no Ray cluster can be joined ({why}): check --address") from None
            raise FileError(
                f"Ray cannot be started here ({why}): see what else this machine is doing, or use "
                "--engine local"
            ) from None
    return ray, ours


@contextmanager
def _heard_as_before(sign: signal.Signals) -> Iterator[None]:
    """Within, Ray is started, which makes itself the one who hears that we are asked to end."""
    before = signal.getsignal(sign)
    try:
        yield
    finally:
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(sign, before)
