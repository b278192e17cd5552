"""The engine on a Ray cluster: the same jobs as a stream of Ray Data.

Ray Data runs as many blocks as the cluster has room for, and repeats what a dead worker or node had
begun. Photos are scored by a pool of actors with warm sessions; planning is tasks. Whoever plans a
block writes it, so only a short result of each block comes back.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elsewhere.batch import blocks
from elsewhere.batch.blocks import JobResult
from elsewhere.batch.columns import arrow
from elsewhere.batch.grouping import Job
from elsewhere.batch.input_rows import unpack
from elsewhere.batch.local_engine import NextJobs
from elsewhere.batch.scoring import RowScorer
from elsewhere.batch.settings import Settings
from elsewhere.batch.storage import CollapseError
from elsewhere.errors import ElsewhereError, FileError
from elsewhere.values.wording import installed_by

if TYPE_CHECKING:
    from elsewhere.batch.runner import Engine


class ScoringActor:
    """An actor that scores photos, with warm workers and sessions."""

    def __init__(self, dataset: str, settings: str) -> None:
        self._dataset, self._settings = dataset, Settings.from_json(settings)
        self.scorer = RowScorer(self._settings)

    def __call__(self, batch: Any) -> Any:
        """The partial rows of each job."""
        jobs = batch.column("job").to_pylist()
        rows = [self._score_job(Job.from_json(text)) for text in jobs]
        return arrow().table({"job": jobs, "rows": arrow().array(rows, arrow().large_binary())})

    def _score_job(self, job: Job) -> bytes:
        if blocks.is_done(job, self._settings):
            return b""
        return bytes(blocks.score_photos(job, self._dataset, self._settings, self.scorer))


class JobActor:
    """An actor that does whole jobs, as a local worker does."""

    def __init__(self, dataset: str, settings: str, scored: bool) -> None:
        self._dataset, self._settings = dataset, Settings.from_json(settings)
        self._scorer = None if scored else RowScorer(self._settings)

    def perform(self, job: str) -> str:
        """Do a job."""
        result = blocks.perform(Job.from_json(job), self._dataset, self._settings, self._scorer)
        return json.dumps(asdict(result))


def plan_scored(batch: Any, dataset: str, settings: str) -> Any:
    """Plan and write jobs whose photos were scored."""
    parsed = Settings.from_json(settings)
    results = []
    for text, rows in zip(batch.column("job"), batch.column("rows"), strict=True):
        job = Job.from_json(text.as_py())
        if blocks.is_done(job, parsed):
            result = blocks.result_of(job)
        elif job.kind == "slice":
            result = blocks.store_slice(job, rows.as_buffer(), parsed)
        else:
            result = blocks.finish_block(job, parsed, unpack(rows.as_buffer()))
        results.append(json.dumps(asdict(result)))
    return arrow().table({"done": results})


def plan_batch(batch: Any, dataset: str, settings: str) -> Any:
    """Plan and write jobs of scores."""
    actor = JobActor(dataset, settings, scored=True)
    return arrow().table({"done": [actor.perform(job) for job in batch.column("job").to_pylist()]})


def join_slices(job: str, settings: str) -> str:
    """Plan a large album from its slices."""
    return JobActor("", settings, scored=True).perform(job)


def read_result(text: str) -> JobResult:
    """The result of a job, from JSON."""
    return JobResult(**json.loads(text))


_SCORING_CPUS, _PLANNING_CPUS = 0.9, 0.1
"""Cores for scoring and for planning, which share one: planning is short."""
_JOBS_PER_ACTOR = 2  # blocks of an actor: one at work and one waiting, so that others get some too
_RETRIES = 20


def run(
    engine: Engine,
    jobs: Sequence[Job],
    arguments: dict[str, str],
    scored: bool,
    next_jobs: NextJobs,
) -> Generator[JobResult]:
    """Do all jobs and those that follow from them; yield each result.

    `arguments` go to every actor and task: the dataset's address and the settings.
    """
    ray, is_ours = _connect(engine.workers, engine.address)
    try:
        if engine.one_by_one:
            gpu_share = 0.0 if scored else _pool_size(ray, engine, arguments, 1)[0]
            yield from _one_by_one(ray, jobs, {**arguments, "scored": scored}, next_jobs, gpu_share)
            return
        joins = _JoinTasks(ray, arguments["settings"])
        without_photos = {"join", "merge"}
        joins.add([job for job in jobs if job.kind in without_photos])
        ready = [job for job in jobs if job.kind not in without_photos]
        for result in _stream(ray, engine, ready, arguments, scored) if ready else ():
            joins.add(next_jobs(result))
            yield result
            yield from joins.finished()
        while joins:
            yield from joins.finished(wait=True)
    except ray.exceptions.RayError as problem:
        cause = getattr(problem, "cause", None)
        lines = str(cause or problem).strip().splitlines()
        kind = FileError if isinstance(cause, ElsewhereError) else CollapseError
        raise kind(
            f"the run on Ray stopped ({lines[-1] if lines else type(problem).__name__}): "
            "repeat the command to resume it"
        ) from None
    finally:
        if is_ours:
            ray.shutdown()


@contextmanager
def connection(workers: int | None, address: str | None) -> Iterator[None]:
    """Ray, connected or started here; within, what Ray prints goes to stderr."""
    with redirected(1, 2):
        ray, is_ours = _connect(workers, address)
        try:
            yield
        finally:
            if is_ours:
                ray.shutdown()


@contextmanager
def redirected(number: int, target: int) -> Iterator[None]:
    """Send what any library of this process writes to stdout (1) or stderr (2) elsewhere."""
    stream = sys.stdout if number == 1 else sys.stderr
    stream.flush()
    before = os.dup(number)
    os.dup2(target, number)
    try:
        yield
    finally:
        stream.flush()
        os.dup2(before, number)
        os.close(before)


class _JoinTasks:
    """Joins of large albums beside the stream, as many at a time as there are cores.

    They take no more of a core than other plans: more is not free while photos are scored.
    """

    def __init__(self, ray: Any, settings: str) -> None:
        self._ray, self._settings = ray, settings
        self._join = ray.remote(num_cpus=_PLANNING_CPUS, max_retries=_RETRIES)(join_slices)
        self._limit = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._waiting: deque[Job] = deque()
        self._running: list[Any] = []

    def __bool__(self) -> bool:
        return bool(self._waiting or self._running)

    def add(self, jobs: Sequence[Job]) -> None:
        self._waiting.extend(jobs)
        while self._waiting and len(self._running) < self._limit:
            job = self._waiting.popleft()
            self._running.append(self._join.remote(job.to_json(), self._settings))

    def finished(self, wait: bool = False) -> list[JobResult]:
        """The results that have come; with `wait`, at least one."""
        if not self._running:
            return []
        count = 1 if wait else len(self._running)
        finished, self._running = self._ray.wait(
            self._running, num_returns=count, timeout=None if wait else 0
        )
        self.add([])
        return [read_result(text) for text in self._ray.get(finished)]


def _stream(
    ray: Any, engine: Engine, jobs: Sequence[Job], arguments: dict[str, str], scored: bool
) -> Iterator[JobResult]:
    """The jobs through Ray Data, in any order."""
    data = import_module("ray.data")
    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    items = [{"job": job.to_json()} for job in jobs]
    dataset = data.from_items(items, override_num_blocks=len(items))
    options = {"batch_size": 1, "batch_format": "pyarrow"}
    if scored:
        tasks = data.TaskPoolStrategy(size=engine.workers) if engine.workers else None
        dataset = dataset.map_batches(
            plan_batch, compute=tasks, fn_kwargs=arguments, num_cpus=1, **options
        )
    else:
        gpu_share, actors = _pool_size(ray, engine, arguments, len(jobs))
        settings = Settings.from_json(arguments["settings"])
        planning, scoring_cpus, planning_cpus = arguments, _SCORING_CPUS, _PLANNING_CPUS
        if settings.gpu:
            nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
            scoring_cpus, planning_cpus, decoders = gpu_actor(nodes, gpu_share)
            arguments = {**arguments, "settings": replace(settings, decoders=decoders).to_json()}
        dataset = dataset.map_batches(
            ScoringActor,
            compute=data.ActorPoolStrategy(
                min_size=1,  # a lost node must not stop the others
                max_size=actors,
                initial_size=actors,
                max_tasks_in_flight_per_actor=_JOBS_PER_ACTOR,
            ),
            fn_constructor_kwargs=arguments,
            num_cpus=scoring_cpus,
            num_gpus=gpu_share or None,
            **options,
        ).map_batches(plan_scored, fn_kwargs=planning, num_cpus=planning_cpus, **options)
    for batch in dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
        yield from (read_result(text) for text in batch.column("done").to_pylist())


def _one_by_one(
    ray: Any, jobs: Sequence[Job], arguments: dict[str, Any], next_jobs: NextJobs, gpu_share: float
) -> Iterator[JobResult]:
    """One job after the other on one actor, with nothing else running."""
    actor = ray.remote(
        num_cpus=_SCORING_CPUS, num_gpus=gpu_share, max_restarts=-1, max_task_retries=_RETRIES
    )(JobActor).remote(**arguments)
    queue = deque(jobs)
    while queue:
        result = read_result(ray.get(actor.perform.remote(queue.popleft().to_json())))
        queue.extend(next_jobs(result))
        yield result


def has_gpu(gpus: float | None) -> bool:
    """Whether the embedded model runs on GPUs of the cluster, of which a worker gets `gpus`.

    Nodes have the same packages as this machine, which may have no GPU itself.
    """
    if gpus is not None and not gpus:
        return False
    if find_spec("torch") is None:
        raise FileError(f"embedded cannot run on a GPU without PyTorch: {installed_by('gpu')}")
    return True


def gpu_actor(nodes: Sequence[Mapping[str, float]], gpu_share: float) -> tuple[float, float, int]:
    """Cores of each actor that feeds a GPU, cores of a plan, and how many decoders an actor has.

    An actor gets half of the cores that its node has for it; the others are for plans, which are
    proved again on the processor.
    """
    with_gpu = [node for node in nodes if node.get("GPU", 0.0) >= gpu_share]
    cores = min((node.get("CPU", 1.0) * gpu_share / node["GPU"] for node in with_gpu), default=1.0)
    scoring = max(_SCORING_CPUS, float(int(cores / 2)))
    return scoring, max(_PLANNING_CPUS, min(1.0, cores - scoring)), max(2, int(cores))


def _pool_size(ray: Any, engine: Engine, arguments: dict[str, str], jobs: int) -> tuple[float, int]:
    settings = Settings.from_json(arguments["settings"])
    return pool_size(ray.cluster_resources(), settings.gpu, engine.workers, engine.gpus, jobs)


def pool_size(
    cluster: Mapping[str, float], gpu: bool, workers: int | None, gpus: float | None, jobs: int
) -> tuple[float, int]:
    """Each actor's share of a GPU, and the number of actors.

    By default an actor gets a whole GPU where the run has a scorer on a `gpu`, and else none.
    """
    available = cluster.get("GPU", 0.0)
    if gpus is None:
        gpus = 1.0 if gpu else 0.0
    limit = int(cluster.get("CPU", 1))
    if gpus:
        if available < gpus:
            raise FileError(
                f"the cluster has {available:g} GPUs, but each worker needs {gpus:g}: "
                "use --device cpu, or add nodes that have them"
            )
        limit = min(limit, int(available / gpus))
    return gpus, max(1, min(workers or limit, limit, jobs))


def check_installed() -> None:
    """FileError where Ray is not installed; it is not imported."""
    if find_spec("ray") is None:
        raise _not_installed()


def _not_installed() -> FileError:
    return FileError(f"the engine ray is not installed: {installed_by('ray')}")


def _not_joined(ray: Any, problem: Exception, address: str | None) -> FileError:
    """Why there is no Ray, and what to do."""
    reason = (str(problem).strip() or type(problem).__name__).splitlines()[0].rstrip(".")
    token = (
        "put the token of its head (~/.ray/auth_token there) into RAY_AUTH_TOKEN, with "
        "RAY_AUTH_MODE=token, here and on every node"
    )
    refusal = getattr(getattr(ray, "exceptions", None), "AuthenticationError", None)
    if (refusal is not None and isinstance(problem, refusal)) or (address and _answers(address)):
        return FileError(
            "the Ray cluster answers and does not let us in, for want of its token or of the same "
            f"version of Ray: {token}"
        )
    if address:
        return FileError(f"no Ray cluster can be joined ({reason}): check --address")
    return FileError(
        f"Ray cannot be started here ({reason}): see what else this machine is doing, or use "
        "--engine local"
    )


def _answers(address: str) -> bool:
    """Whether something listens at an address such as 10.0.0.1:6379."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdigit():
        return False
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
    except OSError:
        return False
    return True


def _connect(workers: int | None, address: str | None) -> tuple[Any, bool]:
    """Ray, connected or started here, and whether we must shut it down."""
    try:
        ray: Any = import_module("ray")
        import_module("ray.data")
    except ImportError:
        raise _not_installed() from None
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    is_ours = not ray.is_initialized()
    if is_ours:
        options: dict[str, Any] = {"address": address}
        if not address:
            options = {"address": "local", "num_cpus": workers, "include_dashboard": False}
        # Ray replaces the handler
        handler = signal.getsignal(signal.SIGTERM)
        try:
            # while it tries to join a cluster, it prints a line a second
            with (
                Path(os.devnull).open("w") as nothing,
                redirected(2, nothing.fileno() if address else 2),
            ):
                ray.init(logging_level=logging.ERROR, log_to_driver=False, **options)
        except Exception as problem:  # a timeout is a bare Exception
            raise _not_joined(ray, problem, address) from None
        finally:
            if handler is not None and threading.current_thread() is threading.main_thread():
                signal.signal(signal.SIGTERM, handler)
    return ray, is_ours
