"""The engine on Ray: who gets how much of a cluster, and a small run that comes to the same rows.

A cluster of two nodes, one of which is killed, is in tests/journeys/test_batch_ray.py (`--long`).
"""

from __future__ import annotations

import json
import os
import socket
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from elsewhere.batch import ray_engine
from elsewhere.batch.blocks import JobResult
from elsewhere.batch.grouping import Job
from elsewhere.batch.ray_engine import pool_size
from elsewhere.batch.runner import BatchStep, Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.errors import FileError, InputError
from tests.batch.makers import albums_in, dead_in, model, pixels, scored, with_versions, write


@pytest.mark.parametrize(
    ("cluster", "gpu", "workers", "gpus", "expected"),
    [
        ({"CPU": 8.0}, False, None, None, (0.0, 8)),
        ({"CPU": 8.0}, False, 3, None, (0.0, 3)),
        ({"CPU": 8.0, "GPU": 2.0}, False, None, None, (0.0, 8)),
        ({"CPU": 8.0, "GPU": 2.0}, False, None, 0.25, (0.25, 8)),
        ({"CPU": 8.0, "GPU": 2.0}, False, None, 1.0, (1.0, 2)),
        ({"CPU": 8.0, "GPU": 2.0}, True, None, None, (1.0, 2)),
        ({"CPU": 8.0, "GPU": 2.0}, True, None, 0.25, (0.25, 8)),
        ({"CPU": 8.0, "GPU": 4.0}, True, 3, None, (1.0, 3)),
    ],
)
def test_actors_get_a_gpu_where_one_is_asked_for(
    cluster: dict[str, float],
    gpu: bool,
    workers: int | None,
    gpus: float | None,
    expected: tuple[float, int],
) -> None:
    assert pool_size(cluster, gpu, workers, gpus, 100) == expected
    assert pool_size(cluster, gpu, workers, gpus, 1)[1] == 1


def test_no_gpu_no_share_of_one() -> None:
    with pytest.raises(FileError, match="the cluster has 0 GPUs"):
        pool_size({"CPU": 2.0}, True, None, None, 9)
    with pytest.raises(InputError, match="dino cannot run on a GPU"):
        Settings("in", "out", ("dino",), device="cuda")


class SlowRay:
    """As much of Ray as plans of giants need; none is over before it is waited for."""

    begun = 0

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 2.0}

    def remote(self, num_cpus: float, max_retries: int) -> Any:
        assert num_cpus <= 1.001 - ray_engine._SCORING_CPUS, (
            "there is no room beside an actor that looks"
        )
        return lambda function: SimpleNamespace(remote=self._begin)

    def _begin(self, job: str, settings: str) -> str:
        self.begun += 1
        return json.dumps(asdict(JobResult(Job.from_json(job).name, "join", 1, 9)))

    def wait(self, tasks: list[str], num_returns: int, timeout: float | None) -> Any:
        over = 0 if timeout == 0 else num_returns
        return tasks[:over], tasks[over:]

    def get(self, tasks: list[str]) -> list[str]:
        return tasks


def test_giants_hold_up_nobody() -> None:
    ray = SlowRay()
    giants = ray_engine._JoinTasks(ray, "")
    assert not giants and giants.finished() == []
    giants.add([Job(str(n), "join") for n in range(5)])
    assert ray.begun == 2 and giants.finished() == [], (
        "no more at a time than cores, none waited for"
    )
    names = []
    while giants:
        names += [one.job for one in giants.finished(wait=True)]
        assert ray.begun <= len(names) + 2
    assert sorted(names) == list("01234")


@pytest.mark.parametrize(
    ("address", "why"),
    [(None, "Ray cannot be started here (it is late)"), ("auto", "no Ray cluster can be joined")],
)
def test_a_ray_that_does_not_start_is_told_in_one_sentence(
    address: str | None, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(**given: Any) -> None:
        raise Exception("it is late.\nand more")  # as Ray has it

    ray = SimpleNamespace(is_initialized=lambda: False, init=late)
    monkeypatch.setattr(ray_engine, "import_module", lambda name: ray)
    with pytest.raises(FileError) as told:
        ray_engine._connect(2, address)
    assert str(told.value).startswith(why) and "more" not in str(told.value)


class RefusedError(Exception):
    """As Ray has it where a token is wrong."""


@pytest.mark.parametrize("kind", ["a kind of its own", "an address that answers"])
def test_a_cluster_that_wants_a_token_says_so(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is left behind, neither of the output nor on stdout."""

    def refuse(**given: Any) -> None:
        os.write(1, b"Ray prints")
        raise RefusedError("Failed to connect") if kind == "a kind of its own" else Exception("no")

    errors = SimpleNamespace(AuthenticationError=RefusedError)
    ray = SimpleNamespace(is_initialized=lambda: False, init=refuse, exceptions=errors)
    monkeypatch.setattr(ray_engine, "import_module", lambda name: ray)
    monkeypatch.setattr(ray_engine, "check_installed", lambda: None)
    write(scored(2), tmp_path / "in" / "a.parquet")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        address = "auto" if kind == "a kind of its own" else f"127.0.0.1:{port}"
        settings = Settings(str(tmp_path / "in"), str(tmp_path / "out"))
        with pytest.raises(FileError, match=r"does not let us in.* RAY_AUTH_TOKEN"):
            run(settings, Engine("ray", 1, address))
    assert not (tmp_path / "out").exists()


def test_what_ray_prints_goes_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    with ray_engine.redirected(1, 2):
        os.write(1, b"a worker died")
    os.write(1, b"results")
    assert capfd.readouterr() == ("results", "a worker died")


@pytest.fixture(scope="module")
def own_ray() -> Iterator[None]:
    """Ray with two cores, started here as the engine starts it."""
    pytest.importorskip("ray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, about its dependencies
        ray, ours = ray_engine._connect(2, None)
        assert ours
        yield
        ray.shutdown()


@pytest.mark.slow
@pytest.mark.usefixtures("own_ray")
@pytest.mark.filterwarnings("ignore")  # Ray's own: it opens sockets and files and leaves them
@pytest.mark.parametrize("kind", ["scores", "photos"])
def test_the_same_rows_as_without_ray(kind: str, tmp_path: Path) -> None:
    if kind == "scores":
        table, block, workers = with_versions(scored(12, impossible=[3])), 48, 2
    else:  # an album in slices, a photo that is none, and albums in blocks
        table = pa.concat_tables([pixels(1, photos=10, broken=[(0, 3)]), pixels(2, first=1)])
        block, workers = 4, 1  # each that looks takes its seconds to start
    write(table, tmp_path / "in" / "a.parquet", group=8)
    words = Settings.scorers if kind == "scores" else (model(tmp_path),)
    steps: list[BatchStep] = []
    for name in ("ray", "local"):
        place = str(tmp_path / "in"), str(tmp_path / name)
        given = Settings(*place, words, key="k", block=block)
        run(given, Engine("ray" if name == "ray" else "local", workers), steps.append)
    rows = albums_in(tmp_path / "ray")
    assert rows == albums_in(tmp_path / "local")
    assert len(rows) == len(set(table["album"].to_pylist()))
    letters = dead_in(tmp_path / "ray")
    assert letters == dead_in(tmp_path / "local") and len(letters) == 1
    assert max(step.photos for step in steps) == table.num_rows
