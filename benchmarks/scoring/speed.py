"""Photos per second of the whole path, and of the bare session on ready tensors.

Both are measured in turns in one process, so that whatever else the machine does meets both;
processor time per photo is given as well, since other work on the machine hardly changes it.
The bare session is given every advantage: no file, no decoding, no head, and whichever is fastest
of several batch sizes on all cores, or as many single-thread runs side by side as there are cores.
"""

from __future__ import annotations

import statistics
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from elsewhere.platform.machine import worker_count
from elsewhere.scorers.cached_scorer import score
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.protocol import Photo
from elsewhere.scorers.sessions import onnx_runtime
from elsewhere.scorers.tower import SIDE, preprocess, read_record

BATCHES = (1, 2, 4, 8, 16)
Tensors = NDArray[np.float32]


class Rate(NamedTuple):
    """How fast something is."""

    per_second: float
    cpu_ms: float

    @classmethod
    def of(cls, photos: int, seconds: float, busy: float) -> Rate:
        return cls(round(photos / seconds, 3), round(1000 * busy / photos, 1))


class Bare:
    """One way to run the tower's file on tensors that are ready."""

    def __init__(self, path: Path, ends: tuple[str, str], batch: int, side_by_side: int) -> None:
        onnxruntime = onnx_runtime()
        options = onnxruntime.SessionOptions()
        if side_by_side > 1:
            options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(
            str(path), options, providers=["CPUExecutionProvider"]
        )
        self.input, self.output = ends
        self.batch, self.side_by_side = batch, side_by_side
        self.name = (
            f"{side_by_side} single-thread runs side by side"
            if side_by_side > 1
            else f"batches of {batch} on all cores"
        )

    def rate(self, tensors: Tensors, seconds: float) -> Rate:
        """How fast it is over about so many seconds."""
        ready = np.ascontiguousarray(np.resize(tensors, (self.batch, *tensors.shape[1:])))
        self.session.run([self.output], {self.input: ready})
        done = [0] * self.side_by_side
        busy, start = time.process_time(), time.perf_counter()

        def work(hand: int) -> None:
            while time.perf_counter() < start + seconds:
                self.session.run([self.output], {self.input: ready})
                done[hand] += self.batch

        hands = [threading.Thread(target=work, args=(n,)) for n in range(self.side_by_side)]
        for hand in hands:
            hand.start()
        for hand in hands:
            hand.join()
        return Rate.of(sum(done), time.perf_counter() - start, time.process_time() - busy)


def measure(paths: list[Path], weights: Path, rounds: int, seconds: float) -> dict[str, Any]:
    """Everything about speed."""
    scorer = EmbeddedScorer(weights)
    scorer.load()
    told = read_record(weights)["tower"]
    tower, ends = weights / told["file"], (told["input"], told["output"])
    # each file twice: an album long enough that the last photo, alone on one core, hardly counts
    photos = [Photo(f"{turn} {path.name}", path) for turn in (1, 2) for path in paths]
    tensors = np.stack([preprocess(photo.image((SIDE, SIDE))) for photo in photos[:16]])
    ways = [Bare(tower, ends, batch, 1) for batch in BATCHES]
    if worker_count() > 1:
        ways.append(Bare(tower, ends, 1, worker_count()))
    tried = {way.name: way.rate(tensors, seconds) for way in ways}
    best_batch = max(ways[: len(BATCHES)], key=lambda way: tried[way.name])
    best = max(ways, key=lambda way: tried[way.name])
    turns: list[dict[str, Rate]] = []
    for _ in range(rounds):
        turn = {"whole": whole(scorer, photos), "bare": best_batch.rate(tensors, seconds)}
        turn["best"] = turn["bare"] if best is best_batch else best.rate(tensors, seconds)
        turns.append(turn)
        print("  ".join(f"{name} {rate.per_second:.2f}/s" for name, rate in turn.items()))
    return {
        "photos": len(paths),
        "megabytes each": round(statistics.mean(p.stat().st_size for p in paths) / 1e6, 2),
        "tried": {name: rate._asdict() for name, rate in tried.items()},
        "bare": best_batch.name,
        "best": best.name,
        "turns": [{name: rate._asdict() for name, rate in turn.items()} for turn in turns],
        "fastest": {name: max(turn[name] for turn in turns)._asdict() for name in turns[0]},
        "ratio to bare": _ratio(turns, "bare"),
        "ratio to best": _ratio(turns, "best"),
        "median ratio to bare": round(
            statistics.median(turn["whole"].per_second / turn["bare"].per_second for turn in turns),
            3,
        ),
    }


def whole(scorer: EmbeddedScorer, photos: list[Photo]) -> Rate:
    """From files to rows, without the cache."""
    busy, start = time.process_time(), time.perf_counter()
    scores, failed = score(scorer, photos)
    assert scores.photos == len(photos)
    assert not failed
    return Rate.of(len(photos), time.perf_counter() - start, time.process_time() - busy)


def _ratio(turns: list[dict[str, Rate]], other: str) -> float:
    """The whole path against another way, each in its fastest turn.

    Other work on the machine slows both, but not by the same share: the bare session's threads
    wait for each other. So the fastest turns are compared, and not the turns beside each other,
    which would flatter the whole path.
    """
    whole = max(turn["whole"].per_second for turn in turns)
    return round(whole / max(turn[other].per_second for turn in turns), 3)
