"""The two sides: the whole job up to the plan, and nothing but the model on tensors that are ready.

They are measured in turns, so that whatever else the machine does meets both. Time on the clock is
what a person waits; processor time, of this process and of the workers that it started and ended,
hardly changes when others use the machine, and is given beside it.
"""

from __future__ import annotations

import io
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.album import Recipe, read_album
from elsewhere.album.places import places_of
from elsewhere.platform.machine import worker_count
from elsewhere.scorers import tower
from elsewhere.scorers.sessions import open_session
from elsewhere.scorers.tower import WEIGHTS, preprocess_file, read_record
from elsewhere.service import score_album
from elsewhere.service.planning import AlbumPlan, plan_album
from elsewhere.values.wishes import Wishes

Tensors = Sequence[NDArray[np.float32]]


class Cost(NamedTuple):
    """What one turn took, in seconds; `plan` is the part of the whole that was planning."""

    clock: float
    processor: float
    plan: float = 0.0


def tensors_of(paths: Sequence[Path], recipe: Recipe) -> Tensors:
    """Ready input for the model: what the scorer would make of each rendition."""
    album = read_album(paths, recipe=recipe)
    made = [preprocess_file(io.BytesIO(photo.rendition.content))[None] for photo in album.photos]
    album.close()
    assert len(made) == len(paths), [one.reason for one in album.skipped]
    return made


def whole(paths: Sequence[Path], recipe: Recipe, wishes: Wishes) -> tuple[Cost, AlbumPlan]:
    """Reading, rendering, scoring and planning, with no cache.

    `elsewhere protect` also reads text on photos and tries attacks on its plan.
    """
    tower.forget_features()
    start, busy = time.perf_counter(), _processor()
    seen = score_album(paths, recipe=recipe)
    between = time.perf_counter()
    plan = plan_album(seen, places_of(seen.photos), wishes)
    end = time.perf_counter()
    assert len(seen.photos) == len(paths), [one.reason for one in seen.skipped]
    seen.close()
    return Cost(end - start, _processor() - busy, end - between), plan


def bare(tensors: Tensors) -> Cost:
    """The model alone, on as many single-thread runs side by side as the job uses."""
    told = read_record()["tower"]
    run = open_session(WEIGHTS / told["file"], told["sha256"])
    ends = told["input"], told["output"]
    start, busy = time.perf_counter(), _processor()
    with ThreadPoolExecutor(worker_count()) as pool:
        for _ in pool.map(lambda tensor: run(tensor, *ends), tensors):
            pass
    return Cost(time.perf_counter() - start, _processor() - busy)


def measure(
    paths: Sequence[Path],
    recipe: Recipe,
    rounds: int,
    tell: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Turns of both sides, and what follows from them."""
    wishes = Wishes(exact_top=True)  # the k that is drawn is no part of what is measured
    tensors = tensors_of(paths, recipe)
    bare(tensors[: 2 * worker_count()])  # the model is loaded before the first turn of either side
    turns: list[dict[str, Cost]] = []
    for number in range(rounds):
        cost, plan = whole(paths, recipe, wishes)
        turns.append({"whole": cost, "bare": bare(tensors)})
        told = "  ".join(
            f"{side} {cost.clock:.2f} s ({cost.processor:.2f} s of processor time)"
            for side, cost in turns[-1].items()
        )
        tell(f"turn {number + 1} of {rounds}: {told}")
    return {
        "photos": len(paths),
        "megabytes each": round(statistics.mean(p.stat().st_size for p in paths) / 1e6, 2),
        "rendition": str(recipe),
        "threads": worker_count(),
        "turns": [{side: cost._asdict() for side, cost in turn.items()} for turn in turns],
        "withheld": len(plan.plan.withheld),
        "plan": plan.plan.status,
        **results(turns, len(paths)),
    }


def results(turns: Sequence[dict[str, Cost]], photos: int) -> dict[str, Any]:
    """Medians over the turns."""

    def median(of: Callable[[dict[str, Cost]], float]) -> float:
        return round(statistics.median(of(turn) for turn in turns), 3)

    return {
        "ratio": median(lambda turn: turn["whole"].clock / turn["bare"].clock),
        "processor ratio": median(lambda turn: turn["whole"].processor / turn["bare"].processor),
        "whole photos per second": median(lambda turn: photos / turn["whole"].clock),
        "bare photos per second": median(lambda turn: photos / turn["bare"].clock),
        "whole ms of processor": median(lambda turn: 1000 * turn["whole"].processor / photos),
        "bare ms of processor": median(lambda turn: 1000 * turn["bare"].processor / photos),
        "planning seconds": median(lambda turn: turn["whole"].plan),
    }


def _processor() -> float:
    """Seconds of processor time of this process, and of the children that have ended."""
    told = os.times()
    return told.user + told.system + told.children_user + told.children_system
