"""GPU rows beside the processor's, and plans made from the first checked on the second."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from elsewhere.scorers.embedded import EmbeddedScorer
from elsewhere.scorers.gpu import TorchTower, Tower
from elsewhere.scorers.onnx_graph import float_form, read_graph
from elsewhere.scorers.tower import WEIGHTS, preprocess_file, read_record


def describe_machine(device: str) -> str:
    """The GPU, the cores and the library."""
    import torch

    name = torch.cuda.get_device_name(0) if device != "cpu" else "no GPU"
    return f"{name}, {os.cpu_count()} cores, torch {torch.__version__}"


def open_tower(device: str) -> TorchTower:
    """The form for GPUs: in half precision on a GPU, in single precision on a processor."""
    content = (WEIGHTS / read_record()["tower"]["file"]).read_bytes()
    return TorchTower(float_form(read_graph(content)), device, half=device != "cpu")


def both_rows(tower: Tower, paths: Sequence[Path], batch: int) -> tuple[Any, Any]:
    """The rows of photos by the GPU's tower and by the packaged one."""
    scorer = EmbeddedScorer()
    scorer.load()
    theirs, ours = [], []
    session, ends = scorer._session, scorer._ends

    def packaged(tensor: Any) -> Any:
        return session(tensor[None], *ends)[0]

    for start in range(0, len(paths), batch):
        some = paths[start : start + batch]
        pixels = np.stack([preprocess_file(str(path)) for path in some])
        theirs += [scorer.row(each) for each in tower(pixels)]
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            ours += [scorer.row(each) for each in threads.map(packaged, pixels)]
    return np.array(theirs), np.array(ours)


def difference(gpu: Any, cpu: Any) -> dict[str, Any]:
    """How far the rows are apart."""
    off = np.abs(np.exp(gpu) - np.exp(cpu)).sum(axis=1) / 2
    likely = np.argsort(-cpu, axis=1)[:, :20]
    nats = np.abs(np.take_along_axis(gpu - cpu, likely, axis=1))
    return {
        "photos": len(cpu),
        "same first guess": round(float((gpu.argmax(1) == cpu.argmax(1)).mean()), 4),
        "half the sum of differences over all cells, mean": round(float(off.mean()), 4),
        "half the sum of differences over all cells, largest": round(float(off.max()), 4),
        "nats over the first 20 cells, mean": round(float(nats.mean()), 4),
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
