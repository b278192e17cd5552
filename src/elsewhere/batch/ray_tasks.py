"""What a node of a Ray cluster does of a run: actors that look, tasks that plan and write.

All of them do what the workers of the engine here do; only how a job and its outcome travel is
Ray's.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from elsewhere.batch import blocks
from elsewhere.batch.blocks import Done
from elsewhere.batch.grouping import Job
from elsewhere.batch.partial import unpacked
from elsewhere.batch.schemas import arrow
from elsewhere.batch.scoring import PhotoScorer
from elsewhere.batch.settings import Settings


class Looking:
    """An actor with warm workers and sessions."""

    def __init__(self, dataset: str, settings: str) -> None:
        self._dataset, self._settings = dataset, Settings.from_json(settings)
        told = self._settings
        self.look = PhotoScorer(told.scorers, told.max_side, told.input, device=told.device)

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


def _told(done: Sequence[Done]) -> Any:
    return arrow().table({"done": [json.dumps(asdict(one)) for one in done]})


def heard(text: str) -> Done:
    """What a node says of a job."""
    return Done(**json.loads(text))
