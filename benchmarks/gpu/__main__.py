"""`python -m benchmarks.gpu`: the embedded tower on a GPU, from JPEGs to features.

    python -m benchmarks.gpu                          speed, on photos that it makes itself
    python -m benchmarks.gpu --photos DIR             also: its rows beside the processor's, of DIR
    python -m benchmarks.gpu --device cpu --seconds 5 the same without a GPU, to try it

A pool of decoding processes feeds one tower in half precision with batches. It prints, each with
how it was measured: what a decoder does alone, the tower alone by batch size, both together, the
processor's own tower on two cores, and what 100 million albums would cost by these stages.
It needs PyTorch and onnx; only numpy, Pillow and onnxruntime beside.
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

from benchmarks.gpu.float_tower import float_form
from benchmarks.gpu.photos import make_photos, prepare
from benchmarks.gpu.torch_tower import TorchTower
from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.protocol import Photo
from elsewhere.scorers.tower import WEIGHTS, preprocess_file, read_record

BATCHES = (1, 8, 32, 64, 128, 256)
PHOTOS_PER_ALBUM = 12
ALBUMS = 100_000_000
SUFFIXES = (".jpg", ".jpeg")
PLAN_MS = 12.6  # processor time of a plan from scores at the default wishes, docs/batch.md


def main() -> None:
    """Measure what was asked for, and print it."""
    asked = _arguments()
    paths = make_photos(asked.out / "photos", 16)
    found: dict[str, Any] = {"machine": _machine(asked.device)}
    tower = WEIGHTS / read_record()["tower"]["file"]
    run = TorchTower(float_form(tower), asked.device, half=asked.device != "cpu")
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
        real = sorted(p for p in asked.photos.rglob("*") if p.suffix.lower() in SUFFIXES)
        found["rows"] = compare(run, real[: asked.rows], asked.batch)
    found["cost"] = cost(found, asked.decoders)
    (asked.out / "gpu.json").write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps(found, indent=1))


def tower_rate(run: TorchTower, size: int, seconds: float) -> float:
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
    """Photos a second that all decoders make together."""
    count = max(len(paths), 4 * (os.cpu_count() or 1))
    start, done = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        names = [str(p) for p in islice(cycle(paths), count)]
        done += sum(1 for _ in pool.map(prepare, names, chunksize=4))
    return done / (time.perf_counter() - start)


def together(
    pool: ProcessPoolExecutor, run: TorchTower, paths: Sequence[Path], batch: int, seconds: float
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


def compare(run: TorchTower, paths: Sequence[Path], batch: int) -> dict[str, Any]:
    """GPU rows beside CPU rows, and plans made from the first checked on the second."""
    scorer = EmbeddedScorer()
    scorer.load()
    theirs, ours = [], []
    session, ends = scorer._session, scorer._ends

    def packaged(tensor: Any) -> Any:
        return session(tensor[None], *ends)[0]

    for start in range(0, len(paths), batch):
        some = paths[start : start + batch]
        pixels = np.stack([preprocess_file(str(path)) for path in some])
        theirs += [scorer.row(each) for each in run(pixels)]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            ours += [scorer.row(each) for each in threads.map(packaged, pixels)]
    gpu, cpu = np.array(theirs), np.array(ours)
    off = np.abs(np.exp(gpu) - np.exp(cpu)).sum(axis=1) / 2
    likely = np.argsort(-cpu, axis=1)[:, :20]
    nats = np.abs(np.take_along_axis(gpu - cpu, likely, axis=1))
    return {
        "photos": len(cpu),
        "same first guess": round(float((gpu.argmax(1) == cpu.argmax(1)).mean()), 4),
        "probability moved, mean": round(float(off.mean()), 4),
        "probability moved, largest": round(float(off.max()), 4),
        "nats over the first 20 cells, mean": round(float(nats.mean()), 4),
        **plans_again(gpu, cpu),
    }


def plans_again(gpu: Any, cpu: Any) -> dict[str, Any]:
    """Plans for sixteen photos from GPU rows, checked on CPU rows: the share that fails.

    The place of each album is its first guess with everything shared; top 5, no margin.
    """
    from elsewhere.service.scores import protect

    failed = made = 0
    for start in range(0, len(cpu) - 15, 16):
        rows, checked = gpu[start : start + 16], cpu[start : start + 16]
        cells = np.argsort(-rows.sum(axis=0))[:512]
        plan = protect(rows[:, cells].astype(np.float64), 0, top=5)
        if plan.found:
            sums = checked[list(plan.kept)][:, cells].astype(np.float64).sum(axis=0)
            made += 1
            failed += int((sums[1:] >= sums[0]).sum()) < 5
    return {"plans from GPU rows": made, "fail on CPU rows": failed}


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


def _machine(device: str) -> str:
    import torch

    name = torch.cuda.get_device_name(0) if device != "cpu" else "no GPU"
    return f"{name}, {os.cpu_count()} cores, torch {torch.__version__}"


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
