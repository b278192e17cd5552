"""`python -m benchmarks.gpu`: the embedded tower on a GPU, from JPEGs to features.

    python -m benchmarks.gpu                          speed, on photos that it makes itself
    python -m benchmarks.gpu --photos DIR             also: its rows beside the processor's, of DIR
    python -m benchmarks.gpu --device cpu --seconds 5 the same without a GPU, to try it

A pool of decoding processes feeds one tower in half precision with batches. It prints, each with
how it was measured: what a decoder does alone, the tower alone by batch size, both together, the
processor's own tower on two cores, and what 100 million albums would cost by these stages.
It needs PyTorch; only numpy, Pillow and onnxruntime beside. `python -m benchmarks.gpu.batch` runs
`elsewhere batch` itself.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import cycle, islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.gpu.photos import find_photos, make_photos, prepare
from benchmarks.gpu.rows import both_rows, describe_machine, difference, open_tower, plans_again
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.gpu import Tower
from elsewhere.scorers.protocol import Photo

BATCHES = (1, 8, 32, 64, 128, 256)
PHOTOS_PER_ALBUM = 12
ALBUMS = 100_000_000
PLAN_MS = 12.6  # processor time of a plan from scores at the default wishes, docs/batch.md


def main() -> None:
    """Measure what was asked for, and print it."""
    asked = _arguments()
    paths = make_photos(asked.out / "photos", 16)
    found: dict[str, Any] = {"machine": describe_machine(asked.device)}
    run = open_tower(asked.device)
    found["tower photos/s by batch"] = {
        size: round(tower_rate(run, size, asked.seconds), 2)
        for size in BATCHES
        if size <= asked.batch
    }
    with ProcessPoolExecutor(asked.decoders, get_context("spawn")) as pool:
        list(pool.map(prepare, [str(p) for p in paths[: asked.decoders]]))  # warm
        found["decoding photos/s"] = round(decoding_rate(pool, paths, asked.seconds), 1)
        found["together photos/s"] = round(
            together(pool, run, paths, asked.batch, asked.seconds), 1
        )
    found["processor photos/s, 2 threads"] = round(processor_rate(paths, asked.seconds), 2)
    found["ratio"] = round(found["together photos/s"] / found["processor photos/s, 2 threads"], 1)
    if asked.photos:
        rows = both_rows(run, find_photos(asked.photos)[: asked.rows], asked.batch)
        found["rows"] = difference(*rows) | plans_again(*rows)
    found["cost"] = cost(found, asked.decoders)
    (asked.out / "gpu.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def tower_rate(run: Tower, size: int, seconds: float) -> float:
    """Photos a second of the tower alone, the first two turns left out."""
    blank = np.zeros((size, 3, 224, 224), np.float32)
    for _ in range(2):
        run(blank)
    done, start = 0, time.perf_counter()
    while (took := time.perf_counter() - start) < seconds or not done:
        run(blank)
        done += size
    return done / took


def decoding_rate(pool: ProcessPoolExecutor, paths: Sequence[Path], seconds: float) -> float:
    """Photos a second that all decoders make together.

    While one turn is waited for, the next two are decoded, as `together` does: no decoder waits.
    """
    names = cycle([str(p) for p in paths])
    count = max(len(paths), 4 * (os.cpu_count() or 1))

    def turn() -> Iterator[Any]:
        return pool.map(prepare, list(islice(names, count)), chunksize=4)

    waiting = [turn() for _ in range(3)]
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        done += sum(1 for _ in waiting.pop(0))
        waiting.append(turn())
    took = time.perf_counter() - start
    for rest in waiting:  # what follows measures alone
        list(rest)
    return done / took


def together(
    pool: ProcessPoolExecutor, run: Tower, paths: Sequence[Path], batch: int, seconds: float
) -> float:
    """Photos a second from files to features: the next batch is decoded while one is run."""

    def batches() -> Iterator[Any]:
        names = cycle([str(p) for p in paths])
        waiting = [pool.map(prepare, list(islice(names, batch)), chunksize=4) for _ in range(3)]
        while True:
            yield np.stack(list(waiting.pop(0))).astype(np.float32)
            waiting.append(pool.map(prepare, list(islice(names, batch)), chunksize=4))

    source = batches()
    with ThreadPoolExecutor(1) as ahead:
        coming = ahead.submit(next, source)
        run(coming.result())
        coming = ahead.submit(next, source)
        done, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            now = coming.result()
            coming = ahead.submit(next, source)
            run(now)
            done += len(now)
        took = time.perf_counter() - start
        coming.result()
    return done / took


def processor_rate(paths: Sequence[Path], seconds: float) -> float:
    """Photos a second of the packaged tower, from files to features, on two threads."""
    scorer = EmbeddedScorer()
    scorer.load()

    def features(path: Path) -> Any:
        return scorer.features(Photo(path.name, path))

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(features, paths[:2]))
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            done += len(list(threads.map(features, islice(cycle(paths), 8))))
        return done / (time.perf_counter() - start)


def cost(found: dict[str, Any], decoders: int) -> dict[str, Any]:
    """Hours for 100 million albums of twelve photos, from the stages measured here."""
    photos = ALBUMS * PHOTOS_PER_ALBUM
    tower = max(found["tower photos/s by batch"].values())
    return {
        "decoding, core-hours": round(photos / found["decoding photos/s"] * decoders / 3600),
        "tower, GPU-hours": round(photos / tower / 3600),
        "together, hours of this machine": round(photos / found["together photos/s"] / 3600),
        "processors alone, core-hours": round(
            2 * photos / found["processor photos/s, 2 threads"] / 3600
        ),
        "planning, core-hours": round(ALBUMS * PLAN_MS / 1000 / 3600),
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu")
    add = parser.add_argument
    add("--device", default="cuda", choices=("cuda", "cpu"))
    add("--photos", type=Path, help="a folder of photos to compare rows on")
    add("--rows", type=int, default=1000, help="photos that rows are compared on")
    add("--batch", type=int, default=128)
    add("--decoders", type=int, default=os.cpu_count() or 1)
    add("--seconds", type=float, default=10.0, help="of each measurement")
    add("--out", type=Path, default=Path("build/gpu"))
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    return asked


if __name__ == "__main__":
    main()
