"""Albums a second from scores, photos a second from pixels: what is left of the bare parts.

The time to start (processes, a cluster, a model) is told apart: a run of hours does not notice it.
Speed is measured when a quarter of the blocks is done, and all workers are at it, to the last one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.album import turns
from benchmarks.batch.memory import children
from elsewhere.album import Recipe
from elsewhere.batch.grouping import group
from elsewhere.batch.runner import BatchStep, Engine, run
from elsewhere.batch.settings import Settings
from elsewhere.batch.source import Source
from elsewhere.service.scores import protect
from elsewhere.values.margins import margin
from elsewhere.values.scores import Scores

Tell = Callable[[str], None]
TOP = 5
ALBUM = 4
"""Photos of an album that is made of pixels."""


def timed(settings: Settings, engine: Engine) -> dict[str, float]:
    """One run: seconds to the first block, and albums and photos a second after it."""
    start = time.perf_counter()
    marks: list[tuple[float, int, int]] = []
    spent: list[float] = []

    def watch(step: BatchStep) -> None:
        if step.stage == "working" and step.photos:
            marks.append((time.perf_counter(), step.albums, step.photos))
            if engine.name == "ray":  # its processes are not ours to ask when they have ended
                spent.append(_under_way())

    busy = _processor()
    found = run(settings, engine, watch)
    used = _processor() - busy
    quarter = len(marks) // 4
    (first, albums, photos), (last, all_albums, all_photos) = marks[quarter], marks[-1]
    each = used / found.albums
    if engine.name == "ray":
        each = (spent[-1] - spent[quarter]) / max(1, all_albums - albums)
    return {
        "seconds to the first block": marks[0][0] - start,
        "albums per second": (all_albums - albums) / (last - first),
        "photos per second": (all_photos - photos) / (last - first),
        "seconds": time.perf_counter() - start,
        # of Ray without its start, which takes as long as a thousand albums
        "processor ms per album": 1e3 * each,
    }


def from_scores(dataset: Path, out: Path, tell: Tell) -> dict[str, Any]:
    """The solver alone in one process, then each engine with one and two workers."""
    document: dict[str, Any] = {"solver alone": solver_alone(dataset)}
    tell(_line("solver alone, one process", document["solver alone"]))
    exact = {"top": TOP, "exact_top": True}
    runs = [(Engine("local", n), wishes) for n, wishes in ((1, exact), (1, {}), (2, exact))]
    runs += [(Engine("ray", n), exact) for n in (1, 2)]
    for engine, wishes in runs:
        name, workers = engine.name, engine.workers or 1
        title = f"{name}, {workers} worker{'s' if workers > 1 else ''}"
        title += "" if wishes else ", defaults"
        settings = Settings(
            str(dataset), str(out / title.replace(", ", "-")), key="k", block=512, wishes=wishes
        )
        document[title] = timed(settings, engine)
        tell(_line(title, document[title]))
    return document


def solver_alone(dataset: Path, albums: int = 100) -> dict[str, float]:
    """`protect` on the first albums, as a loop would call it: the most that one core can do."""
    source = Source(str(dataset))
    job = group(source, 10**6).jobs[0]
    table = source.read(*job.ranges[0])
    names = np.array(table.column("album").to_pylist())
    cells = table.schema.field("scores").type.list_size
    values = table.column("scores").combine_chunks().flatten().to_numpy().reshape(-1, cells)
    truths = table.column("truth").to_pylist()
    ends = [0, *(1 + np.flatnonzero(names[1:] != names[:-1])).tolist(), len(names)][: albums + 1]
    theta = margin("careful").theta  # as every album gets it that says nothing else
    start, busy = time.perf_counter(), time.process_time()
    for first, end in pairwise(ends):
        protect(Scores(values[first:end]), truths[first], top=TOP, margin=theta, work_limit=20_000)
    count, used = len(ends) - 1, time.process_time() - busy
    return {
        "albums per second": count / (time.perf_counter() - start),
        "processor ms per album": 1e3 * used / count,
    }


def from_pixels(
    paths: Sequence[Path], dataset: Path, out: Path, rounds: int, tell: Tell
) -> dict[str, Any]:
    """Photos through batch, and the bare session on tensors that are ready, in turns."""
    tensors = turns.tensors_of(paths, Recipe())
    rates: list[dict[str, float]] = []
    for turn in range(rounds):
        bare = turns.bare(tensors)
        settings = Settings(str(dataset), str(out / f"pixels-{turn}"), key="k", block=8)
        made = timed(settings, Engine("local", 2))
        albums = len({row // ALBUM for row in range(len(paths))})
        rates.append(
            {
                "batch": made["photos per second"],
                "bare": len(tensors) / bare.clock,
                "batch ms": made["processor ms per album"] * albums / len(paths),
                "bare ms": 1e3 * bare.processor / len(tensors),
            }
        )
        tell(f"  turn {turn}: {_sides(rates[-1])}")
    middle = {name: float(np.median([rate[name] for rate in rates])) for name in rates[0]}
    middle["ratio"] = float(np.median([rate["bare"] / rate["batch"] for rate in rates]))
    middle["processor ratio"] = middle["batch ms"] / middle["bare ms"]
    tell(f"  from pixels: {_sides(middle)}")
    tell(
        f"  {middle['ratio']:.2f} times the bare session on the clock, "
        f"{middle['processor ratio']:.2f} times in processor time, the start included"
    )
    return {"turns": rates, **middle}


def _sides(told: dict[str, float]) -> str:
    return "; ".join(
        f"{side} {told[side]:.2f} photos/s, {told[f'{side} ms']:.0f} ms of CPU a photo"
        for side in ("batch", "bare")
    )


def _processor() -> float:
    """Seconds that this process and those that it has ended were at work."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def _under_way() -> float:
    """Seconds that this process and all below it that live have been at work."""
    tick = os.sysconf("SC_CLK_TCK")
    total = sum(os.times()[:2])
    for pid in children(os.getpid()):
        try:
            told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        total += (int(told[11]) + int(told[12])) / tick
    return total


def _line(title: str, told: dict[str, float]) -> str:
    start = told.get("seconds to the first block")
    beside = "" if start is None else f"  ({start:.1f} s to the first block)"
    cost = told.get("processor ms per album")
    also = "" if cost is None else f"  {cost:.1f} ms of CPU an album"
    return f"  {title:28} {told['albums per second']:7.1f} albums/s{beside}{also}"
